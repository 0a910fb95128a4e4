"""Estimates: a number with its interval, its limits, its denominator and its identity."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeVar

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.expressions import OPERATORS
from scrutiny.core.plugin_base import family_name, unversioned, without_versions
from scrutiny.core.record import Counts

T = TypeVar("T")
#: Condition of a number of one draw among several.
DRAW: Final = "draw"
#: Conditions that say what is measured: another value of them is another quantity, no choice.
WHAT_IS_MEASURED: Final = frozenset({"property", "part", "asked", "beyond"})


@dataclass(frozen=True, slots=True)
class EstimateKey:
    """Identity of an estimate; numbers of two runs are paired by it.

    Parameters
    ----------
    diagnostic
        ``name@version#digest of the parameters``.
    metric
        Versioned name of the statistic.
    subject, reference
        Model families of the plan; the second for measures of two models.
    dataset
        Name of the dataset in the plan.
    replicate
        Canonical JSON of the random factors, or None for "over all replicates".
    role
        measured, control, null, baseline or contrast.
    condition
        Condition: factors that vary within the run.
    group
        The items it is over ("all", "changed", a slice).
    """

    diagnostic: str
    metric: str
    subject: str
    dataset: str
    reference: str | None = None
    replicate: str | None = None
    role: str = "measured"
    condition: Mapping[str, object] = field(default_factory=dict)
    group: str = "all"

    @property
    def is_relation(self) -> bool:
        """Whether it relates other estimates over replicates.

        Examples
        --------
        >>> EstimateKey("d@1", "m@1", "s", "x", condition={"of": "a", "with": "b"}).is_relation
        False
        """
        return self.role == "contrast" and self.condition.keys() in ({"of", "with"}, {"of"})

    @property
    def diagnostic_name(self) -> str:
        """Name of the diagnostic without version and digest."""
        return family_name(self.diagnostic)

    @property
    def metric_name(self) -> str:
        """Name of the metric without its version."""
        return unversioned(self.metric)

    @property
    def measured_condition(self) -> dict[str, str]:
        """Part of the condition that defines what is measured.

        Examples
        --------
        >>> key = EstimateKey("d@1", "m@1", "s", "x", condition={"part": "a", "layer": 1})
        >>> key.measured_condition
        {'part': 'a'}
        """
        return {n: str(v) for n, v in sorted(self.condition.items()) if n in WHAT_IS_MEASURED}

    def beside(
        self, other: "EstimateKey", *, how: str = "", is_of_slices: bool = False
    ) -> "EstimateKey":
        """Identity of this number minus another, or of two metrics with an operator between them.

        Conditions and datasets that differ are written ``x - y``. The reference is the second
        side's subject, and what both were measured beside is a condition; two metrics of one
        selection have none.

        Parameters
        ----------
        other
            Identity of the second side.
        how
            The operator, or the name of a metric of both, of which the second side is the subject;
            empty for the difference of one metric in two selections.
        is_of_slices
            Whether the sides are different slices: their groups are then written ``x - y``, too.
        """
        is_operator = how in OPERATORS
        one, two = (self, other) if is_operator or not how else (replace(other, metric=how), self)
        mine, theirs = (
            {**key.condition, **({} if key.reference is None else {"reference": key.reference})}
            for key in (one, two)
        )
        absent: Mapping[str, object] = {**theirs, **mine} if is_operator else {}
        condition = {}
        for name in dict.fromkeys([*mine, *theirs]):
            a, b = (side.get(name, absent.get(name, "none")) for side in (mine, theirs))
            condition[name] = a if a == b else f"{a} {how if is_operator else '-'} {b}"
        is_of_datasets = one.dataset != two.dataset
        return replace(
            one,
            metric=f"{one.metric} {how} {two.metric}" if is_operator else one.metric,
            dataset=f"{one.dataset} - {two.dataset}" if is_of_datasets else one.dataset,
            reference=None if is_operator else two.subject,
            role="contrast",
            condition=condition,
            group=f"{one.group} - {two.group}" if is_of_slices else one.group,
        )


def of_all_draws(numbers: Sequence[T], key: Callable[[T], EstimateKey]) -> list[T]:
    """Estimates without those of single draws, where the estimate over all draws is among them.

    Parameters
    ----------
    numbers
        Estimates, or what else has their keys.
    key
        The key of one.
    """
    whole = {str(_but_draw(key(one))) for one in numbers if DRAW not in key(one).condition}
    return [
        one
        for one in numbers
        if DRAW not in key(one).condition or str(_but_draw(key(one))) not in whole
    ]


def _but_draw(key: EstimateKey) -> EstimateKey:
    rest = {name: value for name, value in sorted(key.condition.items()) if name != DRAW}
    return replace(key, condition=rest)


@dataclass(frozen=True, slots=True, repr=False)
class Estimate:
    """Estimate: a value with its interval and its counts of rows.

    Parameters
    ----------
    key
        Its identity.
    value, low, high
        Point and interval; None unless the status is ``ok``.
    level
        Confidence level of the interval.
    method
        Name of the interval ("crossed@1", "multi-bootstrap@1", "wilson@1").
    counts
        Rows planned, by outcome.
    n_units
        Resampled units (items, or clusters of them).
    n_replicates
        Replicates that the interval speaks for.
    variance
        Parts of the variance of the value by source ("seeds", "items"), on the scale on which the
        interval was made; their sum is the variance.
    by_replicate
        Value of each replicate, by its canonical JSON.
    across
        How replicate-level estimates agree, by name (`scrutiny.reliability.replicates`);
        for a test, what it rests on.
    resample_id
        Two estimates' draws may be subtracted only if they share it.
    status, reason
        ``ok``, or why there is no value.
    denominator
        What the value was divided by where that is not every row measured (attacked items, pairs
        of texts): the mean over replicates. None if it is ``counts.n``.
    """

    key: EstimateKey
    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    counts: Counts
    n_units: int
    n_replicates: int = 1
    variance: Mapping[str, float] = field(default_factory=dict)
    by_replicate: Mapping[str, float] = field(default_factory=dict)
    across: Mapping[str, float] = field(default_factory=dict)
    resample_id: str = ""
    status: str = "ok"
    reason: str | None = None
    denominator: float | None = None

    @property
    def divided_by(self) -> float:
        """Denominator of the value, printed next to it."""
        return self.counts.n if self.denominator is None else self.denominator

    @property
    def ends(self) -> tuple[float, float, float]:
        """Lower bound, value and upper bound; a bound that is missing is the value."""
        value = self.value or 0.0
        low = value if self.low is None else self.low
        high = value if self.high is None else self.high
        return low, value, high

    def within(self, ends: "tuple[float, float] | None") -> "Estimate":
        """The same value with other limits, or without any."""
        low, high = ends or (None, None)
        return replace(self, low=low, high=high)

    @property
    def is_fixed(self) -> bool:
        """Whether it is about these checkpoints only."""
        return self.n_replicates > 1 and self.method.startswith("items")

    def __repr__(self) -> str:
        """Metric, subject, dataset, value with interval, denominator of rows planned."""
        key = self.key
        named = "".join(f", {name}={value}" for name, value in key.condition.items())
        value = self.status if self.value is None else f"{self.value:.3f}"
        known = self.low is not None and self.high is not None
        interval = f" [{self.low:.3f}, {self.high:.3f}]" if known else ""
        said = f"{value}{interval}, {self.divided_by:.6g} of {self.counts.planned}"
        return f"<{key.metric} of {key.subject} on {key.dataset}{named}: {said}>"


def says(value: object, text: str) -> bool:
    """Whether a value of an estimate's condition is the written one; versions are optional.

    Examples
    --------
    >>> says("contraction@1+typos@12", "contraction+typos"), says(True, "true"), says(0, "0")
    (True, True, True)
    """
    full = written(value)
    return text in (full, without_versions(full))


def written(value: object) -> str:
    """Value of an estimate's condition, as rules and plans write it."""
    return value if isinstance(value, str) else canonical_json(value)


def fits(has: Mapping[str, object], where: Mapping[str, object]) -> bool:
    """Whether an estimate's properties match a selection, name by name."""
    return all(name in has and says(has[name], written(value)) for name, value in where.items())


#: Scopes of limits, the wider first: other seeds and items, or other items alone.
Spoken = Literal["recipe", "checkpoints"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a number that hold simultaneously with those of its family.

    Parameters
    ----------
    checkpoints
        Low and high for other items and these very checkpoints.
    recipe
        Low and high for other items and other seeds, at least as wide; None where too little is
        known of other seeds.
    n_rows
        Numbers that the family was planned with.
    detectable
        Distance between a true value and a threshold that 80 % of studies detect, in
        the wider scope.
    items_needed, seeds_needed
        Of a risk, so many items in place of those that there are, or so many seeds, would tell a
        cost as large as the tolerance in about 80 % of studies; None where neither is in reach.
    """

    checkpoints: tuple[float, float]
    recipe: tuple[float, float] | None
    n_rows: int
    detectable: float
    items_needed: int | None = None
    seeds_needed: int | None = None

    def of(self, spoken: Spoken) -> tuple[float, float] | None:
        """Low and high in a scope, or ``None``."""
        return self.recipe if spoken == "recipe" else self.checkpoints

    @property
    def widest(self) -> tuple[float, float]:
        """Low and high in the scope "this recipe", or "these checkpoints" without it."""
        return self.recipe or self.checkpoints
