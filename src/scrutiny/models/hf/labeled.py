"""Shared parts of transformer classifiers and taggers: logits, tokens, vectors, gradients."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from scrutiny.models.hf.batching import Answered, Budget, run_batches
from scrutiny.models.hf.model import HfModel, HfParts
from scrutiny.models.hf.slopes.gradients import WithInputSlopes
from scrutiny.models.hf.vectors import has_vectors

Columns = Mapping[str, Sequence[Sequence[int]]]


def logits_of(output: Any) -> Any:
    """Logits of a head; of one that points at an answer, ``(text, start or end, token)``."""
    if "logits" in output:
        return output.logits
    return torch.stack([output.start_logits, output.end_logits], dim=1)


class Forward:
    """A network in evaluation mode with everything needed to run lists of tokens.

    Parameters
    ----------
    network
        A transformers model with a head.
    pads
        Padding value of each input column.
    side
        "right" or "left".
    budget
        What one batch holds.
    """

    def __init__(self, network: Any, *, pads: Mapping[str, int], side: str, budget: Budget) -> None:
        self.network = network
        self._pads = pads
        self._side = side
        self.budget = budget
        self._device = network.device

    def logits(self, columns: Columns) -> Iterator[Answered[Any]]:
        """Logits ``(text, ...)`` as float32, batch by batch, with the indices of the texts.

        Raises
        ------
        AnswerError
            ``out_of_memory`` if one text alone does not fit.
        """
        lengths = [len(ids) for ids in columns["input_ids"]]
        ask = partial(self._ask, columns)
        yield from run_batches(lengths, self.budget, ask, device=self._device)

    def _ask(self, columns: Columns, batch: list[int]) -> Any:
        """Logits of one batch."""
        with torch.inference_mode():
            return logits_of(self.network(**self.inputs(columns, batch))).float()

    def inputs(self, columns: Columns, batch: Sequence[int]) -> dict[str, Any]:
        """Padded tensors ``(text, token)`` of one batch on the network's device, by name."""
        return {
            name: self._tensor([rows[i] for i in batch], name) for name, rows in columns.items()
        }

    def _tensor(self, rows: Sequence[Sequence[int]], name: str) -> Any:
        """Padded tensor ``(text, token)`` on the device."""
        width = max(map(len, rows))
        pad = self._pads[name]
        if self._side == "right":
            filled = [[*row, *([pad] * (width - len(row)))] for row in rows]
        else:
            filled = [[*([pad] * (width - len(row))), *row] for row in rows]
        return torch.tensor(filled, dtype=torch.long).to(self._device)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Parts of both kinds of models.

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
    """A network with a classification head; vectors are those of the layers below it."""

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
