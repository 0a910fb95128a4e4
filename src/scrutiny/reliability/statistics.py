"""Built-in statistics: accuracy and F1, labels, and the mean, median or share of a measure.

Accuracy-like ones read ``hit`` (1 right, 0 wrong) and ``pred`` (index of the predicted label);
entity F1 reads the counts ``tp``, ``fp``, ``fn`` of an item, so that F1 is computed from sums over
items, per replicate, and never as a mean of item-level F1 values.

Statistics of labels take ``pred_a`` and ``pred_b``, indices of labels in one order. Their marginals
are those of each resample, so that they are functions of weighted rows and not of sums.

What ``mean(tau)``, ``share(flip)`` and ``median(asked)`` are in words, their scale, range and
direction, and which rows count, stand on the measure (`scrutiny.core.record.Measure`), so that a
diagnostic says them once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from scrutiny.core.expressions import expression_in_words
from scrutiny.core.plugin_base import Told
from scrutiny.core.record import Measure
from scrutiny.core.registry import registry
from scrutiny.core.statistic import Chance, Statistic
from scrutiny.reliability.replicates import mcnemar_of_hits
from scrutiny.reliability.row_statistics import (
    Additive,
    Array,
    Weighted,
    divide,
    over_rows,
    second,
    sum_and_count,
    with_count,
)
from scrutiny.stats.arrays import StatisticsError

_COUNTS: Final = ("tp", "fp", "fn")
_SHARE: Final = (0.0, 1.0)


def _f1(sums: Array) -> Array:
    """F1 ``(...)`` of counts ``(..., 3)``; NaN without any entity."""
    tp, fp, fn = (sums[..., i] for i in range(3))
    return divide(2 * tp, 2 * tp + fp + fn)


def _entities(sums: Array) -> Array:
    """Mean of the numbers of predicted and true entities ``(...)``, from counts ``(..., 3)``."""
    return sums[..., 0] + (sums[..., 1] + sums[..., 2]) / 2


def _means(measures: Array) -> Array:
    """Components: all needs, and a count."""
    return with_count(*np.moveaxis(measures, -1, 0))


def _same(measures: Array) -> Array:
    return measures


def _changed(
    name: str, says: str, measure: str, higher_is: str, event: Callable[[Array, Array], Array]
) -> Additive:
    """Share of rows on which an event holds of a measure before and after."""
    return Additive(
        name,
        says,
        (f"before.{measure}", f"after.{measure}"),
        lambda sides: with_count(event(sides[..., 0], sides[..., 1]).astype(np.float64)),
        over_rows,
        scale="logit",
        higher_is=higher_is,
        row_range=_SHARE,
    )


ACCURACY: Final = Additive(
    "accuracy@1",
    "accuracy",
    ("hit",),
    _means,
    over_rows,
    scale="logit",
    higher_is="better",
    tolerance=0.02,
    row_range=_SHARE,
    is_mean=True,
    pair_tests=mcnemar_of_hits,
)
ENTITY_F1: Final = Additive(
    "entity_f1@1",
    "entity F1",
    _COUNTS,
    _same,
    _f1,
    scale="logit",
    higher_is="better",
    tolerance=0.02,
    flips_over=_entities,
)
FLIP_RATE: Final = _changed("flip_rate@1", "predictions changed", "pred", "worse", np.not_equal)
CHANGED_SHARE: Final = Additive(
    "changed_share@1",
    "share of the answer changed",
    ("changed", "compared"),
    _same,
    lambda sums: divide(sums[..., 0], sums[..., 1]),
    scale="logit",
    higher_is="worse",
    divisor=second,
    chance=Chance("random change"),
)
BROKEN_RATE: Final = _changed(
    "broken_rate@1",
    "right before, wrong after",
    "hit",
    "worse",
    lambda was, now: (was == 1) & (now == 0),
)
MENDED_RATE: Final = _changed(
    "mended_rate@1",
    "wrong before, right after",
    "hit",
    "better",
    lambda was, now: (was == 0) & (now == 1),
)
COVERAGE: Final = Additive(
    "coverage@1",
    "items changed",
    ("after.ok",),
    _means,
    over_rows,
    scale="logit",
    row_range=_SHARE,
)


def _shares(labels: Array, weights: Array, names: Array) -> Array:
    """Share ``(draw, label)`` of each label."""
    is_label = (labels[:, None] == names).astype(np.float64)
    return divide(weights @ is_label, weights.sum(axis=1)[:, None])


def _kappa(measures: Array, weights: Array) -> Array:
    names = np.unique(measures)
    first, second = (_shares(measures[:, i], weights, names) for i in range(2))
    same = (measures[:, 0] == measures[:, 1]).astype(np.float64)
    observed = divide(weights @ same, weights.sum(axis=1))
    chance = 1 - (first * second).sum(axis=1)
    # one label for all rows, from both: there is no chance to be beaten
    return 1 - divide(1 - observed, np.where(chance > 1e-12, chance, 0.0))


def _entropy(measures: Array, weights: Array) -> Array:
    share = _shares(measures[:, 0], weights, np.unique(measures))
    bits = -np.log2(share, out=np.zeros_like(share), where=share > 0) * share
    return np.asarray(np.abs(bits.sum(axis=1)))


def _commonest(measures: Array, weights: Array) -> Array:
    return np.asarray(_shares(measures[:, 0], weights, np.unique(measures)).max(axis=1))


KAPPA: Final = Weighted(
    "kappa@1",
    "agreement beyond chance (Cohen's kappa)",
    ("pred_a", "pred_b"),
    _kappa,
    scale="fisher_z",
    of_labels=True,
    no_effect=0.0,
)
LABEL_ENTROPY: Final = Weighted(
    "label_entropy@1",
    "entropy of the target's labels, bits",
    ("pred_b",),
    _entropy,
    scale="amount",
    of_labels=True,
)
COMMONEST_LABEL: Final = Weighted(
    "commonest_label@1",
    "share of the target's commonest label",
    ("pred_b",),
    _commonest,
    scale="logit",
    of_labels=True,
)
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
