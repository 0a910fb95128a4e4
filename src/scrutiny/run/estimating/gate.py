"""Gate: rules applied to a finished run, with the same verdicts as in the audit."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from scrutiny.core.boundary.canonical import canonical_json, plain
from scrutiny.core.claim import OF_ITSELF, Claim, Component, Finding
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.estimate import DRAW, Estimate, EstimateKey, of_all_draws
from scrutiny.core.expressions import names_metric
from scrutiny.core.slice_syntax import joined, slice_of_values
from scrutiny.reliability.asked import Asked, asked_of, partner
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.metrics import metric_name
from scrutiny.reliability.verdicts.claims import decide
from scrutiny.reliability.verdicts.families import counted
from scrutiny.reliability.verdicts.gate_rules import Rule, parse_rule
from scrutiny.run.estimating.estimates import Estimator, estimator_of
from scrutiny.run.estimating.untested import only_tested
from scrutiny.run.planning.assignment import Assignment, PlannedContrast, assignments_of, from_json
from scrutiny.run.planning.slicing import contrast_over, over, split_selector
from scrutiny.store.findings import claim_from_json
from scrutiny.store.run_folder import RunFolder


def _contrasts_of(folder: RunFolder) -> list[PlannedContrast]:
    """Contrasts that a finished run has computed."""
    return [
        PlannedContrast(**{**pair, "a": from_json(pair["a"]), "b": from_json(pair["b"])})
        for pair in folder.manifest.get("contrasts", ())
    ]


def gate_run(folder: RunFolder, rules: Sequence[str], *, group: str = "all") -> list[Finding]:
    """Finding of each rule; all estimates that it names must obey it.

    A number is judged by its limits in the family in which the run planned it: one of fifteen
    transformations has the limits of fifteen, whoever asks for it alone afterwards. Unless a rule
    says ``where``, it holds for every condition that has the metric. A difference is meant where
    the rule names the estimate of the plan that declares it, or says ``reference``; or where the
    run has nothing else of the metric.

    Parameters
    ----------
    folder
        The run.
    rules
        ``drop(accuracy) <= 0.05 where transformation=typos``; ``gain > 0`` of the plan's estimate
        ``gain``; ``accuracy >= -0.01 where reference=v1``; ``accuracy > .8 where length > 20``;
        ``gain(drop(accuracy)) <= 0`` of two models; and a gap of two slices,
        ``accuracy < .1 where negated minus not negated``.
    group
        Items that are meant: ``all`` or ``changed``.

    Raises
    ------
    PlanError, UnknownNameError
        If a rule cannot be read, or names a metric or condition that the run has not.
    """
    parsed = [parse_rule(rule) for rule in rules]
    if not parsed:
        raise PlanError("Say at least one rule, as in --rule 'drop(accuracy) <= 0.05', or --risks.")
    estimator, chosen = _chosen(folder, parsed, rules, group)
    wanted = {number.id: number for numbers in chosen for number in numbers}
    everything = {number.id: number for number in _numbers(folder)} | wanted
    planned = [claim_from_json(claim) for claim in folder.manifest.get("claims", ())]
    named = {c.estimate for claim in planned for c in claim.components}
    about = {number.of.family for number in wanted.values()}
    estimated = {
        name: number.estimate(estimator)
        for name, number in everything.items()
        if name in wanted or (number.of.family in about and number.is_kept(named))
    }
    claims = [
        Claim(
            id=f"rule: {text}",
            says=text,
            diagnostic="gate",
            components=tuple(
                Component(n.id, rule.limit, f"{OF_ITSELF}{n.said}", rule.operator[0])
                for n in numbers
            ),
            family="gate",
            checks=("items", "seeds"),
            post_hoc=True,
        )
        for rule, text, numbers in zip(parsed, rules, chosen, strict=True)
    ]
    families = counted({name: number.of.family for name, number in everything.items()}, planned)
    touching = {c.estimate: claim.coverage for claim in planned for c in claim.components}
    counts = {
        name: everything[name].estimate(estimator)
        for number in wanted
        for name in touching.get(number, ())
        if name in everything
    }
    found = decide(claims, estimated, families)
    of_run = folder.findings() if folder.has_verdicts_of_today else []
    return [*only_tested(found, estimated, touching, counts, of_run)]


def estimates_on(folder: RunFolder, rule: Rule, *, group: str = "all") -> list[Estimate]:
    """Estimates of a finished run that a rule's metric and ``where`` select.

    Raises
    ------
    PlanError, UnknownNameError
        As in `gate_run`.
    """
    text = f"{rule.metric} where {joined(slice_of_values(rule.where), rule.slice)}"
    estimator, (chosen,) = _chosen(folder, [rule], [text], group)
    return [number.estimate(estimator).estimate for number in chosen]


def names_slice(folder: RunFolder, names: Collection[str]) -> bool:
    """Whether a rule of a gate is about a slice to be estimated: it names an item's attribute."""
    attributes = _attributes(estimator_of(folder), _numbers(folder))
    return bool(split_selector(dict.fromkeys(names), names=attributes)[0])


def _chosen(
    folder: RunFolder, rules: Sequence[Rule], texts: Sequence[str], group: str
) -> "tuple[Estimator, list[list[_Number]]]":
    """Estimator, and the numbers that each rule selects.

    Raises
    ------
    PlanError, UnknownNameError
        If there are none, or no item is of the slice.
    """
    known = _numbers(folder)
    estimator = estimator_of(folder)
    chosen = []
    for rule, text in zip(rules, texts, strict=True):
        asked, sides = _sides(rule, text, folder, known, _attributes(estimator, known))
        numbers = [n for n in known if isinstance(n.of, Assignment)] if len(sides) > 1 else known
        found, *others = (side.numbers(estimator, numbers, group) for side in sides)
        if others:
            found = [new for one in found for new in _of_both(one, others[0], asked, text)]
        if asked.each:
            found = [new for one in found for new in one.each(asked.each, estimator)]
        chosen.append(found)
    return estimator, chosen


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a rule: a selection of numbers, and the slice they are over."""

    rule: Rule
    asked: str
    text: str

    def numbers(
        self, estimator: Estimator, known: "Sequence[_Number]", group: str
    ) -> "list[_Number]":
        """The numbers on the slice."""
        found = _meant(self.rule, self.text, known, group)
        if not self.asked:
            return found
        for dataset in {n.key.dataset for n in found} & {*estimator.slices.datasets}:
            place = f"The rule {self.text!r}: no item of {dataset!r}"
            estimator.slices.of(dataset).must_have(self.asked, where=place)
        return [number.over(self.asked) for number in found]


def _sides(
    rule: Rule, text: str, folder: RunFolder, known: "Sequence[_Number]", names: Collection[str]
) -> tuple[Asked, list[_Side]]:
    """One side of a rule, or the two of a difference or a ratio.

    Raises
    ------
    PlanError
        If both sides have two sides of their own.
    """
    roles = {name: model["role"] for name, model in folder.manifest.get("models", {}).items()}
    asked = Asked(((rule.metric, dict(rule.where)),))
    if not any(number.is_named(rule.metric) for number in known):
        subjects = dict.fromkeys(number.key.subject for number in known)
        own = [name for name in subjects if roles.get(name) == "measured"]
        asked = asked_of(rule.metric, rule.where, models=own, text=f"The rule {text!r}")
        asked = asked.of_own(
            lambda metric: {
                name for n in known if names_metric(metric, n.key.metric) for name in n.where
            }
        )
    sides = []
    for metric, stated in asked.sides:
        columns, where = split_selector(stated, names=names)
        inside = joined(slice_of_values(columns), rule.slice)
        sides.append(_Side(replace(rule, metric=metric, where=where), inside, text))
    if rule.minus:
        if len(sides) > 1:
            raise PlanError(
                f"The rule {text!r}: {rule.metric} has two sides already, so nothing can stand "
                "behind minus."
            )
        (one,) = sides
        columns, stated = split_selector(rule.minus[0], names=names)
        other = replace(one.rule, where={**one.rule.where, **stated})
        sides.append(
            _Side(other, joined(slice_of_values(columns), rule.minus[1]) or one.asked, text)
        )
    placed = tuple((side.rule.metric, dict(side.rule.where)) for side in sides)
    return asked._replace(sides=placed), sides


def _of_both(
    one: "_Number", others: "Sequence[_Number]", asked: Asked, text: str
) -> "Iterator[_Number]":
    """Numbers of two sides: one, and every other that differs from it in the stated parts only.

    Raises
    ------
    PlanError
        If there is none; or several, of one metric in two selections.
    """
    places = partner(one.where, [other.where for other in others], asked)
    fitting = list({canonical_json(plain(others[at].key)): others[at] for at in places}.values())
    fitting = [other for other in fitting if other.measure == one.measure] or fitting
    if not fitting or (len(fitting) > 1 and not asked.how):
        there = "; ".join(o.said for o in fitting) or "nothing"
        raise PlanError(f"The rule {text!r}: from {one.said} is subtracted {there}. Say which.")
    for other in fitting:
        a, b = one.of, other.of
        assert isinstance(a, Assignment) and isinstance(b, Assignment)  # noqa: PT018
        is_paired = a.subject == b.subject and dict(a.within) == dict(b.within)
        how = asked.between(a.spec.metric, b.spec.metric)
        name = f"{one.id} {asked.how or 'minus'} {other.id}"
        yield _Number(name, PlannedContrast(name, a, b, is_paired, how=how), one.measure)


def _attributes(estimator: Estimator, known: "Sequence[_Number]") -> set[str]:
    """Names of columns and attributes of the items; a condition of the run comes first."""
    names = {name for one in estimator.slices.datasets for name in estimator.slices.of(one).names}
    return names - {name for number in known for name in number.where}


def _numbers(folder: RunFolder) -> "list[_Number]":
    """All numbers that a rule may select."""
    return [
        *(_Number(a.spec.id, a, a.measure) for whole in assignments_of(folder) for a in _at(whole)),
        *(_Number(c.id, c, c.a.measure) for c in _contrasts_of(folder)),
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
class _Number:
    """Estimate or difference that a rule may select, with its measurement."""

    id: str
    of: Assignment | PlannedContrast
    measure: str

    @property
    def key(self) -> EstimateKey:
        """Identity of the number."""
        return self.of.key

    def over(self, where: str) -> "_Number":
        """The number on the items of a slice."""
        made: Assignment | PlannedContrast = (
            contrast_over(self.of, where)
            if isinstance(self.of, PlannedContrast)
            else over(self.of, where)
        )
        return _Number(f"{self.id}/{where}", made, self.measure)

    def each(self, axis: str, estimator: Estimator) -> "Iterator[_Number]":
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


def _meant(rule: Rule, text: str, known: Sequence[_Number], group: str) -> list[_Number]:
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


def _of_metric(rule: Rule, known: Sequence[_Number]) -> list[_Number]:
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
