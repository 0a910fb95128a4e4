"""Weighted statistics: medians, shares of labels."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

from scrutiny.core.statistic import WeightedStatistic
from scrutiny.reliability.additive import Array


@dataclass(frozen=True, slots=True)
class Weighted(WeightedStatistic):
    """Statistic of weighted rows, given by a function of arrays.

    Parameters
    ----------
    of_rows
        Values ``(draw,)`` of measures ``(row, need)`` and weights ``(draw, row)``.
    of_labels
        Whether the measures are indices of labels, so that many rows are alike.
    others
        See `scrutiny.core.statistic.Statistic`.
    """

    of_rows: Callable[[Array, Array], Array]
    _: KW_ONLY
    of_labels: bool = False

    def weighted(self, measures: Array, weights: Array) -> Array:
        """Values ``(draw,)`` of measures ``(row, need)`` under weights ``(draw, row)``."""
        return self.of_rows(measures, weights)
