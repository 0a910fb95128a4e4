"""What a value counts: rows that flip, what a flip moves, a ratio if rows were independent."""

from typing import Final

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.statistic import AdditiveStatistic, Statistic
from scrutiny.reliability.additive import divide, divisors, scale_of
from scrutiny.stats.agreement.flips import counted_flips
from scrutiny.stats.intervals.shares import apart_of
from scrutiny.stats.resampling.resample import influences

#: Range of one row's difference of right and wrong.
PAIRED: Final = (-1.0, 1.0)
#: Range of a row that is right or wrong.
SHARE: Final = (0.0, 1.0)
#: The same times 100.
PERCENT: Final = (0.0, 100.0)
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
    elif statistic.row_range == PAIRED or _is_counted(statistic, values):
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
    if statistic.row_range not in (SHARE, PERCENT) and not _is_of_some(statistic, components):
        return False
    told = components[..., 0]
    return counted_flips(told) is not None or (statistic.divisor is None and _is_mostly_whole(told))


def _is_mostly_whole(told: Floats) -> bool:
    """Whether most of the rows are 0 or 1: the few others are no reason to be surer of them."""
    return bool(np.mean((told == 0.0) | (told == 1.0)) > _MOSTLY)


def _is_of_some(statistic: AdditiveStatistic, components: Floats) -> bool:
    """Whether a value is the first of its sums as a share of a divisor: recall, attack success."""
    scale = scale_of(statistic)
    is_share = (scale.low, scale.high) == (0.0, scale.whole) and statistic.row_range is None
    if statistic.divisor is None or not is_share:
        return False
    sums = components.sum(axis=-2)  # (replicate, component)
    value = statistic.value(sums[..., None, :], np.ones((*sums.shape[:-1], 1)))
    share = scale.whole * divide(sums[..., 0], statistic.divisor(sums))
    return bool(np.allclose(value, share, equal_nan=True))


def flips_of(statistic: Statistic, values: Floats) -> tuple[float, float] | None:
    """Rows per replicate that count for and against a value; mean over replicates.

    None unless it is a mean over rows of paired differences of right and wrong.
    """
    each = row_values(statistic, values) if statistic.row_range == PAIRED else None
    return None if each is None else counted_flips(each)


def row_values(statistic: Statistic, values: Floats) -> Floats | None:
    """Values ``(replicate, row)`` of single rows if the statistic is a mean; else None."""
    if not statistic.is_mean or not isinstance(statistic, AdditiveStatistic):
        return None
    components = statistic.components(values)
    found: Floats = statistic.value(components[..., None, :], np.ones((*values.shape[:2], 1)))
    return found


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
