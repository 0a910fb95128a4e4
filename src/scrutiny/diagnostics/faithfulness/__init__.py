"""Whether attention says why a model answers: erasure, permutation, adversaries, agreement, heads.

The first four are asked of classifiers with a single layer of attention
(`scrutiny.core.attention_layer`), ``faithfulness.heads`` of encoders with many.
"""

from scrutiny.diagnostics.faithfulness.adversarial import Adversarial
from scrutiny.diagnostics.faithfulness.agreement import Agreement
from scrutiny.diagnostics.faithfulness.erasure import Erasure
from scrutiny.diagnostics.faithfulness.heads import FaithfulHeads
from scrutiny.diagnostics.faithfulness.params import (
    AdversarialParams,
    AgreementParams,
    ErasureParams,
    HeadChangeParams,
    PermutationParams,
)
from scrutiny.diagnostics.faithfulness.permutation import Permutation

__all__ = [
    "Adversarial",
    "AdversarialParams",
    "Agreement",
    "AgreementParams",
    "Erasure",
    "ErasureParams",
    "FaithfulHeads",
    "HeadChangeParams",
    "Permutation",
    "PermutationParams",
]
