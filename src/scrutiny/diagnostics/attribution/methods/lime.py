"""LIME: a linear model of the answer's probability, fitted to texts near this one.

The texts are made by removing words: as many as drawn, from one to all of them, and which is drawn
as well. A text counts the more the nearer it is: the kernel is that of the released code for texts,
with cosine distance to the whole text times 100 and width 25; the fit is a ridge regression with
penalty 1.

References
----------
M. T. Ribeiro, S. Singh, C. Guestrin (2016). "Why should I trust you?": explaining the predictions
of any classifier. KDD.
"""

from collections.abc import Sequence

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.core.randomness import Rng
from scrutiny.diagnostics.attribution.methods.method import AttributionMethod, Effort, each
from scrutiny.diagnostics.attribution.read_texts import AskedModel, ReadText, ask_scores

_WIDTH = 25.0
_PENALTY = 1.0


class Lime(AttributionMethod):
    """Weights of a linear model that is fitted to the answers to nearby texts."""

    name = "lime"

    def cost(self, effort: Effort) -> int:
        """As many as it asks about."""
        return effort.samples

    def scores(
        self, texts: Sequence[ReadText], ctx: AskedModel, effort: Effort
    ) -> list[Floats | Failure]:
        """As many changed texts as samples, with the whole text as the first."""
        masks = [
            _masks(len(text), effort.samples, ctx.rng("lime", "attribution", text.example.id))
            for text in texts
        ]
        changed = [
            [text.only(np.flatnonzero(row).tolist()) for row in own[1:]]
            for text, own in zip(texts, masks, strict=True)
        ]

        def fitted(i: int, after: Floats) -> Floats:
            values = np.array([texts[i].score, *after])
            return weighted_ridge(masks[i], values, nearness(masks[i]), penalty=_PENALTY)

        return each(ask_scores(texts, changed, ctx), fitted)


def _masks(n: int, samples: int, rng: Rng) -> Floats:
    """Which words each text keeps ``(sample, word)``; the first keeps all."""
    masks = np.ones((samples, n))
    for row in masks[1:]:
        row[rng.choice(n, size=int(rng.integers(1, n + 1)), replace=False)] = 0.0
    return masks


def nearness(masks: Floats) -> Floats:
    """Weight of each text by its cosine with the whole one.

    Examples
    --------
    >>> nearness(np.array([[1.0, 1, 1, 1], [1, 0, 0, 0]])).round(3).tolist()
    [1.0, 0.135]
    """
    cosine = np.sqrt(masks.mean(axis=1))
    return np.asarray(np.sqrt(np.exp(-((100 * (1 - cosine)) ** 2) / _WIDTH**2)))


def weighted_ridge(masks: Floats, values: Floats, weights: Floats, *, penalty: float) -> Floats:
    """Coefficients of a ridge regression with an intercept that is not penalized."""
    share = weights / weights.sum()
    centered = masks - share @ masks
    rest = values - share @ values
    left = centered.T @ (weights[:, None] * centered) + penalty * np.eye(masks.shape[1])
    return np.asarray(np.linalg.solve(left, centered.T @ (weights * rest)))
