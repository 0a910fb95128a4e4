"""Base encoders of a fine-tuning: the one behind a model string, or each member of a family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from scrutiny.core.boundary.canonical import digest
from scrutiny.models.hf.checkpoint import Checkpoint, find_checkpoint
from scrutiny.models.strings.adapters import checkpoint_source
from scrutiny.models.strings.family import expand
from scrutiny.models.strings.lineage import FINE_TUNING, PRE_TRAINING, replicates_of
from scrutiny.models.strings.source import UNTRAINED, ModelSource, parse


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
    return tuple(
        _base(r.source, {**r.random, **r.condition}, tuple(r.random)) for r in family.replicates
    )


def _base(source: str, factors: Mapping[str, str], random: tuple[str, ...]) -> BaseEncoder:
    parsed = parse(source)
    init = None
    if parsed.scheme == UNTRAINED:
        init = parsed.options.get("seed", "0")
        parsed = replace(parse(parsed.target), text=source)
    checkpoint = find_checkpoint(checkpoint_source(parsed))
    return BaseEncoder(parsed, checkpoint, init, factors, random)
