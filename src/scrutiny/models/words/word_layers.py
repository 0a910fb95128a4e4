"""Vectors of words at each layer of a network over words: ``representations``, ``last_layer``."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from scrutiny.core.arrays import Floats, Singles
from scrutiny.core.errors import ConformanceError
from scrutiny.core.example import Example
from scrutiny.core.queries.language import POOLINGS, Passage
from scrutiny.core.record import grouped
from scrutiny.core.task import Task
from scrutiny.models.words.word_model import BEGIN, END
from scrutiny.tasks.tasks import base_name
from scrutiny.text.tokens import token_spans


class ReadsLayers(ABC):
    """A network over words with vectors of its layers; 0 are the embeddings."""

    n_layers: int
    task: str
    labels: tuple[str, ...]
    gives_answers: bool
    capabilities: frozenset[str]
    _parts: Any
    _network: Any
    _known: Any

    def keep_vectors_alone(self, task: Task) -> None:
        """Be a reader of texts of any task, with vectors and without answers."""
        self.task, self.labels, self.gives_answers = base_name(task), (), False
        self.capabilities = frozenset({"representations"})

    def last_layer(self, examples: Sequence[Example]) -> Floats:
        """Vector ``(example, dimension)`` of each text that the output layer reads."""
        import torch

        found: list[Floats] = []
        output, embedding = self._network["output"], self._network["embedding"]
        hook = output.register_forward_pre_hook(lambda _, given: found.append(given[0][0].numpy()))
        try:
            with torch.inference_mode():
                for example in examples:
                    ids, *where = self._sequences([self._parts.vocabulary.cut(example.text)])
                    self._parts.logits(embedding(ids), *where)
        finally:
            hook.remove()
        return np.array(found)

    def representations(
        self, passages: Sequence[Passage], *, poolings: Sequence[str], layers: Sequence[int]
    ) -> Singles:
        """Vectors ``(passage, layer, pooling, dimension)`` as float32.

        Boundaries are the special tokens. Layers of less dimensions than the widest have zeros
        behind theirs. A text is read once, whatever words of it are asked about; a pair has none.
        """
        if unknown := [name for name in poolings if name not in POOLINGS]:
            raise ConformanceError(
                f"{unknown[0]!r} is no pooling. There are: {', '.join(POOLINGS)}."
            )
        if any(not 0 <= layer <= self.n_layers for layer in layers):
            raise ConformanceError(f"Layers are numbers from 0 to {self.n_layers}, not {layers}.")
        width = max(one.shape[1] for one in self._layers("", is_bounded=True))
        shape = (len(passages), len(layers), len(poolings), width)
        found = np.full(shape, np.nan, dtype=np.float32)
        for text, places in grouped((p.text, i) for i, p in enumerate(passages)).items():
            whole = self._layers(text, is_bounded=True)
            bare = self._layers(text, is_bounded=False) if "first-piece" in poolings else whole
            for i in places:
                for k, pooling in enumerate(poolings):
                    rows = _pooled_rows(passages[i], pooling)
                    for j, layer in enumerate(layers):
                        own = (bare if pooling == "first-piece" else whole)[layer]
                        if len(own[rows]) and passages[i].pair is None:
                            found[i, j, k] = 0.0
                            found[i, j, k, : own.shape[1]] = own[rows].mean(axis=0)
        return found

    @abstractmethod
    def _sequences(self, texts: Sequence[tuple[str, ...]]) -> tuple[Any, list[int], Any]:
        """Ids, lengths and places of words of texts."""

    def _layers(self, text: str, *, is_bounded: bool) -> list[Floats]:
        """Vectors ``(position, dimension)`` of a text at each layer, embeddings first."""
        import torch

        known = self._parts.vocabulary
        ids = known.ids(known.cut(text), self._known)
        with torch.inference_mode():
            read = [BEGIN, *ids, END] if is_bounded else ids
            own = self._network["embedding"](torch.tensor(read, dtype=torch.long)).numpy()
        return [own, *(self._above(own) if read else [own] * self.n_layers)]

    @abstractmethod
    def _above(self, embedded: Floats) -> list[Floats]:
        """Vectors ``(position, dimension)`` of each layer above embedded words."""


def _pooled_rows(passage: Passage, pooling: str) -> slice | list[int]:
    """Positions whose mean a pooling takes; the begin boundary is the first of them."""
    if pooling in ("cls", "first-piece"):
        return slice(0, 1)
    if pooling == "last":
        return slice(-1, None)
    if pooling == "mean":
        return slice(None)
    start, end = passage.word or (0, 0)
    places = enumerate(token_spans(passage.text), 1)
    return [i for i, (first, last) in places if first < end and last > start]
