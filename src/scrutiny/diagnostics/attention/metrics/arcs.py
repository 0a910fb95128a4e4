"""Accuracy of heads that point every word somewhere: dependency heads, antecedents.

Every scored word counts as one prediction, right or wrong, so that ``predicted`` equals ``gold``
and precision, recall, F1 and accuracy are one number. These are the statistics of
`scrutiny.diagnostics.attention.metrics.heads` under the name that people use for it.

``head_accuracy@1``, ``baseline_accuracy@1``
    **Measures**: share of words that one head (one baseline) points to the right word.
    **Misleads when**: it is the best of many, chosen on the same words.
``mean_head_accuracy@1``, ``best_head_accuracy@1``
    **Measures**: the average head; the best one on the words it was chosen on, as published.
    **Misleads when**: the best of 288 heads and directions is read as found: see the next.
``selected_head_accuracy@1``, ``selected_baseline_accuracy@1``,
``selected_accuracy_over_baseline@1``
    **Measures**: accuracy on one half of the head (baseline) that is best on the other half, both
    ways, averaged, chosen anew on every draw; and the difference of the two. **Misleads when**: a
    relation is rare: the choice is then noise, and the value lies below what a known head has.
``uas@1``
    **Measures**: words whose head a probe found, of all scored words. **Misleads when**: probes
    differ in what they are given: attention-only and word-fed ones do not answer one question.

**References**: Clark et al. (2019), What does BERT look at? An analysis of BERT's attention; Voita
et al. (2019), Analyzing multi-head self-attention; Cawley & Talbot (2010), On over-fitting in model
selection.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from scrutiny.diagnostics.attention.metrics.heads import (
    BEST_HEAD_F1,
    F1,
    MEAN_HEAD_F1,
    SELECTED_BASELINE_F1,
    SELECTED_HEAD_F1,
    SELECTED_HEAD_OVER_BASELINE,
)
from scrutiny.reliability.additive import Additive, Array, divide, second

HEAD_ACCURACY: Final = replace(F1, id="head_accuracy@1", says="accuracy of a head")
MEAN_HEAD_ACCURACY: Final = replace(
    MEAN_HEAD_F1, id="mean_head_accuracy@1", says="accuracy of the average head"
)
BEST_HEAD_ACCURACY: Final = replace(
    BEST_HEAD_F1,
    id="best_head_accuracy@1",
    says="accuracy of the best head, chosen on the same data",
)
SELECTED_HEAD_ACCURACY: Final = replace(
    SELECTED_HEAD_F1,
    id="selected_head_accuracy@1",
    says="accuracy of the head chosen on the other half",
)
SELECTED_BASELINE_ACCURACY: Final = replace(
    SELECTED_BASELINE_F1,
    id="selected_baseline_accuracy@1",
    says="accuracy of the baseline chosen on the other half",
)
SELECTED_ACCURACY_OVER_BASELINE: Final = replace(
    SELECTED_HEAD_OVER_BASELINE,
    id="selected_accuracy_over_baseline@1",
    says="accuracy of the chosen head minus that of the chosen baseline",
)
#: One baseline (a fixed offset), where its place on the axis is fixed.
BASELINE_ACCURACY: Final = replace(
    F1,
    id="baseline_accuracy@1",
    says="accuracy of a baseline",
    needs=("baseline_tp", "baseline_predicted", "gold"),
)


def _same(measures: Array) -> Array:
    return measures


def _share(sums: Array) -> Array:
    return np.asarray(divide(sums[..., 0], sums[..., 1]))


UAS: Final = Additive(
    "uas@1",
    "words with the right head",
    ("tp", "gold"),
    _same,
    _share,
    scale="logit",
    higher_is="better",
    divisor=second,
)
