"""Character confusions of optical character recognition (OCR)."""

from dataclasses import dataclass
from functools import lru_cache

from scrutiny.perturb.characters.one_draw import OneDraw, Slipped
from scrutiny.text.characters import ocr_confusions


@dataclass(frozen=True, slots=True)
class Ocr(OneDraw):
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
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> edit = perturb("modern", "ocr", seed=0).edits[0]
    >>> edit.text in ocr_confusions()["modern"[edit.start : edit.end]]
    True
    """

    id = "ocr@1"
    title = "OCR noise"

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
    table, longest = ocr_confusions(), 3 if several else 1
    return tuple(
        (offset, size, target)
        for offset in range(len(word))
        for size in range(1, min(longest, len(word) - offset) + 1)
        for target in table.get(word[offset : offset + size], ())
        if several or len(target) == 1
    )
