"""Convolutional networks over words: ``convolution:./runs/cnn/seed-{seed}``.

::

    words ─ embedding ─ [convolution ─ ReLU] x layers ─ vectors ─ last | max | mean ─ linear

A folder that ``scrutiny train convolution`` wrote: safetensors and JSON; with ``#untrained=3`` the
weights are drawn anew. A vector sees ``layers * (width // 2)`` words on each side and nothing
beyond: whatever hangs on words farther apart, only the pooling can bring together.

References
----------
R. Collobert et al. (2011). Natural language processing (almost) from scratch. JMLR.
Y. Kim (2014). Convolutional neural networks for sentence classification. EMNLP.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from scrutiny.core.boundary.parameters import at_least
from scrutiny.core.errors import PlanError
from scrutiny.models.words.sequence_networks import (
    LayeredParts,
    SequenceArchitecture,
    SequenceClassifier,
    network_of,
    there,
)
from scrutiny.models.words.sequence_taggers import AT_PLACES
from scrutiny.models.words.word_networks import PlainArchitecture, network_adapter


@dataclass(frozen=True, slots=True)
class ConvolutionArchitecture(SequenceArchitecture):
    """Architecture of a convolutional network, without its words and labels.

    Parameters
    ----------
    pooling, embedding, layers
        As in `scrutiny.models.words.sequence_networks.SequenceArchitecture`.
    hidden
        Dimension of the vectors.
    width
        Odd number of words that a convolution sees.

    Raises
    ------
    PlanError
        If a name is not there or a number does not fit.
    """

    hidden: int = 100
    width: int = 3

    def __post_init__(self) -> None:
        SequenceArchitecture.__post_init__(self)
        at_least(self, hidden=1, width=1)
        if self.width % 2 == 0:
            raise PlanError(f"width is odd, so that a word is in the middle, not {self.width}.")


def make_convolution(
    architecture: ConvolutionArchitecture, *, n_words: int, n_labels: int, seed: int
) -> Any:
    """Parts of a network with random weights: see `sequence_networks.network_of`."""
    from torch import nn

    hidden, width = architecture.hidden, architecture.width

    def made() -> Any:
        sizes = [architecture.embedding, *[hidden] * (architecture.layers - 1)]
        return nn.ModuleList(nn.Conv1d(size, hidden, width, padding=width // 2) for size in sizes)

    body = ("convolution", made)
    return network_of(
        architecture, body, dimension=hidden, n_words=n_words, n_labels=n_labels, seed=seed
    )


@dataclass(frozen=True, slots=True, eq=False)
class ConvolutionParts(LayeredParts):
    """A convolutional network with everything needed to run it."""

    format: ClassVar[str] = "convolution-classifier@1"
    what: ClassVar[str] = "A convolutional classifier"
    verb: ClassVar[str] = "scrutiny train convolution"
    made_of: ClassVar[type[PlainArchitecture]] = ConvolutionArchitecture
    make = staticmethod(make_convolution)

    def layers(self, embedded: Any, lengths: Sequence[int]) -> list[Any]:
        """Vectors of positions from each convolution."""
        import torch

        is_there = there(lengths, embedded.shape[1])
        found = [embedded]
        for layer in self.network["convolution"]:
            # padding is zero for every layer, as what stands beside a text must not reach it
            turned = found[-1].masked_fill(~is_there, 0.0).transpose(1, 2)
            found.append(torch.relu(layer(turned)).transpose(1, 2))
        return found[1:]


ADAPTER: Final = network_adapter(ConvolutionParts, SequenceClassifier, AT_PLACES)
