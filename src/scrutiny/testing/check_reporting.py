"""Conformance of what a diagnostic reports: statistics, and parts of a report.

Statistics are additive, weighted or refitted; parts are sentences and charts, and pure.
"""

from typing import Any, Final

import numpy as np

from scrutiny.blocks.run_estimates import slug
from scrutiny.blocks.run_view import RunFacts, RunView
from scrutiny.blocks.section import ColumnsBlock, Part, ReportPart
from scrutiny.core.errors import ConformanceError
from scrutiny.core.statistic import (
    AdditiveStatistic,
    RefitStatistic,
    Statistic,
    WeightedStatistic,
    must_be_statistic,
)
from scrutiny.stats.intervals.interval import SCALES
from scrutiny.testing.checking import Promises, promise, promises, require_versioned

Array = np.ndarray[Any, Any]
_ROWS: Final = 12


def check_statistic(statistic: Statistic, measures: Array | None = None) -> None:
    """Raise unless a statistic fulfills the contract of its kind.

    Checked, of all kinds: what it declares; the order of rows changes nothing; the
    measures are not changed. Of additive ones: each row has components of its own, leading axes
    pass through, draws do not depend on each other, and no row at all gives NaN. Of weighted ones:
    a row of weight 2 counts as two rows, and a row of weight 0 as none. Of refitted ones: the same
    rows give the same value.

    Parameters
    ----------
    statistic
        Any of the three kinds.
    measures
        Measures ``(row, need)`` to try it on, finite, at least three rows; rows of ones and
        zeros unless given. Give your own where such rows are not what it needs.

    Raises
    ------
    ConformanceError
        With a sentence about the first promise that is broken.
    """
    must_be_statistic(statistic, type(statistic).__name__)
    require_versioned(statistic)
    # raise unless declared members have the right types
    kept = {
        "it has no label.": statistic.says,
        "needs must be a tuple of names of measures.": (
            isinstance(statistic.needs, tuple) and bool(statistic.needs)
        ),
        f"scale is {statistic.scale!r}; it is one of {', '.join(SCALES)}.": (
            statistic.scale in SCALES
        ),
    }
    promises(statistic.id, kept.items())
    tried = sample_measures(len(statistic.needs)) if measures is None else measures
    before = tried.copy()
    if isinstance(statistic, AdditiveStatistic):
        promises(statistic.id, _check_additive(statistic, tried))
    elif isinstance(statistic, WeightedStatistic):
        _check_weighted(statistic, tried)
    elif isinstance(statistic, RefitStatistic):
        first = float(statistic.refit(tried))
        _same(statistic.id, first, float(statistic.refit(tried)), "it gives two values")
        backward = float(statistic.refit(tried[::-1]))
        _same(statistic.id, first, backward, "the order of the rows changes its value")
    promise(
        statistic.id, "it changed the measures that it was given.", np.array_equal(before, tried)
    )


def sample_measures(needs: int) -> Array:
    """Measures ``(row, need)`` of ones and zeros, in all combinations that fit."""
    rows, columns = np.meshgrid(np.arange(_ROWS), np.arange(needs), indexing="ij")
    return ((rows >> (columns % 3)) & 1).astype(np.float64)


def _check_additive(statistic: AdditiveStatistic, measures: Array) -> Promises:
    """Raise unless components are additive over rows and ``value`` is a function of sums."""
    parts = statistic.components(measures)
    yield (
        f"components of {measures.shape} have the shape {parts.shape}, not (row, …).",
        parts.ndim == 2 and len(parts) == len(measures),
    )
    stacked = statistic.components(np.stack([measures, measures[::-1]]))
    yield (
        "components must take measures (..., need) and keep the leading axes.",
        stacked.shape == (2, *parts.shape) and np.array_equal(stacked[0], parts),
    )
    yield (
        "components of a row depend on the other rows.",
        np.array_equal(statistic.components(measures[::-1])[::-1], parts),
    )
    # raise unless several draws at once give the same values as one by one
    draws = np.stack([np.ones(len(parts)), np.arange(len(parts), dtype=np.float64)])
    sums = (draws @ parts)[:, None, :]  # (draw, cell, component)
    together = statistic.value(sums, draws.sum(axis=1, keepdims=True))
    for draw, value in zip(draws, np.ravel(together), strict=True):
        alone = _additive_value(statistic, parts, draw)
        _same(statistic.id, float(value), alone, "a draw's value depends on the other draws")
    nothing = _additive_value(statistic, parts, np.zeros(len(parts)))
    yield f"without any row its value is {nothing}, not NaN: it is undefined.", np.isnan(nothing)


def _additive_value(statistic: AdditiveStatistic, parts: Array, weights: Array) -> float:
    """Value of weighted rows ``(row,)``, all in one cell."""
    sums = (weights @ parts)[None, None, :]  # (draw, cell, component)
    value = statistic.value(sums, np.full((1, 1), weights.sum()))
    promise(
        statistic.id,
        f"value of sums (1, 1, component) has the shape {np.shape(value)}, not (1,).",
        np.shape(value) == (1,),
    )
    return float(value[0])


def _check_weighted(statistic: WeightedStatistic, measures: Array) -> None:
    """Raise unless weights count as repetitions."""
    count = len(measures)

    def value(rows: Array, weights: Array) -> float:
        found = statistic.weighted(rows, weights[None, :])
        promise(
            statistic.id,
            f"weighted gives the shape {np.shape(found)} for one draw, not (1,).",
            np.shape(found) == (1,),
        )
        return float(found[0])

    weights = np.arange(count) % 3.0  # 0, 1, 2, ...
    repeated = np.repeat(measures, weights.astype(np.int64), axis=0)
    _same(
        statistic.id,
        value(measures, weights),
        value(repeated, np.ones(len(repeated))),
        "rows of weight 0, 1, 2 are not rows left out, kept and repeated",
    )
    ones = np.ones(count)
    backward = value(measures[::-1], ones)
    _same(statistic.id, value(measures, ones), backward, "the order of the rows changes its value")


def _same(name: str, one: float, two: float, message: str) -> None:
    """Raise unless two values are equal, or both undefined."""
    is_kept = bool(np.isclose(one, two, rtol=1e-9, atol=1e-12, equal_nan=True))
    promise(name, f"{message}: {one} and {two}.", is_kept)


def check_part(part: ReportPart, view: RunView) -> None:
    """Raise unless a part of the report fulfills its contract.

    Checked: the first line of its docstring; that it shows nothing of an empty run; of a run that
    has what it needs, a title, a lead, and charts whose anchors are their own and whose tables
    have a cell for every column; that making it twice gives the same; lines of a terminal that
    fit into it.

    Parameters
    ----------
    part
        What is checked.
    view
        A run that has what it needs; `scrutiny.report.load.load_view` reads one.

    Raises
    ------
    ConformanceError
        On the first broken promise.
    """
    name = part.sentence()
    promise("part", "its docstring does not say what it shows.", name)
    empty = part.make(RunView(RunFacts("")))
    promise(name, "it is shown for an empty run.", empty is None)
    made = part.make(view)
    if not isinstance(made, Part):
        raise ConformanceError(f"{name}: it is not shown for a run that has its data.")
    promise(name, "made twice, it is not the same.", made == part.make(view))
    said = bool(made.title and made.lead and made.charts)
    promise(name, "it lacks a title, a lead or charts.", said)
    anchors = [made.anchor]
    for chart in made.charts:
        anchors += dict.fromkeys([chart.anchor, *(drawn for drawn, _, _ in chart.drawings)])
    own = len(set(anchors)) == len(anchors) and all(slug(one) == one for one in anchors)
    promise(name, f"anchors are not their own, or no anchors: {anchors}", own)
    for chart in made.charts:
        table = chart.table
        fits = bool(table.rows) and all(len(row) == len(table.header) for row in table.rows)
        promise(name, f"the table of {chart.title!r} is empty or ragged.", fits)
    for block in part.lines(view):
        if isinstance(block, ColumnsBlock):
            fits = all(len(row) == len(block.widths) for row in block.rows)
            promise(name, f"rows in columns are ragged: {block.rows[:1]}", fits)
