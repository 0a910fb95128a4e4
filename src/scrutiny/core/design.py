"""Designs: what a diagnostic plans before the first query, and what it plans by."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Final, Generic, Literal, TypeVar

from scrutiny.core.claim import Claim, Component
from scrutiny.core.example import Example, SuiteTest
from scrutiny.core.task import Task

#: Families that a contrast can subtract an estimate of.
Subtracted = Literal["null", "control", "base", "reference", "exchanged", "own"]


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
#: Side of the items as they are, which stands in for one that nothing changed.
BEFORE: Final = "before"
#: Roles of the sides that follow from an estimate; empty for its own.
_ROLES: Final = {"": "", "after": "", BEFORE: "baseline", "control": "control"}


@dataclass(frozen=True, slots=True)
class EstimateSpec:
    """Estimate of a design: a metric in a condition, computed from records.

    What it reads follows from the metric. One that needs "hit" reads the records of the estimate's
    own role and condition; of ``drop``, "after" does, and "before" reads the items as they are; of
    ``excess`` and ``beyond``, "control" reads the controls in the same condition. Where the group
    is "all", an item that a change left as it was counts with what was measured before.

    Parameters
    ----------
    id
        Unique in the design.
    metric
        Metric by its versioned name.
    condition
        Condition of the records, and of the estimate.
    role
        Role of the records, and of the estimate.
    group
        Name of the items it is over.
    sides
        Records of a side that reads others, by its name: the side of "before.hit" is "before", that
        of "hit" is "".
    fallback
        Side that stands in where a side's variant was skipped because nothing changed: makes
        "over all items" out of "over changed items". None: that follows from the metric.
    draws
        How many draws it is the mean of, each with its number as ``draw`` in its condition.
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
    condition: Mapping[str, object] = field(default_factory=dict)
    _: KW_ONLY
    role: str = "measured"
    group: str = "all"
    sides: Mapping[str, Selector] = field(default_factory=dict)
    fallback: Mapping[str, str] | None = None
    draws: int = 1
    unit: str = "item"
    strata: str | None = None
    where: str = ""
    at: Mapping[str, int] = field(default_factory=dict)
    along: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    presupposes: tuple[tuple["EstimateSpec", float], ...] = ()

    def reading(self, sides: Iterable[str]) -> "EstimateSpec":
        """Estimate with everything stated that follows from its metric.

        Parameters
        ----------
        sides
            Sides of which the metric needs measures.

        Examples
        --------
        >>> drop = EstimateSpec("d", "drop(accuracy)@1", {"change": "typos"})
        >>> found = drop.reading(["before", "after"])
        >>> found.sides["before"].role, found.sides["after"].condition, found.fallback
        ('baseline', {'change': 'typos'}, {'after': 'before'})
        """
        needed = dict.fromkeys(sides)
        fallback = self.fallback
        if fallback is None:
            is_over_all = BEFORE in needed and self.group == "all"
            fallback = {name: BEFORE for name in needed if name != BEFORE} if is_over_all else {}
        own = {
            name: selector
            for stem in (*needed, *fallback.values())
            if stem in _ROLES and stem not in self.sides
            for name, selector in self._side(stem)
        }
        return replace(self, sides={**own, **self.sides}, fallback=fallback)

    def _side(self, name: str) -> Iterator[tuple[str, Selector]]:
        """Records of a side that states none, a selector for each draw."""
        role = _ROLES[name] or self.role
        if name == BEFORE or self.draws == 1:
            yield name, Selector(role, {} if name == BEFORE else self.condition)
            return
        for draw in range(self.draws):
            end = f"{DRAW}{draw}" if draw else ""
            yield f"{name}{end}", Selector(role, {**self.condition, "draw": draw})


#: Name of an estimate in a design, or the estimate itself.
Named = TypeVar("Named")


@dataclass(frozen=True, slots=True)
class Contrast(Generic[Named]):
    """One number of two estimates: ``a - b``, or a metric of both.

    Parameters
    ----------
    id
        Unique in the design or the plan; components of claims name it.
    a, b
        The estimates: the second is subtracted.
    is_paired
        Whether the replicates of both sides belong together where they have the same names.
    exact_at
        Share of misses that its claims are about: of a share whose other side misses nothing, the
        interval is then the exact one of the misses. None for the usual interval.
    how
        "-" or "/" between two metrics, or the name of a metric of both sides' measures; empty for
        one metric of two selections.
    """

    id: str
    a: Named
    b: Named
    is_paired: bool = False
    exact_at: float | None = None
    how: str = ""


@dataclass(frozen=True, slots=True)
class ContrastSpec(Contrast[str]):
    """Difference of two estimates of a design: of this family minus another, usually its control.

    ``a`` and ``b`` are identifiers of estimates of this design, the family's own and the one that
    is read off the other family's records; usually the same.

    Parameters
    ----------
    minus
        Family that ``b`` is of: this one's "null" (untrained replicates) or "control"; its "base",
        which it was trained from; the "reference" beside itself, where the measurement has it among
        its models; the reference beside this family ("exchanged"), where another measurement of the
        plan goes that way (`Inputs.is_first_way`); or its "own", replicate by replicate. Where the
        plan has none, the contrast does not exist, and claims that need it are undecided.
    """

    minus: Subtracted = "null"

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
    left_out
        Sentences about what an audit would ask of other data, and why it does not ask it of these.
    """

    conditions: tuple[Mapping[str, object], ...] = ()
    estimates: tuple[EstimateSpec, ...] = ()
    claims: tuple[Claim, ...] = ()
    queries_per_item: int = 1
    notes: tuple[str, ...] = ()
    families: Mapping[str, str] = field(default_factory=dict)
    contrasts: tuple[ContrastSpec, ...] = ()
    search_per_item: int = 0
    left_out: tuple[str, ...] = ()


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
        Languages of its texts; ``und`` where they could not be told.
    beside
        Datasets of the same task that come after it in the measurement.
    tests
        Tests of a suite; empty for other data.
    has_training
        Whether the plan names the training set that belongs to it (`Context.training`).
    items, training
        Its items, and those of that training set: for designs whose conditions follow from right
        answers, and read only then.
    fields
        Names of the text fields that its items have.
    """

    name: str
    n_items: int
    columns: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    chance: float = 0.0
    labels: tuple[str, ...] = ()
    languages: frozenset[str] = frozenset()
    beside: tuple[str, ...] = ()
    tests: tuple[SuiteTest, ...] = ()
    has_training: bool = False
    items: Callable[[], Sequence[Example]] = field(default=tuple, compare=False, repr=False)
    training: Callable[[], Sequence[Example]] = field(default=tuple, compare=False, repr=False)
    fields: tuple[str, ...] = ()


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
    is_first_way
        Whether a later measurement of the plan is the same with family and reference exchanged.
    """

    task: Task
    data: DataShape
    subject: SubjectShape
    reference: SubjectShape | None = None
    base: str = ""
    controls: frozenset[str] = frozenset()
    is_audit: bool = False
    is_first_way: bool = False

    @property
    def is_self(self) -> bool:
        """Whether the family is its own reference."""
        return self.subject == self.reference

    def beyond_untrained(
        self, estimate: str, limit: float, *, operator: str = ">"
    ) -> Iterator[Component]:
        """Component for the difference from untrained networks, if there are any."""
        if "null" in self.controls:
            yield Component(f"untrained/{estimate}", limit, "control: untrained", operator)

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
