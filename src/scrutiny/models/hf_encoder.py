"""What every network of transformers can be asked: its tokens, its vectors, its attention."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.language import Encoded, Passage, TokenIds
from scrutiny.models.checked import AnswerError
from scrutiny.models.hf_attention import AttentionSource
from scrutiny.models.hf_attention_function import eager
from scrutiny.models.hf_attention_models import Attending
from scrutiny.models.hf_pooling import Floats, check_poolings, pooling_weights
from scrutiny.models.hf_sequences import Ints, Runner, Sequences

if TYPE_CHECKING:
    from scrutiny.core.example import Example
    from scrutiny.core.task import Prediction

#: Texts of so few tokens are run one by one. Without special tokens, the vectors of single words
#: are so alike (associations of MiniLM spread over 3e-8 to 7e-6) that the rounding of a batch moves
#: an effect size by 5e-4; the published procedures ask one text at a time.
_ALONE: Final = 4
_CHUNK: Final = 4096  # passages tokenized at a time: enough to sort by length, little to keep


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


class HfEncoder(Attending):
    """A network without a language-modeling head: tokens, vectors and attention."""

    is_batch_invariant = False
    labels: tuple[str, ...] = ()

    def __init__(self, parts: LanguageParts) -> None:
        self.source = parts.source
        self.task = parts.task
        self.limit = parts.limit
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
        del examples
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

    def representations(
        self, passages: Sequence[Passage], *, poolings: Sequence[str], layers: Sequence[int]
    ) -> Floats:
        """Vectors ``(passage, layer, pooling, dimension)`` as float32.

        As `scrutiny.core.language.Represents` says; equal passages are encoded once. Passages
        with more tokens than `limit` have NaN.

        Raises
        ------
        ConformanceError
            For an unknown pooling or layer.
        AnswerError
            ``out_of_memory`` if one passage alone does not fit.
        """
        check_poolings(poolings)
        if any(not 0 <= layer <= self.n_layers for layer in layers):
            raise ConformanceError(f"Layers are numbers from 0 to {self.n_layers}, not {layers}.")
        index = {passage: i for i, passage in enumerate(dict.fromkeys(passages))}
        width = int(self._runner.network.config.hidden_size)
        shape = (len(index), len(layers), len(poolings), width)
        vectors = np.full(shape, np.nan, np.float32)
        distinct = list(index)
        for start in range(0, len(distinct), _CHUNK):
            part = slice(start, start + _CHUNK)
            self._represent(distinct[part], poolings, layers, vectors[part])
        return vectors[[index[passage] for passage in passages]]

    def _represent(
        self,
        passages: Sequence[Passage],
        poolings: Sequence[str],
        layers: Sequence[int],
        out: Floats,
    ) -> None:
        """Write vectors of a stretch of passages; the first piece needs a forward of its own."""
        for special in (True, False):
            columns = [i for i, p in enumerate(poolings) if (p != "first-piece") is special]
            if columns:
                encoded = self.encode([p.text for p in passages], special=special)
                names = [poolings[i] for i in columns]

                def keep(mine: Ints, vectors: Floats, columns: list[int] = columns) -> None:
                    for layer, found in enumerate(vectors):
                        out[mine[:, None], layer, np.asarray(columns)] = found

                alone = 0 if special else _ALONE
                self._pool(passages, encoded, names, layers=layers, keep=keep, alone=alone)

    def _pool(
        self,
        passages: Sequence[Passage],
        encoded: Sequence[Encoded],
        poolings: Sequence[str],
        *,
        layers: Sequence[int],
        keep: Callable[[Ints, Floats], None],
        alone: int,
    ) -> None:
        """Hand over vectors of passages encoded in one way; short ones are run one by one."""
        limit = self.limit or np.inf
        lengths = np.array([len(one.ids) for one in encoded], dtype=np.int64)
        fits = (lengths > 0) & (lengths <= limit)
        for is_alone in (True, False):
            chosen = np.flatnonzero(fits & ((lengths <= alone) == is_alone))
            budget = replace(self._runner.budget, texts=1) if is_alone else None

            def use(batch: list[int], inputs: dict[str, Any], chosen: Ints = chosen) -> None:
                mine = chosen[batch]
                weights = pooling_weights(
                    [encoded[i] for i in mine.tolist()],
                    [passages[i] for i in mine.tolist()],
                    poolings,
                )
                found = self._vectors(inputs, weights, layers)  # (layer, passage, pooling, width)
                found[:, weights.sum(-1) == 0] = np.nan
                keep(mine, found)

            sequences = Sequences([encoded[i].ids for i in chosen.tolist()])
            for _ in self._runner.run(sequences, use, budget=budget):
                pass

    def _vectors(self, inputs: dict[str, Any], weights: Floats, layers: Sequence[int]) -> Floats:
        """Weighted sums of hidden states ``(layer, passage, pooling, dimension)``."""
        import torch

        network = self._runner.network
        wants_all = any(layer != self.n_layers for layer in layers)
        output = network.base_model(**inputs, output_hidden_states=wants_all)
        sums = torch.from_numpy(weights).to(network.device)
        states = [output.hidden_states[i] if wants_all else output[0] for i in layers]
        return np.stack([torch.bmm(sums, state.float()).cpu().numpy() for state in states])

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


def encode_texts(
    tokenizer: Any, texts: Sequence[str], *, pairs: Sequence[str] | None, special: bool
) -> list[Encoded]:
    """Tokens of each text, or of each pair of texts; never cut."""
    if not texts:
        return []
    fields = [list(texts)] if pairs is None else [list(texts), list(pairs)]
    found = tokenizer(
        *fields, add_special_tokens=special, truncation=False, padding=False, verbose=False
    )
    return [_encoded(one) for one in found.encodings]


def _encoded(one: Any) -> Encoded:
    """Our view of what the tokenizer gives.

    Special tokens have the segment that it gives them, but none behind the second text is in the
    first (RoBERTa's tokenizer knows one segment only).
    """
    own = zip(one.sequence_ids, one.type_ids, strict=True)
    segments = accumulate((kind if text is None else text for text, kind in own), max)
    return Encoded(
        ids=tuple(one.ids),
        is_special=tuple(map(bool, one.special_tokens_mask)),
        offsets=tuple(one.offsets),
        words=tuple(one.word_ids),
        segments=tuple(segments),
    )
