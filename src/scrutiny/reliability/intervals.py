"""Intervals over replicates and items by the plan's method, and what a value counts for them."""

from dataclasses import replace
from typing import Final

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.statistic import AdditiveStatistic, Statistic
from scrutiny.reliability.row_statistics import divide, divisors, scale_of, value_of
from scrutiny.stats.agreement.flips import counted_flips
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.crossed import crossed
from scrutiny.stats.intervals.interval import Interval, Scale, quantile_limits
from scrutiny.stats.intervals.one_factor import difference_over_replicates, t_over_replicates
from scrutiny.stats.intervals.rows import row_of
from scrutiny.stats.intervals.share_limits import apart_of
from scrutiny.stats.intervals.simultaneous import simultaneous
from scrutiny.stats.resampling.resample import Resampled
from scrutiny.stats.resampling.sums import influences

#: Range of one row's difference of right and wrong.
PAIRED_RANGE: Final = (-1.0, 1.0)
#: Range of a row that is right or wrong.
SHARE_RANGE: Final = (0.0, 1.0)
#: The same times 100.
PERCENT_RANGE: Final = (0.0, 100.0)
_MOSTLY: Final = 0.5  # of the rows


def step_of(statistic: Statistic, values: Floats) -> float | None:
    """Change of a share by one flip, of one whole, mean over replicates; None if it is no share.

    Parameters
    ----------
    statistic
        Of any kind.
    values
        ``(replicate, row, need)``.
    """
    spread = statistic.flips_over
    if spread is not None and isinstance(statistic, AdditiveStatistic):
        over = spread(statistic.components(values).sum(axis=-2))
    elif statistic.row_range == PAIRED_RANGE or _is_counted(statistic, values):
        over = np.minimum(divisors(statistic, values) or np.inf, _counting(statistic, values))
    else:
        return None
    return 1.0 / max(float(np.mean(over)), 1.0)


def _counting(statistic: Statistic, values: Floats) -> Floats:
    """Rows ``(replicate,)`` of which anything counts: words of one sentence fail together."""
    if statistic.divisor is None:
        return np.full(len(values), float(values.shape[1]))
    if statistic.row_range is not None or not isinstance(statistic, AdditiveStatistic):
        return np.full(len(values), np.inf)
    return np.asarray((statistic.divisor(statistic.components(values)) > 0).sum(axis=-1))


def _is_counted(statistic: Statistic, values: Floats) -> bool:
    """Whether a value is a share of things that are right or wrong, or so in part.

    Answers are right in part in some of a few draws, or in some of their words where most are right
    or wrong as a whole. A mean of confidences or of divergences lies between 0 and 1, too, and
    counts nothing.
    """
    if not isinstance(statistic, AdditiveStatistic) or statistic.cells:
        return False
    components = statistic.components(values)
    if statistic.row_range not in (SHARE_RANGE, PERCENT_RANGE) and not _is_of_some(
        statistic, components
    ):
        return False
    told = components[..., 0]
    # where most rows are 0 or 1, the few others are no reason to be surer of them
    return counted_flips(told) is not None or (
        statistic.divisor is None and bool(np.mean((told == 0.0) | (told == 1.0)) > _MOSTLY)
    )


def _is_of_some(statistic: AdditiveStatistic, components: Floats) -> bool:
    """Whether a value is the first of its sums as a share of a divisor: recall, attack success."""
    scale = scale_of(statistic)
    is_share = (scale.low, scale.high) == (0.0, scale.whole) and statistic.row_range is None
    if statistic.divisor is None or not is_share:
        return False
    sums = components.sum(axis=-2)  # (replicate, component)
    value = value_of(statistic, sums)
    share = scale.whole * divide(sums[..., 0], statistic.divisor(sums))
    return bool(np.allclose(value, share, equal_nan=True))


def flips_of(statistic: Statistic, values: Floats) -> tuple[float, float] | None:
    """Rows per replicate that count for and against a value; mean over replicates.

    None unless it is a mean over rows of paired differences of right and wrong.
    """
    each = row_values(statistic, values) if statistic.row_range == PAIRED_RANGE else None
    return None if each is None else counted_flips(each)


def row_values(statistic: Statistic, values: Floats) -> Floats | None:
    """Values ``(replicate, row)`` of single rows if the statistic is a mean; else None."""
    if not statistic.is_mean or not isinstance(statistic, AdditiveStatistic):
        return None
    return value_of(statistic, statistic.components(values))


def apart_on(*sides: tuple[Statistic, Floats]) -> tuple[float, float] | None:
    """Variance of a ratio if its rows were independent, and rows that it comes from, a replicate.

    None of anything but a share of things that are right or wrong and no mean over rows (an F1), or
    where it does not exist without some row. Of two sides, it is of the first minus the second.

    Parameters
    ----------
    sides
        Statistics, each with its measures ``(replicate, row, need)``.
    """
    found = []
    for statistic, values in sides:
        is_ratio = statistic.flips_over is not None and not statistic.cells
        if not is_ratio or not isinstance(statistic, AdditiveStatistic):
            return None
        found.append(influences(statistic.components(values), statistic.value))
    if len({one.shape for one in found}) > 1:
        return None
    whole = found[0] if len(found) == 1 else found[0] - found[1]
    return apart_of(whole) if np.isfinite(whole).all() else None


#: Name of the Multi-Bootstrap among the methods of `scrutiny.core.plan.Resampling`.
AS_PUBLISHED: Final = "multi-bootstrap"
#: Replicates below which it under-covers, by about (R - 1) / R of the seeds' variance.
FEW_SEEDS: Final = 10
#: Reason of an estimate whose items are one unit: other items cannot be spoken of.
ONE_UNIT: Final = "one_unit"
#: Replicates that carry an interval over them alone.
FEWEST_REPLICATES: Final = 3


def interval_of(
    resampled: Resampled,
    *,
    name: str,
    scale: str | Scale,
    resampling: Resampling,
    seed: int,
    step: float | None = None,
) -> Interval:
    """Interval over replicates and items; over items alone if replicates are ``fixed``.

    Parameters
    ----------
    resampled
        The statistic of each replicate on each draw of items.
    name
        Versioned name of the statistic: it names the stream of random numbers.
    scale
        Scale on which the interval is symmetric.
    resampling, seed
        Method and level; the run's seed.
    step
        Change of the value by one flip, where it is a share: it then has the limits that it has in
        a family of one (`scrutiny.stats.intervals.simultaneous`).

    Raises
    ------
    StatisticsError
        If some replicate has no value.
    """
    rng = generator(seed, "bootstrap", name=name, item="replicates")
    is_fixed = resampling.is_held
    if resampling.method == AS_PUBLISHED and not is_fixed:
        return _as_published(resampled, rng=rng, level=resampling.level)
    drawn = resampled.mean_replicate() if is_fixed else resampled
    found = crossed(
        drawn.point,
        drawn.draws,
        rng=rng,
        level=resampling.level,
        scale=scale,
        n_units=resampled.n_units,
        n_strata=resampled.n_strata,
    )
    row = None if step is None else row_of(resampled, Scale.of(scale), step=step)
    if row is not None and row.is_share:
        level = resampling.level
        (limits,) = simultaneous([row], n_rows=1, level=level, is_fixed=is_fixed)
        found = replace(found, low=limits.widest[0], high=limits.widest[1])
    if drawn.point.size == resampled.point.size:
        return found
    notes = tuple("fixed_replicates" if n == "one_replicate" else n for n in found.notes)
    return replace(found, notes=notes)


def _as_published(
    resampled: Resampled, *, rng: np.random.Generator, level: float = 0.95
) -> Interval:
    """Multi-Bootstrap percentile interval: replicates redrawn on each draw of items.

    The published algorithm for any statistic whose draws of items are known: on each draw, the mean
    over replicates drawn with replacement.

    **Measures**: as the published procedure.

    **Misleads when**: there are fewer than ten replicates (noted "few_seeds"): it then covers 89
    to 92 % instead of 95 %.

    **References**: Sellam et al. (2022), The MultiBERTs: BERT Reproductions for Robustness
    Analysis, ICLR.
    """
    each = resampled.defined_draws  # (draw, replicate)
    if not np.isfinite(resampled.point).all() or 2 * len(each) < len(resampled.draws):
        raise StatisticsError("a replicate has no value, or none on most draws of items.")
    count = each.shape[1]
    times = rng.multinomial(count, np.full(count, 1.0 / count), size=each.shape[0])
    draws = (each * times).sum(axis=1) / count
    low, high = quantile_limits(draws, level)
    notes = () if len(each) == len(resampled.draws) else ("undefined_draws",)
    if count == 1:
        notes = (*notes, "one_replicate")
    elif count < FEW_SEEDS:
        notes = (*notes, "few_seeds")
    return Interval(
        point=float(resampled.point.mean()),
        low=low,
        high=high,
        level=level,
        method=AS_PUBLISHED,
        se=float(draws.std(ddof=1)),
        draws=draws,
        notes=notes,
    )


def on_one_unit(
    resampled: Resampled, *, scale: str | Scale, resampling: Resampling
) -> Interval | None:
    """Interval by the plan's method where all items are one unit: over replicates alone.

    None with fewer than three replicates, or if they are held fixed: then there is a value without
    limits.

    Raises
    ------
    StatisticsError
        If some replicate has no value.
    """
    if resampling.is_held or resampled.point.size < FEWEST_REPLICATES:
        return None
    return _cut(t_over_replicates(resampled.point, level=resampling.level), Scale.of(scale))


def difference_on_one_unit(
    a: Resampled, b: Resampled, *, scale: str | Scale, paired: bool, resampling: Resampling
) -> Interval | None:
    """Interval of a minus b by the plan's method where all items are one unit: over replicates.

    None if a side has two replicates, or neither has three, or they are held fixed.

    Raises
    ------
    StatisticsError
        If some replicate has no value.
    """
    counts = a.point.size, b.point.size
    if resampling.is_held or 2 in counts or max(counts) < FEWEST_REPLICATES:
        return None
    if paired:
        found = t_over_replicates(a.point - b.point, level=resampling.level)
    else:
        found = difference_over_replicates(a.point, b.point, level=resampling.level)
    return _cut(found, Scale.of(scale).difference)


def _cut(found: Interval, where: Scale) -> Interval:
    """Interval over replicates, cut at the range of the value: a t of few degrees is wide."""

    def ends(level: float) -> tuple[float, float]:
        low, high = found.at(level)
        return max(low, where.low), min(high, where.high)

    low, high = ends(found.level)
    places = None if found.test_draws is None else found.test_draws.clip(where.low, where.high)
    return replace(found, low=low, high=high, ends=ends, test_draws=places, notes=(ONE_UNIT,))
