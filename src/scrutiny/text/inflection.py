"""Inflection: base forms and inflected forms, by a table of irregular forms and rules.

Regular forms follow from spelling. The table is made from the dictionary of lemminflect (Brad
Jascob; derived from the SPECIALIST Lexicon, National Library of Medicine) by
``tools/lexicons/build_forms.py``, and loads in a twentieth of its time, without pickle files.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from scrutiny.text.letters import match_case
from scrutiny.text.lexicon import read_bytes

_CACHED = 1 << 16
_CLASS = {"NOUN": "N", "VERB": "V", "AUX": "V", "ADJ": "A", "ADV": "R"}
_TAGS = {
    "N": ("NNS",),
    "V": ("VBZ", "VBD", "VBG", "VBN"),
    "A": ("JJR", "JJS"),
    "R": ("RBR", "RBS"),
}
_VERB_TAGS = ("VB", "VBP", "VBZ", "VBD", "VBN", "VBG")
_BE = dict(zip(_VERB_TAGS, ("be", "are", "is", "was", "been", "being"), strict=True))
_MODALS = frozenset("can could may might must shall should will would ought".split())
_CLITICS = {
    **dict.fromkeys("'m 's 're am are is was were been being".split(), "be"),
    **{"n't": "not", "'d": "would", "'ve": "have", "'ll": "will"},
    **{"ca": "can", "wo": "will", "sha": "shall"},
}


class _Forms(NamedTuple):
    irregular: dict[str, str]  # "VBD go" -> "went"; "" where there is no form
    lemmas: dict[str, str]  # "V went" -> "go", where rules would not find it
    known: dict[str, str]  # lemma -> classes that it has, of NVAR


@cache
def _forms() -> _Forms:
    first, second, third = read_bytes("forms.txt.xz").decode().split("\n\n")
    known: dict[str, str] = {}
    for line in third.rstrip("\n").split("\n"):
        classes, *bases = line.split(" ")
        known.update(dict.fromkeys(bases, classes))
    return _Forms(_pairs(first), _pairs(second), known)


def _pairs(lines: str) -> dict[str, str]:
    """Pairs of words of each line, keyed by the line's tag and the first of the two."""
    found = {}
    for line in lines.split("\n"):
        tag, *pairs = line.split(" ")
        for pair in pairs:
            one, _, other = pair.partition("=")
            found[f"{tag} {one}"] = other
    return found


@lru_cache(maxsize=_CACHED)
def _form(lemma: str, xpos: str) -> str | None:
    """Inflected form of a lower-case lemma."""
    if lemma == "be" and xpos in _BE:
        return _BE[xpos]
    if lemma in _MODALS and xpos[0] == "V":
        return None
    listed = _forms().irregular.get(f"{xpos} {lemma}")
    return regular_form(lemma, xpos) if listed is None else listed or None


def rule_lemma(word: str, word_class: str) -> str:
    """Return the base form of a lower-case word, by rules and the list of known bases."""
    forms = _forms()
    if word_class in forms.known.get(word, "") and not word.endswith("ing"):
        return word
    fallback = ""
    for tag in _TAGS[word_class]:
        for base in candidate_lemmas(word, tag):
            if word in (_form(base, tag), regular_form(base, tag) if tag == "NNS" else None):
                if word_class in forms.known.get(base, ""):
                    return base
                fallback = fallback or base
    if word_class == "A" or word in forms.known:
        return word
    return fallback or word


@lru_cache(maxsize=_CACHED)
def lemma(word: str, upos: str) -> str:
    """Return the base form of a word, in lower case; proper nouns and closed classes unchanged.

    Examples
    --------
    >>> lemma("went", "VERB"), lemma("Cities", "NOUN"), lemma("better", "ADJ")
    ('go', 'city', 'good')
    >>> lemma("isn't", "AUX")
    'be'
    """
    if upos == "PROPN":
        return word
    lower = word.lower().replace("’", "'")
    word_class = _CLASS.get(upos)
    if word_class is None:
        return "not" if lower == "n't" else lower
    if (word_class == "V" and "'" in lower) or lower in _CLITICS:
        lower = lower[:-3] if lower.endswith("n't") and len(lower) > 3 else lower
        if word_class == "V":
            lower = _CLITICS.get(lower, lower)
    if word_class == "V" and lower in _MODALS and upos == "AUX":
        return lower
    return _forms().lemmas.get(f"{word_class} {lower}") or rule_lemma(lower, word_class)


def inflect(lemma: str, xpos: str) -> str | None:
    """Return a base inflected for a Penn tag, in the casing given; None if it has no such form.

    ``be`` gives *are*, *is*, *was*; modals have no forms; unknown words are inflected regularly.

    Examples
    --------
    >>> inflect("take", "VBD"), inflect("Child", "NNS"), inflect("beautiful", "JJR")
    ('took', 'Children', None)
    """
    found = _form(lemma.lower(), {"NNPS": "NNS", "NNP": "NN"}.get(xpos, xpos))
    return None if found is None else match_case(lemma, found)


def reinflect(word: str, upos: str, xpos: str) -> str | None:
    """Return another form of an inflected word, in the same casing; None if it has none.

    Examples
    --------
    >>> reinflect("Went", "VERB", "VBZ"), reinflect("mice", "NOUN", "NN")
    ('Goes', 'mouse')
    """
    found = _form(lemma(word, upos).lower(), xpos)
    return None if found is None else match_case(word, found)


_AN = re.compile(r"(?:hour|honest|hono|heir|[aeiou])", re.IGNORECASE)
_A = re.compile(
    r"(?:one(?:self|[^a-z]|$)|once|ouija|eu|ewe|unanim|uni(?![nmd])|unesco|u[st][eiu]|utop|usa[bg]"
    r"|ubiq|ukr|ugan|uran|uri|uv)",
    re.IGNORECASE,
)


def indefinite_article(following: str) -> Literal["a", "an"]:
    """Return the indefinite article that goes before a word or number, by its sound.

    Examples
    --------
    >>> [indefinite_article(w) for w in ("user", "hour", "FBI", "UFO", "8th", "umbrella", "one")]
    ['a', 'an', 'an', 'a', 'an', 'an', 'a']
    """
    number = re.match(r"[0-9]+", following)
    if number is not None:
        return "an" if number[0][0] == "8" or number[0] in ("11", "18") else "a"
    letters = re.match(r"[A-Za-z]+", following)
    head = "" if letters is None else letters[0]
    is_spelled = head.isupper() and (len(head) <= 3 or not re.search("[AEIOUY]", head[1:]))
    if is_spelled or len(head) == 1:
        return "an" if head[0] in "AEFHILMNORSXaefhilmnorsx" else "a"
    return "an" if _AN.match(following) and not _A.match(following) else "a"


_VOWELS = "aeiou"
_SIBILANT = ("s", "x", "z", "ch", "sh")
_SYLLABLE = re.compile(r"[aeiouy]+")


def is_monosyllable(word: str) -> bool:
    """Whether a word has one group of vowels, a silent final e aside.

    Examples
    --------
    >>> is_monosyllable("stop"), is_monosyllable("nice"), is_monosyllable("open")
    (True, True, False)
    """
    groups = _SYLLABLE.findall(word)
    if len(groups) == 2 and word.endswith("e") and not word.endswith(("le", "ee", "ie", "oe")):
        return True
    return len(groups) == 1


def _doubles(word: str) -> bool:
    """Whether the last consonant doubles before a vowel: stop -> stopped."""
    if len(word) < 3 or word[-1] in "aeiouwxyh" or word[-2] not in _VOWELS:
        return False
    before = word[-3]
    single_vowel = before not in _VOWELS or (before == "u" and word[-4:-3] == "q")
    return single_vowel and is_monosyllable(word)


def _ends_in_consonant_y(word: str) -> bool:
    return len(word) > 1 and word[-1] == "y" and (word[-2] not in _VOWELS or word[-3:-1] == "qu")


def add_s(word: str, *, is_verb: bool) -> str:
    """Return the plural of a noun or the third person of a verb.

    Examples
    --------
    >>> add_s("box", is_verb=False), add_s("try", is_verb=True), add_s("veto", is_verb=True)
    ('boxes', 'tries', 'vetoes')
    """
    if _ends_in_consonant_y(word):
        return word[:-1] + "ies"
    if word.endswith(_SIBILANT):
        return word + "es"
    if is_verb and len(word) > 1 and word[-1] == "o" and word[-2] not in _VOWELS:
        return word + "es"
    return word + "s"


def _add_vowel_suffix(word: str, suffix: str) -> str:
    if word.endswith("e"):
        return word[:-1] + suffix
    if _ends_in_consonant_y(word):
        return word[:-1] + "i" + suffix
    return word + (word[-1] if _doubles(word) else "") + suffix


def add_ed(word: str) -> str:
    """Return the past form of a regular verb.

    Examples
    --------
    >>> add_ed("stop"), add_ed("love"), add_ed("try"), add_ed("play")
    ('stopped', 'loved', 'tried', 'played')
    """
    return _add_vowel_suffix(word, "ed")


def add_ing(word: str) -> str:
    """Return the present participle of a verb.

    Examples
    --------
    >>> add_ing("make"), add_ing("die"), add_ing("see"), add_ing("run")
    ('making', 'dying', 'seeing', 'running')
    """
    if word.endswith("ie"):
        return word[:-2] + "ying"
    if word.endswith("e") and not word.endswith(("ee", "oe", "ye")) and len(word) > 2:
        return word[:-1] + "ing"
    return word + (word[-1] if _doubles(word) else "") + "ing"


def compare(word: str, suffix: str) -> str | None:
    """Return the comparative ("er") or superlative ("est"); None for long adjectives.

    Examples
    --------
    >>> compare("big", "er"), compare("happy", "est"), compare("beautiful", "er")
    ('bigger', 'happiest', None)
    """
    if not (is_monosyllable(word) or (_ends_in_consonant_y(word) and len(word) < 8)):
        return None
    return _add_vowel_suffix(word, suffix)


_REGULAR: dict[str, Callable[[str], str | None]] = {
    "NNS": lambda word: add_s(word, is_verb=False),
    "VBZ": lambda word: add_s(word, is_verb=True),
    "VBD": add_ed,
    "VBN": add_ed,
    "VBG": add_ing,
    "JJR": lambda word: compare(word, "er"),
    "JJS": lambda word: compare(word, "est"),
}


def regular_form(lemma: str, xpos: str) -> str | None:
    """Return the regular form of a base for a Penn tag; the base itself for VB, VBP, NN, JJ, RB.

    Examples
    --------
    >>> regular_form("walk", "VBD"), regular_form("walk", "VB"), regular_form("quickly", "RBR")
    ('walked', 'walk', None)
    """
    if xpos in _REGULAR:
        return _REGULAR[xpos](lemma)
    return None if xpos in ("RBR", "RBS") else lemma


def _stems(stem: str, *, prefer_e: bool) -> list[str]:
    """Bases that a stem before a vowel suffix may come from, most likely first."""
    found = [stem, stem + "e"]
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in _VOWELS:
        found.insert(1 if stem[-1] in "lsz" else 0, stem[:-1])
    if stem.endswith("i") and len(stem) > 2:
        found.insert(0, stem[:-1] + "y")
    if stem.endswith("ick"):
        found.append(stem[:-1])
    if prefer_e:
        found.insert(0, found.pop())
    return found


_BEFORE_E = tuple("c v u at iz yz rs ns dg rg ang eng ur ag lin".split())


def candidate_lemmas(word: str, xpos: str) -> list[str]:
    """Return bases whose regular form for a Penn tag may be the word, most likely first.

    Examples
    --------
    >>> candidate_lemmas("hoping", "VBG"), candidate_lemmas("cities", "NNS")
    (['hope', 'hop'], ['city', 'citie', 'citi'])
    """
    found: list[str] = []
    if xpos in ("NNS", "VBZ") and word.endswith("s") and not word.endswith("ss"):
        found.append(word[:-1])
        if word.endswith("es"):
            is_sibilant = word.endswith(("xes", "ches", "shes", "sses", "zzes"))
            found.insert(0 if is_sibilant else 1, word[:-2])
        if word.endswith("ies") and len(word) > 4:
            found.insert(0, word[:-3] + "y")
    suffix = {"VBD": "ed", "VBN": "ed", "VBG": "ing", "JJR": "er", "JJS": "est"}.get(xpos)
    if suffix and word.endswith(suffix) and len(word) > len(suffix) + 1:
        stem = word[: -len(suffix)]
        if suffix == "ing" and stem.endswith("y"):
            found.append(stem[:-1] + "ie")
        is_vce = len(stem) > 2 and stem[-2] in _VOWELS and stem[-3] not in _VOWELS
        is_short = is_vce and stem[-1] not in "wxyhnlrt" and is_monosyllable(stem)
        # whether words of this stem, unknown otherwise, come from "-e"
        found += _stems(stem, prefer_e=stem.endswith(_BEFORE_E) or is_short)
    return list(dict.fromkeys(found))
