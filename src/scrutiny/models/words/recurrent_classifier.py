"""Recurrent classifiers over words: ``recurrent:./runs/lstm/seed-{seed}``.

::

    words ─ embedding ─ lstm | gru ─ vectors ─ last | max | mean ─ linear ─ softmax

A folder that ``scrutiny train recurrent`` wrote: safetensors and JSON. With ``#untrained=3`` the
architecture and the words are the same and the weights are drawn anew, which makes a null. A text
stands between two boundary tokens, so that one without words has an answer as well.

The network is small, so it runs on the processor, in double precision: what stands beside a text
in a batch changes its answer by rounding errors of 1e-16.

References
----------
S. Hochreiter, J. Schmidhuber (1997). Long short-term memory. Neural Computation.
K. Cho et al. (2014). Learning phrase representations using RNN encoder-decoder. EMNLP.
A. Conneau et al. (2017). Supervised learning of universal sentence representations. EMNLP. (max)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, get_args

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.parameters import at_least, one_of
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import InputEmbeddings, TokenGradients
from scrutiny.core.queries.states import CellStates
from scrutiny.core.record import grouped
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import index_of
from scrutiny.models.hf.batching import by_length
from scrutiny.models.words.recurrent_cells import states_of
from scrutiny.models.words.word_model import FIRST_WORD, PAD, pieces_of_words
from scrutiny.models.words.word_networks import (
    Dropout,
    NetworkModel,
    NetworkParts,
    PlainArchitecture,
    network_adapter,
    no_dropout,
    read_in_sequence,
)
from scrutiny.text.tokens import token_spans

CellName = Literal["lstm", "gru"]
PoolingName = Literal["last", "max", "mean"]
CELLS: Final[tuple[CellName, ...]] = get_args(CellName)
POOLINGS: Final[tuple[PoolingName, ...]] = get_args(PoolingName)


@dataclass(frozen=True, slots=True)
class RecurrentArchitecture(PlainArchitecture):
    """Architecture of a recurrent classifier, without its words and labels.

    Parameters
    ----------
    cell
        ``lstm`` or ``gru``.
    pooling
        What is read out: the ``last`` state of each direction, or the ``max`` or ``mean`` of all
        positions.
    embedding, hidden
        Dimensions of a word, and of the state in each direction.
    layers
        Recurrent layers on top of each other.
    is_bidirectional
        Whether the text is read from its end, too.

    Raises
    ------
    PlanError
        If a name is not there or a number does not fit.
    """

    cell: CellName = "lstm"
    pooling: PoolingName = "max"
    embedding: int = 100
    hidden: int = 100
    layers: int = 1
    is_bidirectional: bool = True

    def __post_init__(self) -> None:
        one_of(self, cell=CELLS, pooling=POOLINGS)
        at_least(self, embedding=1, hidden=1, layers=1)

    @property
    def directions(self) -> int:
        """Number of directions in which a text is read."""
        return 2 if self.is_bidirectional else 1


def make_recurrent(
    architecture: RecurrentArchitecture, *, n_words: int, n_labels: int, seed: int
) -> Any:
    """Parts of a network with random weights, by name, on the CPU.

    Torch's global generator is left as it was.

    Parameters
    ----------
    architecture
        What it is made of.
    n_words, n_labels
        Words of the vocabulary, and labels.
    seed
        The same weights for the same seed.
    """
    import torch
    from torch import nn

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        maker = nn.LSTM if architecture.cell == "lstm" else nn.GRU
        return nn.ModuleDict(
            {
                "embedding": nn.Embedding(
                    FIRST_WORD + n_words, architecture.embedding, padding_idx=PAD
                ),
                "cell": maker(
                    architecture.embedding,
                    architecture.hidden,
                    num_layers=architecture.layers,
                    batch_first=True,
                    bidirectional=architecture.is_bidirectional,
                ),
                "output": nn.Linear(architecture.hidden * architecture.directions, n_labels),
            }
        )


def pooled(
    network: Any, architecture: RecurrentArchitecture, embedded: Any, lengths: Sequence[int]
) -> Any:
    """One vector ``(text, dimension)`` of embedded words ``(text, position, embedding)``.

    Positions behind a text's length are padding, which reaches nothing.
    """
    import torch

    vectors, final = read_in_sequence(network["cell"], embedded, lengths)
    if architecture.pooling == "last":
        hidden = final[0] if architecture.cell == "lstm" else final  # (layer x direction, text, ·)
        return torch.cat(list(hidden[-architecture.directions :]), dim=-1)
    places = torch.arange(embedded.shape[1])
    is_there = (places < torch.tensor(lengths)[:, None])[:, :, None]  # (text, position, 1)
    if architecture.pooling == "max":
        return vectors.masked_fill(~is_there, float("-inf")).amax(dim=1)
    return vectors.masked_fill(~is_there, 0.0).sum(dim=1) / is_there.sum(dim=1)


_AT_ONCE: Final = 64  # texts


@dataclass(frozen=True, slots=True, eq=False)
class RecurrentParts(NetworkParts):
    """A recurrent network with everything needed to run it."""

    format: ClassVar[str] = "recurrent-classifier@1"
    what: ClassVar[str] = "A recurrent classifier"
    verb: ClassVar[str] = "scrutiny train recurrent"
    made_of: ClassVar[type[PlainArchitecture]] = RecurrentArchitecture
    make = staticmethod(make_recurrent)

    architecture: RecurrentArchitecture

    def logits(
        self, embedded: Any, lengths: Sequence[int], is_word: Any, *, drop: Dropout = no_dropout
    ) -> Any:
        """Scores ``(text, label)``."""
        vectors = pooled(self.network, self.architecture, embedded, lengths)
        return self.network["output"](drop(vectors))


class RecurrentClassifier(NetworkModel):
    """A classifier that reads words in sequence; capabilities ``gradients`` and ``cells``."""

    offers = NetworkModel.offers | {"cells", "gradients"}

    def __init__(self, parts: RecurrentParts, source: str) -> None:
        super().__init__(parts, source)
        self.n_layers = parts.architecture.layers
        self._embeddings: InputEmbeddings | None = None

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Probabilities of the labels for each example, in order."""
        import torch

        found: dict[int, Prediction] = {}
        for batch, ids, lengths, is_word in self._batches(examples):
            with torch.inference_mode():
                logits = self._parts.logits(self._network["embedding"](ids), lengths, is_word)
                rows = torch.softmax(logits, dim=-1).tolist()
            found |= {i: Prediction(scores=tuple(row)) for i, row in zip(batch, rows, strict=True)}
        return [found[i] for i in range(len(examples))]

    def gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Gradient of the negative log-probability of a label for each example, in order.

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
            wanted = torch.tensor([targets[i] for i in batch])
            with torch.enable_grad():
                logits = self._parts.logits(embedded, lengths, is_word)
                loss = torch.nn.functional.cross_entropy(logits, wanted, reduction="sum")
                (slopes,) = torch.autograd.grad(loss, embedded)
            for k, i in enumerate(batch):
                own = slice(1, lengths[k] - 1)  # between the boundaries
                pieces = pieces_of_words(examples[i])
                found[i] = TokenGradients(
                    pieces, tuple(ids[k, own].tolist()), slopes[k, own].numpy().copy()
                )
        return [found[i] for i in range(len(examples))]

    def cell_pieces(self, text: str) -> tuple[tuple[int, int], ...]:
        """Places of its words."""
        return tuple(token_spans(text))

    def cells(self, text: str) -> dict[str, CellStates]:
        """States of each layer and direction at each word, between the boundaries."""
        ids, _, _ = self._sequences([self._parts.vocabulary.cut(text)])
        vectors = self._network["embedding"](ids)[0].numpy()
        return {
            name: CellStates(
                {gate: values[1:-1] for gate, values in one.gates.items()},
                one.states[1:-1],
                one.hidden[1:-1],
            )
            for name, one in states_of(self._network["cell"], vectors).items()
        }

    def _above(self, embedded: Floats) -> list[Floats]:
        """What each layer gives at each position, both directions side by side."""
        found = states_of(self._network["cell"], embedded)
        both = grouped((n.removesuffix(" backward"), one.hidden) for n, one in found.items())
        return [np.concatenate(own, axis=1) for own in both.values()]

    def embeddings(self) -> InputEmbeddings:
        """Vectors of all words, lower-cased, behind those of padding and boundaries."""
        if self._embeddings is None:
            words = ("",) * FIRST_WORD + self._parts.vocabulary.words
            starts = np.arange(len(words)) >= FIRST_WORD
            matrix = self._network["embedding"].weight.numpy()
            self._embeddings = InputEmbeddings(matrix, words, starts)
        return self._embeddings

    def _batches(
        self, examples: Sequence[Example]
    ) -> Iterator[tuple[list[int], Any, list[int], Any]]:
        """Indices, padded ids, lengths and places of words of examples that are run together."""
        rows = [self._parts.vocabulary.cut(example.text) for example in examples]
        for batch in by_length([len(row) for row in rows], _AT_ONCE):
            yield batch, *self._sequences([rows[i] for i in batch])


ADAPTER: Final = network_adapter(RecurrentParts, RecurrentClassifier)
