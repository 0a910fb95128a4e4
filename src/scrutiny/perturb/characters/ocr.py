"""Character confusions of optical character recognition (OCR)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

from scrutiny.core.languages import IN_LATIN
from scrutiny.perturb.characters.one_draw import OneDraw, Slipped
from scrutiny.text.lexicon import table


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
    found: dict[str, list[str]] = {}
    for left, right, direction in table("ocr_confusions"):
        pairs = [(left, right)] if direction == ">" else [(left, right), (right, left)]
        for source, target in pairs:
            targets = found.setdefault(source, [])
            if target not in targets:
                targets.append(target)
    return MappingProxyType({source: tuple(targets) for source, targets in sorted(found.items())})
