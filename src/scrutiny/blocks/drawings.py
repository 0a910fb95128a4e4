"""Drawings without scripts: bars on an axis, glyphs of intervals, sentences with arcs."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

from scrutiny.core.estimate import Estimate


@dataclass(frozen=True, slots=True)
class CostSpan:
    """Where a cost lies, in points or percent; more is worse.

    Parameters
    ----------
    value, low, high
        The cost and the limits that decide.
    tolerance
        What can be lived with.
    inner
        Limits for these models alone, where those that decide are wider.
    """

    value: float
    low: float
    high: float
    tolerance: float
    inner: tuple[float, float] | None = None


_AXIS_MARGIN: Final = 2.0  # percent of the width on either side
_STEPS: Final = (1, 2, 5, 10)
_MOST_TICKS: Final = 7


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis that several rows share: zero, and ticks with their numbers."""

    least: float
    most: float

    @classmethod
    def of(cls, spans: Sequence[CostSpan]) -> "Axis":
        """Axis that covers all of these, zero and the tolerance."""
        ends = [0.0]
        for span in spans:
            ends += [span.low, span.high, span.value, span.tolerance]
        return cls(min(ends), max(max(ends), min(ends) + 1.0))

    def place(self, number: float) -> float:
        """Position of a number in percent of the width."""
        share = (number - self.least) / (self.most - self.least)
        return round(_AXIS_MARGIN + share * (100 - 2 * _AXIS_MARGIN), 2)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Positions of round numbers, with the numbers.

        Examples
        --------
        >>> [text for _, text in Axis(-3.4, 18.7).ticks]
        ['0', '5', '10', '15']
        """
        rough = (self.most - self.least) / _MOST_TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * s for s in _STEPS if power * s >= rough)
        first, last = math.ceil(self.least / step), math.floor(self.most / step)
        numbers = [round(step * i, 6) for i in range(first, last + 1)]
        return tuple((self.place(n), f"{n:g}".replace("-", "\N{MINUS SIGN}")) for n in numbers)

    def places(self, numbers: Iterable[float]) -> tuple[float, ...]:
        """Position of each number."""
        return tuple(map(self.place, numbers))

    def bar(self, span: CostSpan) -> CostSpan:
        """A cost with positions on the axis in place of its numbers."""
        inner = span.inner and (self.place(span.inner[0]), self.place(span.inner[1]))
        value, low, high = self.places((span.value, span.low, span.high))
        return CostSpan(value, low, high, self.place(span.tolerance), inner)


GLYPH_WIDTH = 112.0
_GLYPH_MARGIN = 3.0


@dataclass(frozen=True, slots=True)
class Glyph:
    """Positions along a line `GLYPH_WIDTH` wide."""

    low: float
    value: float
    high: float
    zero: float


def glyphs(estimates: Sequence[Estimate | None]) -> list[Glyph | None]:
    """Glyph of each estimate on a common scale that includes zero."""
    ends = [0.0]
    for shown in estimates:
        ends += () if shown is None or shown.value is None else shown.ends
    least, most = min(ends), max(ends)
    span = (most - least) or 1.0

    def place(x: float) -> float:
        return round(_GLYPH_MARGIN + (x - least) / span * (GLYPH_WIDTH - 2 * _GLYPH_MARGIN), 1)

    return [
        None if e is None or e.value is None else Glyph(*map(place, (*e.ends, 0.0)))
        for e in estimates
    ]


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
    placed: list[DrawnWord] = []
    x = _MARGIN
    for word, kind in zip(words, kinds, strict=True):
        sign = SIGNS.get(kind, "")
        width = _CELL * max(1, cell_len(word))
        room = max(width, _CELL * len(sign))  # a short word with a sign is as wide as its sign
        at = round(x + (room - width) / 2, 1)
        placed.append(DrawnWord(word, at, round(width, 1), kind, sign))
        x += room + _GAP
    cues = [word.middle for word in placed if word.kind == CUE]
    arced = [word for word in placed if word.kind in (RIGHT, MISSED, WRONG)]
    ends = [
        (word.middle, min(cues, key=lambda cue: abs(cue - word.middle)), word.kind)
        for word in (arced if cues else ())
    ]
    line = round(max((_height(a, b) for a, b, _ in ends), default=0.0)) + 8
    arcs = []
    for start, end, kind in ends:  # half an ellipse, flattened if it is long
        across, up = abs(end - start) / 2, _height(start, end) - 2
        turn = f"{across:.1f} {up:.1f} 0 0 {int(end > start)}"
        arcs.append(Arc(f"M{start:g} {line:g}A{turn} {end:g} {line:g}", kind))
    return Drawing(
        title=title,
        said=said,
        width=round(placed[-1].x + placed[-1].width + _MARGIN) if placed else 0,
        height=line + _BELOW,
        line=line,
        words=tuple(placed),
        arcs=tuple(arcs),
    )


def _height(start: float, end: float) -> float:
    """Height of an arc above the words, in pixels."""
    return min(_HIGHEST, _LOWEST + _STEEP * abs(start - end))
