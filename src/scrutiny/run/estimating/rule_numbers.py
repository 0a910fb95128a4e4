"""Numbers of a finished run that a rule of a gate may select."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.estimate import DRAW, EstimateKey, of_all_draws
from scrutiny.core.expressions import names_metric
from scrutiny.core.slice_syntax import slice_of_values
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.metrics import metric_name
from scrutiny.reliability.written_metrics import Rule
from scrutiny.run.estimating.estimator import Estimator
from scrutiny.run.planning.assignment import Assignment, PlannedContrast, assignments_of, from_json
from scrutiny.run.planning.plan_slices import contrast_over, over
from scrutiny.store.run_folder import RunFolder


def _contrasts_of(folder: RunFolder) -> list[PlannedContrast]:
    """Contrasts that a finished run has computed."""
    return [
        PlannedContrast(**{**pair, "a": from_json(pair["a"]), "b": from_json(pair["b"])})
        for pair in folder.manifest.get("contrasts", ())
    ]


def numbers_of_run(folder: RunFolder) -> "list[RuleNumber]":
    """All numbers that a rule may select."""
    return [
        *(
            RuleNumber(a.spec.id, a, a.measure)
            for whole in assignments_of(folder)
            for a in _at(whole)
        ),
        *(RuleNumber(c.id, c, c.a.measure) for c in _contrasts_of(folder)),
    ]


def _at(assignment: Assignment) -> Iterator[Assignment]:
    """Assignment at each index of its axes; else the assignment itself."""
    spec = assignment.spec
    if not spec.along:
        yield assignment
        return
    for place in assignment.places:
        name = "/".join([spec.id, *(f"{axis}={n}" for axis, n in place.items())])
        yield replace(assignment, spec=replace(spec, id=name, at=place, along=()))


@dataclass(frozen=True, slots=True)
class RuleNumber:
    """Estimate or difference that a rule may select, with its measurement."""

    id: str
    of: Assignment | PlannedContrast
    measure: str

    @property
    def key(self) -> EstimateKey:
        """Identity of the number."""
        return self.of.key

    def over(self, where: str) -> "RuleNumber":
        """The number on the items of a slice."""
        made: Assignment | PlannedContrast = (
            contrast_over(self.of, where)
            if isinstance(self.of, PlannedContrast)
            else over(self.of, where)
        )
        return RuleNumber(f"{self.id}/{where}", made, self.measure)

    def each(self, axis: str, estimator: Estimator) -> "Iterator[RuleNumber]":
        """The number for each value of an axis; itself if it is of one value already."""
        if axis in self.where:
            yield self
            return
        for value in estimator.slices.of(self.key.dataset).values(axis):
            yield self.over(slice_of_values({axis: value}))

    def is_kept(self, named: Collection[str]) -> bool:
        """Whether the run stores its draws: along axes, only where a claim names it."""
        at = isinstance(self.of, Assignment) and self.of.spec.at
        return not at or self.id in named

    def estimate(self, estimator: Estimator) -> Estimated:
        """Estimate of the number."""
        if isinstance(self.of, PlannedContrast):
            return estimator.contrast(self.of)
        return estimator.estimate(self.of)

    def is_named(self, name: str) -> bool:
        """Whether it belongs to a named estimate of the plan."""
        is_designed = self.id.startswith(f"{self.measure}/{self.key.subject}")
        return self.id == name or (self.id.startswith(f"{name}/") and not is_designed)

    @property
    def where(self) -> dict[str, object]:
        """Names and values that a rule may select it by."""
        reference = {} if self.key.reference is None else {"reference": self.key.reference}
        places = {"subject": self.key.subject, "dataset": self.key.dataset}
        return {**places, **reference, **self.key.condition}

    @property
    def said(self) -> str:
        """Its condition, in words."""
        if isinstance(self.of, PlannedContrast) and self.of.is_of_slices:
            minus = f" on {self.of.a.spec.group} minus {self.of.b.spec.group}"
        else:
            is_minus = isinstance(self.of, PlannedContrast) and not self.of.how
            between = " minus " if is_minus else " beside "
            is_alone = self.key.reference in (None, self.key.subject)
            minus = "" if is_alone else f"{between}{self.key.reference}"
        parts = [f"{name} {value}" for name, value in self.key.condition.items()]
        parts += [self.key.group] * (not minus and self.key.group not in ("all", "changed"))
        return ", ".join([self.key.subject + minus, self.key.dataset, *parts])


def picked(rule: Rule, text: str, known: Sequence[RuleNumber], group: str) -> list[RuleNumber]:
    """Numbers that a rule selects."""
    named = [number for number in known if number.is_named(rule.metric)]
    if named:
        found = [number for number in named if rule.fits(rule.metric, number.where)]
    else:
        found = _of_metric(rule, known)
    in_group = [number for number in found if number.key.group == group] or found
    if DRAW not in rule.where:
        in_group = of_all_draws(in_group, lambda number: number.key)
    if not in_group:
        conditions = sorted({f"{k}={v}" for number in known for k, v in number.where.items()})
        raise PlanError(
            f"No estimate of this run fits the rule {text!r}; conditions are "
            f"{', '.join(conditions[:12]) or 'none'}."
        )
    return in_group


def _of_metric(rule: Rule, known: Sequence[RuleNumber]) -> list[RuleNumber]:
    """Numbers of the metric that a rule names.

    Raises
    ------
    UnknownNameError
        If there is no such metric, or the run has not computed it.
    """
    metrics = sorted({number.key.metric for number in known})
    if not any(names_metric(rule.metric, m) for m in metrics):
        metric_name(rule.metric)
        raise UnknownNameError("metric in this run", rule.metric, metrics)
    fitting = [number for number in known if rule.fits(number.key.metric, number.where)]
    # the level of the originals is a baseline beside drops, and differences stand beside the levels
    # that they are made of: each is meant where nothing before it is
    by_role = (
        [n for n in fitting if n.key.role == r] for r in ("measured", "baseline", "contrast")
    )
    return next(filter(None, by_role), [])
