"""What classifiers and taggers of transformers have in common: tokens, vectors, input slopes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scrutiny.models.hf.batching import Budget
from scrutiny.models.hf.forward import Forward
from scrutiny.models.hf.model import HfModel, HfParts
from scrutiny.models.hf.slopes.gradients import WithInputSlopes
from scrutiny.models.hf.vectors import has_vectors


@dataclass(frozen=True, slots=True)
class Loaded:
    """What both kinds of model are made of.

    Parameters
    ----------
    parts
        What every model is made of.
    forward
        The network with its head.
    names
        Names of the network's outputs, in order.
    """

    parts: HfParts
    forward: Forward
    names: tuple[str, ...]

    def encode(self, fields: Sequence[Sequence[str]], *, truncate: bool, **more: bool) -> Any:
        """Token columns of texts ``fields[field][text]``, not padded."""
        limit = self.parts.limit if truncate else None
        return self.parts.tokenizer(
            *map(list, fields),
            truncation=limit is not None,
            max_length=limit,
            padding=False,
            verbose=False,
            **more,
        )


class HfLabeled(HfModel, WithInputSlopes):
    """A network with a head over labels; vectors are those of the layers under its head."""

    def __init__(self, loaded: Loaded) -> None:
        super().__init__(loaded.parts)
        config = loaded.forward.network.config
        self.capabilities |= {"predict"}
        if has_vectors(loaded.forward.network):
            self.n_layers = int(config.num_hidden_layers)
            self.capabilities |= {"tokenizes", "representations"}
        if not config.is_encoder_decoder:  # which read their input twice
            self.capabilities |= {"gradients"}
        self._loaded = loaded

    def _budget(self) -> Budget:
        """That of the network with its head."""
        return self._loaded.forward.budget
