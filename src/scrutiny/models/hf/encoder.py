"""What every network of transformers can be asked: its tokens, its vectors, its attention."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.language import Encoded, TokenIds
from scrutiny.models.answers.checked import AnswerError
from scrutiny.models.hf.attention.function import eager
from scrutiny.models.hf.attention.maps import AttentionSource
from scrutiny.models.hf.attention.models import Attending
from scrutiny.models.hf.sequences import Runner, Sequences
from scrutiny.models.hf.vectors import Representing, encode_texts

if TYPE_CHECKING:
    from scrutiny.core.example import Example
    from scrutiny.core.task import Prediction


@dataclass(frozen=True, slots=True)
class LanguageParts:
    """What language models are made of.

    Parameters
    ----------
    source, task
        Model string, and name of the task that it was loaded for.
    tokenizer
        A fast tokenizer.
    runner
        The network.
    limit
        Most tokens of one sequence, or nothing.
    fingerprint
        Digest of all that changes an answer; the task does not.
    attention
        Where its attention maps come from, if its weights can be had.
    """

    source: str
    task: str
    tokenizer: Any
    runner: Runner
    limit: int | None
    fingerprint: str
    attention: AttentionSource | None


class HfEncoder(Representing, Attending):
    """A network without a language-modeling head: tokens, vectors and attention."""

    is_batch_invariant = False
    labels: tuple[str, ...] = ()

    def __init__(self, parts: LanguageParts) -> None:
        self.source = parts.source
        self.task = parts.task
        self.limit: int | None = parts.limit
        self.mask_id: int | None = parts.tokenizer.mask_token_id
        self.begin_id: int | None = None
        self.n_layers = int(parts.runner.network.config.num_hidden_layers)
        attention = self._offer(parts.attention)
        received = {"attention_received"} if attention else set()
        self.capabilities = frozenset({"tokenizes", "representations"} | received) | attention
        self._parts = parts
        self._runner = parts.runner

    def fingerprint(self) -> str:
        """Digest of weights, configuration, tokenizer and the way it is run; not of the task."""
        return self._parts.fingerprint

    def predict(self, examples: "Sequence[Example]") -> "list[Prediction]":
        """Nothing: it has no labels.

        Raises
        ------
        ModelError
            Always.
        """
        raise ModelError(
            f"{self.source!r} was loaded as a language model for the task {self.task}; it has no "
            f"labels to predict. It can be asked for: {', '.join(sorted(self.capabilities))}."
        )

    def encode(
        self, texts: Sequence[str], *, pairs: Sequence[str] | None = None, special: bool = True
    ) -> list[Encoded]:
        """Tokens of each text, or of each pair of texts; never cut."""
        return encode_texts(self._parts.tokenizer, texts, pairs=pairs, special=special)

    def decode(self, ids: Sequence[int]) -> str:
        """Text of token ids, as the tokenizer writes it."""
        return str(self._parts.tokenizer.decode(list(ids)))

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

        longest = int(sequences.lengths.max(initial=1))
        budget = self._source_of_attention().budget(longest)
        with eager(self._runner.network):
            for _ in self._runner.run(sequences, use, budget=budget):
                pass
        return [found[index[query]] for query in queries]

    def _received(self, inputs: dict[str, Any], lengths: Any) -> Any:
        """Mean attention to each token ``(sequence, token)``; padding attends to nothing."""
        import torch

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
