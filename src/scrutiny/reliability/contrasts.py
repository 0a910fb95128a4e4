"""Contrasts: differences between two specifications, paired on items, one t term per side.

Replicates are paired where it was said or where they are the same; otherwise each side has a t
term of its own. Whatever the plan's method for single estimates, a difference has the crossed
interval; that from a side that misses none is exact for a single model. A bootstrap of few misses
is too sure of itself: in 2,000 simulations of a loss that is the margin it called 5.3 % harmless
(150 items, margin .05) and 3.9 % (400 items, .02), where 2.5 % is right.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import scipy

from scrutiny.core.arrays import Floats
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.statistic import AdditiveStatistic, Statistic
from scrutiny.reliability.estimate import Estimated, mean_divisor, valued, without_value
from scrutiny.reliability.intervals import apart_on, difference_on_one_unit, row_values, step_of
from scrutiny.reliability.joining import Meeting
from scrutiny.reliability.replicates import across, compared_runs
from scrutiny.reliability.row_statistics import (
    Additive,
    divisors,
    is_quotient,
    on_rows,
    resample_any,
    scale_of,
    value_of,
)
from scrutiny.stats.agreement.flips import counted_flips
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.contrast import paired_contrast, unpaired_contrast
from scrutiny.stats.intervals.interval import Interval, Scale
from scrutiny.stats.resampling.resample import Resampled

#: Items from which two slices are drawn in one call, where equal items are drawn together: the
#: same distribution in less time. Fewer keep the draws that they always had.
_MANY: Final = 5_000


def contrast(
    meeting: Meeting,
    statistic: Statistic,
    *,
    key: EstimateKey,
    paired: bool,
    resampling: Resampling,
    seed: int,
    subtracted: Statistic | None = None,
) -> Estimated:
    """Difference of two sides with its interval, first minus second.

    Parameters
    ----------
    meeting
        The sides.
    statistic
        What is computed of each replicate of each side, on the same draws of items.
    key
        Identity that the estimate gets.
    paired
        Whether replicates belong together: by name where both sides have the same names, else by
        their order.
    resampling, seed
        Draws, level, whether replicates are held fixed; the run's seed.
    subtracted
        The statistic of the second side, where it reads other columns: networks of different size
        have as many numbers of each measure as they have heads.

    Returns
    -------
    Estimated
        Status ``undefined`` with a reason if the sides share no items.

    Raises
    ------
    PlanError
        If replicates are to be paired and one side has more of them.
    """
    count, others = (len(names) for names in meeting.names)
    blank = without_value(key, meeting.counts, min(count, others), resampling, "no_items")
    if meeting.units is None or not count or not others:
        return Estimated(blank)
    order = _order(meeting.names, key=key) if paired else list(range(others))
    statistics, is_alike = (statistic, subtracted or statistic), meeting.slices is None
    units = meeting.units
    if meeting.slices is not None:  # each on its own rows
        mine, yours = map(on_rows, statistics, meeting.slices)
        statistics = mine, yours
    values = meeting.values[0], meeting.values[1][order]
    whose = [0] * count, [1] * len(order)

    def draw(of: Statistic, measures: Floats, **more: Any) -> Resampled:
        rng = generator(seed, "bootstrap", name=key.dataset, item="items")
        draws, cells = resampling.draws, meeting.cells
        return resample_any(of, measures, units=units, draws=draws, rng=rng, cells=cells, **more)

    try:
        if is_alike and values[0].shape[-1] == values[1].shape[-1]:  # replicates of one call
            both = draw(statistic, np.concatenate(values), systems=whose[0] + whose[1])
            sides = both.select(slice(0, count)), both.select(slice(count, None))
        elif (several := _as_replicates(statistics, values)) and units.n_units >= _MANY:
            both = draw(*several, systems=whose[0] + whose[1])
            sides = both.select(slice(0, count)), both.select(slice(count, None))
        else:
            one, other = (
                draw(of, side, systems=each)
                for of, side, each in zip(statistics, values, whose, strict=True)
            )
            sides = one, other
        interval, apart = _difference(
            sides, paired=paired, resampling=resampling, seed=seed, scale=scale_of(statistic)
        )
    except StatisticsError:
        return Estimated(replace(blank, reason="no_value"))
    is_by_replicate = paired and apart.point.size == count
    if is_quotient(statistic) and interval is not None:
        interval, apart = _subtracted_first(values, statistics, interval, apart)
    found = valued(
        key,
        meeting.counts,
        interval,
        resampled=apart,
        names=meeting.names[0] if is_by_replicate else (None,),
        level=resampling.level,
    )
    own = list(zip(statistics, values, strict=True))
    divided, span = [mean_divisor(divisors(*one)) for one in own], statistic.row_range
    found = replace(
        found,
        n_replicates=min(count, others),
        denominator=min((one for one in divided if one is not None), default=None),
        by_replicate=found.by_replicate if is_by_replicate else {},
        across=across(apart.point, no_effect=0.0)
        if is_by_replicate
        else compared_runs(sides[0].point, sides[1].point),
    )
    return Estimated(
        found,
        interval,
        apart,
        row_range=None if span is None else (span[0] - span[1], span[1] - span[0]),
        scale=scale_of(statistic).difference,
        flips=_flips(values, statistics) if meeting.slices is None else None,
        step=_step(values, statistics),
        apart=apart_on(*own) if is_alike and apart.crowding > 1.0 else None,
    )


def _as_replicates(
    statistics: tuple[Statistic, Statistic], values: tuple[Floats, Floats]
) -> tuple[Statistic, Floats] | None:
    """Sums of two slices as replicates of one statistic; None where they are of other sums."""
    one, other = statistics
    if not isinstance(one, Additive) or not isinstance(other, Additive) or one.id != other.id:
        return None
    parts = [own.components(side) for own, side in zip((one, other), values, strict=True)]
    if parts[0].shape[-1] != parts[1].shape[-1]:
        return None
    return replace(one, make=np.asarray), np.concatenate(parts)


def _subtracted_first(
    values: tuple[Floats, Floats],
    statistics: tuple[Statistic, Statistic],
    interval: Interval,
    apart: Resampled,
) -> tuple[Interval, Resampled]:
    """Quotients with one denominator, subtracted before division: 95 - 90 of 100 are .05."""
    one, other = (
        s.components(side).sum(axis=-2) if isinstance(s, AdditiveStatistic) else np.zeros((0, 1))
        for s, side in zip(statistics, values, strict=True)
    )  # (replicate, component)
    counts = np.concatenate([one[:, -1], other[:, -1]])
    statistic = statistics[0]
    if not counts.size or np.ptp(counts) or not isinstance(statistic, AdditiveStatistic):
        return interval, apart

    def value(sums: Floats) -> Floats:
        sums[..., -1] = counts[0]
        return value_of(statistic, sums)

    mean = value((one.mean(axis=0) - other.mean(axis=0))[None])
    each = value(one - other) if apart.point.size == len(one) == len(other) else mean
    if apart.point.size not in (1, len(each)):
        return interval, apart
    return replace(interval, point=float(mean[0])), replace(apart, point=each)


def _step(values: tuple[Floats, Floats], statistics: tuple[Statistic, Statistic]) -> float | None:
    """Change of a difference by one flip: the larger of both sides'."""
    steps = [step_of(s, side) for s, side in zip(statistics, values, strict=True)]
    known = [step for step in steps if step is not None]
    return max(known) if len(known) == len(steps) else None


def _flips(
    values: tuple[Floats, Floats], statistics: tuple[Statistic, Statistic]
) -> tuple[float, float] | None:
    """Numbers of rows that only one side has right, for each side; ``None`` for other contrasts."""
    one, other = (row_values(s, side) for s, side in zip(statistics, values, strict=True))
    if one is None or other is None or one.shape != other.shape:
        return None
    return counted_flips(one - other)


def _order(names: Sequence[Sequence[str | None]], *, key: EstimateKey) -> list[int]:
    """Positions of the second side's replicates, in the order of the first side's."""
    first, second = names
    if len(first) != len(second):
        raise PlanError(
            f"{key.subject} has {len(first)} replicates and {key.reference or 'the other side'} "
            f"has {len(second)}: they cannot be paired. Leave them unpaired, or run the same ones."
        )
    if set(first) == set(second):
        return [second.index(name) for name in first]
    return list(range(len(second)))


def _difference(
    sides: tuple[Resampled, Resampled],
    *,
    paired: bool,
    resampling: Resampling,
    seed: int,
    scale: Scale,
) -> tuple[Interval | None, Resampled]:
    """Interval of the difference, and the difference on each draw of items.

    Paired sides keep their replicates; others, and those held fixed, are one mean a side. With one
    unit there is nothing to draw, and the interval is over replicates, if there are enough.
    """
    one, other = sides
    rng = generator(seed, "bootstrap", name="contrast", item="replicates")
    is_fixed = resampling.is_held
    if is_fixed or not paired:
        one, other = one.mean_replicate(), other.mean_replicate()
    interval: Interval | None
    if one.degrees < 1:
        interval = difference_on_one_unit(*sides, scale=scale, paired=paired, resampling=resampling)
    elif is_fixed or paired:
        interval = paired_contrast(one, other, rng=rng, level=resampling.level, scale=scale)
    else:
        interval = unpaired_contrast(*sides, rng=rng, level=resampling.level, scale=scale)
    return interval, replace(one, point=one.point - other.point, draws=one.draws - other.draws)


#: Method of the interval.
EXACT: Final = "clopper-pearson@1"


def with_exact_misses(
    found: Estimated, sides: tuple[Floats, Floats], *, share: float, is_apart: bool
) -> Estimated:
    """Difference from a share of 1, with an exact interval of a proportion if it applies.

    Parameters
    ----------
    found
        The share of one side minus that of the other.
    sides
        ``(replicate, row, 2)`` of each: what is counted of a row, and out of how many.
    share
        Of misses that a claim is about: p-values are exact on the side where it lies.
    is_apart
        Whether rows are drawn one by one.

    Returns
    -------
    Estimated
        As it came, where there are several replicates, more than one of a row, rows that belong
        together, or misses on the other side.

    **Measures**: the share that a single model misses.

    **Misleads when**: read as more than this checkpoint.

    **References**: Clopper & Pearson (1934), The use of confidence or fiducial limits.
    """
    (own, other), interval = sides, found.interval
    is_single = len(own) == 1 and own.max(initial=0.0) <= 1.0 and is_apart
    kept, n = (int(total) for total in own[0].sum(axis=0)) if is_single else (0, 0)
    if interval is None or interval.draws is None or not n or np.diff(other, axis=-1).any():
        return found
    misses, places = n - kept, (np.arange(interval.draws.size) + 0.5) / interval.draws.size

    def ends(level: float) -> tuple[float, float]:
        limits = scipy.stats.binomtest(misses, n).proportion_ci(level, method="exact")
        return 0.0 - limits.high, 0.0 - limits.low

    low, high = ends(interval.level)
    draws = -_shares(misses, n, share, places=places)
    return replace(
        found,
        estimate=replace(found.estimate, low=low, high=high, method=EXACT),
        interval=replace(interval, low=low, high=high, method=EXACT, test_draws=draws, ends=ends),
    )


def _shares(misses: int, n: int, share: float, *, places: Floats) -> Floats:
    """Shares of misses at the exact limits."""
    if misses <= share * n:  # the probability of so few or fewer
        return np.asarray(scipy.special.betaincinv(misses + 1, max(n - misses, 1e-9), places))
    return np.asarray(scipy.special.betaincinv(misses, n - misses + 1, places))
