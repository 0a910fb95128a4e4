"""Estimate with its interval, its bootstrap draws, and its variance components."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from scrutiny.stats.arrays import FloatArray, proper_level
from scrutiny.stats.errors import StatisticsError

Direction = Literal["greater", "less"]
_PLACES = 400  # of draws that stand for limits known at every level


@dataclass(frozen=True, slots=True)
class Decomposition:
    """Variance components of an estimate: seeds, items, and their interaction.

    Parameters
    ----------
    seeds
        Variance of the mean over replicates (it holds the interaction already).
    items
        Variance from the items alone, the interaction taken out.
    interaction
        Item noise that each replicate has for itself; part of ``seeds``, not added again.
    both
        ``seeds + items``: the variance of the estimate.
    """

    seeds: float
    items: float
    interaction: float
    both: float


@dataclass(frozen=True, slots=True)
class Interval:
    """Point estimate with its confidence interval.

    Parameters
    ----------
    point, low, high
        On the scale of the statistic.
    level
        Nominal coverage.
    method
        How it was made: "crossed", "items", "multibootstrap", "percentile", "bca", "wilson", ...
    se
        Standard error on the scale of the statistic (standard deviation of the draws).
    draws
        ``(draw,)``, kept for contrasts and simultaneous tests.
    test_draws
        ``(draw,)`` from which p-values are taken; None: ``draws``.
    ends
        Limits at another level; None: the percentiles of the draws.
    decomposition
        Variances on the scale on which they were computed.
    notes
        Short stable codes ("two_replicates", "items_only", "few_clusters", ...).
    """

    point: float
    low: float
    high: float
    level: float
    method: str
    se: float
    draws: FloatArray | None = field(default=None, repr=False, compare=False)
    test_draws: FloatArray | None = field(default=None, repr=False, compare=False)
    ends: Callable[[float], tuple[float, float]] | None = field(
        default=None, repr=False, compare=False
    )
    decomposition: Decomposition | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of_ends(
        cls,
        point: float,
        ends: Callable[[float], tuple[float, float]],
        *,
        level: float,
        method: str,
    ) -> "Interval":
        """Interval known by its limits at each level, with draws at their places for tests.

        Parameters
        ----------
        point, level, method
            As in the class.
        ends
            Limits at a level, from 0 to 1; wider at a higher one.
        """
        places = (np.arange(_PLACES) + 0.5) / _PLACES
        lower = [ends(1.0 - 2.0 * place)[0] for place in places[: _PLACES // 2]]
        upper = [ends(2.0 * place - 1.0)[1] for place in places[_PLACES // 2 :]]
        draws = np.array(lower + upper)
        return cls(point, *ends(level), level, method, float(draws.std()), draws, ends=ends)

    @property
    def width(self) -> float:
        """Upper minus lower limit."""
        return self.high - self.low

    def excludes(self, limit: float) -> bool:
        """Whether the value lies strictly outside the interval."""
        return limit < self.low or limit > self.high

    def at(self, level: float) -> tuple[float, float]:
        """Limits at another confidence level.

        Raises
        ------
        StatisticsError
            If the draws are too few for a limit so far out, or there are none.
        """
        if self.ends is not None:
            return self.ends(level)
        size = 0 if self.draws is None else self.draws.size
        if self.draws is None or (1.0 - level) / 2.0 * (1 + size) < 1.0:
            raise StatisticsError(
                f"{size:,} draws have no limits at the level {level:.4f}; take more draws."
            )
        return quantile_limits(self.draws, level)

    def p_value(self, limit: float, *, direction: Direction) -> float:
        """One-sided p-value of "the parameter is ``greater`` (or ``less``) than the limit".

        ``(1 + draws on the wrong side or at the limit) / (1 + draws)``: never below
        ``smallest_p``.
        """
        draws = self.draws if self.test_draws is None else self.test_draws
        if draws is None:
            raise StatisticsError(f"an interval by {self.method!r} keeps no draws to test with.")
        wrong = draws <= limit if direction == "greater" else draws >= limit
        return float((1 + np.count_nonzero(wrong)) / (1 + draws.size))

    @property
    def smallest_p(self) -> float | None:
        """Smallest p-value that the draws can give; None without draws."""
        return None if self.draws is None else 1.0 / (1 + self.draws.size)


def quantile_limits(draws: FloatArray, level: float) -> tuple[float, float]:
    """Lower and upper percentile limits of draws ``(draw,)``."""
    tail = (1.0 - proper_level(level)) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return float(low), float(high)
