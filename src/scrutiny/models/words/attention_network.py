"""Network of an attention classifier: words, an encoder, one attention layer, an output layer.

Jain & Wallace (2019) and Serrano & Smith (2019) ask their questions of this kind of network. A
text stands between two boundary tokens, which the encoder sees and the attention does not weight.

::

    words ─ embedding ─ encoder (bilstm, projection, conv) ─ vectors
                                                               │
                                       attention (tanh, dot) ─ weights ─ sum ─ linear ─ softmax

References
----------
S. Jain, B. C. Wallace (2019). Attention is not explanation. NAACL.
S. Serrano, N. A. Smith (2019). Is attention interpretable? ACL.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, Self, get_args

from scrutiny.core.boundary.limits import at_least, one_of
from scrutiny.core.errors import PlanError

EncoderName = Literal["bilstm", "projection", "conv"]
AttentionName = Literal["tanh", "dot"]
ENCODERS: Final[tuple[EncoderName, ...]] = get_args(EncoderName)
ATTENTIONS: Final[tuple[AttentionName, ...]] = get_args(AttentionName)
#: Ids that are no words: padding, any unknown word, and the two boundaries.
PAD, UNKNOWN, BEGIN, END = range(4)
FIRST_WORD: Final = 4


@dataclass(frozen=True, slots=True)
class PlainArchitecture:
    """Base of the architectures of small networks, which are plain JSON."""

    @classmethod
    def of(cls, stated: dict[str, Any]) -> Self:
        """Architecture from its plain JSON."""
        known = {field.name for field in fields(cls)}
        given = {name: value for name, value in stated.items() if name in known}
        return cls(**{n: tuple(v) if isinstance(v, list) else v for n, v in given.items()})

    def plain(self) -> dict[str, Any]:
        """Plain JSON of the architecture."""
        return {n: list(v) if isinstance(v, tuple) else v for n, v in asdict(self).items()}


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


def read_in_sequence(layer: Any, embedded: Any, lengths: Sequence[int]) -> tuple[Any, Any]:
    """Vectors ``(text, position, dimension)`` of a recurrent layer, and its final states."""
    import torch
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

    packed = pack_padded_sequence(
        embedded, torch.tensor(lengths), batch_first=True, enforce_sorted=False
    )
    states, final = layer(packed)
    vectors, _ = pad_packed_sequence(states, batch_first=True, total_length=embedded.shape[1])
    return vectors, final


def weighted(network: Any, architecture: Architecture, vectors: Any, is_word: Any) -> Any:
    """Weights ``(text, position)`` of vectors; zero at positions without a word."""
    import torch

    scores = network["attention"](vectors).squeeze(-1)
    if architecture.attention == "dot":
        scores = scores / architecture.dimension**0.5
    weights = torch.softmax(scores.masked_fill(~is_word, float("-inf")), dim=-1)
    return weights.nan_to_num(0.0)  # a text without any word attends to nothing


def sequences_of(texts: Sequence[Sequence[int]]) -> tuple[Any, list[int], Any]:
    """Padded ids ``(text, position)``, lengths, and which positions are words.

    Parameters
    ----------
    texts
        Ids of the words of each text; boundaries are put round them.
    """
    import torch

    rows = [[BEGIN, *ids, END] for ids in texts]
    lengths = [len(row) for row in rows]
    width = max(lengths)
    padded = torch.tensor([[*row, *[PAD] * (width - len(row))] for row in rows])
    is_word = torch.zeros_like(padded, dtype=torch.bool)
    for i, ids in enumerate(texts):
        is_word[i, 1 : 1 + len(ids)] = True
    return padded, lengths, is_word
