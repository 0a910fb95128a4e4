"""Least-squares regression of attention to an anchor on distance and label, from moments.

Every example has sums over its words: of the predictors and their products (``design``: rows, d,
y, dd, dy, yy with distance d and label y), and for every head of attention a, ad, ay and aa.

``beta(label)@1``, ``beta(distance)@1``
    **Measures**: standardized coefficient of one head's attention on the label (in scope or not),
    and on the distance, each at equal values of the other. **Misleads when**: the form of the
    distance is wrong: the label then explains what the true form would.
``lost_ss(label)@1``, ``lost_ss(distance)@1``, ``regression_r2@1``
    **Measures**: sum of squares that is lost when one predictor is left out; share of variance
    explained. **Misleads when**: partial sums of squares are added up though the predictors
    correlate.
``selected_label_beta@1``
    **Measures**: the label's coefficient, on one half, of the head whose label explains most on
    the other half; both ways, averaged. **Misleads when**: the halves may choose two heads.

**References**: Zhao & Bethard (2020), section 4.3; Seber & Lee (2003), Linear Regression Analysis,
chapter 4; Cameron & Miller (2015), A practitioner's guide to cluster-robust inference.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.statistic import AdditiveStatistic, ReplicateTest
from scrutiny.reliability.metrics import one_of
from scrutiny.reliability.row_statistics import Array, divide
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association.regression import (
    LeastSquares,
    Moments,
    cluster_robust,
    least_squares,
)

#: Sums of the predictors, in the order of the measure ``design``.
DESIGN: Final = ("rows", "d", "y", "dd", "dy", "yy")
_NEEDS: Final = (
    "design",
    "attention",
    "attention_distance",
    "attention_label",
    "attention_squared",
)
_DISTANCE, _LABEL = 0, 1


def _moments_of(sums: Array) -> Moments:
    """Moments ``(..., head)`` of sums ``(..., column)``: the design's, then four of each head.

    Raises
    ------
    StatisticsError
        If there are not four columns for each head.
    """
    heads, rest = divmod(sums.shape[-1] - len(DESIGN), 4)
    if rest or heads < 1:
        raise StatisticsError(f"{sums.shape[-1]} columns are no design and four sums a head.")
    rows, d, y, dd, dy, yy = np.moveaxis(sums[..., : len(DESIGN)], -1, 0)
    xx = np.stack(
        [np.stack(row, axis=-1) for row in ((rows, d, y), (d, dd, dy), (y, dy, yy))], axis=-2
    )
    a, ad, ay, aa = np.split(sums[..., len(DESIGN) :], 4, axis=-1)
    return Moments(xx[..., None, :, :], np.stack([a, ad, ay], axis=-1), aa)


@dataclass(frozen=True, slots=True)
class OfRegression(AdditiveStatistic):
    """A value of the fitted regression.

    ``combine`` maps sums ``(..., cell, column)`` to values ``(...)``.

    **Measures**: see each statistic.

    **Misleads when**: words instead of sentences are resampled: they share errors.

    **References**: Zhao & Bethard (2020).
    """

    combine: Callable[[Array], Array]

    def components(self, measures: Array) -> Array:
        """Components: the sums themselves."""
        return measures

    def value(self, sums: Array, weight: Array) -> Array:
        """Values ``(...)`` of sums ``(..., cell, column)``."""
        return self.combine(sums)


def _one(read: Callable[[LeastSquares], Array]) -> Callable[[Array], Array]:
    """Value of the fit of one head."""

    def combine(sums: Array) -> Array:
        found = read(least_squares(_moments_of(sums[..., 0, :])))
        if found.shape[-1] != 1:
            raise StatisticsError("This is of one head; fix the layer and the head.")
        return np.asarray(found[..., 0])

    return combine


def _selected(sums: Array) -> Array:
    """The label's coefficient in each cell, for the head with the largest one elsewhere."""
    elsewhere = sums.sum(axis=-2, keepdims=True) - sums
    fit = least_squares(_moments_of(elsewhere))
    # of the variance: heads are alike
    share = np.nan_to_num(divide(fit.partial_ss[..., _LABEL], fit.total_ss), nan=-1.0)
    here = least_squares(_moments_of(sums)).standardized[..., _LABEL]  # (..., cell, head)
    chosen = np.take_along_axis(here, share.argmax(axis=-1)[..., None], axis=-1)[..., 0]
    return np.asarray(chosen.mean(axis=-1))


def _anova(
    measures: NDArray[np.float64], units: NDArray[np.int64] | None, rng: np.random.Generator
) -> Sequence[ReplicateTest]:
    """Partial F of label and distance, and a cluster-robust test of the label."""
    code = np.arange(len(measures)) if units is None else np.unique(units, return_inverse=True)[1]
    sums = np.zeros((int(code.max()) + 1, measures.shape[-1]))
    np.add.at(sums, code, measures)
    whole = _moments_of(sums.sum(axis=0))
    if whole.yy.shape[-1] != 1:
        return []
    fit = least_squares(whole)
    found = []
    for name, column in (("label", _LABEL), ("distance", _DISTANCE)):
        numbers = {
            "f": float(fit.partial_f[0, column]),
            "ss": float(fit.partial_ss[0, column]),
            "beta": float(fit.standardized[0, column]),
            "r2": float(fit.r2[0]),
        }
        p = float(fit.p_values[0, column])
        if np.isfinite(p):
            found.append(ReplicateTest(f"{name}_anova@1", "ols f", p, int(fit.n[0]), numbers))
    by_cluster = _moments_of(sums)  # (cluster, head)
    clustered = Moments(
        by_cluster.xx[None, :, 0], by_cluster.xy[:, 0][None], by_cluster.yy[:, 0][None]
    )
    robust = cluster_robust(clustered)
    p = float(robust.p_values[0, 1 + _LABEL])
    if np.isfinite(p):
        numbers = {"t": float(robust.t[0, 1 + _LABEL])}
        found.append(ReplicateTest("label_clustered@1", "cr1 t", p, robust.n_clusters, numbers))
    return found


BETA: Final = one_of(
    "beta",
    {
        "label": OfRegression(
            "label_beta@1",
            "attention on the label, at equal distance",
            _NEEDS,
            _one(lambda fit: np.asarray(fit.standardized[..., _LABEL])),
            no_effect=0.0,
            tests=_anova,
        ),
        "distance": OfRegression(
            "distance_beta@1",
            "attention on the distance, at equal labels",
            _NEEDS,
            _one(lambda fit: np.asarray(fit.standardized[..., _DISTANCE])),
            no_effect=0.0,
        ),
    },
)
LOST_SS: Final = one_of(
    "lost_ss",
    {
        name: OfRegression(
            f"{name}_ss@1",
            f"sum of squares lost without the {name}",
            _NEEDS,
            _one(read),
            scale="amount",
        )
        for name, read in (
            ("label", lambda fit: np.asarray(fit.partial_ss[..., _LABEL])),
            ("distance", lambda fit: np.asarray(fit.partial_ss[..., _DISTANCE])),
        )
    },
)
REGRESSION_R2: Final = OfRegression(
    "regression_r2@1",
    "variance explained",
    _NEEDS,
    _one(lambda fit: np.asarray(fit.r2)),
    scale="share",
)
SELECTED_LABEL_BETA: Final = OfRegression(
    "selected_label_beta@1",
    "attention on the label, of the head chosen on the other half",
    _NEEDS,
    _selected,
    cells=("a_half",),
    no_effect=0.0,
)
