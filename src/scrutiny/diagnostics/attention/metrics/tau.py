"""Rank agreement of attention heads: between corpora, and of score and gain.

As in `scrutiny.diagnostics.attention.metrics.heads`, the score of a head stands in the
parentheses.

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
analysis methodology and a case study in negation scope; Kendall (1945), The treatment of ties in
ranking problems; Barnett, van der Pols & Dobson (2005), Regression to the mean.
"""

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.statistic import ReplicateTest
from scrutiny.diagnostics.attention.metrics.scores import (
    BASE_AND_TUNED,
    HALVES,
    HEADS,
    HeadCounts,
    Kind,
    by_score,
)
from scrutiny.reliability.additive import Array
from scrutiny.stats.association.tau import kendall_test, tau_b
from scrutiny.stats.errors import StatisticsError


def _between_cells(sides: Sequence[HeadCounts], kind: Kind) -> Array:
    """Mean over pairs of cells of tau-b over heads; NaN with a single cell."""
    scores = sides[0].score(kind)  # (..., cell, head)
    pairs = combinations(range(scores.shape[-2]), 2)
    found = [tau_b(scores[..., a, :], scores[..., b, :]) for a, b in pairs]
    if not found:
        return np.full(scores.shape[:-2], np.nan)
    return np.asarray(np.mean(found, axis=0))


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
