"""Network of a recurrent classifier: words, an LSTM or GRU, pooling, an output layer.

::

    words ─ embedding ─ lstm | gru ─ vectors ─ last | max | mean ─ linear ─ softmax

A text stands between two boundary tokens, so that one without words has an answer as well.

References
----------
S. Hochreiter, J. Schmidhuber (1997). Long short-term memory. Neural Computation.
K. Cho et al. (2014). Learning phrase representations using RNN encoder-decoder. EMNLP.
A. Conneau et al. (2017). Supervised learning of universal sentence representations. EMNLP. (max)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from scrutiny.core.boundary.limits import at_least, one_of
from scrutiny.models.words.attention_network import (
    FIRST_WORD,
    PAD,
    PlainArchitecture,
    read_in_sequence,
)

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
