"""Gradient queries to classifiers: gradients at the input, and input embeddings.

The capability ``gradients`` (`Gradients`) gives the slope of the loss with regard to the vectors
that a network reads, piece by piece, and those vectors themselves: together they say to first order
what any other piece in a place would do to the loss. It is asked of the model itself and never
cached.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example

if TYPE_CHECKING:
    import numpy as np


class InputPiece(NamedTuple):
    """Piece of a text with a vector of its own: code points of one field, end excluded."""

    field: str
    start: int
    end: int


class TokenGradients(NamedTuple):
    """Gradient of the loss at one example.

    Special tokens, padding and whatever was cut off are not there.

    Parameters
    ----------
    pieces
        Where each piece stands, in the order of the input.
    ids
        Row of each piece in the matrix of `InputEmbeddings`.
    gradient
        Float array ``(piece, dimension)``: the derivative of the loss, which is minus the log of
        the probability of the label asked about, with regard to each piece's input vector.
    """

    pieces: tuple[InputPiece, ...]
    ids: tuple[int, ...]
    gradient: "np.ndarray[Any, Any]"


class InputEmbeddings(NamedTuple):
    """Input embeddings of a network.

    Parameters
    ----------
    matrix
        Float array ``(vocabulary, dimension)``.
    vocabulary
        What each row writes in a text, without the tokenizer's marks ("film", not "Ġfilm"); empty
        for special and unused tokens.
    starts_word
        Bool array ``(vocabulary,)``: whether the piece begins a word; false for special tokens.
    """

    matrix: "np.ndarray[Any, Any]"
    vocabulary: tuple[str, ...]
    starts_word: "np.ndarray[Any, Any]"

    def whole_words(self) -> list[int]:
        """Rows that begin a word and contain letters only: candidates to replace a word."""
        pairs = zip(self.vocabulary, self.starts_word.tolist(), strict=True)
        return [i for i, (word, begins) in enumerate(pairs) if begins and word.isalpha()]


@runtime_checkable
class Gradients(Protocol):
    """Capability ``gradients``; answers do not depend on the other examples."""

    labels: tuple[str, ...]

    def gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Gradient of the negative log-probability of a label, for each example, in order."""

    def embeddings(self) -> InputEmbeddings:
        """Input vectors of the whole vocabulary; the same object each time."""
