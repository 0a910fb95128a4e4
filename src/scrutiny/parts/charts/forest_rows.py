"""A forest chart in table rows: positions in percent of a common width."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from scrutiny.parts.run.found_risks import Span

_MARGIN: Final = 2.0  # percent of the width on either side
_STEPS: Final = (1, 2, 5, 10)
_MOST_TICKS: Final = 7


@dataclass(frozen=True, slots=True)
class Bar:
    """An interval on an axis, in percent of its width.

    Parameters
    ----------
    value, low, high
        The cost and the limits that decide.
    tolerance
        Where what can be lived with ends.
    inner
        Limits for these checkpoints alone, where they are narrower.
    """

    value: float
    low: float
    high: float
    tolerance: float
    inner: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis that several rows share: zero, and ticks with their numbers."""

    least: float
    most: float

    @classmethod
    def of(cls, spans: Sequence[Span]) -> "Axis":
        """Axis that covers all of these, zero and the tolerance."""
        ends = [0.0]
        for span in spans:
            ends += [span.low, span.high, span.value, span.tolerance]
        return cls(min(ends), max(max(ends), min(ends) + 1.0))

    def place(self, number: float) -> float:
        """Position of a number in percent of the width."""
        share = (number - self.least) / (self.most - self.least)
        return round(_MARGIN + share * (100 - 2 * _MARGIN), 2)

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

    def bar(self, span: Span) -> Bar:
        """Position of a cost on the axis."""
        inner = (self.place(span.inner[0]), self.place(span.inner[1])) if span.inner else None
        ends = self.place(span.value), self.place(span.low), self.place(span.high)
        return Bar(*ends, self.place(span.tolerance), inner)
