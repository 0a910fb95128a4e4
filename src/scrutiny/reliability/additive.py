"""Statistics that are functions of sums over rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.reliability.replicate_tests import ReplicateTests
from scrutiny.stats.intervals.scale import Scale

Array = NDArray[Any]


class Chance(NamedTuple):
    """What stands for chance beside a metric, and is subtracted in ``beyond(m)``.

    Parameters
    ----------
    says
        What it is, in words: "random change".
    measure
        Measure of the same rows that holds it, where m is a mean; nothing where it is m of the
        control.
    stream
        Random numbers of the difference, where they are not those of ``m_excess``.
    """

    says: str
    measure: str = ""
    stream: str = ""


@dataclass(frozen=True, slots=True)
class Additive:
    """A value computed from sums of components.

    Parameters
    ----------
    id
        Versioned name.
    says
        What it is, in a few words for tables.
    needs
        Measures of sides, see `scrutiny.core.statistic.Statistic`.
    make
        Components ``(..., component)`` of measures ``(..., need)``.
    combine
        Values ``(...)`` of sums ``(..., component)``; NaN where the quantity does not exist.
    scale
        Where its interval is symmetric: a name of `scrutiny.stats.intervals.scale.SCALES`.
    higher_is
        "better", "worse" or "neither".
    cells, conditional_on
        See the protocol.
    row_range
        Least and largest value of one row, where the value is a plain mean over rows: what a
        missing row could have been at worst. Nothing for F1, where one row can hold any share.
    no_effect
        Value that says "no difference" (0 for drops); nothing for levels. Replicates are said to
        agree on the side of it.
    tests
        Tests of one replicate at a time that belong to it, or nothing.
    divisor
        What the value is divided by ``(...)`` of sums ``(..., component)``, where that is not
        every row: attacked items, decided pairs. Nothing where every row counts.
    stream
        See `scrutiny.core.randomness.stream_of`.
    is_mean
        Whether the value is the first component's sum over the number of rows, the last component.
    pair_tests
        Tests of one replicate at a time between two of it on the same rows, or nothing.
    chance
        What it is beside by chance, or nothing.
    """

    id: str
    says: str
    needs: tuple[str, ...]
    make: Callable[[Array], Array]
    combine: Callable[[Array], Array]
    scale: str = "identity"
    higher_is: str = "neither"
    cells: tuple[str, ...] = ()
    conditional_on: str | None = None
    row_range: tuple[float, float] | None = None
    no_effect: float | None = None
    tests: ReplicateTests | None = None
    divisor: Callable[[Array], Array] | None = None
    stream: str = ""
    is_mean: bool = False
    pair_tests: ReplicateTests | None = None
    chance: Chance | None = None

    def components(self, measures: Array) -> Array:
        """Components ``(..., component)`` of measures ``(..., need)``."""
        return self.make(measures)

    def value(self, sums: Array, weight: Array) -> Array:
        """Values ``(...)`` of sums ``(..., cell, component)``: the mean over cells that count.

        A cell that lies inside a resampled unit counts as often as it was drawn.
        """
        if not self.cells:
            return self.combine(sums[..., 0, :])
        values = self.combine(sums)  # (..., cell)
        counts = np.isfinite(values) * weight  # (..., cell)
        total = (np.where(counts > 0, values, 0.0) * counts).sum(axis=-1)
        return divide(total, counts.sum(axis=-1))


def scale_of(statistic: Any) -> Scale:
    """Scale of any statistic, cut where its value cannot lie: at the range of a row, of a mean."""
    named = Scale.of(statistic.scale)
    span = getattr(statistic, "row_range", None)
    return named if span is None else named.within(*span)


def divisors(statistic: Any, values: Array) -> tuple[float, ...]:
    """What each replicate's value is divided by; nothing where that is every row.

    Parameters
    ----------
    statistic
        Additive, weighted or refit. Its ``divisor`` reads sums over rows: of components, or of the
        measures themselves where it has none.
    values
        ``(replicate, row, need)``.
    """
    divisor = getattr(statistic, "divisor", None)
    if divisor is None:
        return ()
    parts = statistic.components(values) if hasattr(statistic, "components") else values
    return tuple(np.asarray(divisor(parts.sum(axis=-2)), dtype=np.float64).tolist())


def divide(numerator: Array, denominator: Array) -> Array:
    """Quotient, NaN where the denominator is zero."""
    safe = np.where(denominator == 0, np.nan, denominator)
    quotient: Array = numerator / safe
    return quotient


def over_rows(sums: Array) -> Array:
    """First component over the last, the number of rows: the value of a mean."""
    return divide(sums[..., 0], sums[..., -1])


def second(sums: Array) -> Array:
    """Second component: the divisor of a statistic that is a ratio of two sums."""
    found: Array = sums[..., 1]
    return found


def with_count(*columns: Array) -> Array:
    """Components made of these columns and a count of rows."""
    return np.stack([*columns, np.ones_like(columns[0])], axis=-1)
