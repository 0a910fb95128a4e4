"""Words as people misspell them, and as optical character recognition (OCR) misreads them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final

from scrutiny.core.languages import IN_LATIN
from scrutiny.core.record import grouped
from scrutiny.core.transformation import Document, Intensity, Site
from scrutiny.perturb.characters.within_words import OneDraw, Slipped
from scrutiny.perturb.engine.changes import Sites, new_tuple, word_sites
from scrutiny.text.letters import match_case
from scrutiny.text.lexicon import misspellings, table
from scrutiny.text.wordnet import is_known_word

# Confusions of spelling by ear, for words that no list has; never at the first letter.
_BY_EAR: Final = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?<=\w)ie(?=\w)", "ei"),
        (r"(?<=\w)ei(?=\w)", "ie"),
        (r"(?<=[^\Waeiou])a(?=[^\Waeiou])", "e"),
        (r"(?<=[^\Waeiou])e(?=[^\Waeiou])", "i"),
        (r"(?<=[^\Waeiou])i(?=[^\Waeiou])", "e"),
        (r"(?<=[^\Waeiou])o(?=[^\Waeiou])", "u"),
        (r"(?<=[^\Waeiou])u(?=[^\Waeiou])", "o"),
        (r"(?<=\w)ph", "f"),
        (r"(?<=\w)([bdfglmnprst])\1(?=\w)", r"\1"),
        (r"(?<=[aeiou])([dflmnprst])(?=[aeiou])", r"\1\1"),
        (r"(?<=\w)ance\b", "ence"),
        (r"(?<=\w)ence\b", "ance"),
        (r"(?<=\w)able\b", "ible"),
        (r"(?<=\w)ible\b", "able"),
    )
)


@dataclass(frozen=True, slots=True)
class SpellingError(OneDraw):
    """Replaces chosen words by attested misspellings.

    Every misspelling is attested: it stands in a list of corrections. It is never another word
    itself.

    Parameters
    ----------
    by_ear
        Misspell words that have no attested misspelling, too, by rules of how English is misheard
        (``Shanghai`` to ``Shenghai``). Nobody needs to have written what comes out; it is no
        other word either.
    shortest
        Words of fewer letters are left alone.

    **Measures** the answer to the errors of writers who do not know better, which differ from
    slips: they are regular, and a spelling corrector may not see them.

    **Misleads when** the misspelling is common enough to have stood in the training text: then it
    is a word that the model knows.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> edit = perturb("Definitely", "spelling_error", seed=0).edits[0]
    >>> edit.text.lower() in misspellings()["definitely"], edit.text[0]
    (True, 'D')
    """

    id = "spelling_error@1"
    title = "spelling errors"
    languages = frozenset({"en"})
    intensity = Intensity(share=0.15, least=1, most=None)

    by_ear: bool = False
    shortest: int = 4

    def sites(self, document: Document) -> Sites:
        """Words that can be misspelled."""
        if self.by_ear:
            return word_sites(document, self.shortest)
        text, known, shortest = document.text, misspellings(), self.shortest
        return [
            new_tuple(Site, (start, end, i))
            for i, (start, end) in enumerate(document.tokens)
            if end - start >= shortest
            and (
                (word := text[start:end]) in known or (not word.islower() and word.lower() in known)
            )
        ]

    def tries(self, word: str) -> int:
        """Every misspelling."""
        return len(_misspelled(word, self.by_ear))

    def slipped(self, word: str, share: float, number: int = 0) -> Slipped | None:
        """The drawn misspelling."""
        found = _misspelled(word, self.by_ear)
        if not found:
            return None
        wrong = found[(int(share * len(found)) + number) % len(found)]
        return None if wrong == word else (0, len(word), wrong)


@lru_cache(maxsize=1 << 14)  # a few words make up most of any text
def _misspelled(word: str, by_ear: bool) -> tuple[str, ...]:  # noqa: FBT001
    """Attested misspellings of a word in its letter case, or phonetic ones.

    Examples
    --------
    >>> _misspelled("Grammar", False), _misspelled("Shanghai", False)
    (('Gramar', 'Grammer'), ())
    """
    known = misspellings()
    if found := known.get(word):
        return found
    if found := known.get(word.lower()):
        return tuple([match_case(word, wrong) for wrong in found])
    return _misheard(word) if by_ear else ()


def _misheard(word: str) -> tuple[str, ...]:
    """Phonetic spellings of a word that are not known words; capitals stay in place.

    Examples
    --------
    >>> _misheard("Shanghai"), _misheard("the")
    (('Shenghai',), ())
    """
    found = []
    for pattern, replacement in _BY_EAR:
        for match in pattern.finditer(word):
            wrong = word[: match.start()] + match.expand(replacement) + word[match.end() :]
            if not is_known_word(wrong):
                found.append(wrong)
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Ocr(OneDraw):
    """Character confusions of optical character recognition (OCR).

    One OCR confusion in each chosen word.

    Confusions may take or leave several characters: ``m`` becomes ``rn``, ``cl`` becomes ``d``.
    They are of Latin letters, so texts in other scripts are left alone.

    Parameters
    ----------
    several
        Allow confusions of more than one character.
    shortest
        Words of fewer characters are left alone.

    **Measures** the answer to text that was scanned.

    **Misleads when** the scanner corrects its words with a lexicon, as most do today: then real
    errors are whole wrong words, or none.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> edit = perturb("modern", "ocr", seed=0).edits[0]
    >>> "modern"[edit.start : edit.end], edit.text
    ('e', 'a')
    """

    id = "ocr@1"
    title = "OCR noise"
    languages = IN_LATIN

    several: bool = True
    shortest: int = 2

    def tries(self, word: str) -> int:
        """Every confusion."""
        return len(_confused(word, self.several))

    def slipped(self, word: str, share: float, number: int = 0) -> Slipped | None:
        """The drawn confusion."""
        found = _confused(word, self.several)
        return found[(int(share * len(found)) + number) % len(found)] if found else None


@lru_cache(maxsize=1 << 14)  # a few words make up most of any text
def _confused(word: str, several: bool = True) -> tuple[Slipped, ...]:  # noqa: FBT001, FBT002
    """Confusions of a word.

    Examples
    --------
    >>> _confused("w"), _confused("w", False)
    (((0, 1, 'W'), (0, 1, 'vv')), ((0, 1, 'W'),))
    """
    known, longest = _confusions(), 3 if several else 1
    return tuple(
        (offset, size, target)
        for offset in range(len(word))
        for size in range(1, min(longest, len(word) - offset) + 1)
        for target in known.get(word[offset : offset + size], ())
        if several or len(target) == 1
    )


@cache
def _confusions() -> Mapping[str, tuple[str, ...]]:
    """Return what optical character recognition (OCR) may read for one to three characters.

    Examples
    --------
    >>> _confusions()["rn"], "1" in _confusions()["i"], "vv" in _confusions()["w"]
    (('m',), True, True)
    """
    pairs = [
        pair
        for left, right, direction in table("ocr_confusions")
        for pair in ([(left, right)] if direction == ">" else [(left, right), (right, left)])
    ]
    found = grouped(dict.fromkeys(pairs))
    return MappingProxyType({source: tuple(targets) for source, targets in sorted(found.items())})
