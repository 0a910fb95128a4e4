"""What can be asked of a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.errors import ModelError
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
class PlainModel(Protocol):
    """The seven members that any model has, whatever it subclasses.

    Who asks whether something is a model asks for this. An object that has these and does not
    subclass `Model` is put into one where it enters (`scrutiny.core.model_around.as_model`).

    Attributes
    ----------
    source
        Model string.
    task
        Name of the task that it answers.
    labels
        Classes in the order of the scores.
    is_batch_invariant
        Whether it promises bit-equal answers in any batch.
    capabilities
        What it can be asked: ``predict``, and the names of the queries of `scrutiny.core.queries`.
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


#: Names of what any model has.
MEMBERS: Final = (*PlainModel.__annotations__, "fingerprint", "predict")


class Model(PlainModel):
    """A loaded model: what any has, and what it may have beside, with a default.

    Attributes
    ----------
    n_samples
        Samples that its probabilities are frequencies of; nothing where they are exact.
    has_stored_answers_only
        Whether it looks its answers up by item, so that no other text can be asked.
    is_of_the_user
        Whether nothing is promised of its batches, so that they may be as small as its pace wants.
    n_layers
        Layers above the embeddings whose vectors can be had; 0 where none can.
    attention_shape
        Layers and heads; ``(0, 0)`` where there is attention that cannot be had, and nothing where
        there is none to speak of.
    is_causal
        Whether nothing is attended to that comes later.
    limit
        Most tokens of one sequence, or nothing.
    """

    source: str
    task: str
    labels: tuple[str, ...] = ()
    is_batch_invariant: bool = False
    capabilities: frozenset[str]
    n_samples: int | None = None
    has_stored_answers_only: bool = False
    is_of_the_user: bool = False
    n_layers: int = 0
    attention_shape: tuple[int, int] | None = None
    is_causal: bool = False
    limit: int | None = None

    def fingerprint(self) -> str | None:
        """Nothing, unless it says what its answers depend on: then they are not kept."""
        return None

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Refuse: a model without the capability ``predict`` has no labels.

        Raises
        ------
        ModelError
            Always.
        """
        raise ModelError(
            f"{self.source!r} was loaded for the task {self.task}; it has no labels to predict. It "
            f"can be asked for: {', '.join(sorted(self.capabilities)) or 'nothing'}."
        )

    def batches(self, examples: Sequence[Example]) -> list[list[int]] | None:
        """Indices of the examples that it asks together, or nothing where it does not say.

        Asked for one of these batches by itself it gives the same answers to the last digit.
        """
        del examples
        return None


def n_samples_of(model: Model | None) -> int | None:
    """Samples that a model's probabilities are frequencies of; nothing if they are exact."""
    return None if model is None else model.n_samples or None


@runtime_checkable
class KnowsTrainingText(Protocol):
    """A model whose training text we know of, as hashes of its letters."""

    def training_hashes(self) -> Any:
        """Sorted ``uint64`` hashes of the letters of every training sentence."""
        ...
