"""Recurrent classifiers over words: ``recurrent:./runs/lstm/seed-{seed}``.

::

    words ─ embedding ─ lstm | gru ─ vectors ─ last | max | mean ─ linear ─ softmax

A folder that ``scrutiny train recurrent`` wrote: safetensors and JSON. With ``#untrained=3`` the
architecture and the words are the same and the weights are drawn anew, which makes a null. A text
stands between two boundary tokens, so that one without words has an answer as well. One that was
trained on running text reads characters in place of words, and at each one says the next.

The network is small, so it runs on the processor, in double precision: what stands beside a text
in a batch changes its answer by rounding errors of 1e-16.

References
----------
S. Hochreiter, J. Schmidhuber (1997). Long short-term memory. Neural Computation.
K. Cho et al. (2014). Learning phrase representations using RNN encoder-decoder. EMNLP.
A. Conneau et al. (2017). Supervised learning of universal sentence representations. EMNLP. (max)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, get_args

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.parameters import at_least, one_of
from scrutiny.core.facts import RUNNING_TEXT, Facts
from scrutiny.core.queries.states import CellStates
from scrutiny.core.record import grouped
from scrutiny.models.recurrent_cells import read_in_sequence, states_of
from scrutiny.models.words.sequence_networks import (
    POOLINGS,
    PoolingName,
    SequenceClassifier,
    SequenceParts,
    network_of,
)
from scrutiny.models.words.sequence_taggers import AT_PLACES
from scrutiny.models.words.word_model import Vocabulary
from scrutiny.models.words.word_networks import (
    NEXT,
    PlainArchitecture,
    network_adapter,
)
from scrutiny.tasks.annotated import Passages
from scrutiny.text.tokens import token_spans

CellName = Literal["lstm", "gru"]
CELLS: Final[tuple[CellName, ...]] = get_args(CellName)


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
        Whether the text is read from its end, too; never by models of the next character.

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
    """Parts of a network with random weights: see `sequence_networks.network_of`."""
    from torch import nn

    def made() -> Any:
        return (nn.LSTM if architecture.cell == "lstm" else nn.GRU)(
            architecture.embedding,
            architecture.hidden,
            num_layers=architecture.layers,
            batch_first=True,
            bidirectional=architecture.is_bidirectional,
        )

    size = architecture.hidden * architecture.directions
    body = ("cell", made)
    return network_of(
        architecture, body, dimension=size, n_words=n_words, n_labels=n_labels, seed=seed
    )


@dataclass(frozen=True, slots=True, eq=False)
class RecurrentParts(SequenceParts):
    """A recurrent network with everything needed to run it."""

    answers: ClassVar[tuple[Facts, ...]] = (*SequenceParts.answers, RUNNING_TEXT)
    format: ClassVar[str] = "recurrent-classifier@1"
    what: ClassVar[str] = "A recurrent classifier"
    verb: ClassVar[str] = "scrutiny train recurrent"
    made_of: ClassVar[type[PlainArchitecture]] = RecurrentArchitecture
    make = staticmethod(make_recurrent)

    architecture: RecurrentArchitecture

    def read(self, embedded: Any, lengths: Sequence[int]) -> tuple[Any, Any]:
        """Vectors of positions, and the final states of both directions."""
        import torch

        made = self.architecture
        vectors, final = read_in_sequence(self.network["cell"], embedded, lengths)
        hidden = final[0] if made.cell == "lstm" else final  # (layer x direction, text, ·)
        return vectors, torch.cat(list(hidden[-made.directions :]), dim=-1)

    def above(self, embedded: Floats) -> list[Floats]:
        """What each layer gives at each position, both directions side by side."""
        found = states_of(self.network["cell"], embedded)
        both = grouped((n.removesuffix(" backward"), one.hidden) for n, one in found.items())
        return [np.concatenate(own, axis=1) for own in both.values()]


class RecurrentClassifier(SequenceClassifier):
    """A classifier that reads words one after another; capabilities ``gradients`` and ``cells``."""

    offers = SequenceClassifier.offers | {"cells"}

    def cell_pieces(self, text: str) -> tuple[tuple[int, int], ...]:
        """Places of its words."""
        return tuple(token_spans(text))

    def _cut(self, text: str) -> tuple[str, ...]:
        """Its words, as the network reads them."""
        return Vocabulary.cut(text)

    def cells(self, text: str) -> dict[str, CellStates]:
        """States of each layer and direction at each word, between the boundaries."""
        ids, _, _ = self._sequences([self._cut(text)])
        vectors = self._network["embedding"](ids)[0].numpy()
        return {
            name: CellStates(
                {gate: values[1:-1] for gate, values in one.gates.items()},
                one.states[1:-1],
                one.hidden[1:-1],
            )
            for name, one in states_of(self._network["cell"], vectors).items()
        }


class CharacterReader(RecurrentClassifier):
    """A network that was trained to say the next character of running text; its cells alone."""

    def __init__(self, parts: RecurrentParts, source: str) -> None:
        super().__init__(parts, source)
        self.task, self.labels = Passages.name, ()
        self.capabilities = frozenset({"cells", "shuffled_weights"})

    def cell_pieces(self, text: str) -> tuple[tuple[int, int], ...]:
        """Places of its characters."""
        return tuple((i, i + 1) for i in range(len(text)))

    def _cut(self, text: str) -> tuple[str, ...]:
        """Its characters."""
        return Vocabulary.characters(text)


ADAPTER: Final = network_adapter(
    RecurrentParts, RecurrentClassifier, {**AT_PLACES, NEXT: CharacterReader}
)
