"""KernelSHAP: Shapley values of the words, as a weighted regression on texts with some of them.

With few words all subsets are asked, and the values are exact; else subsets are drawn with the
kernel's weights, each beside its complement. They sum to what the whole text's answer has beyond
that of an empty text.

References
----------
S. M. Lundberg, S.-I. Lee (2017). A unified approach to interpreting model predictions. NeurIPS.
I. Covert, S.-I. Lee (2021). Improving KernelSHAP: practical Shapley value estimation via linear
regression. AISTATS.
"""

from collections.abc import Sequence
from math import comb

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.core.randomness import Rng
from scrutiny.diagnostics.attribution.methods.method import (
    USUAL_WORDS,
    AttributionMethod,
    Effort,
    each,
)
from scrutiny.diagnostics.attribution.read_texts import AskedModel, ReadText, ask_scores


class KernelShap(AttributionMethod):
    """Shapley values by a regression whose weights are those of the Shapley kernel."""

    name = "kernel_shap"

    def cost(self, effort: Effort) -> int:
        """As many as it asks about."""
        return max(effort.samples, 2 * USUAL_WORDS) + 1

    def scores(
        self, texts: Sequence[ReadText], ctx: AskedModel, effort: Effort
    ) -> list[Floats | Failure]:
        """As many changed texts as samples, or two for each word, and the empty one."""
        drawn = [
            coalitions(
                len(text), effort.samples, ctx.rng("kernel_shap", "attribution", text.example.id)
            )
            for text in texts
        ]
        changed = [
            [text.only(()), *(text.only(np.flatnonzero(row).tolist()) for row in masks)]
            for text, (masks, _) in zip(texts, drawn, strict=True)
        ]

        def fitted(i: int, after: Floats) -> Floats:
            return shapley_of(*drawn[i], after[1:], empty=float(after[0]), whole=texts[i].score)

        return each(ask_scores(texts, changed, ctx), fitted)


def coalitions(n: int, samples: int, rng: Rng) -> tuple[Floats, Floats]:
    """Words that each text keeps ``(text, word)``, some of them, and weights ``(text,)``."""
    if 2**n - 2 <= samples:
        whole = np.arange(1, 2**n - 1)
        masks = (whole[:, None] >> np.arange(n) & 1).astype(np.float64)
        sizes = masks.sum(axis=1).astype(int).tolist()
        return masks, np.array([(n - 1) / (comb(n, k) * k * (n - k)) for k in sizes])
    counts = np.arange(1, n)
    share = 1 / (counts * (n - counts))  # of the subsets of each size together
    pairs = max(samples, 2 * n + 2) // 2
    half = np.zeros((pairs, n))
    for row, size in zip(half, rng.choice(counts, size=pairs, p=share / share.sum()), strict=True):
        row[rng.choice(n, size=int(size), replace=False)] = 1.0
    masks = np.concatenate([half, 1 - half])
    return masks, np.ones(len(masks))


def shapley_of(
    masks: Floats, weights: Floats, values: Floats, *, empty: float, whole: float
) -> Floats:
    """Values ``(word,)`` that sum to ``whole - empty``; the last follows from the others."""
    total = whole - empty
    left = masks[:, :-1] - masks[:, -1:]
    right = values - empty - masks[:, -1] * total
    root = np.sqrt(weights)
    found = np.linalg.lstsq(root[:, None] * left, root * right, rcond=None)[0]
    return np.append(found, total - found.sum())
