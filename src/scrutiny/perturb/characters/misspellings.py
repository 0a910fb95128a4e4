"""Common misspellings, and OCR errors."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import ChangesAtOnce, Document, Intensity, Site
from scrutiny.perturb.engine.change import Change, Rng, new_tuple, word_sites
from scrutiny.text.casing import match_case
from scrutiny.text.characters import ocr_confusions
from scrutiny.text.known import is_known_word
from scrutiny.text.lexicon import misspellings

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
class SpellingError(Change, ChangesAtOnce):
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
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> edit = perturb(Example("1", {"text": "Definitely"}), "spelling_error", seed=0).edits[0]
    >>> edit.text.lower() in misspellings()["definitely"], edit.text[0]
    (True, 'D')
    """

    id: ClassVar[str] = "spelling_error@1"
    title: ClassVar[str] = "spelling errors"
    intensity: ClassVar[Intensity] = Intensity(share=0.3, least=1, most=None)

    by_ear: bool = False
    shortest: int = 4

    def sites(self, document: Document) -> Sequence[Site]:
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

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Attested misspellings, or phonetic ones; the drawn one first."""
        found = self._wrong(document.text[site.start : site.end])
        first = int(rng.random() * len(found))
        for wrong in (*found[first:], *found[:first]):
            yield (Edit(document.field, site.start, site.end, wrong),)

    def at_once(
        self, document: Document, sites: Sequence[Site], shares: Sequence[float]
    ) -> list[Edit] | None:
        """The drawn misspellings, if every word has one."""
        text, field, known = document.text, document.field, misspellings()
        edits = []
        for (start, end, _), share in zip(sites, shares, strict=True):
            word = text[start:end]
            found = known.get(word) or self._wrong(word)
            if not found or (wrong := found[int(share * len(found))]) == word:
                return None
            edits.append(new_tuple(Edit, (field, start, end, wrong, (), False, ())))
        return edits

    def _wrong(self, word: str) -> tuple[str, ...]:
        """Attested misspellings of a word in its letter case, or phonetic ones."""
        known = misspellings()
        if word in known:
            return known[word]
        found = known.get(word.lower(), ())
        if found:
            return tuple([match_case(word, wrong) for wrong in found])
        return misheard(word) if self.by_ear else ()


@lru_cache(maxsize=1 << 14)  # a few words make up most of any text
def misheard(word: str) -> tuple[str, ...]:
    """Phonetic spellings of a word that are not known words; capitals stay in place.

    Examples
    --------
    >>> misheard("Shanghai"), misheard("the")
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
class Ocr(Change, ChangesAtOnce):
    """Character confusions of optical character recognition (OCR).

    One OCR confusion in each chosen word.

    Confusions may take or leave several characters: ``m`` becomes ``rn``, ``cl`` becomes ``d``.

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
    >>> from scrutiny.core.example import Example
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> edit = perturb(Example("1", {"text": "modern"}), "ocr", seed=0).edits[0]
    >>> edit.text in ocr_confusions()["modern"[edit.start : edit.end]]
    True
    """

    id: ClassVar[str] = "ocr@1"
    title: ClassVar[str] = "OCR noise"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    intensity: ClassVar[Intensity] = Intensity(share=0.2, least=1, most=None)

    several: bool = True
    shortest: int = 2

    def sites(self, document: Document) -> Sequence[Site]:
        """Words that are long enough."""
        return word_sites(document, self.shortest)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The drawn confusion first, then the following ones, cyclically."""
        found = confused(document.text[site.start : site.end], self.several)
        first = int(rng.random() * len(found))
        for at in range(first, first + len(found)):
            offset, size, target = found[at % len(found)]
            place = site.start + offset
            yield (Edit(document.field, place, place + size, target),)

    def at_once(
        self, document: Document, sites: Sequence[Site], shares: Sequence[float]
    ) -> list[Edit] | None:
        """The drawn confusions, if every word has one."""
        text, field, several = document.text, document.field, self.several
        edits = []
        for (start, end, _), share in zip(sites, shares, strict=True):
            found = confused(text[start:end], several)
            if not found:
                return None
            offset, size, target = found[int(share * len(found))]
            place = start + offset
            edits.append(new_tuple(Edit, (field, place, place + size, target, (), False, ())))
        return edits


@lru_cache(maxsize=1 << 14)  # a few words make up most of any text
def confused(word: str, several: bool = True) -> tuple[tuple[int, int, str], ...]:  # noqa: FBT001, FBT002
    """Confusions of a word: offset, deleted code points, and new text.

    Examples
    --------
    >>> confused("w")
    ((0, 1, 'W'), (0, 1, 'vv'))
    >>> confused("w", False)
    ((0, 1, 'W'),)
    """
    table, longest = ocr_confusions(), 3 if several else 1
    return tuple(
        (offset, size, target)
        for offset in range(len(word))
        for size in range(1, min(longest, len(word) - offset) + 1)
        for target in table.get(word[offset : offset + size], ())
        if several or len(target) == 1
    )
