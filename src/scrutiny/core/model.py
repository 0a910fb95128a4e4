"""Models: base class, wrappers, families and replicates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, runtime_checkable

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction, Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scrutiny.core.columns.item_columns import ItemColumns

M = TypeVar("M", bound="ModelAround")


@dataclass(frozen=True, slots=True)
class Replicate:
    """Member of a family of models: the string that loads it, and its factors.

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
        """Canonical JSON of the random factors; None for a single model."""
        return canonical_json(dict(self.random)) if self.random else None


@dataclass(frozen=True, slots=True)
class Family:
    """Family: all replicates of one recipe, under a name of the plan.

    ``role`` is ``measured``, or the kind of control that the family is.
    """

    name: str
    source: str
    replicates: tuple[Replicate, ...]
    role: str = "measured"


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Options of loading and running a model; not part of the model's identity.

    ``batch`` is a number of examples or "auto"; ``options`` come from ``-M key=value``.
    """

    device: str = "auto"
    batch: int | str = "auto"
    options: Mapping[str, str] = field(default_factory=dict)


@runtime_checkable
class PlainModel(Protocol):
    """Protocol with the seven members that every model has.

    Use this to check whether an object is a model. An object that has these and does not
    subclass `Model` is put into one where it enters (`as_model`).

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
        Capabilities: ``predict``, ``varies`` (the same text asked again may get another answer),
        ``no_probabilities`` (it answers with labels alone), and the names of the queries of
        `scrutiny.core.queries`.
    """

    source: str
    task: str
    labels: tuple[str, ...]
    is_batch_invariant: bool
    capabilities: frozenset[str]

    def fingerprint(self) -> str | None:
        """Digest of everything that changes an answer; None if unknown (answers are not cached).

        Weights, configuration, tokenizer, adapter version, dtype, device type, attention
        implementation, truncation, template.
        """

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """One prediction for each example, in order.

        Raises
        ------
        ModelError
            If the model answers in a shape that its task does not allow.
        """


#: Names of the members of every model.
MEMBERS: Final = (*PlainModel.__annotations__, "fingerprint", "predict")


class Model(PlainModel):
    """Base class of loaded models: required members, and optional ones with defaults.

    Attributes
    ----------
    n_samples
        Number of samples behind its probabilities; None if they are exact.
    has_stored_answers_only
        Whether it looks its answers up by item, so that no other text can be asked.
    answers_other_texts
        Whether it can be asked about other texts than the items of the data: changed ones.
    is_of_the_user
        Whether nothing is promised of its batches, so that they may be as small as its pace wants.
    gives_answers
        Whether it answers tasks that must be answered; an encoder without a head has vectors alone.
    n_layers
        Layers above the embeddings whose vectors can be had; 0 where none can.
    attention_shape
        Layers and heads; ``(0, 0)`` where there is attention that cannot be had, and nothing where
        there is none to speak of.
    is_causal
        Whether nothing is attended to that comes later.
    limit
        Longest sequence in tokens, or None.
    unscored
        Why its answers are neither right nor wrong by the task's gold answers, so that only what it
        changes can be counted: its labels are those of another scheme. Empty for most models.
    """

    source: str
    task: str
    labels: tuple[str, ...] = ()
    is_batch_invariant: bool = False
    capabilities: frozenset[str]
    n_samples: int | None = None
    has_stored_answers_only: bool = False
    answers_other_texts: bool = True
    is_of_the_user: bool = False
    gives_answers: bool = True
    n_layers: int = 0
    attention_shape: tuple[int, int] | None = None
    is_causal: bool = False
    limit: int | None = None
    unscored: str = ""

    def fingerprint(self) -> str | None:
        """None by default: answers are not cached unless a model states what they depend on."""
        return None

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Raise by default: a model without the capability ``predict`` has no labels.

        Raises
        ------
        ModelError
            Always.
        """
        raise ModelError(
            f"{self.source!r} was loaded for the task {self.task}; it has no labels to predict. It "
            f"can be asked for: {', '.join(sorted(self.capabilities)) or 'nothing'}."
        )

    def truncated(self, examples: Sequence[Example]) -> int:
        """Number of examples that are longer than the model reads; 0 by default.

        It answers them by their first tokens.
        """
        return 0

    def batches(self, examples: Sequence[Example]) -> list[list[int]] | None:
        """Indices of the examples in each batch; None if the model does not say.

        Asked for one of these batches by itself it gives the same answers to the last digit.
        """
        return None


def n_samples_of(model: Model) -> int | None:
    """Number of samples behind a model's probabilities; None if they are exact."""
    return model.n_samples or None


@runtime_checkable
class KnowsTrainingText(Protocol):
    """Model with known training text, as hashes of its letters."""

    def training_hashes(self) -> Any:
        """Sorted ``uint64`` hashes of the letters of every training sentence."""


@runtime_checkable
class AnswersOneByOne(Protocol):
    """Model that says itself which of its answers cannot be used; nothing is asked twice."""

    def answers_or_failures(self, examples: Sequence[Example]) -> list[Any]:
        """Prediction for each example, in order, or a `scrutiny.core.diagnostic.Failure`."""


@runtime_checkable
class AnswersInColumns(Protocol):
    """Model that has a table of answers to plain items."""

    def answer_codes(
        self, items: "ItemColumns", start: int, stop: int
    ) -> "NDArray[np.int64] | None":
        """Code ``(item,)`` of the answer to each of these items; those of one code are equal.

        None where it has to be asked item by item.
        """


class ModelAround(Model):
    """Model that delegates to another; `around` gives it the other's members.

    Whatever is declared has a default on `Model`, which would stand before what the other has; and
    from Python 3.12 on, ``isinstance`` of a protocol looks members up without ``__getattr__``. The
    capabilities of a model are therefore in its class, which is made for each model.

    Parameters
    ----------
    model
        Any object with the seven members of a model.
    """

    def __init__(self, model: PlainModel) -> None:
        self._model = model


def around(kind: type[M], model: PlainModel) -> type[M]:
    """Subclass of `ModelAround` with a property for each public member of a model that it lacks.

    Its own are those that the class itself states, annotated ones among them.
    """
    own = {*vars(kind), *kind.__annotations__}
    members = {
        name: property(attrgetter(f"_model.{name}"))
        for name in {*dir(model), *MEMBERS}
        if not name.startswith("_") and name not in own
    }
    return type(kind.__name__, (kind,), {"__module__": kind.__module__, **members})


def as_model(given: PlainModel) -> Model:
    """The base class `Model` around any object with its members; unchanged if it subclasses it."""
    return given if isinstance(given, Model) else around(ModelAround, given)(given)


def capabilities_of(model: Model, task: Task) -> frozenset[str]:
    """Capabilities of a model, stated or detected.

    A model loaded for a task that must be answered can be asked for answers.
    """
    known = {"training_hashes"} if isinstance(model, KnowsTrainingText) else set()
    if model.n_samples:
        known.add("samples")
    answers = {"predict"} if task.must_be_answered and model.gives_answers else set()
    return model.capabilities | known | answers
