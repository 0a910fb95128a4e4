"""Estimate with its interval, and the scales on which an interval is symmetric.

An estimate has its bootstrap draws and its variance components; scales are identity, logit and
Fisher's z. Of a share, Wilson's interval.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import numpy as np
import scipy

from scrutiny.stats.arrays import FloatArray, StatisticsError, one_of, proper_level

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
        How it was made: "crossed", "items", "percentile", "wilson", ...
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
    """Lower and upper percentile limits of draws ``(draw,)``: those of `numpy.quantile`, sooner."""
    tail = (1.0 - proper_level(level)) / 2.0
    last = draws.size - 1
    places = [last * share for share in (tail, 1.0 - tail)]
    around = [(int(place), min(int(place) + 1, last)) for place in places]
    ordered = np.partition(draws, [*around[0], *around[1], last])
    if np.isnan(ordered[last]):  # NaN come last
        return float("nan"), float("nan")
    low, high = (
        _between(float(ordered[below]), float(ordered[above]), place - below)
        for place, (below, above) in zip(places, around, strict=True)
    )
    return low, high


def _between(first: float, second: float, share: float) -> float:
    """Value at a share of the way between two, rounded as `numpy.quantile` rounds it."""
    way = second - first
    return second - way * (1.0 - share) if share >= 0.5 else first + way * share


_STRAIGHT: Final = ("identity", "share", "coefficient", "excess", "amount", "kappa", "points")
_IN_PERCENT: Final = ("points", "percent")
_RANGES: Final = {
    "share": (0.0, 1.0),
    "coefficient": (-1.0, 1.0),
    "excess": (-2.0, 2.0),
    "amount": (0.0, float("inf")),
    "kappa": (float("-inf"), 1.0),
    "points": (-100.0, 100.0),
    "logit": (0.0, 1.0),
    "percent": (0.0, 100.0),
    "fisher_z": (-1.0, 1.0),
    "effect_size": (-2.02, 2.02),
}
SCALES: Final = ("identity", *_RANGES)


@dataclass(frozen=True, slots=True)
class Scale:
    """Monotone transformation from the range of a statistic to the real line, and back.

    Parameters
    ----------
    name
        "identity", "share" (of something rare: as it is, cut at 0 and 1, so that the floor for
        few flips is of its size), "coefficient" (correlations and differences of two shares, as
        they are, cut at -1 and 1), "excess" (differences of two coefficients, cut at -2 and 2),
        "amount" (distances and divergences, as they are, cut at 0),
        "kappa" (a share of what chance leaves, as it is, cut at 1), "points" (differences of
        percentages, as they are),
        "logit" (shares), "percent" (the same times 100), "fisher_z" (correlations) or
        "effect_size" (standardized differences of two groups: twice a correlation where the
        groups are of one size; what lies beyond, with groups of unequal size, is brought to the
        bound).
    low, high
        The statistic's range.
    whole
        Size of one whole: 100 for percentages, 1 for all others.
    """

    name: str
    low: float = float("-inf")
    high: float = float("inf")
    whole: float = 1.0

    @classmethod
    def of(cls, scale: "str | Scale") -> "Scale":
        """Scale by name, with its usual range: logit [0, 1], percent [0, 100], ..."""
        if isinstance(scale, Scale):
            return scale
        one_of(scale, "scale", SCALES)
        low, high = _RANGES.get(scale, (float("-inf"), float("inf")))
        return cls(scale, low, high, whole=100.0 if scale in _IN_PERCENT else 1.0)

    @property
    def is_bounded(self) -> bool:
        """Whether the scale maps a bounded range to the line."""
        return self.name not in _STRAIGHT

    @property
    def difference(self) -> "Scale":
        """Scale of a difference of two values: identity, cut at the largest possible difference.

        Percentages differ by 100 at most. Standardized differences are not cut: with groups of
        unequal size they lie beyond their usual range.
        """
        span = float("inf") if self.name == "effect_size" else self.high - self.low
        return Scale("identity", -span, span, self.whole)

    def within(self, low: float, high: float) -> "Scale":
        """The same scale, cut at a narrower range; scales that map to the line are unchanged."""
        if self.is_bounded:
            return self
        return replace(self, low=max(self.low, low), high=min(self.high, high))

    def forward(self, values: FloatArray, *, margin: float) -> FloatArray:
        """Values transformed to the real line; shares are kept ``margin`` away from the bounds."""
        if not self.is_bounded:
            return values
        least, most = np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)
        is_beyond = least < self.low - 1e-9 or most > self.high + 1e-9
        if is_beyond and self.name != "effect_size":
            raise StatisticsError(
                f"scale {self.name!r} takes values in [{self.low:g}, {self.high:g}]; got"
                f" {least:g} to {most:g}. Use scale='identity', or a"
                " Scale with the statistic's own range."
            )
        share = np.clip((values - self.low) / (self.high - self.low), margin, 1.0 - margin)
        logit = np.log(share) - np.log1p(-share)
        # Fisher's z is half the logit of (1 + r) / 2
        return 0.5 * logit if self.name == "fisher_z" else logit

    def inverse(self, values: FloatArray) -> FloatArray:
        """Values transformed back to the range of the statistic."""
        if not self.is_bounded:
            return values
        logit = 2.0 * values if self.name == "fisher_z" else values
        share = 0.5 * (1.0 + np.tanh(0.5 * logit))
        return self.low + (self.high - self.low) * share


#: Values as they are, wherever they lie.
AS_IT_IS: Final = Scale("identity")


def wilson(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """Wilson score interval of a share.

    Parameters
    ----------
    successes, trials
        Counts; trials at least 1.
    level
        Nominal coverage.

    **Measures**: the share in the population that independent trials were drawn from.

    **Misleads when**: trials come in clusters (variants of one item, sentences of one story), or
    the same items are counted once a seed: it is then far too narrow.

    **References**: Wilson (1927), Probable inference; Brown, Cai & DasGupta (2001), Interval
    estimation for a binomial proportion.

    Examples
    --------
    >>> found = wilson(9, 10)
    >>> round(found.low, 4), round(found.high, 4)
    (0.5958, 0.9821)
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise StatisticsError(f"{successes} successes of {trials} trials is not a share.")
    z = float(scipy.special.ndtri((1.0 + proper_level(level)) / 2.0))
    share = successes / trials
    scale = 1.0 + z * z / trials
    middle = (share + z * z / (2 * trials)) / scale
    half = z / scale * (share * (1 - share) / trials + z * z / (4 * trials**2)) ** 0.5
    return Interval(
        point=share,
        low=0.0 if successes == 0 else middle - half,
        high=1.0 if successes == trials else middle + half,
        level=level,
        method="wilson",
        se=float((share * (1 - share) / trials) ** 0.5),
    )
