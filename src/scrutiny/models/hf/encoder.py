"""Capabilities of every transformer: tokens, vectors, attention."""

from collections.abc import Sequence
from typing import Any

import torch

from scrutiny.core.errors import ConformanceError
from scrutiny.core.queries.language import TokenIds
from scrutiny.models.answers.checked import AnswerError
from scrutiny.models.hf.attention.function import eager
from scrutiny.models.hf.model import HfModel, HfParts
from scrutiny.models.hf.sequences import Sequences


class HfEncoder(HfModel):
    """A network without a language-modeling head: tokens, vectors and attention."""

    def __init__(self, parts: HfParts) -> None:
        super().__init__(parts)
        self.n_layers = int(parts.runner.network.config.num_hidden_layers)
        self.capabilities |= {"tokenizes", "representations"}
        if parts.attention is not None:
            self.capabilities |= {"attention_received"}

    def attention_received(self, queries: Sequence[TokenIds]) -> list[tuple[float, ...]]:
        """Attention to each token, a mean over layers, heads and the tokens that attend.

        Raises
        ------
        AnswerError
            ``too_long`` if a query has more tokens than fit.
        """
        self.refuse_long(queries)
        index = {query: i for i, query in enumerate(dict.fromkeys(queries))}
        sequences = Sequences(list(index))
        found: dict[int, tuple[float, ...]] = {}

        def use(batch: list[int], inputs: dict[str, Any]) -> None:
            received = self._received(inputs, sequences.lengths[batch])  # (sequence, token)
            for row, i in zip(received.tolist(), batch, strict=True):
                found[i] = tuple(row[: sequences.lengths[i]])

        budget = self._source_of_attention().budget(int(sequences.lengths.max(initial=1)))
        with eager(self._runner.network):
            self._runner.run(sequences, use, budget=budget)
        return [found[index[query]] for query in queries]

    def _received(self, inputs: dict[str, Any], lengths: Any) -> Any:
        """Mean attention to each token ``(sequence, token)``; padding attends to nothing."""
        output = self._runner.network.base_model(**inputs, output_attentions=True)
        total = sum(layer.double().mean(1) for layer in output.attentions)
        real = torch.from_numpy(lengths).to(total.device)[:, None]
        attends = torch.arange(total.shape[1], device=total.device) < real  # (sequence, token)
        sums = (total * attends[:, :, None]).sum(1)
        return sums / (real * len(output.attentions))

    def refuse_long(self, sequences: Sequence[Sequence[int]]) -> None:
        """Raise if a sequence has more tokens than fit, or none.

        Raises
        ------
        AnswerError
            ``too_long``.
        ConformanceError
            For an empty sequence.
        """
        lengths = [len(ids) for ids in sequences]
        if self.limit is not None and max(lengths, default=0) > self.limit:
            raise AnswerError(
                "too_long", f"a sequence has {max(lengths)} tokens, the limit is {self.limit}"
            )
        if lengths and not min(lengths):
            raise ConformanceError("A query is an empty sequence of tokens.")
