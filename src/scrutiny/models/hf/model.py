"""Shared parts of all transformer models, whatever the head."""

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

from scrutiny.core.boundary.canonical import canonical_json, digest
from scrutiny.core.model import Model
from scrutiny.core.task import Task
from scrutiny.models.hf.attention.maps import AttentionSource, find_attention_shape
from scrutiny.models.hf.attention.models import Attending
from scrutiny.models.hf.batching import start_budget
from scrutiny.models.hf.parts import find_limit
from scrutiny.models.hf.sequences import Runner
from scrutiny.models.hf.vectors import Representing
from scrutiny.models.strings.source import ModelSource


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


class HfModel(Representing, Attending, Model):
    """A network of transformers with its tokenizer, under any head."""

    def __init__(self, parts: HfParts) -> None:
        self.source = parts.source
        self.task = parts.task
        self.limit: int | None = parts.limit
        self.mask_id: int | None = parts.tokenizer.mask_token_id
        self.begin_id: int | None = None
        self.capabilities = self._offer(parts.attention)
        self._fingerprint = parts.fingerprint
        self._tokenizer = parts.tokenizer
        self._runner = parts.runner

    def fingerprint(self) -> str:
        """Digest of weights, configuration, tokenizer and run settings."""
        return self._fingerprint


def parts_of(
    network: Any,
    tokenizer: Any,
    *,
    source: ModelSource,
    task: Task,
    batch: int | str,
    known_by: tuple[str, ...],
    also: Mapping[str, Any],
) -> HfParts:
    """Parts of a model around a network in memory, on its device.

    Parameters
    ----------
    network, tokenizer
        Of transformers, in evaluation mode; the tokenizer is a fast one.
    source, task
        As they are shown.
    batch
        As in `LoadOptions`.
    known_by
        Version of the adapter, and digest of weights, configuration and tokenizer.
    also
        What else changes an answer, beside the way the network is run, by name.
    """
    network.config.use_cache = False  # nothing is generated
    limit = find_limit(tokenizer, network.config, source)
    stated = {
        **also,
        "attention": network.config._attn_implementation,
        "device": network.device.type,
        "dtype": str(network.dtype),
        "limit": limit,
    }
    runner = _runner_of(network, tokenizer, batch)
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
        fingerprint=digest(*known_by, canonical_json(stated)),
        attention=attention,
    )


def _runner_of(network: Any, tokenizer: Any, batch: int | str) -> Runner:
    """Network with its padding and its budget."""
    pads = (tokenizer.pad_token_id, getattr(network.config, "pad_token_id", None), 0)
    takes = "token_type_ids" in signature(network.base_model.forward).parameters
    kinds = getattr(network.config, "type_vocab_size", 0) or 0
    return Runner(
        network,
        pad=next(pad for pad in pads if pad is not None),
        takes_segments=takes and kinds > 1,
        budget=start_budget(batch, network.device.type),
    )
