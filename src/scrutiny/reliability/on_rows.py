"""A statistic on some of the rows, drawn together with the others: a side of a gap of slices."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.errors import PlanError
from scrutiny.core.statistic import AdditiveStatistic, Statistic, WeightedStatistic
from scrutiny.reliability.additive import Array


@dataclass(frozen=True, slots=True, eq=False)
class AdditiveOnRows(AdditiveStatistic):
    """An additive statistic to which other rows add nothing.

    Parameters
    ----------
    of
        The statistic.
    rows
        ``(row,)`` whether a row counts.
    """

    of: AdditiveStatistic
    rows: NDArray[np.bool_]

    def components(self, measures: Array) -> Array:
        """Components ``(..., row, component)``, zero in rows that do not count."""
        return np.asarray(np.where(self.rows[:, None], self.of.components(measures), 0.0))

    def value(self, sums: Array, weight: Array) -> Array:
        """Values of sums, as the statistic has them."""
        return self.of.value(sums, weight)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedOnRows(WeightedStatistic):
    """A statistic of weighted rows in which other rows weigh nothing."""

    of: WeightedStatistic
    rows: NDArray[np.bool_]

    def weighted(self, measures: Array, weights: Array) -> Array:
        """Values ``(draw,)`` of measures ``(row, need)`` under weights ``(draw, row)``."""
        return self.of.weighted(measures[self.rows], weights[:, self.rows])


def _count(rows: NDArray[np.bool_], sums: Array) -> Array:
    """How many rows count, in the shape of sums."""
    return np.full(sums.shape[:-1], rows.sum())


def on_rows(of: Statistic, rows: NDArray[np.bool_]) -> AdditiveOnRows | WeightedOnRows:
    """The statistic of these rows alone; measures of other rows are zero.

    Raises
    ------
    PlanError
        If it is fitted anew on each draw, or keeps cells apart.
    """
    divisor = of.divisor or partial(_count, rows)
    if isinstance(of, WeightedStatistic) and not of.cells:
        return WeightedOnRows(of.id, of.says, of.needs, of, rows, divisor=divisor)
    if isinstance(of, AdditiveStatistic) and not of.cells:
        return AdditiveOnRows(of.id, of.says, of.needs, of, rows, divisor=divisor)
    raise PlanError(
        f"{of.id} cannot be compared between slices of one dataset: it is no function "
        "of sums over rows, or keeps parts of the dataset apart. Compare accuracy, F1 or a "
        "drop of them."
    )
