"""Recurrent classifiers over words: ``recurrent:./runs/lstm/seed-{seed}``.

A folder that ``scrutiny train recurrent`` wrote: safetensors and JSON. With ``#untrained=3`` the
architecture and the words are the same and the weights are drawn anew, which makes a null.

The network is small, so it runs on the processor, in double precision: what stands beside a text
in a batch changes its answer by rounding errors of 1e-16.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import InputEmbeddings, TokenGradients
from scrutiny.core.task import Prediction
from scrutiny.models.answers.inputs import index_of
from scrutiny.models.hf.batching import by_length
from scrutiny.models.words.attention_network import FIRST_WORD
from scrutiny.models.words.model import pieces_of_words
from scrutiny.models.words.network import (
    NetworkKind,
    NetworkModel,
    NetworkParts,
    network_adapter,
)
from scrutiny.models.words.recurrent_network import RecurrentArchitecture, make_recurrent, pooled

_AT_ONCE: Final = 64  # texts


@dataclass(frozen=True, slots=True, eq=False)
class RecurrentParts(NetworkParts):
    """A recurrent network with everything needed to run it."""

    kind: ClassVar[NetworkKind] = NetworkKind(
        "recurrent-classifier@1",
        "A recurrent classifier",
        "scrutiny train recurrent",
        RecurrentArchitecture.of,
        make_recurrent,
    )

    architecture: RecurrentArchitecture


class RecurrentClassifier(NetworkModel):
    """A classifier that reads words in sequence; capability ``gradients``."""

    offers = frozenset({"gradients"})

    def __init__(self, parts: RecurrentParts, source: str, *, folder: Path | None = None) -> None:
        super().__init__(parts, source, folder=folder)
        self._embeddings: InputEmbeddings | None = None

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Probabilities of the labels for each example, in order."""
        import torch

        found: dict[int, Prediction] = {}
        for batch, ids, lengths in self._batches(examples):
            with torch.inference_mode():
                logits = self._logits(self._network["embedding"](ids), lengths)
                rows = torch.softmax(logits, dim=-1).tolist()
            found |= {i: Prediction(scores=tuple(row)) for i, row in zip(batch, rows, strict=True)}
        return [found[i] for i in range(len(examples))]

    def gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Gradient of the negative log-probability of a label for each example, in order.

        Raises
        ------
        ModelError
            For a label that the model does not have.
        """
        import torch

        targets = [index_of(label, self.labels, source=self.source) for label in labels]
        found: dict[int, TokenGradients | Failure] = {}
        for batch, ids, lengths in self._batches(examples):
            embedded = self._network["embedding"](ids).detach().requires_grad_(requires_grad=True)
            wanted = torch.tensor([targets[i] for i in batch])
            with torch.enable_grad():
                logits = self._logits(embedded, lengths)
                loss = torch.nn.functional.cross_entropy(logits, wanted, reduction="sum")
                (slopes,) = torch.autograd.grad(loss, embedded)
            for k, i in enumerate(batch):
                own = slice(1, lengths[k] - 1)  # between the boundaries
                pieces = pieces_of_words(examples[i])
                found[i] = TokenGradients(
                    pieces, tuple(ids[k, own].tolist()), slopes[k, own].numpy().copy()
                )
        return [found[i] for i in range(len(examples))]

    def embeddings(self) -> InputEmbeddings:
        """Vectors of all words, lower-cased, behind those of padding and boundaries."""
        if self._embeddings is None:
            words = ("",) * FIRST_WORD + self._parts.vocabulary.words
            starts = np.arange(len(words)) >= FIRST_WORD
            matrix = self._network["embedding"].weight.numpy()
            self._embeddings = InputEmbeddings(matrix, words, starts)
        return self._embeddings

    def _batches(self, examples: Sequence[Example]) -> Iterator[tuple[list[int], Any, list[int]]]:
        """Indices, padded ids and lengths of examples that are run together."""
        rows = [self._parts.vocabulary.cut(example.text) for example in examples]
        for batch in by_length([len(row) for row in rows], _AT_ONCE):
            ids, lengths, _ = self._sequences([rows[i] for i in batch])
            yield batch, ids, lengths

    def _logits(self, embedded: Any, lengths: Sequence[int]) -> Any:
        """Scores ``(text, label)``."""
        vectors = pooled(self._network, self._parts.architecture, embedded, lengths)
        return self._network["output"](vectors)


ADAPTER: Final = network_adapter(RecurrentParts, RecurrentClassifier)
