"""A statistic that is no function of sums: the median of a measure that scrutiny does not have."""

from typing import Any, Final

import numpy as np

from scrutiny.plugin import WeightedStatistic


class Median(WeightedStatistic):
    """Median of a measure; the smaller of two middle values."""

    def weighted(
        self, measures: "np.ndarray[Any, Any]", weights: "np.ndarray[Any, Any]"
    ) -> "np.ndarray[Any, Any]":
        """Medians ``(draw,)`` of measures ``(row, 1)`` under weights ``(draw, row)``."""
        order = np.argsort(measures[:, 0], kind="stable")
        reached = np.cumsum(weights[:, order], axis=1)  # (draw, row)
        half = weights.sum(axis=1, keepdims=True) / 2
        return measures[order, 0][np.argmax(reached >= half, axis=1)]


MEDIAN_MARGIN: Final = Median("median_margin@1", "median margin", ("margin",))
