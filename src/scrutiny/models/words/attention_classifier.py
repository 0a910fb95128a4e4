"""Classifiers with one attention layer: ``attention-classifier:./runs/seed-{seed}``.

::

    words ─ embedding ─ encoder (bilstm, projection, conv) ─ vectors
                                                               │
                                       attention (tanh, dot) ─ weights ─ sum ─ linear ─ softmax

Jain & Wallace (2019) and Serrano & Smith (2019) ask their questions of this kind of network. A
text stands between two boundary tokens, which the encoder sees and the attention does not weight.

A folder that ``scrutiny train attention`` wrote: safetensors and JSON. With
``#untrained=3`` the architecture and the words are the same and the weights are drawn anew, which
makes a null: ``attention-classifier:./runs/seed-1#untrained={seed}`` with as many seeds as wanted.
The network is small, so it runs on the processor, in double precision, one text at a time: no text
sees which others are asked with it.

References
----------
S. Jain, B. C. Wallace (2019). Attention is not explanation. NAACL.
S. Serrano, N. A. Smith (2019). Is attention interpretable? ACL.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, get_args

import numpy as np
from scipy.special import softmax

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.parameters import at_least, one_of
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.queries.attention import AttendedText
from scrutiny.core.task import Prediction
from scrutiny.models.recurrent_cells import read_in_sequence
from scrutiny.models.words.word_model import FIRST_WORD, PAD
from scrutiny.models.words.word_networks import (
    Dropout,
    NetworkModel,
    NetworkParts,
    PlainArchitecture,
    network_adapter,
    no_dropout,
)

EncoderName = Literal["bilstm", "projection", "conv"]
AttentionName = Literal["tanh", "dot"]
ENCODERS: Final[tuple[EncoderName, ...]] = get_args(EncoderName)
ATTENTIONS: Final[tuple[AttentionName, ...]] = get_args(AttentionName)


@dataclass(frozen=True, slots=True)
class Architecture(PlainArchitecture):
    """Architecture of an attention classifier, without its words and labels.

    Parameters
    ----------
    encoder
        ``bilstm``, ``conv`` (widths side by side, ReLU), or ``projection`` (each word by itself,
        tanh): only there does a vector hold nothing of its neighbors.
    attention
        ``tanh`` (additive) or ``dot`` (scaled).
    embedding, hidden
        Dimensions of a word, and of the encoder: of each direction, or of each width.
    widths
        Odd widths of the convolutions.

    Raises
    ------
    PlanError
        If a name is not there or a number does not fit.
    """

    encoder: EncoderName = "bilstm"
    attention: AttentionName = "tanh"
    embedding: int = 64
    hidden: int = 64
    widths: tuple[int, ...] = (1, 3, 5, 7)

    def __post_init__(self) -> None:
        one_of(self, encoder=ENCODERS, attention=ATTENTIONS)
        at_least(self, embedding=1, hidden=2)
        if not self.widths or any(width < 1 or width % 2 == 0 for width in self.widths):
            raise PlanError(f"widths are odd numbers from 1 on, not {self.widths}.")

    @property
    def dimension(self) -> int:
        """Dimension of the weighted vectors."""
        times = {"bilstm": 2, "projection": 1, "conv": len(self.widths)}
        return self.hidden * times[self.encoder]


def make_network(architecture: Architecture, *, n_words: int, n_labels: int, seed: int) -> Any:
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

    embedding, hidden = architecture.embedding, architecture.hidden
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        encoders = {
            "bilstm": lambda: nn.LSTM(embedding, hidden, batch_first=True, bidirectional=True),
            "projection": lambda: nn.Linear(embedding, hidden),
            "conv": lambda: nn.ModuleList(
                nn.Conv1d(embedding, hidden, width, padding=width // 2)
                for width in architecture.widths
            ),
        }
        parts = {
            "embedding": nn.Embedding(FIRST_WORD + n_words, embedding, padding_idx=PAD),
            "encoder": encoders[architecture.encoder](),
            "attention": _attention(architecture),
            "output": nn.Linear(architecture.dimension, n_labels),
        }
        return nn.ModuleDict(parts)


def _attention(architecture: Architecture) -> Any:
    """Part that scores the vectors."""
    from torch import nn

    size = architecture.dimension
    if architecture.attention == "dot":
        return nn.Linear(size, 1, bias=False)
    inner = nn.Linear(size, size // 2)
    return nn.Sequential(inner, nn.Tanh(), nn.Linear(size // 2, 1, bias=False))


def encoded(network: Any, architecture: Architecture, embedded: Any, lengths: Sequence[int]) -> Any:
    """Vectors ``(text, position, dimension)`` of embedded words ``(text, position, embedding)``.

    Positions behind a text's length are padding, embedded as zeros; their vectors mean nothing.
    """
    import torch

    encoder = network["encoder"]
    if architecture.encoder == "projection":
        return torch.tanh(encoder(embedded))
    if architecture.encoder == "conv":
        turned = embedded.transpose(1, 2)  # (text, embedding, position)
        return torch.relu(torch.cat([conv(turned) for conv in encoder], dim=1)).transpose(1, 2)
    return read_in_sequence(encoder, embedded, lengths)[0]


def weighted(network: Any, architecture: Architecture, vectors: Any, is_word: Any) -> Any:
    """Weights ``(text, position)`` of vectors; zero at positions without a word."""
    import torch

    scores = network["attention"](vectors).squeeze(-1)
    if architecture.attention == "dot":
        scores = scores / architecture.dimension**0.5
    weights = torch.softmax(scores.masked_fill(~is_word, float("-inf")), dim=-1)
    return weights.nan_to_num(0.0)  # a text without any word attends to nothing


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
        """Probabilities ``(text, draw, label)`` for weights ``(text, draw, token)``."""
        return np.asarray(softmax(weights @ self.token_logits(attended) + self.bias, axis=-1))

    def of_sums(self, sums: Floats) -> Floats:
        """Probabilities ``(..., label)`` of weighted sums ``(..., dimension)``."""
        return np.asarray(softmax(sums @ self.matrix + self.bias, axis=-1))

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
        p = softmax(weights @ logits + self.bias, axis=-1)
        mean = (p * directions).sum(axis=-1, keepdims=True)
        return np.asarray((p * (directions - mean)) @ logits.swapaxes(-1, -2))

    def token_logits(self, attended: Sequence[AttendedText]) -> Floats:
        """Logits ``(text, token, label)`` that each token alone would add to the bias."""
        return np.asarray(np.stack([one.vectors for one in attended]) @ self.matrix)


@dataclass(frozen=True, slots=True, eq=False)
class AttentionParts(NetworkParts):
    """A network with one attention layer, and everything needed to run it."""

    format: ClassVar[str] = "attention-classifier@1"
    what: ClassVar[str] = "An attention classifier"
    verb: ClassVar[str] = "scrutiny train attention"
    made_of: ClassVar[type[PlainArchitecture]] = Architecture
    make = staticmethod(make_network)

    architecture: Architecture

    def weighted(self, embedded: Any, lengths: Sequence[int], is_word: Any) -> tuple[Any, Any]:
        """Vectors ``(text, position, dimension)`` and weights ``(text, position)``."""
        vectors = encoded(self.network, self.architecture, embedded, lengths)
        return vectors, weighted(self.network, self.architecture, vectors, is_word)

    def logits(
        self, embedded: Any, lengths: Sequence[int], is_word: Any, *, drop: Dropout = no_dropout
    ) -> Any:
        """Scores ``(text, label)``; the weights follow the embedded words."""
        vectors, weights = self.weighted(embedded, lengths, is_word)
        return self.network["output"]((weights[:, None] @ vectors)[:, 0])


class AttentionClassifier(NetworkModel):
    """A classifier with one attention layer; capability ``attention_layer``.

    A text without any word has the probabilities that the bias of the readout gives.
    """

    offers = NetworkModel.offers | {"attention_layer"}

    def __init__(self, parts: AttentionParts, source: str) -> None:
        super().__init__(parts, source)
        self.n_layers = 1
        output = self._network["output"]
        self._readout = LinearReadout(output.weight.numpy().T.copy(), output.bias.numpy().copy())

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Probabilities of the labels for each example, in order."""
        found = [self._attended(self._parts.vocabulary.cut(e.text)) for e in examples]
        return [Prediction(scores=tuple(one.probabilities.tolist())) for one in found]

    def attention_layer(self, texts: Sequence[str]) -> list[AttendedText | Failure]:
        """Words, weights and vectors of each text, in order."""
        return [self._attended(self._parts.vocabulary.cut(text)) for text in texts]

    def reweighted(self, attended: Sequence[AttendedText], weights: Floats) -> Floats:
        """Probabilities ``(text, draw, label)`` for weights ``(text, draw, token)``."""
        return self._readout.probabilities(attended, weights)

    def reweighted_slopes(
        self, attended: Sequence[AttendedText], weights: Floats, directions: Floats
    ) -> Floats:
        """Gradient ``(text, draw, token)`` of probabilities in directions."""
        return self._readout.slopes(attended, weights, directions)

    def input_slopes(self, attended: Sequence[AttendedText]) -> list[Floats]:
        """Embedding times gradient ``(token,)`` of each text, the weights held constant."""
        return [self._input_slopes(one) for one in attended]

    def without_each(self, attended: Sequence[AttendedText]) -> list[Floats]:
        """Probabilities ``(token, label)`` of each text without each of its tokens."""
        found = []
        for one in attended:
            shorter = [one.tokens[:i] + one.tokens[i + 1 :] for i in range(len(one.tokens))]
            vectors, weights = self._run(shorter)
            sums = (weights[:, None, :] @ vectors)[:, 0]  # (token left out, dimension)
            found.append(self._readout.of_sums(sums))
        return found

    def _attended(self, tokens: tuple[str, ...]) -> AttendedText:
        """The weighted vectors of these words, and the answer."""
        vectors, weights = self._run([tokens])
        answer = self._readout.of_sums(weights[0] @ vectors[0])
        return AttendedText(tokens, weights[0], vectors[0], answer)

    def _run(self, texts: Sequence[tuple[str, ...]]) -> tuple[Floats, Floats]:
        """Vectors ``(text, token, dimension)`` and weights of texts of one length."""
        import torch

        with torch.inference_mode():
            ids, lengths, is_word = self._sequences(texts)
            embedded = self._network["embedding"](ids)
            vectors, weights = self._parts.weighted(embedded, lengths, is_word)
        return vectors[:, 1:-1].numpy(), weights[:, 1:-1].numpy()

    def _above(self, embedded: Floats) -> list[Floats]:
        """The vectors that the attention weights, boundaries among them."""
        import torch

        with torch.inference_mode():
            given = torch.from_numpy(embedded)[None]
            found = encoded(self._network, self._parts.architecture, given, [len(embedded)])
        return [found[0].numpy()]

    def _input_slopes(self, one: AttendedText) -> Floats:
        """Embedding times gradient of one text's most likely label."""
        import torch

        with torch.enable_grad():
            ids, lengths, _ = self._sequences([one.tokens])
            embedded = self._network["embedding"](ids).detach().requires_grad_(requires_grad=True)
            vectors = encoded(self._network, self._parts.architecture, embedded, lengths)
            weights = torch.from_numpy(one.weights)  # held constant: no part of the graph
            logits = self._network["output"](weights @ vectors[0, 1:-1])
            top = int(one.probabilities.argmax())
            (slopes,) = torch.autograd.grad(torch.softmax(logits, dim=-1)[top], embedded)
        return np.asarray((slopes * embedded.detach()).sum(-1)[0, 1:-1].numpy())


ADAPTER: Final = network_adapter(AttentionParts, AttentionClassifier)
