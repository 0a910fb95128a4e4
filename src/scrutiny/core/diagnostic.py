"""Diagnostics: the base class and what it is given; it yields records, never a number."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    Protocol,
    SupportsFloat,
    TypeVar,
    get_args,
)

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.design import Design, Inputs
from scrutiny.core.edit import Variant
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import Facts
from scrutiny.core.model import Model
from scrutiny.core.plugin_base import PlugIn
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Prediction, Task

if TYPE_CHECKING:
    import numpy as np

P = TypeVar("P", contravariant=True)

#: Pairing of the replicates of a family that is its own reference: itself;
#: the next one, each two once; or the one before it, whose next one it is.
OwnPairs = Literal["itself", "next", "before"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One replicate on one dataset; the conditions within are in its rows.

    ``reference`` is the family that it is measured beside. ``replicate`` then is the pair's: the
    factors that both have, or those of the side that has any.
    """

    subject: str
    replicate: str | None
    dataset: str
    role: str = "measured"
    reference: str | None = None
    condition: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Batch:
    """Consecutive items with their variants, in plan order; the same for every replicate."""

    examples: tuple[Example, ...]
    variants: Mapping[str, tuple[Variant, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """Missing answer: a short stable code, the message for the log, and the status of its row."""

    reason: str
    message: str = ""
    status: str = "failed"


@dataclass(frozen=True, slots=True)
class RowKind:
    """Condition and role of records; ``condition`` is canonical JSON."""

    condition: str = "{}"
    role: str = "measured"

    @classmethod
    def of(cls, condition: Mapping[str, object], role: str = "measured") -> "RowKind":
        """Kind of the rows of a condition."""
        return cls(canonical_json(condition), role)

    def row(
        self, item: str, found: Iterable[float] | Failure, *, variant: str | None = None
    ) -> Row:
        """Row of an item or of its variant: its values, or why it has none."""
        role, condition = self.role, self.condition
        if isinstance(found, Failure):
            return Row(item, variant, role, condition, found.status, found.reason, None)
        return Row(item, variant, role, condition, "ok", None, tuple(map(float, found)))

    def named_row(
        self,
        item: str,
        measures: Iterable[Measure],
        found: Mapping[str, SupportsFloat | Sequence[float]] | Failure,
    ) -> Row:
        """Row of an item from values by name; measures that are not named are 0."""
        if isinstance(found, Failure):
            return self.row(item, found)
        values: list[float] = []
        for measure in measures:
            value = found.get(measure.name, 0.0)
            if isinstance(value, (float, int)) and not measure.axes:  # nearly always
                values.append(value)
            else:
                values += value if isinstance(value, Sequence) else [float(value)] * measure.size
        return self.row(item, values)


class Reference(Protocol):
    """Second model of a measurement, called through the same cache as the first.

    ``subject`` is its family in the plan, ``replicate`` the canonical JSON of its random factors;
    ``labels`` are in the data's words, in the order of its scores.
    """

    subject: str
    replicate: str | None
    model: Model
    labels: tuple[str, ...]

    def predict(
        self, examples: Sequence[Example], *, variants: Sequence[str | None] | None = None
    ) -> list[Prediction | Failure]:
        """Predictions of the reference: cached, batched, checked; failed calls are values."""

    def ask(self, capability: str, queries: Sequence[Any]) -> list[Any | Failure]:
        """Answers of the reference to queries of `scrutiny.core.queries`."""


class Context(Protocol):
    """Services for a diagnostic while it prepares and measures.

    ``reference`` is the second model, where the measurement names one; it can be asked while
    variants are prepared, too, when there is no ``model`` yet. ``languages`` are those of the whole
    dataset, as its design knows them; empty where nobody says. ``dataset`` has all its items while
    variants of some of them are prepared, or some of them are measured.
    """

    task: Task
    seed: int
    reference: Reference | None
    languages: frozenset[str]
    dataset: Sequence[Example]

    @property
    def training(self) -> Sequence[Example]:
        """Items of the training set that the plan names beside the data; empty where it has none.

        The same object for all batches of a dataset.
        """

    @property
    def model(self) -> Model:
        """Model of the cell, for capabilities beyond `predict`; not while variants are prepared."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The model's labels, named as in the data, in the order of the scores."""

    def predict(
        self,
        examples: Sequence[Example],
        *,
        variants: Sequence[str | None] | None = None,
        draw: int = 0,
    ) -> list[Prediction | Failure]:
        """Predictions of the cell's model: cached, batched, checked; failed calls are values.

        ``variants`` names the variant of each example, None for an original item; answers
        are kept as outputs under item and variant, but for those to another text than the item's
        that no variant names. ``draw`` counts how often the same was asked
        before; such answers are not kept as outputs.
        """

    def ask(self, capability: str, queries: Sequence[Any]) -> list[Any | Failure]:
        """Answers of the cell's model to queries of `scrutiny.core.queries`.

        Cached, batched, each distinct query once; a failing one is a value. ``model`` is asked
        directly for what is not cached: ``encode``, ``representations``.
        """

    def rng(self, purpose: str, name: str, item: str, draw: int = 0) -> "np.random.Generator":
        """Random generator for this name, the same for every model and replicate."""

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """Value of ``make()``, a JSON value, computed once per run."""

    def array(self, name: str, value: "np.ndarray[Any, Any]") -> None:
        """Store an array with the records."""


def reference_of(ctx: Context) -> Reference:
    """Reference of a `Context`, which a `Diagnostic` with ``wants_reference`` always has.

    Raises
    ------
    PlanError
        If there is none.
    """
    if ctx.reference is None:
        raise PlanError("This measurement compares a model with a reference: name one.")
    return ctx.reference


@dataclass(frozen=True, slots=True)
class NoParams:
    """Parameters of a diagnostic of which nothing can be set."""


class Diagnostic(PlugIn, ABC, Generic[P]):
    """Diagnostic: a kind of measurement; one folder or file each.

    Attributes
    ----------
    id
        Versioned name.
    Params
        Frozen dataclass of its parameters: the one in brackets behind its base class, or stated.
    needs
        Model capabilities it requires ("predict" included).
    wants
        Facts of the tasks that it applies to, of which any suffices; empty for any task.
    why_only
        Reason why it measures nothing else, in a clause that stands behind "for": in lists, and
        where an audit leaves it out. One without is left out without a word, unless it is named.
    measures
        Measures of its records; if empty, those of the task.
    scope
        ``item`` where items can be measured apart from each other.
    wants_reference
        Whether it compares each model with a second one.
    pairs_apart
        Whether a family that is its own reference compares each replicate with the next one and not
        with itself.
    over_seeds
        Diagnostic that compares each seed of a model with the next one: it is measured, too, where
        a model has several seeds. Empty for none.
    nulls
        How many untrained replicates it wants as its second null.
    presupposes
        Diagnostics whose estimates its claims' ``competence`` names, each with the data of its
        own: ``{"competence@1": "builtin:agreement"}``.
    audit_data
        Built-in data that an audit measures it on where the user's are of no task that it applies
        to.
    audit_asks
        Capabilities of which a model needs one for that; empty where any model will do.
    tolerates
        Parameters that are margins, each with the metric whose tolerance it is in an audit: empty
        for the score of the task.
    asks_other_texts
        Whether it queries models with texts other than the items: changed texts. An audit leaves
        it out for models that can only be asked about the items.
    searches
        Whether it searches, and asks a model hundreds of texts for one item. An audit for shipping
        leaves it out for models behind a URL, where each text costs.
    only_when_named
        Whether an audit leaves it out unless it is asked for by name, or by an option of its own:
        it asks every text many times.
    of_suites
        Whether it measures suites; an audit asks nothing else of them, and it of no other data.
    reads_answers_only
        Whether the row of an item depends on its gold answer and the model's alone, so that items
        with the same two have the same row.
    reads_gold
        Whether it compares answers with gold ones. Models whose labels are of another scheme are
        only measured by those that do without.
    varies
        Parameter that lists what it tries on the items: changes, attacks. A time budget keeps the
        first few of `variations`.
    stream
        Name of its random numbers where it has been renamed.
    """

    kind = "diagnostic"

    id: ClassVar[str]
    Params: ClassVar[type[Any]]
    needs: ClassVar[frozenset[str]] = frozenset()
    wants: ClassVar[tuple[Facts, ...]] = ()
    why_only: ClassVar[str] = ""
    measures: ClassVar[tuple[Measure, ...]] = ()
    scope: ClassVar[Literal["item", "dataset"]] = "item"
    wants_reference: ClassVar[bool] = False
    pairs_apart: ClassVar[bool] = False
    over_seeds: ClassVar[str] = ""
    nulls: ClassVar[int] = 0
    presupposes: ClassVar[Mapping[str, str]] = {}
    audit_data: ClassVar[str] = ""
    audit_asks: ClassVar[frozenset[str]] = frozenset()
    tolerates: ClassVar[Mapping[str, str]] = {}
    asks_other_texts: ClassVar[bool] = False
    searches: ClassVar[bool] = False
    only_when_named: ClassVar[bool] = False
    of_suites: ClassVar[bool] = False
    reads_answers_only: ClassVar[bool] = False
    reads_gold: ClassVar[bool] = True
    varies: ClassVar[str] = ""
    stream: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        bases = vars(cls).get("__orig_bases__", ())
        stated = [one for base in bases for one in get_args(base) if isinstance(one, type)]
        if stated and "Params" not in vars(cls):
            cls.Params = stated[0]

    def own_pairs(self, params: P) -> OwnPairs:
        """Pairing of replicates for a family that is its own reference."""
        return "next" if self.pairs_apart else "itself"

    def measured(self, task: Task) -> tuple[Measure, ...]:
        """Measures on this task: the declared ones, or the task's own.

        Axes of length 0 get the model's lengths.
        """
        return self.measures or task.measures

    def reads_training(self, params: P) -> bool:
        """Whether it needs the training set beside the data (`Context.training`).

        A plan without one is refused.
        """
        return False

    def lengths(self, params: P) -> Mapping[str, int]:
        """Lengths of its measures' axes that its parameters set."""
        return {}

    def audit_params(self, task: Task) -> Any:
        """Parameters of modest cost for an audit; the defaults unless overridden."""
        return {}

    def variations(self, params: P, inputs: Inputs) -> tuple[str, ...]:
        """Values of the parameter that ``varies`` names, the most useful first."""
        return tuple(getattr(params, self.varies)) if self.varies else ()

    def enough_items(self, n_rows: int) -> int:
        """Number of items below which a family of so many rows says too little to be asked."""
        return 50

    @abstractmethod
    def design(self, params: P, inputs: Inputs) -> Design:
        """Conditions, estimates, claims and cost; a pure function."""

    @abstractmethod
    def measure(self, params: P, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """Rows of these items in this cell, item by item."""


class ChangesTexts(Diagnostic[P]):
    """Diagnostic that changes texts before it queries models."""

    asks_other_texts = True

    @abstractmethod
    def prepare(self, params: P, examples: Sequence[Example], ctx: Context) -> Iterable[Variant]:
        """Variants of these items, created once for all models.

        With ``wants_reference`` it is called once for each replicate of the reference, which its
        variants then have to name.
        """


def applies(diagnostic: Diagnostic[Any], task: Task, capabilities: frozenset[str]) -> bool:
    """Whether a diagnostic can run on this task with such a model."""
    return fits(diagnostic, task) and diagnostic.needs <= capabilities


def fits(diagnostic: Diagnostic[Any], task: Task) -> bool:
    """Whether a diagnostic can measure items of this task."""
    return not diagnostic.wants or any(one.are_of(task.facts) for one in diagnostic.wants)
