"""Statistics of one head that the data chose: the best, and what becomes of it in tuning.

``best_head_precision@1``, ``best_head_recall@1``
    **Measures**: precision and recall of the head with the best F1, beside ``best_head_f1@1``.
    **Misleads when**: read as the best precision or recall of any head; chosen and scored on the
    same data, as published.
``base_best_head_f1@1``, ``base_best_head_precision@1``, ``base_best_head_recall@1``
    **Measures**: one head through tuning: the one that had the best F1 in the family trained
    from, scored in this one. The published tables of tuned models are of this head.
    **Misleads when**: read as the best head after tuning, which may be another
    (``best_head_f1@1``): the chosen head falls back to the mean by chance alone, so a drop is no
    evidence by itself. Compare with a control task.

**References**: Zhao & Bethard (2020), How does BERT's attention change when you fine-tune? An
analysis methodology and a case study in negation scope; Barnett, van der Pols & Dobson (2005),
Regression to the mean.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from scrutiny.diagnostics.attention.metrics.scores import KINDS, HeadCounts, Kind, OfHeads
from scrutiny.reliability.additive import Array

_HEADS: Final = ("tp", "predicted", "gold")
_BASE_AND_TUNED: Final = ("base.tp", "base.predicted", "tp", "predicted", "gold")


def _where_best(chosen_on: HeadCounts, counts: HeadCounts, kind: Kind) -> Array:
    """Score ``(...)`` of the head that has the best F1 elsewhere; the first of equal ones."""
    best = chosen_on.score("f1")[..., 0, :].argmax(axis=-1)[..., None]
    found: Array = np.take_along_axis(counts.score(kind)[..., 0, :], best, axis=-1)[..., 0]
    return found


def _says(kind: Kind) -> str:
    return "F1" if kind == "f1" else kind


def _best_head(kind: Kind) -> OfHeads:
    """Score of the head with the best F1."""

    def combine(sides: Sequence[HeadCounts]) -> Array:
        return _where_best(sides[0], sides[0], kind)

    says = f"{_says(kind)} of the head with the best F1, chosen on the same data"
    return OfHeads(f"best_head_{kind}@1", says, _HEADS, combine)


def _base_best_head(kind: Kind) -> OfHeads:
    """Score, in the tuned model, of the head that was best before."""

    def combine(sides: Sequence[HeadCounts]) -> Array:
        base, tuned = sides
        return _where_best(base, tuned, kind)

    says = f"{_says(kind)} of the head that had the best F1 before tuning"
    return OfHeads(f"base_best_head_{kind}@1", says, _BASE_AND_TUNED, combine)


BASE_BEST_HEAD: Final = {kind: _base_best_head(kind) for kind in KINDS}

BEST_HEAD_PRECISION: Final = _best_head("precision")
BEST_HEAD_RECALL: Final = _best_head("recall")
BASE_BEST_HEAD_PRECISION, BASE_BEST_HEAD_RECALL, BASE_BEST_HEAD_F1 = BASE_BEST_HEAD.values()
