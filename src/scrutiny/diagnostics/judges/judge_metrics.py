"""Metrics of judges: beyond the best constant, leanings beside people's, corrected means."""

from functools import partial
from typing import Final

import numpy as np

from scrutiny.reliability.metrics import Parametric
from scrutiny.reliability.row_statistics import Additive, Array, Weighted, divide
from scrutiny.stats.agreement.corrected_means import (
    labels_needed,
    powered_mean,
    rogan_gladen,
    sums_of,
)


def _over_constant(measures: Array, weights: Array) -> Array:
    """Agreement minus that of the commonest verdict of people, on each draw."""
    judge, human = measures[:, 0], measures[:, 1]
    total = weights.sum(axis=1)
    names = np.unique(human)
    shares = weights @ (human[:, None] == names).astype(np.float64)
    same = weights @ (judge == human).astype(np.float64)
    return divide(same - shares.max(axis=1), total)


def _lean(measures: Array) -> Array:
    """Errors toward something and away from it, and how often each was possible."""
    judge, human, counts = (measures[..., i] for i in range(3))
    toward, away = counts * (human == 0.0), counts * (human == 1.0)
    return np.stack([judge * toward, toward, (1.0 - judge) * away, away], axis=-1)


def _difference(sums: Array) -> Array:
    """Rate of errors toward minus rate of errors away."""
    return divide(sums[..., 0], sums[..., 1]) - divide(sums[..., 2], sums[..., 3])


def _lean_of(name: str, says: str, measure: str) -> Additive:
    return Additive(
        f"{name}@1",
        says,
        (measure, f"{measure}_human", f"{measure}_counts"),
        _lean,
        _difference,
        scale="coefficient",
        no_effect=0.0,
        higher_is="worse",
        divisor=lambda sums: sums[..., 1] + sums[..., 3],
    )


def _corrected(measures: Array) -> Array:
    return sums_of(measures[..., 0], measures[..., 1], measures[..., 2])


def _mean(weight: float | None, sums: Array) -> Array:
    """Corrected mean, cut at 0 and 1: few labels can carry it beyond."""
    return np.clip(powered_mean(sums, weight), 0.0, 1.0)


def _binary(measures: Array) -> Array:
    """Sums, and how many verdicts are neither 0 nor 1."""
    odd = ((measures[..., :2] != 0.0) & (measures[..., :2] != 1.0)).any(axis=-1)
    return np.concatenate([_corrected(measures), odd[..., None].astype(np.float64)], axis=-1)


def _of_binary(sums: Array) -> Array:
    return np.where(sums[..., -1] > 0, np.nan, rogan_gladen(sums[..., :-1]))


_NEEDS: Final = ("value", "human", "labeled")
#: Share of agreement beyond what always giving people's commonest verdict would have.
OVER_CONSTANT: Final = Weighted(
    "over_constant@1",
    "agreement with people beyond the best constant verdict",
    ("pred_a", "pred_b"),
    _over_constant,
    scale="coefficient",
    of_labels=True,
    no_effect=0.0,
    higher_is="better",
)
#: How much oftener the judge errs toward the longer answer than toward the shorter one.
LENGTH_LEAN: Final = _lean_of("length_lean", "errors toward the longer answer", "longer")
#: The same of answers that the judge wrote itself.
OWN_LEAN: Final = _lean_of("own_lean", "errors toward its own answer", "own")
#: Mean of human verdicts, by prediction-powered inference (PPI++).
CORRECTED: Final = Additive(
    "corrected@1",
    "mean verdict, corrected by human labels (PPI++)",
    _NEEDS,
    _corrected,
    partial(_mean, None),
    scale="share",
)
#: Mean of the human labels alone, which needs no judge.
HUMAN_MEAN: Final = Additive(
    "human_mean@1",
    "mean of the human verdicts alone",
    _NEEDS,
    _corrected,
    partial(_mean, 0.0),
    scale="share",
    divisor=lambda sums: sums[..., 0],
)
#: Share that people would call positive, by sensitivity and specificity.
ROGAN_GLADEN: Final = Additive(
    "rogan_gladen@1",
    "mean verdict, corrected by sensitivity and specificity (Rogan-Gladen)",
    _NEEDS,
    _binary,
    _of_binary,
    scale="share",
)


def _needed(half_width: str, name: str) -> Additive:
    """Human labels for an interval of this half-width."""
    width = float(half_width)
    if not 0.0 < width < 1.0:
        raise ValueError(half_width)
    return Additive(
        name,
        f"human labels for an interval of ±{width:g}",
        _NEEDS,
        _corrected,
        partial(labels_needed, half_width=width),
        scale="amount",
    )


#: Half-width of the corrected interval that an audit of a judge plans for.
USUAL_WIDTH: Final = 0.05
LABELS_NEEDED: Final = Parametric(
    "labels_needed@1", (str(USUAL_WIDTH),), _needed, "a half-width between 0 and 1"
)
