"""Least-squares regression of attention to the anchor on label and distance, from moments.

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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.boundary.parameters import known
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, Inputs
from scrutiny.core.diagnostic import Failure, RowKind
from scrutiny.core.facts import ANCHORED_SPANS
from scrutiny.core.queries.annotation import AnchoredWords
from scrutiny.core.record import HEADS, LAYERS, Measure, Row
from scrutiny.core.statistic import AdditiveStatistic, ReplicateTest
from scrutiny.diagnostics.attention.presets import Made, ReadsMaps, preset, specs_of
from scrutiny.diagnostics.attention.word_maps import MapOptions, WordMap
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
_PREDICTORS: Final = {"label": _LABEL, "distance": _DISTANCE}


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


def _one(
    read: Callable[[LeastSquares], Array], predictor: int | None = None
) -> Callable[[Array], Array]:
    """Value of the fit of one head, or of one of its predictors."""

    def combine(sums: Array) -> Array:
        found = read(least_squares(_moments_of(sums[..., 0, :])))
        found = found if predictor is None else found[..., predictor]
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
    for name, column in _PREDICTORS.items():
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
            _one(lambda fit: fit.standardized, _LABEL),
            no_effect=0.0,
            tests=_anova,
        ),
        "distance": OfRegression(
            "distance_beta@1",
            "attention on the distance, at equal labels",
            _NEEDS,
            _one(lambda fit: fit.standardized, _DISTANCE),
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
            _one(lambda fit: fit.partial_ss, column),
            scale="amount",
        )
        for name, column in _PREDICTORS.items()
    },
)
REGRESSION_R2: Final = OfRegression(
    "regression_r2@1",
    "variance explained",
    _NEEDS,
    _one(lambda fit: fit.r2),
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


#: Forms of the distance between a word and its nearest anchor.
DISTANCES: Final[Mapping[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]]] = {
    "absolute": lambda away: away,
    "inverse": lambda away: 1.0 / away,
    "log": np.log,
}
_CLAIMED: Final = "selected_label_beta"
_METRICS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("beta(label)", "beta(distance)", "lost_ss(label)", "lost_ss(distance)", "regression_r2"),
        ("layer", "head"),
    ),
    _CLAIMED: (),
}
_TOO_FEW: Final = Failure("no_other_words", status="undefined")


@dataclass(frozen=True, slots=True)
class RegressionParams:
    """Preset and terms of the regression.

    Parameters
    ----------
    preset
        Way from pieces to words, see `scrutiny.diagnostics.attention.presets`.
    distances
        Forms of the distance, each a condition: ``absolute``, ``inverse``, ``log``. The claim is of
        the first and has to survive the others.
    margin
        Smallest standardized coefficient worth a claim.

    Raises
    ------
    UnknownNameError
        If there is no such form or preset.
    """

    preset: str = "default"
    distances: tuple[str, ...] = ("absolute", "inverse", "log")
    margin: float = 0.05

    def __post_init__(self) -> None:
        preset(self.preset)
        known("distance", self.distances, DISTANCES)

    def conditions(self) -> dict[str, MapOptions]:
        """The only preset."""
        return {self.preset: preset(self.preset)}


class Regression(ReadsMaps[RegressionParams]):
    """Regression of attention to the cue on distance and label.

    Least-squares regression of attention to the anchor on distance and label, for every head.

    Records hold sums of products over the words of an example that are no anchor, so that the fit,
    its partial sums of squares and its bootstrap over sentences are functions of sums over rows.

    **Measures**: whether words in the scope attend more to the cue than words as far from it that
    are not (C2), in standard deviations of the attention.

    **Misleads when**: the distance's form is wrong; the label is a function of the distance; p
    values take words of one sentence as independent (both are given: see ``label_clustered``).
    The published sums of squares cannot be had from raw distances; its exact predictor is not
    stated, so forms are conditions here.

    **References**: Zhao & Bethard (2020), How does BERT's attention change when you fine-tune?,
    section 4.3.
    """

    id = "attention.regression@1"
    View = AnchoredWords
    wants = (ANCHORED_SPANS,)
    measures = (
        Measure("design", (("moment", len(DESIGN)),)),
        Measure("attention", (LAYERS, HEADS)),
        Measure("attention_distance", (LAYERS, HEADS)),
        Measure("attention_label", (LAYERS, HEADS)),
        Measure("attention_squared", (LAYERS, HEADS)),
    )

    def design(self, params: RegressionParams, inputs: Inputs) -> Design:
        """The fit of every head with every form of the distance, and claim C2."""
        names = params.distances
        labels = {name: f"{name}/{_CLAIMED}" for name in names}
        claim = Claim(
            id="C2",
            says=f"labels explain attention to the anchor beyond distance, by {params.margin:g} "
            "standard deviations, in the head chosen on the other half",
            components=tuple(Component.beside_untrained("distance", labels, params.margin)),
            family="attention.regression",
            checks=Claim.checks_with(distance=names),
        )
        return Design(
            conditions=tuple({"distance": name} for name in names),
            estimates=tuple(s for name in names for s in specs_of({"distance": name}, _METRICS)),
            claims=(claim,),
            notes=(
                "Errors of words in one sentence go together: intervals resample sentences; "
                "label_anova takes words as independent, label_clustered does not.",
            ),
            families={
                "attention.regression": f"labels explain the attention of {inputs.subject.name} "
                "beyond distance"
            },
            contrasts=tuple(ContrastSpec.untrained(labels.values())),
        )

    def rows_of(
        self, params: RegressionParams, item: str, view: AnchoredWords, made: Mapping[str, Made]
    ) -> Iterable[Row]:
        """One row for each form of the distance."""
        found = made[params.preset]
        for name in params.distances:
            kind = RowKind.of({"distance": name})
            if isinstance(found, Failure):
                yield kind.row(item, found)
            else:
                moments = moments_of_words(found, view, distance=name)
                yield kind.row(item, _TOO_FEW if moments is None else moments.tolist())


def moments_of_words(
    made: WordMap, view: AnchoredWords, *, distance: str
) -> NDArray[np.float64] | None:
    """Moments over the words that are not an anchor: of the design, then of every head.

    Attention to an anchor of several words is the sum over them; distance is to the nearest.
    Nothing where no other word, or no anchor, has a piece.
    """
    words = made.words
    is_anchor = np.isin(words, view.anchors)
    rows = np.flatnonzero(made.is_word & ~is_anchor)
    if not rows.size or not is_anchor.any():
        return None
    anchors = words[is_anchor]
    away = np.abs(words[rows, None] - anchors).min(axis=1).astype(np.float64)  # at least 1
    d = DISTANCES[distance](away)
    y = np.isin(words[rows], view.targets).astype(np.float64)
    # (layer, head, row)
    a = made.weights[..., rows, :][..., is_anchor].sum(axis=-1, dtype=np.float64)
    design = [rows.size, d.sum(), y.sum(), d @ d, d @ y, y @ y]
    return np.concatenate(
        [design, a.sum(axis=-1).ravel(), (a @ d).ravel(), (a @ y).ravel(), (a * a).sum(-1).ravel()]
    )
