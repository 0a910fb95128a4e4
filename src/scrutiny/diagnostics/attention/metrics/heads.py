"""Statistics of attention heads as classifiers, from counts over examples.

Every example has ``tp`` and ``predicted`` of each head, ``gold``, and the same counts of
baselines that need no model. All values are functions of sums over examples (micro averages), so
that the bootstrap, halves, corpora and differences come from the same rows.

Families, each for precision, recall and F1 unless the name says otherwise:

``f1@1``
    **Measures**: one head as a classifier of the hypothesis. **Misleads when**: it is the best of
    many, chosen on the same data; pieces of split words are summed, which inflates all heads of a
    corpus whose anchors split.
``mean_head_f1@1``
    **Measures**: the average head (of a layer, where the layer is fixed), each head alike.
    **Misleads when**: two or three heads do all; the mean moves with heads that predict nothing.
``best_head_f1@1``
    **Measures**: the largest F1 of any head, on the data it was chosen on, as published.
    **Misleads when**: always a little: 144 equal heads have a best one.
``selected_head_f1@1``, ``selected_baseline_f1@1``, ``selected_head_over_baseline@1``
    **Measures**: F1 on one half of the head (baseline) with the best F1 on the other half, both
    ways, averaged; chosen anew on every draw. **Misleads when**: units span the halves; read as
    the value of one head: the halves may choose two.
``f1_over_baseline@1``
    **Measures**: one head's F1 minus that of the best baseline on the same data; of all heads
    together, with p-values adjusted for having looked at every one. **Misleads when**: read as the
    gain of a head that was picked for it; heads of several pre-training seeds are averaged by
    place. The best of nine baselines looks better than it is, which makes it strict.
``heads_tau_f1@1``, ``split_half_tau_f1@1``
    **Measures**: tau-b over heads between two corpora; between halves of one, which is about
    what two corpora of half the size could reach. **Misleads when**: compared with 0: untrained
    networks score .4 and more. Noise of the scores lowers it, so corpora of different size differ.
``gain_tau_f1@1``
    **Measures**: tau-b over heads between the base's score and the gain by tuning, as published.
    **Misleads when**: always: noise of the base's score stands on both sides with opposite signs
    and pushes it below 0.
``gain_tau_other_half_f1@1``
    **Measures**: the same with the base's score from the other half, both ways, averaged.
    **Misleads when**: not compared with a control task, which changes heads too.

**References**: Zhao & Bethard (2020), How does BERT's attention change when you fine-tune? An
analysis methodology and a case study in negation scope; Kendall (1945), The treatment of ties in
ranking problems; Barnett, van der Pols & Dobson (2005), Regression to the mean; Cawley & Talbot
(2010), On over-fitting in model selection.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.diagnostics.attention.metrics.scores import KINDS, HeadCounts, Kind, OfHeads
from scrutiny.reliability.additive import Array, divide
from scrutiny.reliability.replicate_tests import CellTests, ReplicateTest, ReplicateTests
from scrutiny.stats.association.tau import kendall_test, tau_b
from scrutiny.stats.errors import StatisticsError

_HEADS: Final = ("tp", "predicted", "gold")
_BASELINES: Final = ("baseline_tp", "baseline_predicted", "gold")
_BOTH: Final = ("tp", "predicted", "baseline_tp", "baseline_predicted", "gold")
_BASE_AND_TUNED: Final = ("base.tp", "base.predicted", "tp", "predicted", "gold")
_HALVES: Final = ("a_half",)

Sides = Sequence[HeadCounts]
Combine = Callable[[Sides], Array]


def _says(kind: Kind) -> str:
    return "F1" if kind == "f1" else kind


def _whole(sides: Sides, kind: Kind) -> Array:
    """Score ``(..., head)`` of the first side, which has one cell."""
    scores: Array = sides[0].score(kind)[..., 0, :]
    return scores


def _one_head(kind: Kind) -> OfHeads:
    """Score of one head."""

    def combine(sides: Sides) -> Array:
        scores = _whole(sides, kind)
        if scores.shape[-1] != 1:
            raise StatisticsError(
                f"{kind}@1 is of one head and got {scores.shape[-1]}; fix the layer and the head, "
                f"or take mean_head_{kind}@1."
            )
        one: Array = scores[..., 0]
        return one

    return OfHeads(f"{kind}@1", f"{_says(kind)} of a head", _HEADS, combine)


def _mean_head(kind: Kind) -> OfHeads:
    """Unweighted mean over heads of each head's score."""
    return OfHeads(
        f"mean_head_{kind}@1",
        f"{_says(kind)} of the average head",
        _HEADS,
        lambda sides: np.asarray(_whole(sides, kind).mean(axis=-1)),
    )


def _best(sides: Sides) -> Array:
    best: Array = _whole(sides, "f1").max(axis=-1)
    return best


def _selected(counts: HeadCounts) -> Array:
    """F1 in each cell of what is best in all others, averaged over cells and over equally good.

    NaN with a single cell: then nothing is left to choose on.
    """
    elsewhere, here = counts.of_other_cells().score("f1"), counts.score("f1")
    is_best = elsewhere == elsewhere.max(axis=-1, keepdims=True)  # (..., cell, head)
    by_cell = divide((here * is_best).sum(axis=-1), is_best.sum(axis=-1))
    mean: Array = by_cell.mean(axis=-1)
    return mean


def _between_cells(kind: Kind) -> Combine:
    """Mean over pairs of cells of tau-b over heads; NaN with a single cell."""

    def combine(sides: Sides) -> Array:
        scores = sides[0].score(kind)  # (..., cell, head)
        pairs = combinations(range(scores.shape[-2]), 2)
        found = [tau_b(scores[..., a, :], scores[..., b, :]) for a, b in pairs]
        if not found:
            return np.full(scores.shape[:-2], np.nan)
        return np.asarray(np.mean(found, axis=0))

    return combine


def _between_tests(kind: Kind) -> CellTests:
    """Test of one replicate between two cells: p of tau as a reader of it alone would get it."""

    def tests(measures: NDArray[np.float64], cells: NDArray[np.int64]) -> Sequence[ReplicateTest]:
        codes = np.unique(cells)
        if codes.size != 2:
            return []  # tau is averaged over pairs of cells, and has no test
        sums = np.stack([measures[cells == code].sum(axis=0) for code in codes])
        one, other = HEADS_TAU[kind].sides(sums)[0].score(kind)
        return _kendall(f"heads_tau_{kind}_kendall@1", one, other)

    return tests


def _kendall(name: str, one: Array, other: Array) -> Sequence[ReplicateTest]:
    """Kendall's test of two scores ``(head,)`` of one replicate."""
    try:
        found = kendall_test(one, other)
    except StatisticsError:
        return []  # all heads alike: there are no ranks
    numbers = {"tau": found.statistic, "smallest_p": found.smallest_p}
    return [ReplicateTest(name, f"kendall {found.method}", found.p_value, found.n, numbers)]


def _heads_tau(kind: Kind) -> OfHeads:
    """Tau-b over heads between corpora."""
    return OfHeads(
        f"heads_tau_{kind}@1",
        f"tau of heads' {_says(kind)} between corpora",
        _HEADS,
        _between_cells(kind),
        cells=("dataset",),
        scale="fisher_z",
        cell_tests=_between_tests(kind),
    )


def _split_half_tau(kind: Kind) -> OfHeads:
    """Tau-b over heads between halves of a corpus."""
    return OfHeads(
        f"split_half_tau_{kind}@1",
        f"tau of heads' {_says(kind)} between halves",
        _HEADS,
        _between_cells(kind),
        cells=_HALVES,
        scale="fisher_z",
    )


def _gain(kind: Kind) -> Combine:
    """Tau-b over heads of the base's score and the gain, both on the same rows."""

    def combine(sides: Sides) -> Array:
        base, tuned = (side.score(kind)[..., 0, :] for side in sides)
        return tau_b(base, tuned - base)

    return combine


def _gain_other_half(kind: Kind) -> Combine:
    """The same with the base's score from the other cells."""

    def combine(sides: Sides) -> Array:
        base, tuned = (side.score(kind) for side in sides)
        before = sides[0].of_other_cells().score(kind)  # (..., cell, head)
        mean: Array = tau_b(before, tuned - base).mean(axis=-1)
        return mean

    return combine


def _gain_tests(kind: Kind) -> ReplicateTests:
    """Test of one replicate: p of tau as a reader of one run would have got it."""

    def tests(
        measures: NDArray[np.float64],
        units: NDArray[np.int64] | None,
        rng: np.random.Generator,
    ) -> Sequence[ReplicateTest]:
        del units, rng
        sides = GAIN_TAU[kind].sides(measures.sum(axis=0))
        base, tuned = (side.score(kind) for side in sides)
        return _kendall(f"gain_tau_{kind}_kendall@1", base, tuned - base)

    return tests


def _gain_tau(kind: Kind) -> OfHeads:
    """Whether heads that were good gain more, as published."""
    return OfHeads(
        f"gain_tau_{kind}@1",
        f"tau of heads' {_says(kind)} and its gain",
        _BASE_AND_TUNED,
        _gain(kind),
        scale="fisher_z",
        no_effect=0.0,
        tests=_gain_tests(kind),
    )


def _gain_tau_other_half(kind: Kind) -> OfHeads:
    """Whether heads that are good on other data gain more."""
    return OfHeads(
        f"gain_tau_other_half_{kind}@1",
        f"tau of heads' {_says(kind)} on the other half and its gain",
        _BASE_AND_TUNED,
        _gain_other_half(kind),
        cells=_HALVES,
        scale="fisher_z",
        no_effect=0.0,
    )


ONE_HEAD: Final = {kind: _one_head(kind) for kind in KINDS}
MEAN_HEAD: Final = {kind: _mean_head(kind) for kind in KINDS}
HEADS_TAU: Final = {kind: _heads_tau(kind) for kind in KINDS}
SPLIT_HALF_TAU: Final = {kind: _split_half_tau(kind) for kind in KINDS}
GAIN_TAU: Final = {kind: _gain_tau(kind) for kind in KINDS}
GAIN_TAU_OTHER_HALF: Final = {kind: _gain_tau_other_half(kind) for kind in KINDS}

PRECISION, RECALL, F1 = ONE_HEAD.values()
MEAN_HEAD_PRECISION, MEAN_HEAD_RECALL, MEAN_HEAD_F1 = MEAN_HEAD.values()
HEADS_TAU_PRECISION, HEADS_TAU_RECALL, HEADS_TAU_F1 = HEADS_TAU.values()
SPLIT_HALF_TAU_PRECISION, SPLIT_HALF_TAU_RECALL, SPLIT_HALF_TAU_F1 = SPLIT_HALF_TAU.values()
GAIN_TAU_PRECISION, GAIN_TAU_RECALL, GAIN_TAU_F1 = GAIN_TAU.values()
GAIN_TAU_OTHER_HALF_PRECISION, GAIN_TAU_OTHER_HALF_RECALL, GAIN_TAU_OTHER_HALF_F1 = (
    GAIN_TAU_OTHER_HALF.values()
)

#: The paper's best head: chosen and scored on the same data.
BEST_HEAD_F1: Final = OfHeads(
    "best_head_f1@1", "F1 of the best head, chosen on the same data", _HEADS, _best
)

#: Head chosen on one half and scored on the other.
SELECTED_HEAD_F1: Final = OfHeads(
    "selected_head_f1@1",
    "F1 of the head chosen on the other half",
    _HEADS,
    lambda sides: _selected(sides[0]),
    cells=_HALVES,
)

#: The same of what needs no model.
SELECTED_BASELINE_F1: Final = OfHeads(
    "selected_baseline_f1@1",
    "F1 of the baseline chosen on the other half",
    _BASELINES,
    lambda sides: _selected(sides[0]),
    cells=_HALVES,
)

#: What each head is worth beyond the best baseline, heads tested together.
F1_OVER_BASELINE: Final = OfHeads(
    "f1_over_baseline@1",
    "F1 of a head minus that of the best baseline",
    _BOTH,
    lambda sides: np.asarray(_whole(sides, "f1")[..., 0] - _whole(sides[1:], "f1").max(axis=-1)),
    scale="coefficient",
    no_effect=0.0,
    has_one_width=False,
)

#: What the best head is worth beyond the best baseline, neither known beforehand.
SELECTED_HEAD_OVER_BASELINE: Final = OfHeads(
    "selected_head_over_baseline@1",
    "F1 of the chosen head minus that of the chosen baseline",
    _BOTH,
    lambda sides: _selected(sides[0]) - _selected(sides[1]),
    cells=_HALVES,
    scale="coefficient",
    no_effect=0.0,
    has_one_width=False,
)
