"""Glyph: a small picture of an interval for a table cell, without scripts."""

from collections.abc import Sequence
from dataclasses import dataclass

from scrutiny.core.estimate import Estimate

WIDTH = 112.0
_MARGIN = 3.0


@dataclass(frozen=True, slots=True)
class Glyph:
    """Positions along a line ``WIDTH`` wide; ``zero`` is `None` if zero is out of range.

    ``limit`` is the place of what is tolerable, where there is such.
    """

    low: float
    value: float
    high: float
    zero: float | None
    limit: float | None = None


def glyphs(
    estimates: Sequence[Estimate | None], limits: Sequence[float] = ()
) -> list[Glyph | None]:
    """Glyph of each estimate on a common scale, including zero and limits."""
    known = [e for e in estimates if e is not None and e.value is not None]
    if not known:
        return [None] * len(estimates)
    ends = [0.0, *limits]
    for shown in known:
        ends += shown.ends
    least, most = min(ends), max(ends)
    span = (most - least) or 1.0

    def place(x: float) -> float:
        return round(_MARGIN + (x - least) / span * (WIDTH - 2 * _MARGIN), 1)

    found: list[Glyph | None] = []
    for i, estimate in enumerate(estimates):
        if estimate is None or estimate.value is None:
            found.append(None)
            continue
        low, value, high = estimate.ends
        limit = place(limits[i]) if limits else None
        found.append(Glyph(place(low), place(value), place(high), place(0.0), limit))
    return found
