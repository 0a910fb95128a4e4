"""Language of texts: told by their script and by words that are frequent in a language.

Nothing here is learned. A text in a script that one language uses is in that language; among the
languages of a script, the words and letters of ``data/languages.tsv`` decide, each counting for
less the more languages have it. A text too short to tell has no language, and neither has one in a
language that the table lacks: `tell` then returns the empty string.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import Final, NamedTuple

from scrutiny.core.languages import UNKNOWN, script_of
from scrutiny.text.lexicon import frequencies, table, zipf

#: Code points that are looked at of a text: enough to tell, whatever its length.
READ: Final = 600
#: First code point of each block of letters beyond Latin, and its script.
_BLOCKS: Final = (
    (0x370, "Grek"), (0x400, "Cyrl"), (0x530, "Armn"), (0x590, "Hebr"), (0x600, "Arab"),
    (0x700, ""), (0x750, "Arab"), (0x780, ""), (0x8A0, "Arab"), (0x900, "Deva"), (0x980, "Beng"),
    (0xA00, "Guru"), (0xA80, "Gujr"), (0xB00, ""), (0xB80, "Taml"), (0xC00, "Telu"),
    (0xC80, "Knda"), (0xD00, "Mlym"), (0xD80, "Sinh"), (0xE00, "Thai"), (0xE80, "Laoo"),
    (0xF00, "Tibt"), (0x1000, "Mymr"), (0x10A0, "Geor"), (0x1100, "Hang"), (0x1200, "Ethi"),
    (0x13A0, ""), (0x1780, "Khmr"), (0x1800, ""), (0x1C90, "Geor"), (0x1CC0, ""),
    (0x1E00, "Latn"), (0x1F00, "Grek"), (0x2000, ""), (0x3040, "Jpan"), (0x3100, ""),
    (0x3130, "Hang"), (0x3190, ""), (0x31F0, "Jpan"), (0x3200, ""), (0x3400, "Hani"), (0x4DC0, ""),
    (0x4E00, "Hani"), (0xA000, ""), (0xAC00, "Hang"), (0xD7B0, ""), (0xF900, "Hani"), (0xFB00, ""),
    (0xFB1D, "Hebr"), (0xFB50, "Arab"), (0xFE00, ""), (0xFE70, "Arab"), (0xFF00, ""),
    (0xFF66, "Jpan"), (0xFFA0, ""), (0x20000, "Hani"), (0x32000, ""),
)  # fmt: skip
_STARTS: Final = [start for start, _ in _BLOCKS]
#: Scripts of one language, and the language; several languages share the others.
_ALONE: Final[Mapping[str, str]] = {
    "Grek": "el", "Armn": "hy", "Hebr": "he", "Beng": "bn", "Guru": "pa", "Gujr": "gu",
    "Taml": "ta", "Telu": "te", "Knda": "kn", "Mlym": "ml", "Sinh": "si", "Thai": "th",
    "Laoo": "lo", "Tibt": "bo", "Mymr": "my", "Geor": "ka", "Hang": "ko", "Ethi": "am",
    "Khmr": "km", "Hani": "zh", "Jpan": "ja",
}  # fmt: skip
#: Letters of Latin script that one character of these counts for: it is half a word.
_WEIGHTS: Final = {"Hani": 3, "Jpan": 2, "Hang": 2}
_BEYOND_LATIN: Final = re.compile("[^\x00-\u036f\u2000-\u2fff]")
_WORDS: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ANY_WORDS: Final = re.compile(  # marks are parts of words, which the quicker pattern does not know
    "[^\\s\\d!-@\\[-`{-~\u00a1-\u00bf\u0964\u0965\u060c\u061b\u061f\u06d4\u2000-\u206f\u3000-\u303f]+"
)
#: All but letters becomes a space: words of ASCII texts, in less time than by a pattern.
_LETTERS_ALONE: Final = bytes(c if chr(c).isalpha() else 32 for c in range(128)) + bytes(128)
_NOISE: Final = re.compile(r"https?://\S+|www\.\S+|\S*@\S+|#\w+|</?\w[^<>]*>")
_LETTER: Final = 0.6  # what a letter counts for, of a word
_ENGLISH_WORDS: Final = 3_000  # of a list by frequency, that count for English
_ENGLISH_WORD: Final = 0.35  # what each of them counts for, of a word in the table
_ENOUGH: Final = 0.9  # evidence that a language is guessed by
_LITTLE: Final = 0.3  # the same, where it is one of few
_AHEAD: Final = 1.3  # times the evidence for the next one
_CLEAR: Final = 2.0  # evidence, and lead over the language of the data, that a text is told by
_FEWEST_WORDS: Final = 4
_FEWEST_LETTERS: Final = 4
_SOME: Final = 200  # texts whose words are looked up in a list of English ones
_ENGLISH: Final = 0.9  # share of distinct words in that list by which texts are English
_RATHER_ENGLISH: Final = 0.7  # the same, where nothing speaks for another language
_DENSE: Final = 0.065  # evidence a word that texts in a known language have
_FEW: Final = 0.1  # share of texts clearly in other languages that makes no mixture
_MANY: Final = 0.3  # of guesses, which err on short texts, likewise
_RARE: Final = 0.05  # of guesses, below which no text of a mixture is thought to be in a language
_SHARE: Final = 0.3  # of the guesses, that the commonest language has


class LanguageEvidence(NamedTuple):
    """Evidence of one text.

    Parameters
    ----------
    script
        Script of most of its letters (ISO 15924); empty without letters.
    scores
        Evidence for each language of the script.
    n_words
        Its words; characters, in Chinese and Japanese.
    guess
        Likeliest language; empty if no evidence is there, or nearly as much for another.
    """

    script: str
    scores: Mapping[str, float]
    n_words: int
    guess: str

    def among(self, languages: Collection[str]) -> str:
        """Likeliest of some languages that texts beside it are in; or empty."""
        return _ahead({c: s for c, s in self.scores.items() if c in languages}, _LITTLE)

    def clearly(self, unless: str) -> str:
        """Language that the text is in beyond doubt, if it is another than a given one; or empty.

        In another script, the script has to be most of the text; in the same, the text must be long
        enough, and its evidence much more than that for the given language.
        """
        best, language = self.guess, script_of(unless)
        if not best or best == unless or self.script in _WITHIN.get(language, ()):
            return ""
        if self.script not in ("Latn", language):
            return best if self.n_words >= _FEWEST_LETTERS else ""
        lead = self.scores[best] - self.scores.get(unless, 0.0)
        is_long = self.n_words >= _FEWEST_WORDS
        return best if is_long and min(lead, self.scores[best]) >= _CLEAR else ""


def _ahead(scores: Mapping[str, float], least: float) -> str:
    """Language whose evidence is enough, and ahead of the next one's; or empty."""
    if not scores:
        return ""
    *_, other, most = 0.0, *sorted(scores.values())
    return max(scores, key=scores.__getitem__) if most >= max(least, _AHEAD * other) else ""


#: Scripts that occur in texts of another: Chinese characters in Japanese.
_WITHIN: Final[Mapping[str, tuple[str, ...]]] = {"Jpan": ("Hani",), "Hang": ("Hani",)}


def tell(text: str) -> str:
    """Language of a text (BCP 47), as its script and frequent words say; empty if they do not.

    Examples
    --------
    >>> [tell(text) for text in ("Der Film ist nicht gut.", "今日は天気がいい", "ok", "42 :)")]
    ['de', 'ja', '', '']
    """
    return evidence(text).guess


def evidence(text: str) -> LanguageEvidence:
    """Evidence of a text for the languages of its script.

    Examples
    --------
    >>> evidence("Этот фильм не плохой.").script
    'Cyrl'
    """
    return _evidence(text[:READ])


@lru_cache(maxsize=2_048)  # a thousand texts are looked at twice, and again in a second log
def _evidence(text: str) -> LanguageEvidence:
    if "@" in text or "://" in text or "#" in text or "<" in text or "www." in text:
        text = _NOISE.sub(" ", text)
    if not text.isascii() and (beyond := _BEYOND_LATIN.findall(text)):
        counts = Counter([_BLOCKS[bisect_right(_STARTS, ord(c)) - 1][1] for c in beyond])
        counts.pop("", None)
        if counts:
            return _of_script(text, counts)
    return _of_words(text, "Latn")


def _of_script(text: str, counts: Counter[str]) -> LanguageEvidence:
    """Evidence of a text with letters beyond Latin ones."""
    if counts["Jpan"] and counts["Jpan"] * 8 >= counts["Hani"]:
        counts["Jpan"] += counts.pop("Hani", 0)
    weighed = {script: n * _WEIGHTS.get(script, 1) for script, n in counts.items()}
    script = max(weighed, key=weighed.__getitem__)
    n_latin = sum(map(len, _WORDS.findall(_BEYOND_LATIN.sub(" ", text))))
    if n_latin > weighed[script]:
        return _of_words(text, "Latn")
    if script in _ALONE:
        return _found(script, {_ALONE[script]: float(counts[script])}, counts[script])
    return _of_words(text, script)


def _of_words(text: str, script: str) -> LanguageEvidence:
    """Evidence of the words and letters of a text for languages of one script."""
    words = (_WORDS if script == "Latn" else _ANY_WORDS).findall(text.lower())
    scores: dict[str, float] = {}
    seen = dict.fromkeys(words)  # in the order of the text, as sums are
    found = [(_known(script), seen)]
    if not text.isascii():
        found.append((_letters(script), dict.fromkeys("".join(seen))))
    for known, units in found:
        for unit in units:
            if unit in known:
                weight, languages = known[unit]
                for code in languages:
                    scores[code] = scores.get(code, 0.0) + weight
    return _found(script if words else "", scores, len(words))


def _found(script: str, scores: Mapping[str, float], n_words: int) -> LanguageEvidence:
    return LanguageEvidence(script, scores, n_words, _ahead(scores, _ENOUGH))


Known = Mapping[str, tuple[float, tuple[str, ...]]]


@cache
def _known(script: str) -> Known:
    """Words of the languages of a script: what each counts, and for which.

    Frequent English words that no other language has count for a little each.
    """
    listed = [(code, words.split()) for code, _, words in table("languages")]
    found = _weighed(script, listed, 1.0)
    if script == "Latn":
        english = islice(frequencies(), _ENGLISH_WORDS)
        found = {**{word: (_ENGLISH_WORD, ("en",)) for word in english}, **found}
    return found


@cache
def _letters(script: str) -> Known:
    """Letters that some languages of a script have and others lack, likewise."""
    return _weighed(script, [(code, own.split()) for code, own, _ in table("languages")], _LETTER)


def _weighed(script: str, listed: Iterable[tuple[str, Iterable[str]]], weight: float) -> Known:
    found: dict[str, list[str]] = {}
    for code, words in listed:
        if script_of(code) == script:
            for word in dict.fromkeys(words):
                found.setdefault(word, []).append(code)
    return {word: (weight / len(codes), tuple(codes)) for word, codes in found.items()}


class Main(NamedTuple):
    """Language of a set of texts.

    Parameters
    ----------
    language
        Code of the commonest; ``und`` if it could not be told, with the script (``und-Latn``)
        where all texts share it.
    others
        Languages that many of the texts are in beside it, so that a short text need not be in the
        commonest; empty where they are not mixed.
    """

    language: str
    others: frozenset[str] = frozenset()

    def of(self, one: LanguageEvidence) -> str:
        """Language of one of the texts: the commonest, unless it is clearly in another.

        Where languages are mixed, the likeliest of them; unknown where nothing speaks for any.
        """
        other = one.clearly(self.language)
        if other or not self.others:
            return other or self.language
        return one.among({self.language, *self.others}) or _unknown(one.script)

    def of_text(self, text: str) -> str:
        """Language of one of the texts, as `of` says of its evidence; most are told sooner.

        A text in ASCII is in the commonest language unless words that this language lacks speak
        clearly for all others together.
        """
        read = text[:READ]
        if not self.others and read.isascii():
            words = read.lower().encode().translate(_LETTERS_ALONE).decode().split()
            known = _elsewhere(self.language)
            if sum(known[word] for word in known.keys() & words) < _CLEAR - 1e-9:
                return self.language
        return self.of(evidence(text))


@cache
def _elsewhere(language: str) -> Mapping[str, float]:
    """Words in Latin letters that a language lacks, in pieces at apostrophes: what each counts."""
    found: dict[str, float] = {}
    for word, (weight, codes) in _known("Latn").items():
        for piece in re.split("['’]", word) if language not in codes else ():
            found[piece] = max(weight, found.get(piece, 0.0))
    return found


def _unknown(script: str) -> str:
    """Code of a language of which at most the script is known."""
    return f"{UNKNOWN}-{script}" if script else UNKNOWN


def main_language(found: Sequence[LanguageEvidence], texts: Sequence[str]) -> Main:
    """Language of most of several texts: each has at most one vote, divided by its evidence.

    Parameters
    ----------
    found
        Evidence of each.
    texts
        The same texts: where their function words do not tell, they are English if its word list
        has nearly all of their words.

    Examples
    --------
    >>> texts = ["Er hat das Buch gelesen.", "ok", "Sie ist nicht gut."]
    >>> main_language(list(map(evidence, texts)), texts).language
    'de'
    """
    votes: dict[str, float] = {}
    for one in found:
        total = max(1.0, sum(one.scores.values()))
        for code, score in one.scores.items():
            votes[code] = votes.get(code, 0.0) + score / total
    if votes:
        best = max(votes, key=lambda code: (votes[code], code == "en"))
        # as frequent as words of a language are in it; texts likeliest in another do not count
        own = [one for one in found if one.scores and one.guess in ("", best)]
        n_words = sum(one.n_words for one in own)
        is_dense = sum(one.scores.get(best, 0.0) for one in own) >= _DENSE * n_words > 0
        if is_dense and (best == "en" or _in_english(found, texts) < _ENGLISH):
            return _among_guesses(found, best)
    if _in_english(found, texts) >= _RATHER_ENGLISH:
        return Main("en")
    scripts = {one.script for one in found if one.script}
    return Main(_unknown(scripts.pop() if len(scripts) == 1 else ""))


def _among_guesses(found: Sequence[LanguageEvidence], best: str) -> Main:
    """The commonest language, beside those that single texts are guessed to be in."""
    guesses = Counter(one.guess for one in found if one.guess)
    total, clear = guesses.total(), sum(bool(one.clearly(best)) for one in found)
    if total - guesses[best] <= _MANY * total and clear <= _FEW * total:
        return Main(best)
    there = frozenset(code for code, n in guesses.items() if n >= _RARE * total)
    return Main(UNKNOWN if guesses[best] < _SHARE * total else best, there)


def _in_english(found: Sequence[LanguageEvidence], texts: Sequence[str]) -> float:
    """Share of the distinct words that a list of 40,000 English ones has.

    It is above .8 for English, and below .7 for others, which share names and short words. Zero
    where most texts are not in Latin letters.
    """
    latin = [text for one, text in zip(found, texts, strict=True) if one.script == "Latn"]
    if 2 * len(latin) <= sum(bool(one.script) for one in found):
        return 0.0
    words = {word for text in latin[:_SOME] for word in _WORDS.findall(text[:READ].lower())}
    return sum(zipf(word) > 0 for word in words) / max(1, len(words))
