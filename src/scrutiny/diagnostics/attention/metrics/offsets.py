"""Metrics of fixed offsets: baselines that predict the words at one distance from the anchor.

Their counts are among those of `SPAN_BASELINES`; where a diagnostic has other baselines, each of
them counts as an offset, which `attention.arcs` has alone.

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

**References**: Zhao & Bethard (2020), How does BERT's attention change when you fine-tune? An
analysis methodology and a case study in negation scope, table 1; Clark et al. (2019), What does
BERT look at? An analysis of BERT's attention.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from scrutiny.diagnostics.attention.heads.baselines import SPAN_BASELINES
from scrutiny.diagnostics.attention.metrics.heads import (
    AND_BASELINES,
    BASELINES,
    CHOSEN,
    selected,
    where_best,
    whole,
)
from scrutiny.diagnostics.attention.metrics.scores import HALVES, HeadCounts, Kind, by_score
from scrutiny.reliability.additive import Array

_IS_OFFSET: Final = np.array([name.startswith("offset") for name in SPAN_BASELINES])


def _offsets(baselines: HeadCounts) -> HeadCounts:
    """Counts of the fixed offsets among the baselines."""
    if baselines.tp.shape[-1] != _IS_OFFSET.size:
        return baselines
    tp, predicted, gold = baselines
    return HeadCounts(tp[..., _IS_OFFSET], predicted[..., _IS_OFFSET], gold)


def _mean(sides: Sequence[HeadCounts], kind: Kind) -> Array:
    return np.asarray(whole([_offsets(sides[0])], kind).mean(axis=-1))


MEAN_OFFSET: Final = by_score("mean_offset", "{} of the average fixed offset", BASELINES, _mean)
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
    usual=CHOSEN,
    cells=HALVES,
    scale="coefficient",
    no_effect=0.0,
    has_one_width=False,
)
