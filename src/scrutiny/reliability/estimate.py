"""Estimate of one statistic on one panel: value, interval and denominator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.record import Counts
from scrutiny.core.statistic import Statistic
from scrutiny.reliability.intervals import (
    ONE_UNIT,
    apart_on,
    flips_of,
    interval_of,
    on_one_unit,
    step_of,
)
from scrutiny.reliability.joining import join
from scrutiny.reliability.panel import Joined, Panel, Side, units_of
from scrutiny.reliability.replicates import across
from scrutiny.reliability.row_statistics import divisors, resample_any, scale_of
from scrutiny.stats.arrays import StatisticsError, finite
from scrutiny.stats.intervals.interval import AS_IT_IS, Interval, Scale
from scrutiny.stats.resampling.resample import Resampled

#: Method of an estimate without limits.
NO_INTERVAL: Final = "no_interval@1"


@dataclass(frozen=True, slots=True, eq=False)
class Estimated:
    """Estimate with the draws it was computed from.

    ``interval`` and ``resampled`` are None if the estimate has no value; ``interval`` alone
    if there is one unit of resampling and too few replicates. ``each`` holds the
    interval over items of every replicate by itself, where it was asked for. ``row_range`` is the
    range of one row where the value is a mean over rows: what missing rows could have been.
    ``scale`` is where its interval is symmetric. ``divisors`` are what each replicate's value was
    divided by, where that is not every row. ``flips`` are the rows a replicate that count for and
    against the value, where it is a paired difference of right and wrong; ``step`` is what one
    flip moves, where it is a share of things that flip; ``apart`` is of a ratio of rows in units
    (`scrutiny.reliability.intervals.apart_on`).
    """

    estimate: Estimate
    interval: Interval | None = None
    resampled: Resampled | None = None
    each: tuple[Interval, ...] = ()
    row_range: tuple[float, float] | None = None
    scale: Scale = AS_IT_IS
    divisors: tuple[float, ...] = ()
    flips: tuple[float, float] | None = None
    step: float | None = None
    apart: tuple[float, float] | None = None


def estimate(
    panel: Panel,
    sides: Mapping[str, Side],
    *,
    statistic: Statistic,
    key: EstimateKey,
    resampling: Resampling,
    seed: int,
    fallback: Mapping[str, str] | None = None,
) -> Estimated:
    """Estimate of a statistic over the items that all its sides have.

    Parameters
    ----------
    panel, sides, fallback
        See `scrutiny.reliability.joining.join`.
    statistic
        Of any kind.
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
    if joined.rows.size == 0:
        return blank(key, joined, resampling, "no_items")
    try:
        resampled = resample_joined(
            panel, joined, statistic, dataset=key.dataset, draws=resampling.draws, seed=seed
        )
    except StatisticsError:
        return blank(key, joined, resampling, "no_value")
    return of_draws(key, joined, resampled, statistic=statistic, resampling=resampling, seed=seed)


def blank(key: EstimateKey, joined: Joined, resampling: Resampling, reason: str) -> Estimated:
    """Undefined estimate of joined measures, with the reason."""
    return Estimated(without_value(key, joined.counts, len(joined.names), resampling, reason))


def of_draws(
    key: EstimateKey,
    joined: Joined,
    resampled: Resampled,
    *,
    statistic: Statistic,
    resampling: Resampling,
    seed: int,
) -> Estimated:
    """Estimate of a statistic from its draws of items."""
    scale = scale_of(statistic)
    step = step_of(statistic, joined.values)
    each: tuple[Interval, ...] = ()
    try:
        if resampled.degrees < 1:
            interval = on_one_unit(resampled, scale=scale, resampling=resampling)
        else:
            interval = interval_of(
                resampled,
                name=statistic.drawn_as,
                scale=scale,
                resampling=resampling,
                seed=seed,
                step=step,
            )
            each = _each(resampled, statistic, joined, resampling=resampling, seed=seed)
        found = valued(
            key,
            joined.counts,
            interval,
            resampled=resampled,
            names=joined.names,
            level=resampling.level,
        )
    except StatisticsError:
        return blank(key, joined, resampling, "no_value")
    agreement = across(
        resampled.point,
        no_effect=statistic.no_effect,
        intervals=each,
        level=resampling.level,
    )
    divided = divisors(statistic, joined.values)
    return Estimated(
        replace(found, across=agreement, denominator=mean_divisor(divided)),
        interval,
        resampled,
        each,
        statistic.row_range,
        scale,
        divided,
        flips_of(statistic, joined.values),
        step,
        apart_on((statistic, joined.values)) if resampled.crowding > 1.0 else None,
    )


def mean_divisor(each: Sequence[float]) -> float | None:
    """Mean denominator over replicates; None if every row counts."""
    return sum(each) / len(each) if each else None


def by_replicate(estimated: Estimated) -> list[Estimate]:
    """Estimate of each replicate, over items alone; empty for a single model."""
    whole, resampled = estimated.estimate, estimated.resampled
    if resampled is None or len(estimated.each) < 2:
        return []
    return [
        replace(
            valued(
                replace(whole.key, replicate=name),
                whole.counts,
                interval,
                resampled=resampled.select([position]),
                names=[name],
                level=interval.level,
            ),
            n_replicates=1,
            denominator=estimated.divisors[position] if estimated.divisors else None,
        )
        for position, (name, interval) in enumerate(
            zip(whole.by_replicate, estimated.each, strict=True)
        )
    ]


def resample_joined(
    panel: Panel, joined: Joined, statistic: Statistic, *, dataset: str, draws: int, seed: int
) -> Resampled:
    """Statistic of each replicate on each draw of the panel's units, as of any of its dataset."""
    rng = generator(seed, "bootstrap", name=dataset, item="items")
    units, cells = units_of(panel, joined.rows)
    return resample_any(statistic, joined.values, units=units, draws=draws, rng=rng, cells=cells)


def _each(
    resampled: Resampled,
    statistic: Statistic,
    joined: Joined,
    *,
    resampling: Resampling,
    seed: int,
) -> tuple[Interval, ...]:
    """Interval over items of each replicate, for statistics that use it."""
    if resampling.replicates != "each" and statistic.no_effect is None:
        return ()
    own = replace(resampling, method="items")
    return tuple(
        interval_of(
            resampled.select([position]),
            name=f"{statistic.drawn_as} {name or ''}",
            scale=scale_of(statistic),
            resampling=own,
            seed=seed,
            step=step_of(statistic, joined.values[[position]]),
        )
        for position, name in enumerate(joined.names)
    )


def valued(
    key: EstimateKey,
    counts: Counts,
    interval: Interval | None,
    *,
    resampled: Resampled,
    names: Sequence[str | None],
    level: float,
) -> Estimate:
    """Estimate from its interval, or without limits if there is none, for one unit of resampling.

    ``names`` are the replicates in order.
    """
    whole = Estimate(
        key=key,
        value=None,
        low=None,
        high=None,
        level=level,
        method=NO_INTERVAL,
        counts=counts,
        n_units=resampled.n_units,
        n_replicates=len(names),
        by_replicate={n or "{}": v for n, v in zip(names, resampled.point.tolist(), strict=True)},
        resample_id=resampled.resample_id,
        reason=ONE_UNIT,
    )
    if interval is None:
        return replace(whole, value=float(finite(resampled.point, "point", ndim=1).mean()))
    parts = interval.decomposition
    return replace(
        whole,
        value=interval.point,
        low=interval.low,
        high=interval.high,
        method=f"{interval.method}@1",
        variance={} if parts is None else {"seeds": parts.seeds, "items": parts.items},
        reason=",".join(interval.notes) or None,
    )


def refused(estimated: Estimated, reason: str) -> Estimated:
    """Estimate without value, refused for a reason."""
    whole = replace(estimated.estimate.within(None), value=None, status="refused", reason=reason)
    return Estimated(replace(whole, variance={}, by_replicate={}, across={}))


def without_value(
    key: EstimateKey, counts: Counts, n_replicates: int, resampling: Resampling, reason: str
) -> Estimate:
    """Undefined estimate, with the reason."""
    return Estimate(
        key=key,
        value=None,
        low=None,
        high=None,
        level=resampling.level,
        method=f"{resampling.method}@1",
        counts=counts,
        n_units=0,
        n_replicates=max(1, n_replicates),
        status="undefined",
        reason=reason,
    )
