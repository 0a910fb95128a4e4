"""A sentence with arcs above it, as positions and paths, without markup and colors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

CUE, RIGHT, MISSED, WRONG, REST = "cue", "right", "missed", "wrong", ""
#: Signs under the words: what they are is told by more than a color.
SIGNS: Final = {
    CUE: "cue",
    RIGHT: "\N{CHECK MARK}",
    MISSED: "\N{WHITE CIRCLE}",
    WRONG: "\N{MULTIPLICATION X}",
}
_CELL: Final = 7.8  # pixels of a letter at 13 pixels of a fixed pitch
_GAP: Final = 9.0
_MARGIN: Final = 6.0
_LOWEST: Final = 16.0  # pixels of the flattest arc, and of the highest
_HIGHEST: Final = 92.0
_STEEP: Final = 0.34
_BELOW: Final = 40  # pixels of the words and their signs


@dataclass(frozen=True, slots=True)
class DrawnWord:
    """A word, its left edge and width, its kind, and the sign below it."""

    text: str
    x: float
    width: float
    kind: str
    sign: str

    @property
    def middle(self) -> float:
        """Middle of the word."""
        return round(self.x + self.width / 2, 1)


@dataclass(frozen=True, slots=True)
class Arc:
    """Path of an arc, and the kind of the word at its end."""

    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """One sentence.

    Parameters
    ----------
    title, said
        What stands above it, and all of it in words.
    width, height, line
        Size in pixels, and the height of the words' upper edge.
    words, arcs
        What is drawn.
    """

    title: str
    said: str
    width: int
    height: int
    line: int
    words: tuple[DrawnWord, ...]
    arcs: tuple[Arc, ...]


def draw(words: Sequence[str], kinds: Sequence[str], *, title: str, said: str) -> Drawing:
    """Drawing of a sentence, with arcs to the nearest cue."""
    placed = list(_placed(words, kinds))
    cues = [word.middle for word in placed if word.kind == CUE]
    arced = [word for word in placed if word.kind in (RIGHT, MISSED, WRONG)]
    ends = [
        (word.middle, min(cues, key=lambda cue: abs(cue - word.middle)), word.kind)
        for word in (arced if cues else ())
    ]
    line = round(max((_height(a, b) for a, b, _ in ends), default=0.0)) + 8
    return Drawing(
        title=title,
        said=said,
        width=round(placed[-1].x + placed[-1].width + _MARGIN) if placed else 0,
        height=line + _BELOW,
        line=line,
        words=tuple(placed),
        arcs=tuple(Arc(_path(a, b, line), kind) for a, b, kind in ends),
    )


def _placed(words: Sequence[str], kinds: Sequence[str]) -> list[DrawnWord]:
    """Words from left to right; a short word with a sign is as wide as its sign."""
    placed, x = [], _MARGIN
    for word, kind in zip(words, kinds, strict=True):
        sign = SIGNS.get(kind, "")
        width = _CELL * max(1, cell_len(word))
        room = max(width, _CELL * len(sign))
        at = x + (room - width) / 2
        placed.append(DrawnWord(word, round(at, 1), round(width, 1), kind, sign))
        x += room + _GAP
    return placed


def _height(start: float, end: float) -> float:
    """Height of an arc above the words, in pixels."""
    return min(_HIGHEST, _LOWEST + _STEEP * abs(start - end))


def _path(start: float, end: float, line: int) -> str:
    """Path of half an ellipse, flattened if it is long."""
    across, up = abs(end - start) / 2, _height(start, end) - 2
    sweep = int(end > start)
    return f"M{start:g} {line:g}A{across:.1f} {up:.1f} 0 0 {sweep} {end:g} {line:g}"
