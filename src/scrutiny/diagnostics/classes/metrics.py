"""Metrics of one class from counts of true positives and errors, and macro-F1 over classes."""

from dataclasses import replace
from typing import Final

import numpy as np

from scrutiny.reliability.additive import Additive, Array, divide, ratio
from scrutiny.reliability.metrics import Parametric
from scrutiny.reliability.statistics import ENTITY_F1

COUNTS: Final = ("tp", "fp", "fn")

RECALL: Final = ratio(
    "recall@1",
    "recall",
    ("tp", "fn"),
    lambda m: (m[..., 0], m[..., 0] + m[..., 1]),
    scale="logit",
    higher_is="better",
    tolerance=0.02,
    axis="label",
    headline="recall",
)
PRECISION: Final = ratio(
    "precision@1",
    "precision",
    ("tp", "fp"),
    lambda m: (m[..., 0], m[..., 0] + m[..., 1]),
    scale="logit",
    higher_is="better",
    tolerance=0.02,
    axis="label",
    headline="precision",
)
#: F1 of one class: the formula of entity F1 on items.
LABEL_F1: Final = replace(
    ENTITY_F1, id="label_f1@1", says="F1 of a class", axis="label", headline="F1"
)


def _macro(labels: str, name: str) -> Additive:
    """Mean F1 over this many classes; each has its counts on its own side."""
    count = int(labels)
    if count < 2:
        raise ValueError(labels)

    def by_label(sums: Array) -> Array:
        """Counts ``(..., label, 3)``."""
        return sums.reshape(*sums.shape[:-1], count, len(COUNTS))

    def mean_f1(sums: Array) -> Array:
        """Mean over the classes that occur as gold labels or predictions."""
        each = ENTITY_F1.combine(by_label(sums))
        is_there = np.isfinite(each)
        return divide(np.where(is_there, each, 0.0).sum(axis=-1), is_there.sum(axis=-1))

    def things(sums: Array) -> Array:
        """Items over which one flip is spread: classes times the harmonic mean of their sizes."""
        tp, fp, fn = np.moveaxis(by_label(sums), -1, 0)
        sizes = tp + (fp + fn) / 2
        return divide(np.asarray(count**2), divide(np.asarray(1.0), sizes).sum(axis=-1))

    return Additive(
        name,
        f"mean F1 over {count} classes",
        tuple(f"{side_of(i)}.{one}" for i in range(count) for one in COUNTS),
        lambda measures: measures,
        mean_f1,
        scale="logit",
        higher_is="better",
        tolerance=0.02,
        flips_over=things,
        headline="macro-F1",
    )


def side_of(place: int) -> str:
    """Name of the side with the counts of a class, by its position among the classes."""
    return f"label{place + 1}"


#: Mean of the F1 of all classes; each class has the same weight.
MACRO_F1: Final = Parametric("macro_f1@1", ("2",), _macro, "a number of classes, 2 or more")
