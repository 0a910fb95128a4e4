"""Value, interval and denominator of one statistic on one panel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.reliability.derive import join
from scrutiny.reliability.panel import Joined, Panel, Side
from scrutiny.stats.crossed import crossed
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.interval import Interval
from scrutiny.stats.resample import Resampled, resample, resample_refit, resample_weighted
from scrutiny.stats.weights import Units


class AnyStatistic(Protocol):
    """What the three kinds of statistic have in common."""

    id: str
    needs: tuple[str, ...]
    scale: str


@dataclass(frozen=True, slots=True, eq=False)
class Estimated:
    """An estimate with the draws that it was computed from.

    ``interval`` and ``resampled`` are nothing where the estimate has no value.
    """

    estimate: Estimate
    interval: Interval | None = None
    resampled: Resampled | None = None


def estimate(
    panel: Panel,
    sides: Mapping[str, Side],
    *,
    statistic: Any,
    key: EstimateKey,
    resampling: Resampling,
    seed: int,
    fallback: Mapping[str, str] | None = None,
) -> Estimated:
    """Estimate of a statistic over the items that all its sides have.

    Parameters
    ----------
    panel, sides, fallback
        See `scrutiny.reliability.derive.join`.
    statistic
        Additive, weighted or refit; told apart by its method.
    key
        Identity that the estimate gets.
    resampling
        Draws, level, and the method of the interval.
    seed
        The run's seed; the draws depend on it and on the dataset, not on what is estimated.

    Returns
    -------
    Estimated
        Status ``undefined`` with a reason where there are no items, or no value on these items.
    """
    joined = join(panel, sides, needs=statistic.needs, fallback=fallback)
    units = _units(panel, joined)
    if units is None:
        return _without_value(key, joined, panel, resampling, "no_items")
    rng = generator(seed, "bootstrap", name=key.dataset, item="items")
    try:
        resampled = resample_any(statistic, joined, units=units, draws=resampling.draws, rng=rng)
        interval = interval_of(statistic, resampled, resampling=resampling, seed=seed)
    except StatisticsError:
        return _without_value(key, joined, panel, resampling, "no_value")
    return Estimated(
        _with_value(key, joined, panel, interval=interval, resampled=resampled),
        interval,
        resampled,
    )


def resample_any(
    statistic: Any, joined: Joined, *, units: Units, draws: int, rng: np.random.Generator
) -> Resampled:
    """Statistic of each replicate on each draw of items, by the statistic's own way."""
    if hasattr(statistic, "weighted"):
        return resample_weighted(
            joined.values, statistic.weighted, rng=rng, draws=draws, units=units
        )
    if hasattr(statistic, "refit"):
        return resample_refit(joined.values, statistic.refit, rng=rng, draws=draws, units=units)
    components = statistic.components(joined.values)
    return resample(components, statistic.value, rng=rng, draws=draws, units=units)


def interval_of(
    statistic: AnyStatistic, resampled: Resampled, *, resampling: Resampling, seed: int
) -> Interval:
    """Interval over replicates and items; ``fixed`` replicates leave the items alone.

    Raises
    ------
    StatisticsError
        If some replicate has no value.
    """
    point, draws = resampled.point, resampled.draws
    if resampling.replicates == "fixed" or resampling.method == "items":
        point = point.mean(keepdims=True)
        draws = draws.mean(axis=1, keepdims=True)
    return crossed(
        point,
        draws,
        rng=generator(seed, "bootstrap", name=statistic.id, item="replicates"),
        level=resampling.level,
        scale=statistic.scale,
        n_units=resampled.n_units,
    )


def _units(panel: Panel, joined: Joined) -> Units | None:
    """Units of the kept rows, or nothing without rows."""
    if joined.rows.size == 0:
        return None
    unit = None if panel.units is None else panel.units[joined.rows]
    strata = None if panel.strata is None else panel.strata[joined.rows]
    return Units.of(joined.rows.size, unit, strata=strata)


def _with_value(
    key: EstimateKey, joined: Joined, panel: Panel, *, interval: Interval, resampled: Resampled
) -> Estimate:
    parts = interval.decomposition
    variance = {} if parts is None else {"seeds": parts.seeds, "items": parts.items}
    return Estimate(
        key=key,
        value=interval.point,
        low=interval.low,
        high=interval.high,
        level=interval.level,
        method=f"{interval.method}@1",
        counts=joined.counts,
        n_units=resampled.n_units,
        n_replicates=len(panel.replicates),
        variance=variance,
        by_replicate=named(panel.replicates, resampled.point.tolist()),
        resample_id=resampled.resample_id,
        reason=",".join(interval.notes) or None,
    )


def named(replicates: Sequence[str | None], values: Sequence[float]) -> dict[str, float]:
    """Values by replicate; a single model has the name of no factors."""
    return {name or "{}": float(value) for name, value in zip(replicates, values, strict=True)}


def _without_value(
    key: EstimateKey, joined: Joined, panel: Panel, resampling: Resampling, reason: str
) -> Estimated:
    return Estimated(
        Estimate(
            key=key,
            value=None,
            low=None,
            high=None,
            level=resampling.level,
            method=f"{resampling.method}@1",
            counts=joined.counts,
            n_units=0,
            n_replicates=len(panel.replicates),
            status="undefined",
            reason=reason,
        )
    )
