"""A statistic on some of the rows, drawn together with the others: a side of a gap of slices."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.errors import PlanError
from scrutiny.reliability.additive import Array


@dataclass(frozen=True, slots=True, eq=False)
class AdditiveOnRows:
    """An additive statistic to which other rows add nothing.

    Parameters
    ----------
    of
        The statistic.
    rows
        ``(row,)`` whether a row counts.
    """

    of: Any
    rows: NDArray[np.bool_]

    def components(self, measures: Array) -> Array:
        """Components ``(..., row, component)``, zero in rows that do not count."""
        found: Array = np.where(self.rows[:, None], self.of.components(measures), 0.0)
        return found

    def value(self, sums: Array, weight: Array) -> Array:
        """Values of sums, as the statistic has them."""
        found: Array = self.of.value(sums, weight)
        return found

    def divisor(self, sums: Array) -> Array:
        """What the value is divided by ``(...)`` of sums ``(..., component)``."""
        return _divisor(self.of, self.rows, sums)


@dataclass(frozen=True, slots=True, eq=False)
class WeightedOnRows:
    """A statistic of weighted rows in which other rows weigh nothing."""

    of: Any
    rows: NDArray[np.bool_]

    def weighted(self, measures: Array, weights: Array) -> Array:
        """Values ``(draw,)`` of measures ``(row, need)`` under weights ``(draw, row)``."""
        found: Array = self.of.weighted(measures[self.rows], weights[:, self.rows])
        return found

    def divisor(self, sums: Array) -> Array:
        """What the value is divided by ``(...)`` of sums of the measures ``(..., need)``."""
        return _divisor(self.of, self.rows, sums)


def _divisor(of: Any, rows: NDArray[np.bool_], sums: Array) -> Array:
    """Rows that count, unless the statistic says less; measures of other rows are zero."""
    own = getattr(of, "divisor", None)
    found: Array = np.full(sums.shape[:-1], rows.sum()) if own is None else own(sums)
    return found


def on_rows(statistic: Any, rows: NDArray[np.bool_]) -> AdditiveOnRows | WeightedOnRows:
    """The statistic of these rows alone.

    Raises
    ------
    PlanError
        If it is fitted anew on each draw, or keeps cells apart.
    """
    if hasattr(statistic, "weighted"):
        return WeightedOnRows(statistic, rows)
    if hasattr(statistic, "refit") or getattr(statistic, "cells", None):
        raise PlanError(
            f"{statistic.id} cannot be compared between slices of one dataset: it is no function "
            "of sums over rows, or keeps parts of the dataset apart. Compare accuracy, F1 or a "
            "drop of them."
        )
    return AdditiveOnRows(statistic, rows)
