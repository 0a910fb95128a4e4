"""Kinds of statistics of rows: of their sums, of weighted rows, of a subset; and their draws."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats
from scrutiny.core.errors import ConformanceError, PlanError
from scrutiny.core.statistic import AdditiveStatistic, RefitStatistic, Statistic, WeightedStatistic
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.interval import Scale
from scrutiny.stats.resampling.resample import (
    Resampled,
    resample,
    resample_refit,
    resample_weighted,
)
from scrutiny.stats.resampling.weights import Units

Array = NDArray[Any]


def divide(numerator: Array, denominator: Array) -> Array:
    """Value of a ratio metric: quotient of two sums, NaN if the denominator is zero."""
    safe = np.where(denominator == 0, np.nan, denominator)
    return np.asarray(numerator / safe)


def over_rows(sums: Array) -> Array:
    """Value of a mean over rows: first sum divided by the last, the number of rows."""
    return divide(sums[..., 0], sums[..., -1])


def with_count(*columns: Array) -> Array:
    """Components of an additive metric, a mean over rows: these columns, and a count of rows."""
    made = np.ones((*columns[0].shape, len(columns) + 1), np.result_type(*columns))
    for place, column in enumerate(columns):
        made[..., place] = column
    return made


def _first(measures: Array) -> Array:
    """The first column and a count: components of its mean."""
    return with_count(measures[..., 0])


@dataclass(frozen=True, slots=True)
class Additive(AdditiveStatistic):
    """Additive statistic, given by functions of components and sums.

    Parameters
    ----------
    make
        Components ``(..., component)`` of measures ``(..., need)``; unless given, those of the mean
        of the first.
    combine
        Values ``(...)`` of sums ``(..., component)``; NaN where the quantity does not exist. Unless
        given, the mean over rows.
    hidden
        Standard deviations ``(..., part)`` of the value that no draw of items shows, of sums
        ``(..., component)`` and of rows in a unit: a part that is 0 or 1 on all rows stays so on
        every draw, however few rows say it. None where there are no such parts.
    others
        See `scrutiny.core.statistic.Statistic`.
    """

    make: Callable[[Array], Array] = _first
    combine: Callable[[Array], Array] = over_rows
    hidden: Callable[[Array, float], Array] | None = None

    def components(self, measures: Array) -> Array:
        """Components ``(..., component)`` of measures ``(..., need)``."""
        return self.make(measures)

    def value(self, sums: Array, weight: Array) -> Array:
        """Values ``(...)`` from sums ``(..., cell, component)``: mean over nonempty cells.

        A cell that lies inside a resampled unit counts as often as it was drawn.
        """
        if not self.cells:
            return self.combine(sums[..., 0, :])
        values = self.combine(sums)  # (..., cell)
        counts = np.isfinite(values) * weight  # (..., cell)
        total = (np.where(counts > 0, values, 0.0) * counts).sum(axis=-1)
        return divide(total, counts.sum(axis=-1))


def value_of(statistic: AdditiveStatistic, sums: Array) -> Array:
    """Values ``(...)`` of sums ``(..., component)`` that are kept in no cells."""
    weight = np.ones((*sums.shape[:-1], 1))
    return np.asarray(statistic.value(sums[..., None, :], weight))


def scale_of(statistic: Statistic) -> Scale:
    """Scale of any statistic, cut at the range of its values."""
    named = Scale.of(statistic.scale)
    return named if statistic.row_range is None else named.within(*statistic.row_range)


def divisors(statistic: Statistic, values: Array) -> tuple[float, ...]:
    """Denominator of each replicate's value; empty if every row counts.

    Parameters
    ----------
    statistic
        Of any kind.
    values
        ``(replicate, row, need)``.
    """
    if statistic.divisor is None:
        return ()
    parts = statistic.components(values) if isinstance(statistic, AdditiveStatistic) else values
    return tuple(np.asarray(statistic.divisor(parts.sum(axis=-2)), dtype=np.float64).tolist())


def is_quotient(statistic: Statistic) -> bool:
    """Whether a value is a number divided by the last of its sums."""
    is_plain = isinstance(statistic, Additive) and statistic.combine is over_rows
    return statistic.is_mean or is_plain


def second(sums: Array) -> Array:
    """Divisor of a ratio metric: the second of its two sums."""
    return np.asarray(sums[..., 1])


def ratio(
    name: str,
    says: str,
    needs: tuple[str, ...],
    parts: Callable[[Array], tuple[Array, Array]],
    **stated: Any,
) -> Additive:
    """Ratio of two sums of components, which ``parts`` makes of measures ``(..., need)``."""

    def make(measures: Array) -> Array:
        return np.stack(parts(measures), axis=-1)

    return Additive(name, says, needs, make, over_rows, divisor=second, **stated)


def sum_and_count(measures: Array) -> Array:
    """Components of a mean over elements: a row's sum over them, and their number; others raise.

    Raises
    ------
    StatisticsError
        For more heads than one.
    """
    if measures.shape[-1] != 2:
        raise StatisticsError("This is of one head; fix the layer and the head.")
    return measures


def item_scores(statistic: AdditiveStatistic, measures: Floats) -> Floats:
    """Score of each item by itself ``(replicate, item)``, of a metric that is no mean of items.

    Parameters
    ----------
    statistic
        The metric, a value of sums (F1, LAS).
    measures
        ``(replicate, item, need)``: what it needs of each item.

    Returns
    -------
    array
        1 where nothing was to be found and nothing was.

    Examples
    --------
    >>> from scrutiny.reliability.metrics import metric_of
    >>> counts = np.array([[[1.0, 1, 0], [0, 0, 0], [0, 0, 2]]])
    >>> item_scores(metric_of("entity_f1@1"), counts).ravel().round(2).tolist()
    [0.67, 1.0, 0.0]
    """
    sums = statistic.components(measures)[..., None, :]
    return np.nan_to_num(statistic.value(sums, np.ones(1)), nan=1.0)


@dataclass(frozen=True, slots=True)
class Weighted(WeightedStatistic):
    """Statistic of weighted rows, given by a function of arrays.

    Parameters
    ----------
    of_rows
        Values ``(draw,)`` of measures ``(row, need)`` and weights ``(draw, row)``.
    of_labels
        Whether the measures are indices of labels, so that many rows are alike.
    others
        See `scrutiny.core.statistic.Statistic`.
    """

    of_rows: Callable[[Array, Array], Array]
    _: KW_ONLY
    of_labels: bool = False

    def weighted(self, measures: Array, weights: Array) -> Array:
        """Values ``(draw,)`` of measures ``(row, need)`` under weights ``(draw, row)``."""
        return self.of_rows(measures, weights)


def _zeroed(of: AdditiveStatistic, rows: NDArray[np.bool_], measures: Array) -> Array:
    """Components ``(..., row, component)``, zero outside of a subset."""
    return np.asarray(np.where(rows[:, None], of.components(measures), 0.0))


def _weighed(
    of: WeightedStatistic, rows: NDArray[np.bool_], measures: Array, weights: Array
) -> Array:
    """Values ``(draw,)`` of a subset; other rows have weight 0."""
    return of.weighted(measures[rows], weights[:, rows])


def _count(rows: NDArray[np.bool_], sums: Array) -> Array:
    """Number of rows in the subset, in the shape of sums."""
    return np.full(sums.shape[:-1], rows.sum())


def on_rows(of: Statistic, rows: NDArray[np.bool_]) -> Additive | Weighted:
    """Statistic on these rows only; measures of other rows are zero.

    Raises
    ------
    PlanError
        If it is fitted anew on each draw, or keeps cells apart.
    """
    named, divisor = (of.id, of.says, of.needs), of.divisor or partial(_count, rows)
    if isinstance(of, WeightedStatistic) and not of.cells:
        return Weighted(*named, partial(_weighed, of, rows), divisor=divisor)
    if isinstance(of, AdditiveStatistic) and not of.cells:
        hidden = of.hidden if isinstance(of, Additive) else None
        made = partial(_zeroed, of, rows), partial(value_of, of), hidden
        return Additive(*named, *made, divisor=divisor)
    raise PlanError(
        f"{of.id} cannot be compared between slices of one dataset: it is no function "
        "of sums over rows, or keeps parts of the dataset apart. Compare accuracy, F1 or a "
        "drop of them."
    )


_ALIKE: Final = 2  # draws that stand for all where they cannot differ
#: Seed of what draws of items do not show: their own stream stays as it is.
_HIDDEN: Final = 20_260_529


def resample_any(
    statistic: Statistic,
    values: NDArray[np.float64],
    *,
    units: Units,
    draws: int,
    rng: np.random.Generator,
    cells: NDArray[np.int64] | None = None,
    systems: Sequence[int] = (),
) -> Resampled:
    """Statistic of each replicate on each draw of items, for any kind of statistic.

    Parameters
    ----------
    statistic
        Of any kind.
    values
        ``(replicate, row, need)``.
    units, draws, rng
        What is drawn.
    cells
        ``(row,)`` cell of each row, for additive statistics.
    systems
        ``(replicate,)`` whose it is, by number, where systems are to be compared: what no draw of
        items shows (`Additive.hidden`) is another error of each. If all are of one, another call
        with an equal generator draws the same items. Empty: nothing is to be compared.
    """
    if units.n_units == units.n_strata:
        draws = _ALIKE  # there is one unit to draw, so all draws are the data themselves
    if isinstance(statistic, WeightedStatistic):
        of_labels = isinstance(statistic, Weighted) and statistic.of_labels
        return resample_weighted(
            values, statistic.weighted, rng=rng, draws=draws, units=units, of_labels=of_labels
        )
    if isinstance(statistic, RefitStatistic):
        return resample_refit(values, statistic.refit, rng=rng, draws=draws, units=units)
    if not isinstance(statistic, AdditiveStatistic):
        raise ConformanceError(f"{statistic.id} is a statistic of none of the three kinds.")
    dense = None if cells is None else np.unique(cells, return_inverse=True)[1]
    components = statistic.components(values)
    share = len(set(systems)) == 1
    found = resample(
        components, statistic.value, rng=rng, draws=draws, units=units, cells=dense, share=share
    )
    if not isinstance(statistic, Additive) or statistic.hidden is None:
        return found
    hidden = statistic.hidden(components.sum(axis=-2), found.crowding)
    if not hidden.any():
        return found
    # the same for all replicates of a system, which were asked the same items
    moved = []
    for which, error in zip(systems or [0] * len(hidden), hidden, strict=True):
        rng = np.random.default_rng(_HIDDEN + which)
        moved.append(rng.standard_normal((len(found.draws), len(error))) @ error)
    return replace(found, draws=found.draws + np.stack(moved, axis=-1))
