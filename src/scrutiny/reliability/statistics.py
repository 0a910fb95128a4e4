"""Built-in statistics.

Accuracy-like ones read ``hit`` (1 right, 0 wrong) and ``pred`` (index of the predicted label);
entity F1 reads the counts ``tp``, ``fp``, ``fn`` of an item, so that F1 is computed from sums over
items, per replicate, and never as a mean of item-level F1 values.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from scrutiny.core.statistic import Chance
from scrutiny.reliability.additive import Additive, Array, divide, over_rows, second, with_count
from scrutiny.reliability.replicates.tests import mcnemar_of_hits

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


def _share(event: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Components of the share of rows on which an event holds."""
    return lambda measures: with_count(event(measures).astype(np.float64))


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

FLIP_RATE: Final = Additive(
    "flip_rate@1",
    "predictions changed",
    ("before.pred", "after.pred"),
    _share(lambda m: m[..., 0] != m[..., 1]),
    over_rows,
    scale="logit",
    higher_is="worse",
    row_range=_SHARE,
)

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

BROKEN_RATE: Final = Additive(
    "broken_rate@1",
    "right before, wrong after",
    ("before.hit", "after.hit"),
    _share(lambda m: (m[..., 0] == 1) & (m[..., 1] == 0)),
    over_rows,
    scale="logit",
    higher_is="worse",
    row_range=_SHARE,
)

MENDED_RATE: Final = Additive(
    "mended_rate@1",
    "wrong before, right after",
    ("before.hit", "after.hit"),
    _share(lambda m: (m[..., 0] == 0) & (m[..., 1] == 1)),
    over_rows,
    scale="logit",
    higher_is="better",
    row_range=_SHARE,
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
