"""Shared parts of all transformer models, and the model without a language-modeling head."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import torch

from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.errors import ConformanceError
from scrutiny.core.queries.language import TokenIds
from scrutiny.core.task import Task
from scrutiny.models.answers.checked import AnswerError
from scrutiny.models.hf.attention_maps import AttentionSource, find_attention_shape
from scrutiny.models.hf.attention_taps import eager
from scrutiny.models.hf.batching import find_limit, start_budget
from scrutiny.models.hf.checkpoint import Checkpoint, load_tokenizer
from scrutiny.models.hf.forward_passes import Runner, Sequences
from scrutiny.models.hf.head_interventions import Attending
from scrutiny.models.hf.text_vectors import Representing
from scrutiny.models.strings.adapters import IdentifiedModel
from scrutiny.models.strings.model_strings import ModelSource


@dataclass(frozen=True, slots=True)
class HfParts:
    """Parts of a model.

    Parameters
    ----------
    source, task
        Model string, and name of the task that it was loaded for.
    tokenizer
        A fast tokenizer.
    runner
        The network as it is run for vectors.
    limit
        Most tokens of one text, or nothing.
    fingerprint
        Digest of all that changes an answer.
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


class HfModel(Representing, Attending, IdentifiedModel):
    """A network of transformers with its tokenizer, under any head."""

    def __init__(self, parts: HfParts) -> None:
        super().__init__(parts.source, parts.task, parts.fingerprint)
        self.limit: int | None = parts.limit
        self.mask_id: int | None = parts.tokenizer.mask_token_id
        self.begin_id: int | None = None
        self.capabilities = self._offer(parts.attention)
        self._tokenizer = parts.tokenizer
        self._runner = parts.runner


def parts_of(
    checkpoint: Checkpoint,
    network: Any,
    source: ModelSource,
    task: Task,
    *,
    batch: int | str,
    version: str,
    also: Mapping[str, Any],
) -> HfParts:
    """Parts of a model around the network of a checkpoint, with its tokenizer.

    Parameters
    ----------
    checkpoint, network
        Of transformers; the network is in evaluation mode, on its device.
    source, task
        As they are shown.
    batch
        As in `LoadOptions`.
    version
        Versioned name of the adapter.
    also
        What else changes an answer, beside the way the network is run, by name.
    """
    tokenizer = load_tokenizer(checkpoint, source)
    network.config.use_cache = False  # nothing is generated
    limit = find_limit(tokenizer, network.config, source)
    stated = {
        **also,
        "attention": network.config._attn_implementation,
        "device": network.device.type,
        "dtype": str(network.dtype),
        "limit": limit,
    }
    pads = (tokenizer.pad_token_id, getattr(network.config, "pad_token_id", None), 0)
    takes = "token_type_ids" in signature(network.base_model.forward).parameters
    kinds = getattr(network.config, "type_vocab_size", 0) or 0
    runner = Runner(
        network,
        pad=next(pad for pad in pads if pad is not None),
        takes_segments=takes and kinds > 1,
        budget=start_budget(batch, network.device.type),
    )
    shape = find_attention_shape(network)
    attention = (
        None
        if shape is None
        else AttentionSource(runner, tokenizer, limit=limit, shape=shape, name=source.text)
    )
    return HfParts(
        source=source.text,
        task=task.name,
        tokenizer=tokenizer,
        runner=runner,
        limit=limit,
        fingerprint=digest(version, checkpoint.fingerprint(), canonical_json(stated)),
        attention=attention,
    )


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
            lengths = sequences.lengths[batch]
            output = self._runner.network.base_model(**inputs, output_attentions=True)
            total = sum(layer.double().mean(1) for layer in output.attentions)
            real = torch.from_numpy(lengths).to(total.device)[:, None]
            attends = torch.arange(total.shape[1], device=total.device) < real  # (sequence, token)
            sums = (total * attends[:, :, None]).sum(1)  # padding attends to nothing
            received = sums / (real * len(output.attentions))  # (sequence, token)
            for row, i in zip(received.tolist(), batch, strict=True):
                found[i] = tuple(row[: sequences.lengths[i]])

        budget = self._source_of_attention().budget(int(sequences.lengths.max(initial=1)))
        with eager(self._runner.network):
            self._runner.run(sequences, use, budget=budget)
        return [found[index[query]] for query in queries]

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
