"""Score with abstention: intervals of the score on the items with the largest margins."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import BoolArray, FloatArray, finite
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.intervals.crossed import crossed
from scrutiny.stats.intervals.interval import Interval
from scrutiny.stats.resampling.resample import resample


@dataclass(frozen=True, slots=True)
class Retained:
    """Score on the items whose margin is at least a threshold.

    ``coverage`` is the share of items kept, mean over replicates; ``interval`` is None if
    too few items are left.
    """

    threshold: float
    coverage: float
    interval: Interval | None


def retained_scores(
    hits: ArrayLike,
    margins: ArrayLike,
    *,
    coverages: Sequence[float],
    rng: np.random.Generator,
    draws: int = 1000,
    level: float = 0.95,
) -> list[Retained]:
    """Intervals of a score with abstention: on items with a margin of at least t, by coverage.

    Parameters
    ----------
    hits, margins
        ``(replicate, item)``; the sign of a margin does not matter. NaN items are left out.
    coverages
        Shares of all (replicate, item) pairs to keep; each gives one threshold for all replicates.
    rng, draws, level
        Of the crossed interval over replicates and items.

    **Measures**: what a verdict rests on: sure answers, or a crowd of near-ties.

    **Misleads when**: margins of different texts are on different scales (a sum over more
    tokens is larger); items come in clusters, which are not kept together here.

    **References**: El-Yaniv & Wiener (2010), On the foundations of noise-free selective
    classification; Aribandi, Tay & Metzler (2021), on margins and uncertainty.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = retained_scores([[1, 1, 0, 0]] * 3, [[4, 3, 2, 1]] * 3, coverages=[0.5], rng=rng)
    >>> found[0].threshold, found[0].coverage, found[0].interval.point
    (3.0, 0.5, 1.0)
    """
    told, sure = np.asarray(hits, dtype=float), np.abs(np.asarray(margins, dtype=float))
    if told.shape != sure.shape or told.ndim != 2:
        raise StatisticsError(f"hits {told.shape} and margins {sure.shape} must be alike, 2-d.")
    kept = np.isfinite(told).all(axis=0) & np.isfinite(sure).all(axis=0)
    if not kept.any():
        return []
    told, sure = finite(told[:, kept], "hits"), finite(sure[:, kept], "margins")
    ordered = np.sort(sure, axis=None)[::-1]
    found = []
    for coverage in coverages:
        place = min(ordered.size, max(1, round(coverage * ordered.size)))
        threshold = 0.0 if coverage >= 1.0 else float(ordered[place - 1])
        inside = sure >= threshold
        interval = _interval(told, inside, rng=rng, draws=draws, level=level)
        found.append(Retained(threshold, float(inside.mean()), interval))
    return found


def _interval(
    hits: FloatArray, inside: BoolArray, *, rng: np.random.Generator, draws: int, level: float
) -> Interval | None:
    """Crossed interval of the share of hits among the items inside."""
    components = np.stack([hits * inside, inside.astype(float)], axis=-1)  # (replicate, item, 2)
    try:
        drawn = resample(components, _share, rng=rng, draws=draws)
        if 2 * len(drawn.defined_draws) < draws:
            return None
        return crossed(
            drawn.point,
            drawn.draws,
            rng=rng,
            level=level,
            scale="logit",
            n_units=int(inside.sum(axis=1).min()),
        )
    except StatisticsError:
        return None


def _share(sums: FloatArray, weight: FloatArray) -> FloatArray:
    """Share of hits among kept items, from sums ``(..., 1, 2)``; NaN if there are none."""
    kept = sums[..., 0, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(kept > 0, sums[..., 0, 0] / kept, np.nan)
