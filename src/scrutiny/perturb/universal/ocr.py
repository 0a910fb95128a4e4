"""What an optical reader makes of a word."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Intensity, Site
from scrutiny.perturb.engine.change import Change, Rng
from scrutiny.perturb.engine.sites import new_tuple, word_sites
from scrutiny.text.characters import ocr_confusions


@dataclass(frozen=True, slots=True)
class Ocr(Change):
    """One confusion of an optical character reader in each chosen word.

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
    summary: ClassVar[str] = "characters that an optical reader confuses"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    intensity: ClassVar[Intensity] = Intensity(share=0.2, least=1, most=None)

    several: bool = True
    shortest: int = 2

    def sites(self, document: Document) -> Sequence[Site]:
        """Words that are long enough."""
        return word_sites(document, self.shortest)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The drawn confusion first, then the ones behind it, around the word."""
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
            edits.append(new_tuple(Edit, (field, place, place + size, target, (), False)))
        return edits


@lru_cache(maxsize=1 << 14)  # a few words make up most of any text
def confused(word: str, several: bool = True) -> tuple[tuple[int, int, str], ...]:  # noqa: FBT001, FBT002
    """Confusions of a word: offset, code points that go, and what is read instead.

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
