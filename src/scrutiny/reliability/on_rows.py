"""Statistics on a subset of rows, drawn together with the others: sides of a slice gap."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.errors import PlanError
from scrutiny.core.statistic import AdditiveStatistic, Statistic, WeightedStatistic
from scrutiny.reliability.additive import Array


@dataclass(frozen=True, slots=True, eq=False)
class AdditiveOnRows(AdditiveStatistic):
    """Additive statistic of a subset of rows; other rows contribute 0.

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
        """Components ``(..., row, component)``, zero outside of the subset."""
        return np.asarray(np.where(self.rows[:, None], self.of.components(measures), 0.0))

    def value(self, sums: Array, weight: Array) -> Array:
        """Values from sums, as the original statistic computes them."""
        return self.of.value(sums, weight)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedOnRows(WeightedStatistic):
    """Weighted statistic of a subset of rows; other rows have weight 0."""

    of: WeightedStatistic
    rows: NDArray[np.bool_]

    def weighted(self, measures: Array, weights: Array) -> Array:
        """Values ``(draw,)`` of measures ``(row, need)`` under weights ``(draw, row)``."""
        return self.of.weighted(measures[self.rows], weights[:, self.rows])


def _count(rows: NDArray[np.bool_], sums: Array) -> Array:
    """Number of rows in the subset, in the shape of sums."""
    return np.full(sums.shape[:-1], rows.sum())


def on_rows(of: Statistic, rows: NDArray[np.bool_]) -> AdditiveOnRows | WeightedOnRows:
    """Statistic on these rows only; measures of other rows are zero.

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
