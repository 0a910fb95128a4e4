"""Attention queries: maps and scores of heads, interventions, and single attention layers.

``attentions`` (`Attends`) is called on the model directly, streamed, and never cached or stored: a
corpus of maps is larger than anything made of them. ``head_interventions`` (`Intervenes`) gives a
second model over the same weights, with a fingerprint of its own: answers under an intervention
cannot be taken for the model's own, in a cache or anywhere else.

A classifier with a single layer of attention weights the vectors of a text's tokens, sums them, and
reads its answer off the sum. The capability ``attention_layer`` (`AttentionLayer`) lets other
weights take the place of its own while the vectors stay: what the weights are worth to the answer
can then be tried out. It is asked of the model itself and never cached: a text has thousands of
weightings.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol, runtime_checkable

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError
from scrutiny.core.model import Model
from scrutiny.core.queries.language import Encoded, TokenIds

if TYPE_CHECKING:
    import numpy as np


#: Content of a map: attention weights, norms of the weighted vectors, or sizes of weights times
#: gradients of what the model answers.
Weighting = Literal["raw", "value-norm", "gradient"]
WEIGHTINGS: Final[tuple[Weighting, ...]] = ("raw", "value-norm", "gradient")
#: Words of a sentence, as its annotation cuts them.
Words = tuple[str, ...]


class AttentionMap(NamedTuple):
    """Attention map of all heads over the pieces of one sentence.

    Parameters
    ----------
    weights
        float32 ``(layer, head, piece, piece)``: from the row's piece to the column's. Rows of
        raw weights sum to 1; in a decoder nothing is attended to that comes later.
    words
        Index of the word that each piece belongs to; None for special tokens. A word without
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
        """Maps of the sentences in order, each computed on demand.

        Every word is cut into pieces by itself, and the pieces stand between the special tokens
        that the model's tokenizer puts round one text. A sentence that does not fit into the model
        is a `Failure` ("too_long"), never cut.
        """


#: Interventions on a head: its output is zero; it attends uniformly to all allowed tokens;
#: weights are taken out of its rows and the rest sums to 1 again.
Change = Literal["mask", "uniform", "erase"]
CHANGES: Final[tuple[Change, ...]] = ("mask", "uniform", "erase")
#: Indices of a layer and a head as in `AttentionMap.weights`: from 0.
HeadIndex = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Intervention:
    """Intervention on a model's attention while it answers.

    Parameters
    ----------
    change
        ``mask`` and ``uniform`` as in Kovaleva et al. (2019), ``erase`` as in Serrano & Smith
        (2019). Uniform is over the tokens that are no padding, in a decoder over those that have
        come. A row whose whole weight is erased stays zero.
    heads
        Layer and head of each that is changed, counted from 0; nothing is changed without any.
    erased
        For ``erase``, the token ids of each sequence that is going to be asked, special tokens
        included, and the positions in it whose weights are taken out of every row. A sequence that
        is asked and does not stand here fails (``not_stated``); one with nothing to erase has no
        positions.

    Raises
    ------
    ConformanceError
        For another change, negative indices, or a sequence that stands here twice.
    """

    change: Change
    heads: tuple[HeadIndex, ...]
    erased: tuple[tuple[TokenIds, tuple[int, ...]], ...] = ()

    def __post_init__(self) -> None:
        if self.change not in CHANGES:
            raise ConformanceError(
                f"{self.change!r} cannot be done to a head; there are {', '.join(CHANGES)}."
            )
        if any(min(head) < 0 for head in self.heads):
            raise ConformanceError(f"Layers and heads are counted from 0, not {self.heads}.")
        if self.erased and self.change != "erase":
            raise ConformanceError(f"Only 'erase' has positions to erase, not {self.change!r}.")
        if len({ids for ids, _ in self.erased}) < len(self.erased):
            raise ConformanceError("Positions to erase are stated twice for one sequence.")
        for ids, positions in self.erased:
            if any(not 0 <= place < len(ids) for place in positions):
                raise ConformanceError(
                    f"Positions to erase in {len(ids)} tokens are 0 to {len(ids) - 1}, "
                    f"not {positions}."
                )


@runtime_checkable
class Intervenes(Protocol):
    """Capability ``head_interventions``; ``attention_shape`` is (layers, heads)."""

    attention_shape: tuple[int, int]

    def encode(
        self, texts: Sequence[str], *, pairs: Sequence[str] | None = None, special: bool = True
    ) -> list[Encoded]:
        """Tokens of each text as the model sees them: the positions to erase refer to these."""

    def intervened(self, intervention: Intervention) -> Model:
        """Model with the same weights whose answers are given under an intervention.

        It has a fingerprint of its own, and those of the model's capabilities that the
        intervention reaches; the model itself answers as before. Its ``attentions`` are the
        changed ones: rows of a masked head are zero.

        Raises
        ------
        ConformanceError
            For a head that the model does not have.
        ModelError
            If its attention cannot be changed.
        """


class CorpusCounts(NamedTuple):
    """Counts of how often each head was right on a corpus.

    Parameters
    ----------
    tp, predicted
        ``(layer, head)`` words predicted and right, and words predicted.
    gold
        Words to be found.
    """

    tp: "np.ndarray[Any, Any]"
    predicted: "np.ndarray[Any, Any]"
    gold: int


@runtime_checkable
class KnowsHeadCounts(Protocol):
    """Capability ``head_counts``; ``attention_shape`` is (layers, heads)."""

    attention_shape: tuple[int, int]

    def head_counts(self, corpus: str) -> CorpusCounts:
        """Counts of every head on a corpus.

        Raises
        ------
        ModelError
            If this corpus is unknown.
        """


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
