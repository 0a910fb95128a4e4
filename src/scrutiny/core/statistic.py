"""How numbers come from records: three kinds of statistic."""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np


class Statistic(Protocol):
    """A value that is a function of sums over rows.

    ``needs`` names measures ("hit") or measures of sides ("before.hit"); ``cells`` names the
    columns kept apart inside one value; ``conditional_on`` says what resampling holds fixed and is
    printed with the interval; ``scale`` is the scale on which its interval is symmetric
    (see `scrutiny.stats.intervals.scale.SCALES`). An optional member ``stream`` names its random
    numbers where it has been renamed (`scrutiny.core.randomness.stream_of`).
    """

    id: str
    says: str
    needs: tuple[str, ...]
    cells: tuple[str, ...]
    conditional_on: str | None
    scale: str
    higher_is: str

    def components(self, measures: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
        """Components ``(..., component)``, additive over rows, of measures ``(..., need)``."""
        ...

    def value(
        self, sums: "np.ndarray[Any, Any]", weight: "np.ndarray[Any, Any]"
    ) -> "np.ndarray[Any, Any]":
        """Values ``(...)`` of sums ``(..., cell, component)`` and weights ``(..., cell)``.

        NaN where the quantity does not exist.
        """
        ...


class WeightedStatistic(Protocol):
    """A value of weighted rows: median, AUC, Spearman."""

    id: str
    says: str
    needs: tuple[str, ...]
    conditional_on: str | None
    scale: str
    higher_is: str

    def weighted(
        self, measures: "np.ndarray[Any, Any]", weights: "np.ndarray[Any, Any]"
    ) -> "np.ndarray[Any, Any]":
        """Values ``(draw,)`` of measures ``(row, need)`` under weights ``(draw, row)``."""
        ...


class RefitStatistic(Protocol):
    """A value that is fitted anew on each resample: slower, same result type."""

    id: str
    says: str
    needs: tuple[str, ...]
    conditional_on: str | None
    scale: str
    higher_is: str

    def refit(self, measures: "np.ndarray[Any, Any]") -> float:
        """Value of measures ``(row, need)``."""
        ...
