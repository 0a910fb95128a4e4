"""Encoders of a fine-tuning: its bases, and the network of a run under a fresh head.

A base is the encoder behind a model string, or each member of a family.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Protocol

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.errors import ModelError
from scrutiny.core.randomness import stream_key
from scrutiny.models.hf.batching import find_limit
from scrutiny.models.hf.checkpoint import (
    Checkpoint,
    find_checkpoint,
    find_device,
    load_network,
    load_tokenizer,
    quiet,
)
from scrutiny.models.named_models import untrained_checkpoint
from scrutiny.models.strings.adapters import checkpoint_source
from scrutiny.models.strings.model_families import expand
from scrutiny.models.strings.model_strings import UNTRAINED, ModelSource, parse
from scrutiny.models.strings.training_records import FINE_TUNING, PRE_TRAINING, replicates_of
from scrutiny.training.finetuning.recipe import FinetuningRecipe


@dataclass(frozen=True)
class BaseEncoder:
    """Encoder to start from.

    Parameters
    ----------
    parsed
        Its model string; for untrained networks that of the trained one.
    checkpoint
        Folder with configuration, weights and tokenizer.
    init
        Seed of an untrained network to use in place of the checkpoint; or None.
    factors
        Values of the captures that made it of a family; empty for a single model.
    random
        Names of the factors that make replicates of one recipe.
    """

    parsed: ModelSource
    checkpoint: Checkpoint
    init: str | None = None
    factors: Mapping[str, str] = field(default_factory=dict)
    random: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Model string, as the user wrote it."""
        return self.parsed.text

    @property
    def folder(self) -> Path:
        """Folder of the checkpoint."""
        return self.checkpoint.folder

    @cached_property
    def fingerprint(self) -> str:
        """Digest of weights, configuration, tokenizer and the seed of an untrained network."""
        return digest("finetuned base", self.checkpoint.fingerprint(), str(self.init))

    @property
    def replicates_of(self) -> str | None:
        """Source of variation between runs from all members of its family, if known.

        ``fine-tuning`` where they share this very network; else what differs between its members,
        or None if no record says it.
        """
        if not self.random:
            return FINE_TUNING
        return PRE_TRAINING if self.init is not None else replicates_of(self.source)


def bases_of(
    source: str, *, random: Sequence[str] = (), seeds: Sequence[int] = ()
) -> tuple[BaseEncoder, ...]:
    """Base encoders of a model string: one, or one for each member of a family.

    Parameters
    ----------
    source
        ``hf:./folder``, ``zoo:bert-4x128/seed-{seed}``, ``untrained:…``.
    random
        Captures that make replicates; a lone ``{seed}`` is one without being named.
    seeds
        Members of a family to keep.

    Raises
    ------
    ModelError
        If there is no such checkpoint, or none that can be fine-tuned.
    """
    family = expand(source, random=tuple(random), name="base", seeds=tuple(seeds))
    bases = []
    for one in family.replicates:
        parsed, init = parse(one.source), None
        if parsed.scheme == UNTRAINED:
            init = parsed.options.get("seed", "0")
            parsed = replace(parse(parsed.target), text=one.source)
        checkpoint = find_checkpoint(checkpoint_source(parsed))
        factors = {**one.random, **one.condition}
        bases.append(BaseEncoder(parsed, checkpoint, init, factors, tuple(one.random)))
    return tuple(bases)


_DROPOUTS: Final = (
    "hidden_dropout_prob",
    "attention_probs_dropout_prob",
    "classifier_dropout",
    "dropout",
    "attention_dropout",
    "seq_classif_dropout",
)


@dataclass(frozen=True, slots=True)
class Parted:
    """Network with its tokenizer, and its parts.

    ``head`` are the names of the parameters outside of the encoder; ``longest`` are the most
    pieces of a text that it takes.
    """

    network: Any
    tokenizer: Any
    head: frozenset[str]
    longest: int

    @property
    def n_parameters(self) -> int:
        """Number of parameters."""
        return sum(p.numel() for p in self.network.parameters())


def torch_seed(seed: int, purpose: str, base: BaseEncoder, *, draw: int = 0) -> int:
    """Torch seed for one purpose of a run; each base of a family has its own streams."""
    item = ",".join(f"{name}={value}" for name, value in sorted(base.factors.items()))
    return stream_key(seed, purpose, "finetune@1", item, draw) % 2**63


class OutputLayer(Protocol):
    """Output layer of a network: class, names of its outputs, what a checkpoint says of them.

    `maker` is a class of transformers, `problem` its ``problem_type``.
    """

    maker: str
    names: tuple[str, ...]
    problem: str | None


def build(
    base: BaseEncoder,
    target: OutputLayer,
    recipe: FinetuningRecipe,
    *,
    seed: int,
    device: str = "auto",
) -> Parted:
    """Build the network of a base with a head initialized by the seed, in float32.

    Raises
    ------
    ModelError
        If the weights are not those of an encoder, or the tokenizer cannot pad.
    MissingExtraError
        If torch or transformers are not installed.
    """
    place = find_device(device, base.parsed)
    import torch

    # fast tokenizer of a base that pads on the right
    tokenizer = load_tokenizer(base.checkpoint, base.parsed)
    if tokenizer.pad_token_id is None:
        raise ModelError(
            f"{base.source!r}: its tokenizer has no padding token, so texts cannot share a batch."
        )
    tokenizer.padding_side = "right"
    config = _config(base, target, recipe, tokenizer)
    with torch.random.fork_rng(devices=[]), quiet():
        # what the base lacks besides the head (a pooler) is made by the seed, too
        torch.manual_seed(torch_seed(seed, "missing", base))
        with (
            nullcontext(base.folder)
            if base.init is None
            else untrained_checkpoint(base.folder, base.init, source=base.parsed)
        ) as folder:
            network = _loaded(target.maker, base, folder, config)
        torch.manual_seed(torch_seed(seed, "head", base))
        head = _fresh_head(network)
    limit = find_limit(tokenizer, config, base.parsed) or recipe.max_length
    return Parted(network.to(place), tokenizer, head, min(limit, recipe.max_length))


def _config(
    base: BaseEncoder, target: OutputLayer, recipe: FinetuningRecipe, tokenizer: Any
) -> Any:
    """Configuration with the outputs of the target."""
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(base.folder, local_files_only=True, trust_remote_code=False)
    config.id2label = dict(enumerate(target.names))
    config.label2id = {name: i for i, name in enumerate(target.names)}
    config.problem_type = target.problem
    if getattr(config, "pad_token_id", None) is None:
        config.pad_token_id = tokenizer.pad_token_id
    for name in _DROPOUTS:
        if recipe.dropout is not None and hasattr(config, name):
            setattr(config, name, recipe.dropout)
    return config


def _loaded(maker: str, base: BaseEncoder, folder: Path, config: Any) -> Any:
    """Network with the encoder's weights from a folder."""
    network, lacking = load_network(
        folder, maker, base.parsed, dtype="float32", config=config, ignore_mismatched_sizes=True
    )
    prefix = f"{network.base_model_prefix}."
    bad = sorted(k for k in {*lacking} if k.startswith(prefix) and "pooler" not in k)
    if bad:
        raise ModelError(
            f"{base.source!r} lacks weights of its encoder ({', '.join(bad[:4])}), so there is "
            "no encoder to fine-tune."
        )
    return network


def _fresh_head(network: Any) -> frozenset[str]:
    """Initialize all parameters outside of the encoder; returns their names."""
    import torch

    prefix = f"{network.base_model_prefix}."
    spread = getattr(network.config, "initializer_range", 0.02)
    names = set()
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            if name.startswith(prefix):
                continue
            names.add(name)
            if parameter.dim() > 1:
                parameter.normal_(0.0, spread)
            elif name.endswith("bias"):
                parameter.zero_()
            else:
                parameter.fill_(1.0)  # the scale of a norm
    return frozenset(names)
