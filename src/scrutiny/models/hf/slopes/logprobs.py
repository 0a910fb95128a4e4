"""Gradients of log-probabilities of tokens by the input vectors of a language model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from scrutiny.core.queries.language import Cloze
from scrutiny.models.hf.encoder import HfEncoder
from scrutiny.models.hf.pooling import Floats
from scrutiny.models.hf.sequences import Sequences
from scrutiny.models.hf.slopes.gradients import Loss, WithInputSlopes


class Sloping(HfEncoder, WithInputSlopes):
    """Capability ``logprob_slopes`` of a language model, masked or causal."""

    def logprob_slopes(
        self, queries: Sequence[Cloze], weights: Sequence[Sequence[float]]
    ) -> list[Floats]:
        """Gradient ``(token, dimension)`` of each query's weighted sum of log-probabilities.

        Parameters
        ----------
        queries
            Sequences, with the positions at which the network's distribution is read, and the
            tokens read there; a causal model says at a position what comes behind it.
        weights
            Weight of each of a query's targets.

        Raises
        ------
        AnswerError
            ``too_long`` if a sequence has more tokens than fit.
        """
        self.refuse_long([query.ids for query in queries])
        sequences = Sequences([q.ids for q in queries], [q.segments for q in queries])
        found: dict[int, Floats] = {}
        answers = self._input_slopes().run(
            sequences.lengths.tolist(),
            lambda batch: self._runner.inputs(sequences, batch),
            _weighted(queries, weights),
        )
        for answered in answers:
            for i, rows in zip(answered.indices, answered.answer, strict=True):
                found[i] = rows[: len(queries[i].ids)]  # padded on the right
        return [found[i] for i in range(len(queries))]


def _weighted(queries: Sequence[Cloze], weights: Sequence[Sequence[float]]) -> Loss:
    """Weighted sum of the log-probabilities of targets, from logits ``(query, token, word)``."""

    def loss(batch: list[int], logits: Any) -> Any:
        flat = [
            (row, position, target, weight)
            for row, i in enumerate(batch)
            for position, target, weight in zip(
                queries[i].positions, queries[i].targets, weights[i], strict=True
            )
        ]
        if not flat:
            return logits.sum() * 0.0
        rows, positions, targets, own = (
            torch.from_numpy(np.array(column)).to(logits.device)
            for column in zip(*flat, strict=True)
        )
        logs = torch.log_softmax(logits[rows, positions].float(), dim=-1)  # (read, word)
        read = logs.gather(1, targets[:, None])[:, 0]
        return (read * own.to(read.dtype)).sum()

    return loss
