"""The statistics that scrutiny brings.

Accuracy-like ones read ``hit`` (1 right, 0 wrong) and ``pred`` (index of the predicted label);
entity F1 reads the counts ``tp``, ``fp``, ``fn`` of an item, so that F1 is computed from sums over
items, per replicate, and never as a mean of item-level F1 values.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from scrutiny.reliability.additive import Additive, Array, divide, with_count
from scrutiny.reliability.replicate_tests import mcnemar_of_hits

_COUNTS: Final = ("tp", "fp", "fn")
_SHARE: Final = (0.0, 1.0)


def _of(*sides: str) -> tuple[str, ...]:
    """Needs of entity F1 on these sides, in order."""
    return tuple(f"{side}.{count}" for side in sides for count in _COUNTS)


def _f1(sums: Array, side: int) -> Array:
    """F1 ``(...)`` of the side's counts in sums ``(..., 3 x side)``; NaN without any entity."""
    tp, fp, fn = (sums[..., 3 * side + i] for i in range(3))
    return divide(2 * tp, 2 * tp + fp + fn)


def _means(measures: Array) -> Array:
    """Every need and a count."""
    return with_count(*np.moveaxis(measures, -1, 0))


def _same(measures: Array) -> Array:
    return measures


def _share(event: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Components of the share of rows on which an event holds."""
    return lambda measures: with_count(event(measures).astype(np.float64))


def _first(sums: Array) -> Array:
    return divide(sums[..., 0], sums[..., -1])


def _first_minus_second(sums: Array) -> Array:
    return divide(sums[..., 0] - sums[..., 1], sums[..., -1])


def _third_minus_second(sums: Array) -> Array:
    return divide(sums[..., 2] - sums[..., 1], sums[..., -1])


MEAN: Final = Additive("mean@1", "mean", ("value",), _means, _first)

#: Share of rows where a 0/1 measure is 1.
SHARE: Final = Additive(
    "share@1", "share", ("value",), _means, _first, scale="logit", row_range=_SHARE
)

ACCURACY: Final = Additive(
    "accuracy@1",
    "accuracy",
    ("hit",),
    _means,
    _first,
    scale="logit",
    higher_is="better",
    row_range=_SHARE,
)

#: Accuracy on the original minus accuracy on the variant, on the same items.
ACCURACY_DROP: Final = Additive(
    "accuracy_drop@1",
    "accuracy drop",
    ("before.hit", "after.hit"),
    _means,
    _first_minus_second,
    higher_is="worse",
    row_range=(-1.0, 1.0),
    no_effect=0.0,
    tests=mcnemar_of_hits,
)

#: The drop minus the drop under the matched random change. The original cancels out, so it is the
#: accuracy under the control minus the accuracy under the treatment; it is still needed, because
#: an item counts only if all three sides were measured.
EXCESS_ACCURACY_DROP: Final = Additive(
    "excess_accuracy_drop@1",
    "accuracy drop beyond random change",
    ("before.hit", "after.hit", "control.hit"),
    _means,
    _third_minus_second,
    higher_is="worse",
    row_range=(-1.0, 1.0),
    no_effect=0.0,
)

ENTITY_F1: Final = Additive(
    "entity_f1@1",
    "entity F1",
    _COUNTS,
    _same,
    lambda sums: _f1(sums, 0),
    scale="logit",
    higher_is="better",
)

ENTITY_F1_DROP: Final = Additive(
    "entity_f1_drop@1",
    "entity F1 drop",
    _of("before", "after"),
    _same,
    lambda sums: _f1(sums, 0) - _f1(sums, 1),
    scale="coefficient",
    higher_is="worse",
    no_effect=0.0,
)

EXCESS_ENTITY_F1_DROP: Final = Additive(
    "excess_entity_f1_drop@1",
    "entity F1 drop beyond random change",
    _of("before", "after", "control"),
    _same,
    lambda sums: _f1(sums, 2) - _f1(sums, 1),
    scale="coefficient",
    higher_is="worse",
    no_effect=0.0,
)

FLIP_RATE: Final = Additive(
    "flip_rate@1",
    "predictions changed",
    ("before.pred", "after.pred"),
    _share(lambda m: m[..., 0] != m[..., 1]),
    _first,
    scale="logit",
    higher_is="worse",
    row_range=_SHARE,
)

BROKEN_RATE: Final = Additive(
    "broken_rate@1",
    "right before, wrong after",
    ("before.hit", "after.hit"),
    _share(lambda m: (m[..., 0] == 1) & (m[..., 1] == 0)),
    _first,
    scale="logit",
    higher_is="worse",
    row_range=_SHARE,
)

MENDED_RATE: Final = Additive(
    "mended_rate@1",
    "wrong before, right after",
    ("before.hit", "after.hit"),
    _share(lambda m: (m[..., 0] == 0) & (m[..., 1] == 1)),
    _first,
    scale="logit",
    higher_is="better",
    row_range=_SHARE,
)

COVERAGE: Final = Additive(
    "coverage@1",
    "items changed",
    ("after.ok",),
    _means,
    _first,
    scale="logit",
    row_range=_SHARE,
)
