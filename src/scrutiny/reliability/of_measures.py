"""Metrics of one measure: ``mean(tau)``, ``share(flip)``, ``median(asked)``.

What they are in words, their scale, range and direction, and which rows count, stand on the measure
(`scrutiny.core.record.Measure`), so that a diagnostic says them once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from scrutiny.core.expressions import expression_in_words
from scrutiny.core.plugin import Told
from scrutiny.core.record import Measure
from scrutiny.core.registry import registry
from scrutiny.core.statistic import Statistic
from scrutiny.reliability.additive import (
    Additive,
    Array,
    over_rows,
    second,
    sum_and_count,
    with_count,
)
from scrutiny.reliability.replicates.tests import mcnemar_of_hits
from scrutiny.reliability.weighted import Weighted
from scrutiny.stats.errors import StatisticsError

#: Measure of runs that have no other: loss, score.
USUAL: Final = "value"


@dataclass(frozen=True, slots=True)
class OfMeasure(Told):
    """Metrics with a measure as parameter.

    Parameters
    ----------
    id
        Versioned name, without the measure.
    says
        What it is, in words.
    make
        The metric of a measure, given what all of them declare.
    """

    id: str
    says: str
    make: Callable[..., Statistic]

    def of(self, measure: Measure, name: str) -> Statistic:
        """Metric of a measure, by its full name."""
        stem = self.id.partition("@")[0]
        return self.make(
            measure,
            id=name,
            says=measure.says or expression_in_words(f"{stem}({measure.name})"),
            higher_is=measure.higher_is,
            tolerance=measure.tolerance,
            no_effect=measure.no_effect,
            stream=dict(measure.drawn_as).get(stem, ""),
        )


def _mean(measure: Measure, scale: str = "identity", **declared: Any) -> Additive:
    """Mean over rows, over rows that count, or over the elements that rows sum over."""
    declared["scale"] = measure.scale or scale
    if measure.per:
        of_all = (measure.name, measure.per)
        return Additive(
            needs=of_all, make=sum_and_count, combine=over_rows, divisor=second, **declared
        )
    if measure.among:
        needs = (measure.name, *measure.among)
        return Additive(needs=needs, make=_counted, combine=over_rows, divisor=second, **declared)
    declared.setdefault("row_range", measure.row_range)
    make = partial(_each, measure.name)
    return Additive(needs=(measure.name,), make=make, combine=over_rows, is_mean=True, **declared)


def _share(measure: Measure, **declared: Any) -> Additive:
    """Share of rows in which a measure of 0 or 1 is 1."""
    return _mean(measure, "logit", row_range=(0.0, 1.0), pair_tests=mcnemar_of_hits, **declared)


def _median(measure: Measure, **declared: Any) -> Weighted:
    """Median over rows that count."""
    declared["says"] += ", median"
    return Weighted(
        needs=(measure.name, *measure.among),
        of_rows=_medians,
        scale=measure.scale or "identity",
        divisor=second if measure.among else None,
        **declared,
    )


def _each(name: str, measures: Array) -> Array:
    """Components of the mean of one number a row."""
    if measures.shape[-1] != 1:
        raise StatisticsError(f"{name} has {measures.shape[-1]} numbers a row; fix its axes.")
    return with_count(measures[..., 0])


def _counted(measures: Array) -> Array:
    """Components of the mean over rows that count: the value, and whether it counts."""
    counts = measures[..., 1:].prod(axis=-1)
    return np.stack([measures[..., 0] * counts, counts], axis=-1)


def _medians(measures: Array, weights: Array) -> Array:
    """Medians ``(draw,)`` of rows that count; the lower and upper middle averaged."""
    order = np.argsort(measures[:, 0], kind="stable")
    values, counts = measures[order, 0], measures[order, 1:].prod(axis=-1)
    below = np.cumsum(weights[:, order] * counts, axis=1)  # (draw, row)
    half = below[:, -1:] / 2
    lower = values[np.argmax(below >= half, axis=1)]
    upper = values[np.argmax(below > half, axis=1)]
    return np.asarray(np.where(half[:, 0] > 0, (lower + upper) / 2, np.nan))


MEAN: Final = OfMeasure("mean@1", "mean of a measure", _mean)
MEDIAN: Final = OfMeasure("median@1", "median of a measure", _median)
SHARE: Final = OfMeasure("share@1", "share of rows in which a measure is 1", _share)


def measures_of(diagnostic: str) -> tuple[Measure, ...]:
    """Measures that a metric may be of: a diagnostic's, by its name in a key; none if unknown."""
    name = diagnostic.partition("#")[0]
    if name not in registry().names("diagnostic"):
        return ()
    found: tuple[Measure, ...] = registry().load("diagnostic", name).measures
    return found
