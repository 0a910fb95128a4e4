"""Metrics of attention heads, from counts over examples: single, chosen, ranked.

Every example has ``tp`` and ``predicted`` of each head, ``gold``, and the same counts of
baselines that need no model. All values are functions of sums over examples (micro averages), so
that the bootstrap, halves, corpora and differences come from the same rows.

In the parentheses stands the score of a head: ``precision``, ``recall``, ``f1``, or ``accuracy``,
as F1 is called where every word is one prediction (dependency heads, antecedents):

``head(f1)@1``, ``baseline(accuracy)@1``
    **Measures**: one head (one baseline) as a classifier of the hypothesis. **Misleads when**: it
    is the best of many, chosen on the same data; pieces of split words are summed, which inflates
    all heads of a corpus whose anchors split.
``mean_head(f1)@1``
    **Measures**: the average head (of a layer, where the layer is fixed), each head alike.
    **Misleads when**: two or three heads do all; the mean moves with heads that predict nothing.
``best_head(f1)@1``, and of precision, recall or accuracy
    **Measures**: score of the head with the best F1 of all. **Misleads when**: always a little:
    144 equal heads have a best one, and it is chosen and scored on the same data, as published;
    precision or recall is read as the best of any head.
``base_best_head(f1)@1``, and of precision or recall
    **Measures**: one head through tuning: the one that had the best F1 in the family trained
    from, scored in this one. The published tables of tuned models are of this head.
    **Misleads when**: read as the best head after tuning, which may be another
    (``best_head(f1)``): the chosen head falls back to the mean by chance alone, so a drop is no
    evidence by itself. Compare with a control task.
``selected_head(f1)@1``, ``selected_baseline(f1)@1``, ``selected_head_over_baseline(f1)@1``
    **Measures**: score on one half of the head (baseline) with the best F1 on the other half, both
    ways, averaged; chosen anew on every draw; and the difference of the two. **Misleads when**:
    units span the halves; read as the value of one head: the halves may choose two; a relation is
    rare: the choice is then noise, and the value lies below what a known head has.
``f1_over_baseline@1``
    **Measures**: one head's F1 minus that of the best baseline on the same data; of all heads
    together, with p-values adjusted for having looked at every one. **Misleads when**: read as the
    gain of a head that was picked for it; heads of several pre-training seeds are averaged by
    place. The best of nine baselines looks better than it is, which makes it strict.

Fixed offsets are those among `SPAN_BASELINES`, which predict the words at one distance from the
anchor; where a diagnostic has other baselines, each of them counts as an offset, which
`attention.arcs` has alone:

``mean_offset(f1)@1``, and of precision or recall
    **Measures**: the average fixed offset, each of the six alike. **Misleads when**: taken for a
    baseline to beat: half of the offsets point to where no scope is.
``best_offset(f1)@1``, and of precision or recall
    **Measures**: score of the offset with the best F1 of all. **Misleads when**: read as the best
    baseline: everything behind the anchor has a higher F1 than any offset.
``selected_head_over_offset(f1)@1``
    **Measures**: score of the head that is chosen on the other half minus that of the offset that
    is chosen there: heads against the baselines of the paper. **Misleads when**: read as more than
    place explains: an offset finds one word of a scope of many, so its recall, and with it its F1,
    is low by construction. ``selected_head_over_baseline(f1)`` has the stronger baselines too.

Rank agreement of heads, between corpora, and of score and gain:

``heads_tau(f1)@1``, ``split_half_tau(f1)@1``
    **Measures**: tau-b over heads between two corpora; between halves of one, which is about
    what two corpora of half the size could reach. **Misleads when**: compared with 0: untrained
    networks score .4 and more. Noise of the scores lowers it, so corpora of different size differ.
``gain_tau(f1)@1``
    **Measures**: tau-b over heads between the base's score and the gain by tuning, as published.
    **Misleads when**: always: noise of the base's score stands on both sides with opposite signs
    and pushes it below 0.
``gain_tau_other_half(f1)@1``
    **Measures**: the same with the base's score from the other half, both ways, averaged.
    **Misleads when**: not compared with a control task, which changes heads too.

**References**: Zhao & Bethard (2020), How does BERT's attention change when you fine-tune? An
analysis methodology and a case study in negation scope; Clark et al. (2019), What does BERT look
at? An analysis of BERT's attention; Voita et al. (2019), Analyzing multi-head self-attention;
Barnett, van der Pols & Dobson (2005), Regression to the mean; Cawley & Talbot (2010), On
over-fitting in model selection; Kendall (1945), The treatment of ties in ranking problems.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.statistic import ReplicateTest
from scrutiny.diagnostics.attention.encodings import SPAN_BASELINES
from scrutiny.diagnostics.attention.head_counts import (
    BASE_AND_TUNED,
    HALVES,
    HEADS,
    KINDS,
    HeadCounts,
    Kind,
    OfHeads,
    by_score,
)
from scrutiny.reliability.row_statistics import Array, divide
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association.rank_correlation import kendall_test, tau_b

#: What metrics of baselines read, and those of heads beside baselines.
BASELINES: Final = ("baseline_tp", "baseline_predicted", "gold")
AND_BASELINES: Final = ("tp", "predicted", "baseline_tp", "baseline_predicted", "gold")
_ALL: Final[tuple[Kind, ...]] = (*KINDS, "accuracy")
#: Scores by which diagnostics choose.
CHOSEN: Final[tuple[Kind, ...]] = ("f1", "accuracy")


def whole(sides: Sequence[HeadCounts], kind: Kind) -> Array:
    """Score ``(..., head)`` of the first side, which has one cell."""
    return np.asarray(sides[0].score(kind)[..., 0, :])


def _only(sides: Sequence[HeadCounts], kind: Kind) -> Array:
    """Score of the only head or baseline."""
    scores = whole(sides, kind)
    if scores.shape[-1] != 1:
        raise StatisticsError(
            f"This is of one and got {scores.shape[-1]}; fix the layer and the head, or take "
            f"mean_head({kind})@1."
        )
    return np.asarray(scores[..., 0])


def where_best(sides: Sequence[HeadCounts], kind: Kind) -> Array:
    """Last side's score of the head with the first side's best F1; the first of equal ones."""
    best = whole(sides, "f1").argmax(axis=-1)[..., None]
    return np.asarray(np.take_along_axis(whole(sides[-1:], kind), best, axis=-1)[..., 0])


def selected(counts: HeadCounts, kind: Kind) -> Array:
    """Score in each cell of the best head in all other cells, averaged over cells and ties.

    NaN with a single cell: then nothing is left to choose on.
    """
    elsewhere, here = counts.of_other_cells().score("f1"), counts.score(kind)
    is_best = elsewhere == elsewhere.max(axis=-1, keepdims=True)  # (..., cell, head)
    by_cell = divide((here * is_best).sum(axis=-1), is_best.sum(axis=-1))
    return np.asarray(by_cell.mean(axis=-1))


def _selected_side(sides: Sequence[HeadCounts], kind: Kind) -> Array:
    return selected(sides[0], kind)


HEAD: Final = by_score(
    "head",
    "{} of a head",
    HEADS,
    _only,
    usual=_ALL,
    own=lambda kind: {"stream": "" if kind == "accuracy" else f"{kind}@1"},
)
BASELINE: Final = by_score("baseline", "{} of a baseline", BASELINES, _only, usual=_ALL)
MEAN_HEAD: Final = by_score(
    "mean_head",
    "{} of the average head",
    HEADS,
    lambda sides, kind: np.asarray(whole(sides, kind).mean(axis=-1)),
    usual=_ALL,
)
BEST_HEAD: Final = by_score(
    "best_head",
    "{} of the best head, chosen on the same data",
    HEADS,
    where_best,
    usual=_ALL,
    own=lambda kind: (
        {"says": f"{kind} of the head with the best F1, chosen on the same data"}
        if kind in ("precision", "recall")
        else {}
    ),
)
BASE_BEST_HEAD: Final = by_score(
    "base_best_head",
    "{} of the head that had the best F1 before tuning",
    BASE_AND_TUNED,
    where_best,
)
#: What is chosen on one half and scored on the other, and what is compared with a baseline.
_OF_HALVES: Final[Mapping[str, Any]] = {"usual": CHOSEN, "cells": HALVES}
_OVER: Final[Mapping[str, Any]] = {"scale": "coefficient", "no_effect": 0.0, "has_one_width": False}
SELECTED_HEAD: Final = by_score(
    "selected_head", "{} of the head chosen on the other half", HEADS, _selected_side, **_OF_HALVES
)
SELECTED_BASELINE: Final = by_score(
    "selected_baseline",
    "{} of the baseline chosen on the other half",
    BASELINES,
    _selected_side,
    **_OF_HALVES,
)
SELECTED_HEAD_OVER_BASELINE: Final = by_score(
    "selected_head_over_baseline",
    "{} of the chosen head minus that of the chosen baseline",
    AND_BASELINES,
    lambda sides, kind: selected(sides[0], kind) - selected(sides[1], kind),
    own=lambda kind: {"stream": f"selected_{'head' if kind == 'f1' else kind}_over_baseline@1"},
    **_OF_HALVES,
    **_OVER,
)
F1_OVER_BASELINE: Final = OfHeads(
    "f1_over_baseline@1",
    "F1 of a head minus that of the best baseline",
    AND_BASELINES,
    lambda sides: np.asarray(whole(sides, "f1")[..., 0] - whole(sides[1:], "f1").max(axis=-1)),
    **_OVER,
)
_IS_OFFSET: Final = np.array([name.startswith("offset") for name in SPAN_BASELINES])


def _offsets(baselines: HeadCounts) -> HeadCounts:
    """Counts of the fixed offsets among the baselines."""
    if baselines.tp.shape[-1] != _IS_OFFSET.size:
        return baselines
    tp, predicted, gold = baselines
    return HeadCounts(tp[..., _IS_OFFSET], predicted[..., _IS_OFFSET], gold)


MEAN_OFFSET: Final = by_score(
    "mean_offset",
    "{} of the average fixed offset",
    BASELINES,
    lambda sides, kind: np.asarray(whole([_offsets(sides[0])], kind).mean(axis=-1)),
)
BEST_OFFSET: Final = by_score(
    "best_offset",
    "{} of the fixed offset with the best F1, chosen on the same data",
    BASELINES,
    lambda sides, kind: where_best([_offsets(sides[0])], kind),
)
SELECTED_HEAD_OVER_OFFSET: Final = by_score(
    "selected_head_over_offset",
    "{} of the chosen head minus that of the chosen fixed offset",
    AND_BASELINES,
    lambda sides, kind: selected(sides[0], kind) - selected(_offsets(sides[1]), kind),
    **_OF_HALVES,
    **_OVER,
)


def _between_cells(sides: Sequence[HeadCounts], kind: Kind) -> Array:
    """Mean over pairs of cells of tau-b over heads; NaN with a single cell."""
    scores = sides[0].score(kind)  # (..., cell, head)
    pairs = combinations(range(scores.shape[-2]), 2)
    found = [tau_b(scores[..., a, :], scores[..., b, :]) for a, b in pairs]
    return np.asarray(np.mean(found or [np.full(scores.shape[:-2], np.nan)], axis=0))


def _between_tests(
    kind: Kind, measures: NDArray[np.float64], cells: NDArray[np.int64]
) -> Sequence[ReplicateTest]:
    """Test of one replicate between two cells: p of its own tau."""
    codes = np.unique(cells)
    if codes.size != 2:
        return []  # tau is averaged over pairs of cells, and has no test
    sums = np.stack([measures[cells == code].sum(axis=0) for code in codes])
    one, other = HEADS_TAU.of(kind).sides(sums)[0].score(kind)
    return _kendall(f"heads_tau_kendall({kind})@1", one, other)


def _kendall(name: str, one: Array, other: Array) -> Sequence[ReplicateTest]:
    """Kendall's test of two scores ``(head,)`` of one replicate."""
    try:
        found = kendall_test(one, other)
    except StatisticsError:
        return []  # all heads alike: there are no ranks
    numbers = {"tau": found.statistic, "smallest_p": found.smallest_p}
    return [ReplicateTest(name, f"kendall {found.method}", found.p_value, found.n, numbers)]


def _gain(sides: Sequence[HeadCounts], kind: Kind) -> Array:
    """Tau-b over heads of the base's score and the gain, both on the same rows."""
    base, tuned = (side.score(kind)[..., 0, :] for side in sides)
    return tau_b(base, tuned - base)


def _gain_other_half(sides: Sequence[HeadCounts], kind: Kind) -> Array:
    """The same with the base's score from the other cells."""
    base, tuned = (side.score(kind) for side in sides)
    before = sides[0].of_other_cells().score(kind)  # (..., cell, head)
    return np.asarray(tau_b(before, tuned - base).mean(axis=-1))


def _gain_tests(
    kind: Kind,
    measures: NDArray[np.float64],
    units: NDArray[np.int64] | None,
    rng: np.random.Generator,
) -> Sequence[ReplicateTest]:
    """Test of one replicate: p of its own tau."""
    base, tuned = (side.score(kind) for side in GAIN_TAU.of(kind).sides(measures.sum(axis=0)))
    return _kendall(f"gain_tau_kendall({kind})@1", base, tuned - base)


HEADS_TAU: Final = by_score(
    "heads_tau",
    "tau of heads' {} between corpora",
    HEADS,
    _between_cells,
    own=lambda kind: {"cell_tests": partial(_between_tests, kind)},
    cells=("dataset",),
    scale="fisher_z",
)
SPLIT_HALF_TAU: Final = by_score(
    "split_half_tau",
    "tau of heads' {} between halves",
    HEADS,
    _between_cells,
    cells=HALVES,
    scale="fisher_z",
)
GAIN_TAU: Final = by_score(
    "gain_tau",
    "tau of heads' {} and its gain",
    BASE_AND_TUNED,
    _gain,
    own=lambda kind: {"tests": partial(_gain_tests, kind)},
    scale="fisher_z",
    no_effect=0.0,
)
GAIN_TAU_OTHER_HALF: Final = by_score(
    "gain_tau_other_half",
    "tau of heads' {} on the other half and its gain",
    BASE_AND_TUNED,
    _gain_other_half,
    cells=HALVES,
    scale="fisher_z",
    no_effect=0.0,
)
