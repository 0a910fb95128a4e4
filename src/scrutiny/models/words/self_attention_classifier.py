"""Networks of self-attention over words: ``self-attention:./runs/attention/seed-{seed}``.

::

    words ─ embedding + position ─ [self-attention ─ feed-forward] x layers ─ vectors
          ─ last | max | mean ─ linear

The encoder of a transformer, trained from nothing on your data, in the size of the other networks
over words: layers are normalized before they are read, positions are sines and cosines. A folder
that ``scrutiny train self-attention`` wrote; with ``#untrained=3`` the weights are drawn anew.

References
----------
A. Vaswani et al. (2017). Attention is all you need. NeurIPS.
R. Xiong et al. (2020). On layer normalization in the transformer architecture. ICML.
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

#: Ratio of the longest to the shortest wavelength of a position, as published.
_LONGEST: Final = 10_000.0


@dataclass(frozen=True, slots=True)
class SelfAttentionArchitecture(SequenceArchitecture):
    """Architecture of a network of self-attention, without its words and labels.

    Parameters
    ----------
    pooling, embedding, layers
        As in `scrutiny.models.words.sequence_networks.SequenceArchitecture`.
    heads
        Of a layer; the dimension of a word is a multiple.
    hidden
        Dimension of the feed-forward part.

    Raises
    ------
    PlanError
        If a name is not there or a number does not fit.
    """

    heads: int = 4
    hidden: int = 100

    def __post_init__(self) -> None:
        SequenceArchitecture.__post_init__(self)
        at_least(self, hidden=1, heads=1)
        if self.embedding % self.heads or self.embedding % 2:
            raise PlanError(
                f"embedding must be even and a multiple of heads, not {self.embedding} with "
                f"{self.heads} heads."
            )


def make_self_attention(
    architecture: SelfAttentionArchitecture, *, n_words: int, n_labels: int, seed: int
) -> Any:
    """Parts of a network with random weights: see `sequence_networks.network_of`."""
    from torch import nn

    size = architecture.embedding

    def made() -> Any:
        layers = (
            nn.TransformerEncoderLayer(
                size,
                architecture.heads,
                architecture.hidden,
                dropout=0.0,  # the same vectors are left out as in other kinds, and no others
                batch_first=True,
                norm_first=True,
            )
            for _ in range(architecture.layers)
        )
        return nn.ModuleList([*layers, nn.LayerNorm(size)])

    body = ("attention", made)
    return network_of(
        architecture, body, dimension=size, n_words=n_words, n_labels=n_labels, seed=seed
    )


def positions(count: int, size: int) -> Any:
    """Sines and cosines ``(position, dimension)`` that tell places apart, in double precision.

    Examples
    --------
    >>> positions(2, 2)[0].tolist()
    [0.0, 1.0]
    """
    import torch

    rates = _LONGEST ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = torch.arange(count, dtype=torch.float64)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


@dataclass(frozen=True, slots=True, eq=False)
class SelfAttentionParts(LayeredParts):
    """A network of self-attention with everything needed to run it."""

    format: ClassVar[str] = "self-attention-classifier@1"
    what: ClassVar[str] = "A self-attention classifier"
    verb: ClassVar[str] = "scrutiny train self-attention"
    made_of: ClassVar[type[PlainArchitecture]] = SelfAttentionArchitecture
    make = staticmethod(make_self_attention)

    def layers(self, embedded: Any, lengths: Sequence[int]) -> list[Any]:
        """Vectors of positions from each layer; those of the last are normalized."""
        *layers, norm = self.network["attention"]
        width, size = embedded.shape[1:]
        is_padding = ~there(lengths, width)[:, :, 0]
        found = [embedded + positions(width, size).to(embedded.dtype)]
        for layer in layers:
            found.append(layer(found[-1], src_key_padding_mask=is_padding))
        return [*found[1:-1], norm(found[-1])]


ADAPTER: Final = network_adapter(SelfAttentionParts, SequenceClassifier, AT_PLACES)
