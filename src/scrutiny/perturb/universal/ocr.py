"""What an optical reader makes of a word."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.sites import word_sites
from scrutiny.text.characters import ocr_confusions

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True)
class Ocr:
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
    >>> from scrutiny.perturb.engine import perturb
    >>> edit = perturb(Example("1", {"text": "modern"}), "ocr", seed=0).edits[0]
    >>> edit.text in ocr_confusions()["modern"[edit.start : edit.end]]
    True
    """

    id: ClassVar[str] = "ocr@1"
    summary: ClassVar[str] = "characters that an optical reader confuses"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    resources: ClassVar[tuple[str, ...]] = ()
    effect: ClassVar[Mapping[str, Effect]] = {"*": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.2, least=1, most=None)
    where: ClassVar[str] = "around"

    several: bool = True
    shortest: int = 2

    def sites(self, document: Document) -> Sequence[Site]:
        """Words that are long enough."""
        return word_sites(document, self.shortest)

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Confusions of the drawn place first, then of the ones behind it, around the word."""
        text, start, end = document.text, site.start, site.end
        length = end - start
        longest, table = _confusions(self.several)
        first, of_choice = divmod(rng.random() * length, 1.0)  # one number makes both choices
        for i in range(length):
            place = start + (int(first) + i) % length
            found: list[tuple[int, str]] = []
            for size in range(1, min(longest, end - place) + 1):
                targets = table.get(text[place : place + size])
                if targets is not None:
                    found += [(size, target) for target in targets]
            if found:
                size, target = found[int(of_choice * len(found))]
                yield (Edit(document.field, place, place + size, target),)


@cache
def _confusions(several: bool) -> tuple[int, Mapping[str, tuple[str, ...]]]:  # noqa: FBT001
    """Length of the longest source, and the confusions; by themselves or with the long ones."""
    table = ocr_confusions()
    if not several:
        single = {s: tuple(t for t in found if len(t) == 1) for s, found in table.items()}
        table = {s: found for s, found in single.items() if len(s) == 1 and found}
    return max(map(len, table)), table
