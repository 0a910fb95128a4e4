"""Diagnostics: the base class and its inputs; a diagnostic yields records, never a number."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    Protocol,
    TypeVar,
    get_args,
)

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.claim import Claim
from scrutiny.core.edit import Variant
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.plugin import PlugIn
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Prediction, Task

if TYPE_CHECKING:
    import numpy as np

P = TypeVar("P", contravariant=True)

#: Families that a contrast can subtract an estimate of.
Subtracted = Literal["null", "control", "base", "reference", "own"]
#: Pairing of the replicates of a family that is its own reference: itself;
#: the next one, each two once; or the one before it, whose next one it is.
OwnPairs = Literal["itself", "next", "before"]


@dataclass(frozen=True, slots=True)
class Selector:
    """Selection of records for one side of an estimate.

    ``condition`` must be contained in the record's; empty selects all. ``of`` is "own", or "base":
    the records of the family that the measured one was trained from.
    """

    role: str = "measured"
    condition: Mapping[str, object] = field(default_factory=dict)
    of: str = "own"


#: Between the name of a side and the number of a further draw of it.
DRAW: Final = "#"


def draws_of(
    side: str, role: str, conditions: Sequence[Mapping[str, object]]
) -> dict[str, Selector]:
    """Selectors of a side's draws, one for each condition; several draws are averaged.

    Examples
    --------
    >>> list(draws_of("after", "measured", [{"draw": 0}, {"draw": 1}]))
    ['after', 'after#1']
    """
    return {
        f"{side}{DRAW}{draw}" if draw else side: Selector(role, condition)
        for draw, condition in enumerate(conditions)
    }


@dataclass(frozen=True, slots=True)
class EstimateSpec:
    """Specification of a number to compute from records.

    Parameters
    ----------
    id
        Unique in the plan.
    metric
        Statistic by its versioned name.
    sides
        Records of each side. A statistic that needs "before.hit" has the side "before"; one that
        needs "hit" has the side "", which unless given is all measured records.
    fallback
        Side that stands in where a side's variant was skipped because nothing changed: makes
        "over all items" out of "over changed items".
    group
        Name of the items it is over.
    role, condition
        Its identity beside the metric; the condition is that of the main side unless given.
    unit
        Column of the items that is resampled as a whole ("item", or a ``u_*`` column).
    strata
        Column within which units are resampled, or None.
    where
        Slice that it is over, as it is written (``a_category = age``); empty for all items.
    at
        Places on axes of the measures, counted from 1 (``{"layer": 8, "head": 4}``). The statistic
        gets the rest of each measure, flattened. Without fallback.
    along
        Axes along which it is computed place by place, on the same draws: one estimate for each,
        with the place in its condition and behind its id (``f1/layer=8/head=4``).
    beside
        Other datasets of the same measurement whose items it is over as well. Resampling keeps to
        each dataset; statistics with ``cells = ("dataset",)`` keep them apart.
    presupposes
        Other estimates of the design, each with the value that it must have at least: below it
        this one is ``refused``, and has no value.
    """

    id: str
    metric: str
    sides: Mapping[str, Selector] = field(default_factory=lambda: {"": Selector()})
    fallback: Mapping[str, str] = field(default_factory=dict)
    group: str = "all"
    role: str = "measured"
    condition: Mapping[str, object] = field(default_factory=dict)
    unit: str = "item"
    strata: str | None = None
    where: str = ""
    at: Mapping[str, int] = field(default_factory=dict)
    along: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    presupposes: tuple[tuple[str, float], ...] = ()

    @classmethod
    def of(
        cls,
        id: str,
        metric: str,
        condition: Mapping[str, object],
        *,
        role: str = "measured",
        **stated: Any,
    ) -> "EstimateSpec":
        """Specification with one side: the records of its own role and condition."""
        sides = {"": Selector(role, condition)}
        return cls(id, metric, sides, role=role, condition=condition, **stated)


@dataclass(frozen=True, slots=True)
class ContrastSpec:
    """Difference of two estimates: of this family minus another, usually its control family.

    Parameters
    ----------
    id
        Unique in the design; components of claims name it.
    a, b
        Identifiers of specifications of this design: the family's own, and the one that is read
        off the other family's records. Usually the same.
    minus
        Family that ``b`` is of: this one's "null" (untrained replicates) or "control"; its "base",
        which it was trained from; the "reference" beside itself, where the measurement has it among
        its models; or its "own", replicate by replicate. Where the plan has none, the contrast does
        not exist, and claims that need it are undecided.
    is_paired
        Whether replicates of both families belong together where they have the same names.
    exact_at
        Share of misses that its claims are about: of a share whose other side misses nothing, the
        interval is then the exact one of the misses. None for the usual interval.
    """

    id: str
    a: str
    b: str
    minus: Subtracted = "null"
    is_paired: bool = False
    exact_at: float | None = None

    @classmethod
    def untrained(cls, names: Iterable[str]) -> Iterator["ContrastSpec"]:
        """Differences of estimates from the same of untrained networks."""
        for name in names:
            yield cls(f"untrained/{name}", name, name)


@dataclass(frozen=True, slots=True)
class Design:
    """Plan of a diagnostic, known before the first query: conditions, estimates, claims, cost.

    Parameters
    ----------
    conditions
        Conditions that vary within the run, in record order.
    estimates, claims
        Default estimates and claims, which the plan may override.
    queries_per_item
        Model calls for each item and replicate, at most.
    search_per_item
        Model calls of the reference for each item while variants are prepared, at most.
    notes
        Sentences for "how this was measured".
    families
        What the claims of a family say together, for the first line of a report: "changes hurt
        it more than random change does". By the family's name.
    contrasts
        Differences from a control family.
    """

    conditions: tuple[Mapping[str, object], ...] = ()
    estimates: tuple[EstimateSpec, ...] = ()
    claims: tuple[Claim, ...] = ()
    queries_per_item: int = 1
    notes: tuple[str, ...] = ()
    families: Mapping[str, str] = field(default_factory=dict)
    contrasts: tuple[ContrastSpec, ...] = ()
    search_per_item: int = 0


@dataclass(frozen=True, slots=True)
class DataShape:
    """Properties of a dataset that a design may use.

    Parameters
    ----------
    name
        Its name in the plan.
    n_items
        How many items it has.
    columns
        How many items have each value of each column (``{"a_category": {"age": 87}}``), in the
        order of appearance; columns of many values are left out.
    chance
        The score that needs no skill on it.
    labels
        Its labels, in order; empty where answers are none.
    languages
        Languages of its texts.
    beside
        Datasets of the same task that come after it in the measurement.
    """

    name: str
    n_items: int
    columns: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    chance: float = 0.0
    labels: tuple[str, ...] = ()
    languages: frozenset[str] = frozenset()
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubjectShape:
    """Properties of a family of models that a design may use.

    Parameters
    ----------
    name
        Its name in the plan.
    capabilities
        Its capabilities; "samples" means that its probabilities are frequencies of
        some samples.
    n_layers
        How many of its layers have vectors or attention that can be had, or 0.
    n_heads
        How many heads a layer has, or 0.
    n_replicates
        How many replicates it has.
    unscored
        Why its answers cannot be compared with gold ones, or empty.
    """

    name: str
    capabilities: frozenset[str] = frozenset()
    n_layers: int = 0
    n_heads: int = 0
    n_replicates: int = 1
    unscored: str = ""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Inputs of a design: the task, the data's shape and the models' declarations.

    Parameters
    ----------
    task, data, subject
        Measured family of models, and the dataset.
    reference
        The family that it is measured beside, equal to ``subject`` where it is its own reference;
        None where the measurement names none.
    base
        Name of the family that this one was trained from, if the same measurement has it.
    controls
        Roles of the families that are there for it to be compared with.
    is_audit
        Whether an audit asks, which leaves out what cannot be measured; a plan is refused.
    """

    task: Task
    data: DataShape
    subject: SubjectShape
    reference: SubjectShape | None = None
    base: str = ""
    controls: frozenset[str] = frozenset()
    is_audit: bool = False

    @property
    def is_self(self) -> bool:
        """Whether the family is its own reference."""
        return self.subject == self.reference

    @property
    def second(self) -> SubjectShape:
        """Reference model, which designs with ``wants_reference`` always have.

        Raises
        ------
        ValueError
            Where the measurement names none.
        """
        if self.reference is None:
            raise ValueError("a diagnostic without wants_reference has no second model")
        return self.reference


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
        start = (item, variant, self.role, self.condition)
        if isinstance(found, Failure):
            return Row(*start, found.status, found.reason, None)
        return Row(*start, "ok", None, tuple(map(float, found)))


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
        """Answers of the reference to queries of `scrutiny.core.queries.language`."""


class Context(Protocol):
    """Services for a diagnostic while it prepares and measures.

    ``reference`` is the second model, where the measurement names one; it can be asked while
    variants are prepared, too, when there is no ``model`` yet.
    """

    task: Task
    seed: int
    reference: Reference | None

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
        are kept as outputs under item and variant. ``draw`` counts how often the same was asked
        before; such answers are not kept as outputs.
        """

    def ask(self, capability: str, queries: Sequence[Any]) -> list[Any | Failure]:
        """Answers of the cell's model to queries of `scrutiny.core.queries.language`.

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
    """Reference model, which measurements with ``wants_reference`` always have.

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
    tasks
        Tasks that it applies to; empty for any.
    measures
        Measures of its records; if empty, those of the task.
    scope
        ``item`` where items can be measured apart from each other.
    wants_reference
        Whether it compares each model with a second one.
    pairs_apart
        Whether a family that is its own reference compares each replicate with the next one and not
        with itself.
    nulls
        How many untrained replicates it wants as its second null.
    presupposes
        Diagnostics whose estimates its claims' ``competence`` names, each with the data of its
        own: ``{"competence@1": "builtin:agreement"}``.
    audit_data
        Built-in data that an audit measures it on where the user's are of no task that it applies
        to.
    tolerates
        Parameters that are margins, each with the metric whose tolerance it is in an audit: empty
        for the score of the task.
    asks_other_texts
        Whether it queries models with texts other than the items: changed texts. An audit leaves
        it out for models that can only be asked about the items.
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
    tasks: ClassVar[frozenset[str]] = frozenset()
    measures: ClassVar[tuple[Measure, ...]] = ()
    scope: ClassVar[Literal["item", "dataset"]] = "item"
    wants_reference: ClassVar[bool] = False
    pairs_apart: ClassVar[bool] = False
    nulls: ClassVar[int] = 0
    presupposes: ClassVar[Mapping[str, str]] = {}
    audit_data: ClassVar[str] = ""
    tolerates: ClassVar[Mapping[str, str]] = {}
    asks_other_texts: ClassVar[bool] = False
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
