"""Parameters of the diagnostics of layers, and the layers that they are measured at."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from scrutiny.core.boundary.parameters import at_least, known, shares
from scrutiny.diagnostics.layers.word_labels import KINDS

#: All layers; or the embeddings, the middle and the last.
LayerChoice = Literal["all", "few"]
LAYER_CHOICES: Final[tuple[LayerChoice, ...]] = get_args(LayerChoice)


def layers_of(choice: str, last: int) -> tuple[int, ...]:
    """Layers of a model with so many above the embeddings, ascending.

    Examples
    --------
    >>> layers_of("few", 6), layers_of("few", 1), layers_of("all", 2)
    ((0, 3, 6), (0, 1), (0, 1, 2))
    """
    if choice == "few":
        return tuple(sorted({0, (last + 1) // 2, last}))
    return tuple(range(last + 1))


@dataclass(frozen=True, slots=True)
class LayerProbesParams:
    """Labels, layers, training words and draws of linear probes.

    Parameters
    ----------
    kinds
        Kinds of labels, of ``upos``, ``xpos``, ``relation``, ``chunk`` (trees) and ``tag`` (tagged
        spans). Unless told: ``upos`` and ``chunk`` of trees, ``tag`` of tags.
    layers
        ``all``, or ``few``: the embeddings, the middle and the last.
    n_training
        Words of either half of the texts that a probe is fitted to, about. Their vectors are what
        is held: 4 bytes x words x draws x dimension x layers, of as many layers at a time as fit
        into 256 MB.
    dimensions
        Principal components that a probe sees, so that those of all layers have as many weights.
    draws
        Fits to other texts, in another order, with other control labels.
    margin
        Smallest difference of accuracy worth a claim.
    """

    kinds: tuple[str, ...] = ()
    layers: LayerChoice = "all"
    n_training: int = 3000
    dimensions: int = 128
    draws: int = 3
    margin: float = 0.01

    def __post_init__(self) -> None:
        known("kind of labels", self.kinds, list(KINDS))
        known("choice of layers", [self.layers], LAYER_CHOICES)
        at_least(self, n_training=10, dimensions=1, draws=1)
        shares(self, "margin")
