"""Queries to a classifier that decides through a single layer of attention.

Such a classifier weights the vectors of a text's tokens, sums them, and reads its answer off the
sum. The capability ``attention_layer`` (`AttentionLayer`) lets other weights take the place of its
own while the vectors stay: what the weights are worth to the answer can then be tried out. It is
asked of the model itself and never cached: a text has thousands of weightings.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from scrutiny.core.diagnostic import Failure

if TYPE_CHECKING:
    import numpy as np


class AttendedText(NamedTuple):
    """Vectors that the layer weights in one text, with their weights.

    Parameters
    ----------
    tokens
        Tokens that are weighted, in order; special tokens without weight are left out.
    weights
        float64 ``(token,)``: the layer's own, with sum 1.
    vectors
        float64 ``(token, dimension)``: what they weight, computed once.
    probabilities
        float64 ``(label,)`` under the layer's own weights.
    """

    tokens: tuple[str, ...]
    weights: "np.ndarray[Any, Any]"
    vectors: "np.ndarray[Any, Any]"
    probabilities: "np.ndarray[Any, Any]"


@runtime_checkable
class AttentionLayer(Protocol):
    """Capability ``attention_layer``.

    Several texts are asked about together only if they have equally many tokens, and each has the
    answer that it has alone.
    """

    labels: tuple[str, ...]

    def attention_layer(self, texts: Sequence[str]) -> list[AttendedText | Failure]:
        """Attended vectors of each text, in order; texts are not truncated."""

    def reweighted(
        self, attended: Sequence[AttendedText], weights: "np.ndarray[Any, Any]"
    ) -> "np.ndarray[Any, Any]":
        """Probabilities ``(text, draw, label)`` under weights ``(text, draw, token)``.

        Rows of weights are taken as they are: a row of zeros attends to nothing.
        """

    def reweighted_slopes(
        self,
        attended: Sequence[AttendedText],
        weights: "np.ndarray[Any, Any]",
        directions: "np.ndarray[Any, Any]",
    ) -> "np.ndarray[Any, Any]":
        """Gradient ``(text, draw, token)`` with respect to the weights ``(text, draw, token)``.

        It is that of the sum over labels of the probabilities times the directions
        ``(text, draw, label)``.
        """

    def input_slopes(self, attended: Sequence[AttendedText]) -> "list[np.ndarray[Any, Any]]":
        """Input times gradient ``(token,)`` of each text.

        The sum over the dimensions of a token's input vector times the gradient of the likeliest
        label's probability with regard to it, the weights held constant.
        """

    def without_each(self, attended: Sequence[AttendedText]) -> "list[np.ndarray[Any, Any]]":
        """Probabilities ``(token, label)`` of each text without that token.

        The others are encoded anew, as if the text had been written without it.
        """
