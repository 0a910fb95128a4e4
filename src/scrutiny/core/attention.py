"""What is read off a model's attention, and what may be changed in it.

``attentions`` (`Attends`) is asked of the model itself, streamed, and never cached or stored: a
corpus of maps is larger than anything made of them.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol, runtime_checkable

from scrutiny.core.diagnostic import Failure

if TYPE_CHECKING:
    import numpy as np

#: What a map holds: the weights themselves, or the norms of the vectors that they weight.
Weighting = Literal["raw", "value-norm"]
WEIGHTINGS: Final[tuple[Weighting, ...]] = ("raw", "value-norm")

#: Words of a sentence, as its annotation cuts them.
Words = tuple[str, ...]


class AttentionMap(NamedTuple):
    """Attention of all heads over the pieces of one sentence.

    Parameters
    ----------
    weights
        float32 ``(layer, head, piece, piece)``: from the row's piece to the column's. Rows of
        raw weights sum to 1; in a decoder nothing is attended to that comes later.
    words
        Index of the word that each piece belongs to; nothing for special tokens. A word without
        any piece (control characters) has no index here.
    ids
        Token ids of the pieces, special tokens included.
    """

    weights: "np.ndarray[Any, Any]"
    words: tuple[int | None, ...]
    ids: tuple[int, ...]


@runtime_checkable
class Attends(Protocol):
    """Capability ``attentions``; ``attention_shape`` is (layers, heads)."""

    attention_shape: tuple[int, int]

    def attentions(
        self, sentences: Sequence[Words], *, weighting: Weighting = "raw"
    ) -> Iterator[AttentionMap | Failure]:
        """Maps of the sentences in their order, each computed when it is asked for.

        Every word is cut into pieces by itself, and the pieces stand between the special tokens
        that the model's tokenizer puts round one text. A sentence that does not fit into the model
        is a `Failure` ("too_long"), never cut.
        """
        ...
