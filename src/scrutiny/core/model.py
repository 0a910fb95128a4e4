"""What can be asked of a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction


@dataclass(frozen=True, slots=True)
class Replicate:
    """One member of a family of models: the string that loads it and its factors.

    Parameters
    ----------
    source
        Complete model string, no captures left.
    random
        Values of the random factors (``{"seed": "3"}``): replicates of one recipe.
    condition
        Values of the named captures that are not random (``{"step": "1000"}``).
    """

    source: str
    random: Mapping[str, str] = field(default_factory=dict)
    condition: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str | None:
        """Canonical JSON of the random factors, or nothing for a single model."""
        return canonical_json(dict(self.random)) if self.random else None


@dataclass(frozen=True, slots=True)
class Family:
    """All replicates of one recipe, under the name that the plan gives them.

    ``role`` is ``measured``, or what the family is there to control for.
    """

    name: str
    source: str
    replicates: tuple[Replicate, ...]
    role: str = "measured"
    nested: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How to load and run a model: none of it is part of what the model *is*.

    ``batch`` is a number of examples or "auto"; ``options`` come from ``-M key=value``.
    """

    device: str = "auto"
    batch: int | str = "auto"
    options: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class Model(Protocol):
    """A loaded model.

    ``labels`` are the classes in the order of the scores; ``task`` is the name of the task it
    answers; ``is_batch_invariant`` promises bit-equal answers in any batch. ``capabilities`` names
    the methods beyond `predict` that it has. A model whose probabilities are frequencies of some
    samples says how many in a further member, ``n_samples``; one that only looks answers up says
    ``has_stored_answers_only``. Both may be left out: `n_samples_of` and `has_stored_answers_only`
    are where they are asked for.
    """

    source: str
    task: str
    labels: tuple[str, ...]
    is_batch_invariant: bool
    capabilities: frozenset[str]

    def fingerprint(self) -> str | None:
        """Digest of everything that changes an answer, or nothing where it cannot be known.

        Weights, configuration, tokenizer, adapter version, dtype, device type, attention
        implementation, truncation, template.
        """
        ...

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """One prediction for each example, in order.

        Raises
        ------
        ModelError
            If the model answers in a shape that its task does not allow.
        """
        ...


def n_samples_of(model: Model | None) -> int | None:
    """Samples that a model's probabilities are frequencies of; nothing if they are exact."""
    return int(getattr(model, "n_samples", None) or 0) or None


def has_stored_answers_only(model: Model | None) -> bool:
    """Whether a model looks its answers up by item, so that no other text can be asked."""
    return bool(getattr(model, "has_stored_answers_only", False))


@runtime_checkable
class KnowsTrainingText(Protocol):
    """A model whose training text we know of, as hashes of its letters."""

    def training_hashes(self) -> Any:
        """Sorted ``uint64`` hashes of the letters of every training sentence."""
        ...
