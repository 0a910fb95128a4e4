"""Languages: what codes of them mean, how they are written, and ranges that name several.

A code is one of BCP 47: a language (``de``), perhaps with its script (``hi-Latn``) or country
(``pt-BR``). ``und`` is a language that could not be told, and ``und-Latn`` one of which only the
script is known. A range names many: ``*`` is any language, ``*-Latn`` any that is written in Latin
letters.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from scrutiny.core.errors import PlanError

#: Language that could not be told.
UNKNOWN: Final = "und"

_NAMES: Final[Mapping[str, str]] = dict(
    pair.split("=")
    for pair in """en=English de=German fr=French es=Spanish it=Italian pt=Portuguese nl=Dutch
    pl=Polish ro=Romanian cs=Czech sk=Slovak hu=Hungarian tr=Turkish sv=Swedish da=Danish
    nb=Norwegian no=Norwegian nn=Norwegian fi=Finnish et=Estonian lt=Lithuanian lv=Latvian
    sl=Slovenian hr=Croatian bs=Bosnian sq=Albanian id=Indonesian ms=Malay vi=Vietnamese tl=Tagalog
    sw=Swahili ca=Catalan gl=Galician eu=Basque af=Afrikaans is=Icelandic ga=Irish cy=Welsh
    hi=Hindi mr=Marathi ne=Nepali ru=Russian uk=Ukrainian be=Belarusian bg=Bulgarian sr=Serbian
    mk=Macedonian kk=Kazakh ar=Arabic fa=Persian ur=Urdu zh=Chinese ja=Japanese ko=Korean el=Greek
    he=Hebrew th=Thai ka=Georgian hy=Armenian bn=Bengali pa=Punjabi gu=Gujarati ta=Tamil te=Telugu
    kn=Kannada ml=Malayalam si=Sinhala km=Khmer lo=Lao my=Burmese am=Amharic bo=Tibetan""".split()
)

_SCRIPTS: Final[Mapping[str, str]] = {  # of languages that are not written in Latin letters
    code: script
    for script, codes in {
        "Cyrl": "ru uk be bg sr mk kk ky tg mn",
        "Grek": "el",
        "Armn": "hy",
        "Hebr": "he yi",
        "Arab": "ar fa ur ps sd ug",
        "Deva": "hi mr ne sa",
        "Beng": "bn as",
        "Guru": "pa",
        "Gujr": "gu",
        "Taml": "ta",
        "Telu": "te",
        "Knda": "kn",
        "Mlym": "ml",
        "Sinh": "si",
        "Geor": "ka",
        "Hang": "ko",
        "Ethi": "am ti",
        "Hani": "zh",
        "Jpan": "ja",
        "Thai": "th",
        "Laoo": "lo",
        "Mymr": "my",
        "Khmr": "km",
        "Tibt": "bo dz",
    }.items()
    for code in codes.split()
}

_OF_THREE: Final[Mapping[str, str]] = dict(  # ISO 639-3 and 639-2, of those that have two letters
    pair.split("=")
    for pair in """eng=en deu=de ger=de fra=fr fre=fr spa=es ita=it por=pt nld=nl dut=nl pol=pl
    ron=ro rum=ro ces=cs cze=cs slk=sk slo=sk hun=hu tur=tr swe=sv dan=da nob=nb nor=no nno=nn
    fin=fi est=et lit=lt lav=lv slv=sl hrv=hr bos=bs sqi=sq alb=sq ind=id msa=ms may=ms vie=vi
    tgl=tl swa=sw cat=ca glg=gl eus=eu baq=eu afr=af isl=is ice=is gle=ga cym=cy wel=cy hin=hi
    mar=mr nep=ne rus=ru ukr=uk bel=be bul=bg srp=sr mkd=mk mac=mk kaz=kk ara=ar fas=fa per=fa
    urd=ur zho=zh chi=zh cmn=zh jpn=ja kor=ko ell=el gre=el heb=he tha=th kat=ka geo=ka hye=hy
    arm=hy ben=bn pan=pa guj=gu tam=ta tel=te kan=kn mal=ml sin=si khm=km lao=lo mya=my bur=my
    amh=am bod=bo tib=bo""".split()
)

_IN_WORDS: Final[Mapping[str, str]] = {
    "Latn": "Latin letters",
    "Cyrl": "Cyrillic letters",
    "Arab": "Arabic letters",
    "Deva": "Devanagari",
}

#: Scripts that put no space between words.
UNSPACED: Final = frozenset(
    {"Hani", "Hans", "Hant", "Jpan", "Thai", "Laoo", "Mymr", "Khmr", "Tibt"}
)
#: Scripts whose tokens are single characters.
OF_CHARACTERS: Final = frozenset({"Hani", "Hans", "Hant", "Jpan"})

#: Languages that put spaces between words of several letters.
SPACED_WORDS: Final = frozenset(
    f"*-{script}" for script in {"Latn", *_SCRIPTS.values()} if script not in UNSPACED
)
#: Languages whose letters come in upper and lower case.
CASED: Final = frozenset({"*-Latn", "*-Cyrl", "*-Grek", "*-Armn"})
#: Languages in Latin letters.
IN_LATIN: Final = frozenset({"*-Latn"})


_CODE: Final = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*")


def code_of(stated: str) -> str:
    """Code of a language that somebody states by its code or its English name; empty if neither.

    Examples
    --------
    >>> [code_of(text) for text in ("EN", "pt_br", "zh-hans", "German", "deu", "eng", "klingon")]
    ['en', 'pt-BR', 'zh-Hans', 'de', 'de', 'en', '']
    """
    text = stated.strip()
    named = next((code for code, name in _NAMES.items() if name == text.capitalize()), "")
    if named or not _CODE.fullmatch(text):
        return named
    first, *rest = text.replace("_", "-").split("-")
    parts = [p.title() if len(p) == 4 else p.upper() if len(p) == 2 else p.lower() for p in rest]
    return "-".join([_OF_THREE.get(first.lower(), first.lower()), *parts])


def script_of(language: str) -> str:
    """Script that a language is written in (ISO 15924); Latin for a code that is not known.

    Empty for a language that could not be told, unless its script is stated.

    Examples
    --------
    >>> [script_of(code) for code in ("de", "ru", "zh-TW", "hi-Latn", "und")]
    ['Latn', 'Cyrl', 'Hani', 'Latn', '']
    """
    first, *rest = language.split("-")
    stated = next((part.title() for part in rest if len(part) == 4 and part.isalpha()), "")
    if stated:
        return stated
    return "" if first == UNKNOWN else _SCRIPTS.get(first.lower(), "Latn")


def speaks(languages: frozenset[str], language: str) -> bool:
    """Whether one of the supported languages is this one, or its first part.

    ``*`` is any, ``*-Latn`` any in this script.

    Examples
    --------
    >>> speaks(frozenset({"zh"}), "zh-Hans"), speaks(frozenset({"zh"}), "en")
    (True, False)
    >>> [speaks(frozenset({"*-Latn"}), code) for code in ("de", "ru", "und", "und-Latn")]
    [True, False, False, True]
    """
    if "*" in languages or language in languages or language.partition("-")[0] in languages:
        return True
    return f"*-{script_of(language)}" in languages


def speaks_any(languages: frozenset[str], spoken: Iterable[str]) -> bool:
    """Whether at least one of several languages is supported; so it is where none is stated."""
    found = list(spoken)
    return not found or any(speaks(languages, language) for language in found)


def may_be(languages: frozenset[str], spoken: Iterable[str]) -> bool:
    """Whether texts may be in one of some languages: they are, or nothing tells that they are not.

    A text whose language could not be told may be in any that is written in its script.

    Examples
    --------
    >>> english = frozenset({"en"})
    >>> [may_be(english, [code]) for code in ("en-GB", "de", "und-Latn", "und", "und-Arab")]
    [True, False, True, True, False]
    """
    scripts = {"", *map(script_of, languages)}
    found = list(spoken)
    return speaks_any(languages, found) or any(
        code.partition("-")[0] == UNKNOWN and script_of(code) in scripts for code in found
    )


def both(first: frozenset[str], second: frozenset[str]) -> frozenset[str]:
    """Languages that two sets support: a range and a language of it have the language.

    Examples
    --------
    >>> sorted(both(frozenset({"en", "zh"}), frozenset({"*-Latn"})))
    ['en']
    """
    common = {code for code in first if speaks(second, code)}
    return frozenset(common | {code for code in second if speaks(first, code)})


def is_english(language: str) -> bool:
    """Whether a code is that of English, in any country."""
    return language.partition("-")[0] == "en"


def name_of(language: str) -> str:
    """Language in words, with its code.

    Examples
    --------
    >>> name_of("de"), name_of("hi-Latn")
    ('German (de)', 'Hindi in Latin letters (hi-Latn)')
    >>> name_of("und-Latn"), name_of("*-Latn"), name_of("*")
    ('unknown in Latin letters (und-Latn)', 'any language in Latin letters (*-Latn)', 'any')
    """
    first, _, rest = language.partition("-")
    if language == "*":
        return "any"
    name = {UNKNOWN: "unknown", "*": "any language"}.get(first) or _NAMES.get(first.lower(), "")
    if rest in _IN_WORDS:
        name += f" in {_IN_WORDS[rest]}" * bool(name)
    return f"{name} ({language})" if name else language


def in_words(languages: Collection[str], *, most: int = 6) -> str:
    """Several languages in words, English first; ranges of scripts are one phrase.

    Parameters
    ----------
    languages
        Codes and ranges.
    most
        How many are named, if there are more.

    Examples
    --------
    >>> in_words({"de", "en"}), in_words(SPACED_WORDS)
    ('English (en), German (de)', 'any language with spaces between words')
    """
    for range_of, said in (
        (SPACED_WORDS, "any language with spaces between words"),
        (CASED, _CASED),
    ):
        if set(languages) >= range_of:
            rest = set(languages) - range_of
            return ", ".join([said, *([in_words(rest, most=most)] if rest else [])])
    names = sorted(map(name_of, languages), key=lambda name: (name != _ENGLISH, name))
    more = len(names) - most
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:most])} and {more} others"


_ENGLISH: Final = "English (en)"
_CASED: Final = "any language with upper and lower case"


def left_out(
    what: str, names: Collection[str], languages: Collection[str], *, data: str
) -> tuple[str, ...]:
    """Sentence about what is not asked of data whose language it does not know; or nothing.

    Parameters
    ----------
    what
        Plural of what they are.
    names
        Titles of what is left out.
    languages
        Languages of the texts.
    data
        Name of the dataset.

    Examples
    --------
    >>> left_out("changes", ["tense changed", "adverbs inserted"], {"de"}, data="reviews")[0][:61]
    '2 changes left out of reviews, whose texts are in German (de)'
    >>> left_out("attacks", ["PWWS"], {"und-Latn"}, data="reviews")[0][:66]
    '1 attack left out of reviews, whose language could not be told: PW'
    """
    if not names:
        return ()
    count = f"{len(names)} {what if len(names) > 1 else what.removesuffix('s')}"
    they = "they do" if len(names) > 1 else "it does"
    whose = f"whose texts are in {in_words(languages)}, which {they} not know"
    if all(one.partition("-")[0] == UNKNOWN for one in languages):
        whose = "whose language could not be told"
    return (
        f"{count} left out of {data}, {whose}: {', '.join(sorted(names))}. If the texts are in "
        "English, say so: #language=en.",
    )


def must_know(what: str, known: frozenset[str], languages: Collection[str], *, data: str) -> None:
    """Refuse something that knows no language of the data.

    Raises
    ------
    PlanError
        With the languages of both, and how to state another.
    """
    if speaks_any(known, languages):
        return
    raise PlanError(
        f"{what} is for texts in {in_words(known)}, and the language of {data!r} is "
        f"{in_words(languages)}: name another, or, if the texts are in a language that it knows, "
        f"say so behind the data string: #language={_first_code(known)}."
    )


def _first_code(known: Collection[str]) -> str:
    codes = sorted(code for code in known if not code.startswith("*"))
    return "en" if "en" in known or not codes else codes[0]


def counted(languages: Mapping[str, int] | Iterable[str]) -> str:
    """Languages with how many texts are in each, the commonest first.

    Examples
    --------
    >>> counted(["de", "en", "de"])
    'German (de): 2, English (en): 1'
    """
    counts = Counter(languages)
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{name_of(code)}: {n:,}" for code, n in ordered)
