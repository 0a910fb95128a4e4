"""Networks that give each word a vector in its context: what all kinds share, whatever reads.

::

    words ─ embedding ─ recurrent | convolution | self-attention ─ vectors
                                  label of the text: linear ─ last | max | mean ─┤
                                  tag of each word:  linear ─────────────────────┘
                                  words of a text:   linear ─ does a word end ────┘

A kind says how words are read (`SequenceParts.read`); readout, answers and gradients are the same
for all, so that two kinds differ in nothing else. A network that was trained on tags answers with
spans of words, one that was trained on uncut texts with their words (`sequence_taggers`).

The networks are small, so they run on the processor, in double precision: what stands beside a text
in a batch changes its answer by rounding errors of 1e-16.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, get_args

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.parameters import at_least, one_of
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.facts import ONE_TEXT, SEGMENTS, SPANS, Facts
from scrutiny.core.queries.gradients import InputEmbeddings, InputPiece, TokenGradients
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import index_of
from scrutiny.models.hf.batching import by_length
from scrutiny.models.words.word_model import (
    FIRST_WORD,
    PAD,
    Vocabulary,
    pieces_of_words,
)
from scrutiny.models.words.word_networks import (
    Dropout,
    NetworkModel,
    NetworkParts,
    PlainArchitecture,
    no_dropout,
)

PoolingName = Literal["last", "max", "mean"]
POOLINGS: Final[tuple[PoolingName, ...]] = get_args(PoolingName)


def network_of(
    architecture: Any,
    body: tuple[str, Any],
    *,
    dimension: int,
    n_words: int,
    n_labels: int,
    seed: int,
) -> Any:
    """Parts of a network with random weights, by name, on the CPU: embedding, body, output.

    Torch's global generator is left as it was.

    Parameters
    ----------
    architecture
        With the dimension of its ``embedding``.
    body
        Name of what reads, and what makes it.
    dimension
        Of the vectors that are read out.
    n_words, n_labels
        Words of the vocabulary, and outputs.
    seed
        The same weights for the same seed.
    """
    import torch
    from torch import nn

    name, make = body
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        size = architecture.embedding
        return nn.ModuleDict(
            {
                "embedding": nn.Embedding(FIRST_WORD + n_words, size, padding_idx=PAD),
                name: make(),
                "output": nn.Linear(dimension, n_labels),
            }
        )


def there(lengths: Sequence[int], width: int) -> Any:
    """Which positions ``(text, position, 1)`` are of the text, and not padding."""
    import torch

    return (torch.arange(width) < torch.tensor(lengths)[:, None])[:, :, None]


def at_end(vectors: Any, lengths: Sequence[int]) -> Any:
    """Vector ``(text, dimension)`` at the closing boundary of each text."""
    import torch

    return vectors[torch.arange(len(lengths)), torch.tensor(lengths) - 1]


def pooled(vectors: Any, lengths: Sequence[int], pooling: PoolingName) -> Any:
    """The ``max`` or ``mean`` ``(text, dimension)`` of vectors ``(text, position, dimension)``."""
    is_there = there(lengths, vectors.shape[1])
    if pooling == "max":
        return vectors.masked_fill(~is_there, float("-inf")).amax(dim=1)
    return vectors.masked_fill(~is_there, 0.0).sum(dim=1) / is_there.sum(dim=1)


@dataclass(frozen=True, slots=True)
class SequenceArchitecture(PlainArchitecture):
    """What architectures of all kinds have.

    Parameters
    ----------
    pooling
        What is read out: the vector at the text's end (``last``), or the ``max`` or ``mean`` of all
        positions. Taggers read each word.
    embedding
        Dimension of a word.
    layers
        Layers on top of each other.

    Raises
    ------
    PlanError
        If a name is not there or a number does not fit.
    """

    pooling: PoolingName = "max"
    embedding: int = 100
    layers: int = 1

    def __post_init__(self) -> None:
        one_of(self, pooling=POOLINGS)
        at_least(self, embedding=1, layers=1)


@dataclass(frozen=True, slots=True, eq=False)
class SequenceParts(NetworkParts):
    """A network that reads words in their context, with everything needed to run it."""

    answers: ClassVar[tuple[Facts, ...]] = (ONE_TEXT, SPANS, SEGMENTS)

    @abstractmethod
    def read(self, embedded: Any, lengths: Sequence[int]) -> tuple[Any, Any]:
        """Vectors ``(text, position, dimension)``, and that of each text's end, if it is pooled.

        Positions behind a text's length are padding, embedded as zeros. They reach nothing, and
        what stands there means nothing.
        """

    @abstractmethod
    def above(self, embedded: Floats) -> list[Floats]:
        """Vectors ``(position, ·)`` of each layer, of one text's embedded words."""

    def logits(
        self, embedded: Any, lengths: Sequence[int], is_word: Any, *, drop: Dropout = no_dropout
    ) -> Any:
        """Scores ``(text, label)``; with outputs at each position ``(text, position, output)``."""
        vectors, last = self.read(embedded, lengths)
        if not self.has_places:
            pooling = self.architecture.pooling
            vectors = last if pooling == "last" else pooled(vectors, lengths, pooling)
        return self.network["output"](drop(vectors))


class LayeredParts(SequenceParts):
    """A network of layers that each give all positions at once."""

    __slots__ = ()

    @abstractmethod
    def layers(self, embedded: Any, lengths: Sequence[int]) -> list[Any]:
        """Vectors ``(text, position, ·)`` of each layer; padding as for `read`."""

    def read(self, embedded: Any, lengths: Sequence[int]) -> tuple[Any, Any]:
        """Vectors of the last layer's positions, and that at each text's end."""
        vectors = self.layers(embedded, lengths)[-1]
        return vectors, at_end(vectors, lengths)

    def above(self, embedded: Floats) -> list[Floats]:
        """Vectors of each layer, of one text."""
        import torch

        with torch.inference_mode():
            found = self.layers(torch.from_numpy(embedded)[None], [len(embedded)])
        return [one[0].numpy() for one in found]


_AT_ONCE: Final = 64  # texts


class SequenceClassifier(NetworkModel):
    """A classifier that reads words in their context; capability ``gradients``."""

    offers = NetworkModel.offers | {"gradients"}

    def __init__(self, parts: SequenceParts, source: str) -> None:
        super().__init__(parts, source)
        self.n_layers = parts.architecture.layers
        self._embeddings: InputEmbeddings | None = None

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Probabilities of the labels for each example, in order."""
        found = self._probabilities(examples)
        return [Prediction(scores=tuple(rows.tolist())) for rows in found]

    def gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Gradient of the negative log-probability of a label for each example, in order.

        Of a tagger the probability is that of the words' tags which are of the label, as the tagger
        gives them: a product over these words. Without such a word it fails (``no_such_label``).

        Raises
        ------
        ModelError
            For a label that the model does not have.
        """
        import torch

        targets = [index_of(label, self.labels, source=self.source) for label in labels]
        found: dict[int, TokenGradients | Failure] = {}
        for batch, ids, lengths, is_word in self._batches(examples):
            embedded = self._network["embedding"](ids).detach().requires_grad_(requires_grad=True)
            with torch.enable_grad():
                logits = self._parts.logits(embedded, lengths, is_word)
                loss, without = self._loss(logits, [targets[i] for i in batch], is_word)
                (slopes,) = torch.autograd.grad(loss, embedded)
            for k, i in enumerate(batch):
                own = slice(1, lengths[k] - 1)  # between the boundaries
                found[i] = TokenGradients(
                    self._pieces(examples[i]),
                    tuple(ids[k, own].tolist()),
                    slopes[k, own].numpy().copy(),
                )
                if k in without:
                    why = f"no word of item {examples[i].id!r} has the label {labels[i]!r}"
                    found[i] = Failure("no_such_label", why)
        return [found[i] for i in range(len(examples))]

    def embeddings(self) -> InputEmbeddings:
        """Vectors of all words, lower-cased, behind those of padding and boundaries."""
        if self._embeddings is None:
            words = ("",) * FIRST_WORD + self._parts.vocabulary.words
            starts = np.arange(len(words)) >= FIRST_WORD
            matrix = self._network["embedding"].weight.numpy()
            self._embeddings = InputEmbeddings(matrix, words, starts)
        return self._embeddings

    def _above(self, embedded: Floats) -> list[Floats]:
        """Vectors of each layer above embedded words."""
        parts: SequenceParts = self._parts
        return parts.above(embedded)

    def _probabilities(self, examples: Sequence[Example]) -> list[Any]:
        """Probabilities ``(label,)`` of each example, or ``(place, output)``, in order."""
        import torch

        found: dict[int, Any] = {}
        for batch, ids, lengths, is_word in self._batches(examples):
            with torch.inference_mode():
                logits = self._parts.logits(self._network["embedding"](ids), lengths, is_word)
                rows = torch.softmax(logits, dim=-1)
            for k, i in enumerate(batch):
                found[i] = rows[k, 1 : lengths[k] - 1] if self._parts.has_places else rows[k]
        return [found[i] for i in range(len(examples))]

    def _loss(self, logits: Any, wanted: Sequence[int], is_word: Any) -> tuple[Any, set[int]]:
        """Sum of negative log-probabilities of labels, and the texts that have no such label."""
        import torch

        gold = torch.tensor(wanted)
        return torch.nn.functional.cross_entropy(logits, gold, reduction="sum"), set()

    def _pieces(self, example: Example) -> tuple[InputPiece, ...]:
        """Where each of its words stands."""
        return pieces_of_words(example)

    def _words(self, example: Example) -> tuple[str, ...]:
        """Words as they are read."""
        return Vocabulary.cut(example.text)

    def _batches(
        self, examples: Sequence[Example]
    ) -> Iterator[tuple[list[int], Any, list[int], Any]]:
        """Indices, padded ids, lengths and places of words of examples that are run together."""
        rows = [self._words(example) for example in examples]
        for batch in by_length([len(row) for row in rows], _AT_ONCE):
            yield batch, *self._sequences([rows[i] for i in batch])
