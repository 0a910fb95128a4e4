"""From weighted vectors to probabilities: the linear end of an attention classifier."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.attention_layer import AttendedText


@dataclass(frozen=True, slots=True, eq=False)
class LinearReadout:
    """Softmax of a linear function of the weighted sum of a text's vectors.

    As the sum is linear, too, every token has logits of its own, ``vectors @ matrix``, and weights
    mix them. Each text is a matrix product of its own, so that no text sees which others stand
    beside it.

    Parameters
    ----------
    matrix
        ``(dimension, label)``.
    bias
        ``(label,)``: the logits of a text in which nothing is attended to.
    """

    matrix: Floats
    bias: Floats

    def probabilities(self, attended: Sequence[AttendedText], weights: Floats) -> Floats:
        """Probabilities ``(text, draw, label)`` under weights ``(text, draw, token)``."""
        return softmax(weights @ self.token_logits(attended) + self.bias)

    def of_sums(self, sums: Floats) -> Floats:
        """Probabilities ``(..., label)`` of weighted sums ``(..., dimension)``."""
        return softmax(sums @ self.matrix + self.bias)

    def slopes(
        self, attended: Sequence[AttendedText], weights: Floats, directions: Floats
    ) -> Floats:
        """Gradient ``(text, draw, token)`` of probabilities in directions ``(text, draw, label)``.

        Examples
        --------
        >>> text = AttendedText(("a", "b"), np.array([0.5, 0.5]), np.eye(2), np.array([0.5, 0.5]))
        >>> readout = LinearReadout(np.eye(2), np.zeros(2))
        >>> readout.slopes([text], text.weights[None, None], np.array([[[1.0, 0.0]]])).tolist()
        [[[0.25, -0.25]]]
        """
        logits = self.token_logits(attended)
        p = softmax(weights @ logits + self.bias)
        mean = (p * directions).sum(axis=-1, keepdims=True)
        found: Floats = (p * (directions - mean)) @ logits.swapaxes(-1, -2)
        return found

    def token_logits(self, attended: Sequence[AttendedText]) -> Floats:
        """Logits ``(text, token, label)`` that each token alone would add to the bias."""
        logits: Floats = np.stack([one.vectors for one in attended]) @ self.matrix
        return logits


def softmax(logits: Floats) -> Floats:
    """Probabilities over the last axis.

    Examples
    --------
    >>> softmax(np.array([0.0, np.log(3.0)])).round(2).tolist()
    [0.25, 0.75]
    """
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    found: Floats = shifted / shifted.sum(axis=-1, keepdims=True)
    return found
