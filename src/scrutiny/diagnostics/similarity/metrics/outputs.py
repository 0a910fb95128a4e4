"""Statistics of two models' answers to the same texts: a is the reference, b the subject.

Labels (``same``, ``hit_a``, ``hit_b``, ``pred_a``, ``pred_b``):

``agreement@1``, ``kappa@1``
    **Measures**: items with the same label; beyond what both models' label frequencies give.
    **Misleads when**: labels are lopsided: agreement is high and kappa low whatever the models do;
    when the reference does not agree with a second run of itself.
``accuracy_change@1``, ``accuracy_gap@1``
    **Measures**: accuracy of b minus that of a, with McNemar's test of each replicate; its size, as
    published beside SCoPE. **Misleads when**: read as "the same model": answers may have changed on
    any number of items. The gap is at least 0 and so is biased upward.
``nfr@1``, ``pfr@1``, ``correctness_flips@1``
    **Measures**: items that were right and are wrong, that were wrong and are right, and both.
    **Misleads when**: the reference flips as many between two runs of its own.
``error_consistency@1``
    **Measures**: whether both are wrong on the same items, beyond their accuracies. **Misleads
    when**: accuracies differ (they bound it) or errors are few.

Probabilities (``p_dot``, ``pa_gold``, ``pb_gold``, ``n_classes``, ``js``, ``kl_ab``, ``kl_ba``,
``tv``):

``capa@1``, ``capa_of_labels@1``
    **Measures**: agreement of probabilities (of labels) beyond what the accuracies give, errors
    spread evenly. **Misleads when**: read against 1: an unsure model with itself is far below.
``jsd@1``, ``tv@1``, ``kl_ab@1``, ``kl_ba@1``
    **Measures**: mean Jensen-Shannon divergence in bits, total variation, and Kullback-Leibler
    divergence in nats from the reference, and to it. **Misleads when**: a few items carry the KL
    divergence; the floor of 1e-9 bounds it.
``p_gold_change@1``, ``p_gold_rms@1``
    **Measures**: mean, and root mean square, of the change of the right answer's probability.
    **Misleads when**: the mean alone is read: gains and losses cancel.

**References**: Cohen (1960); Geirhos, Meding & Wichmann (2020), Beyond accuracy; Goel et al.
(2025), Great models think alike and this undermines AI oversight; Yan et al. (2021),
Positive-congruent training; Dutta et al. (2024), Accuracy is not all you need; Lin (1991),
Divergence measures based on the Shannon entropy.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from scrutiny.reliability.additive import Additive, Array, divide, over_rows, with_count
from scrutiny.reliability.replicates.tests import mcnemar_of_hits
from scrutiny.reliability.statistics import BROKEN_RATE, FLIP_RATE, MENDED_RATE
from scrutiny.stats.agreement.capa import capa_of_sums
from scrutiny.stats.agreement.error_consistency import consistency_of_sums

_SHARE: Final = (0.0, 1.0)
_HITS: Final = ("hit_a", "hit_b")


def _mean(name: str, says: str, need: str, *, is_bounded: bool = True) -> Additive:
    """Mean of one measure."""
    return Additive(
        name,
        says,
        (need,),
        scale="logit" if is_bounded else "amount",
        row_range=_SHARE if is_bounded else None,
    )


def _consistency(measures: Array) -> Array:
    """Hits of both, items on which both are right or both wrong, items."""
    a, b = measures[..., 0], measures[..., 1]
    return with_count(a, b, (a == b).astype(np.float64))


def _capa(measures: Array) -> Array:
    """Agreement, both skills, chance of agreeing on a wrong choice, items."""
    same, a, b, choices = np.moveaxis(measures, -1, 0)
    # an item with one choice has no wrong one to agree on; the diagnostic skips it
    spread = np.divide(1.0, choices - 1.0, out=np.zeros_like(choices), where=choices > 1)
    return with_count(same, a, b, spread)


AGREEMENT: Final = _mean("agreement@1", "same label", "same")

ACCURACY_CHANGE: Final = Additive(
    "accuracy_change@1",
    "accuracy, beyond the reference",
    _HITS,
    lambda m: with_count(m[..., 1] - m[..., 0]),
    higher_is="better",
    row_range=(-1.0, 1.0),
    no_effect=0.0,
    tests=mcnemar_of_hits,
)
ACCURACY_GAP: Final = Additive(
    "accuracy_gap@1",
    "gap of accuracies",
    _HITS,
    lambda m: with_count(m[..., 0], m[..., 1]),
    lambda sums: np.abs(divide(sums[..., 0] - sums[..., 1], sums[..., -1])),
    scale="share",
)
NFR: Final = replace(
    BROKEN_RATE, id="nfr@1", says="right for the reference, wrong now", needs=_HITS
)
PFR: Final = replace(
    MENDED_RATE, id="pfr@1", says="wrong for the reference, right now", needs=_HITS
)
CORRECTNESS_FLIPS: Final = replace(
    FLIP_RATE, id="correctness_flips@1", says="right for one of both", needs=_HITS
)
ERROR_CONSISTENCY: Final = Additive(
    "error_consistency@1",
    "error consistency",
    _HITS,
    _consistency,
    consistency_of_sums,
    scale="fisher_z",
    no_effect=0.0,
)
CAPA: Final = Additive(
    "capa@1",
    "agreement of probabilities beyond accuracy (CAPA)",
    ("p_dot", "pa_gold", "pb_gold", "n_classes"),
    _capa,
    capa_of_sums,
    scale="fisher_z",
    no_effect=0.0,
)
CAPA_OF_LABELS: Final = Additive(
    "capa_of_labels@1",
    "agreement of labels beyond accuracy (CAPA)",
    ("same", "hit_a", "hit_b", "n_classes"),
    _capa,
    capa_of_sums,
    scale="fisher_z",
    no_effect=0.0,
)
JSD: Final = _mean("jsd@1", "Jensen-Shannon divergence, bits", "js")
TV: Final = _mean("tv@1", "total variation", "tv")
KL_AB: Final = _mean("kl_ab@1", "KL divergence from the reference, nats", "kl_ab", is_bounded=False)
KL_BA: Final = _mean("kl_ba@1", "KL divergence to the reference, nats", "kl_ba", is_bounded=False)
P_GOLD_CHANGE: Final = Additive(
    "p_gold_change@1",
    "change of the right answer's probability",
    ("pa_gold", "pb_gold"),
    lambda m: with_count(m[..., 1] - m[..., 0]),
    row_range=(-1.0, 1.0),
    no_effect=0.0,
)
P_GOLD_RMS: Final = Additive(
    "p_gold_rms@1",
    "root mean square change of the right answer's probability",
    ("pa_gold", "pb_gold"),
    lambda m: with_count(np.square(m[..., 1] - m[..., 0])),
    lambda sums: np.sqrt(np.maximum(over_rows(sums), 0.0)),
    scale="share",
)
