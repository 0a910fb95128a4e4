"""Gate: rules applied to a finished run, with the same verdicts as in the audit.

What a rule did not test neither passes nor fails, whatever its number says: a number that nobody
asked for has no value; a change that altered no text costs nothing whatever the model does, and so
does every change where the model answers without reading the text.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any

from scrutiny.core.boundary.json_text import canonical_json, plain
from scrutiny.core.claim import OF_ITSELF, Claim, Component, Finding
from scrutiny.core.errors import PlanError, UnknownNameError, UserError
from scrutiny.core.estimate import DRAW, Estimate, of_all_draws
from scrutiny.core.expressions import names_metric
from scrutiny.core.slice_syntax import joined, slice_of_values
from scrutiny.reliability.assignment import (
    Assignment,
    Number,
    PlacedContrast,
    assignments_in,
    differences_in,
)
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.metrics import metric_name
from scrutiny.reliability.verdicts.claims import decide
from scrutiny.reliability.verdicts.limits import counted
from scrutiny.reliability.verdicts.prerequisites import touched_of
from scrutiny.reliability.written_metrics import AskedNumbers, Rule, asked_of, parse_rule, partner
from scrutiny.run.estimating.estimator import Estimator, estimator_of
from scrutiny.run.planning.plan_slices import over, split_selector
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.run_tables import claim_from_json


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
    everything = {number.id: number for number in numbers_of_run(folder)} | wanted
    planned = [claim_from_json(claim) for claim in folder.manifest.get("claims", ())]
    named = {c.estimate for claim in planned for c in claim.components}
    about = {number.family for number in wanted.values()}
    estimated = {
        name: estimator.estimate(number)
        for name, number in everything.items()
        # along axes, the run keeps the draws only of what a claim names
        if name in wanted or (number.family in about and (name in named or not number.is_at_place))
    }
    claims = [
        Claim(
            id=f"rule: {text}",
            says=text,
            diagnostic="gate",
            components=tuple(
                Component(n.id, rule.limit, f"{OF_ITSELF}{said_of(n)}", rule.operator[0])
                for n in numbers
            ),
            family="gate",
            post_hoc=True,
        )
        for rule, text, numbers in zip(parsed, rules, chosen, strict=True)
    ]
    families = counted({name: number.family for name, number in everything.items()}, planned)
    touching = {c.estimate: claim.coverage for claim in planned for c in claim.components}
    counts = {
        name: estimator.estimate(everything[name])
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
    return [estimator.estimate(number).estimate for number in chosen]


def names_slice(folder: RunFolder, names: Collection[str]) -> bool:
    """Whether a rule of a gate is about a slice to be estimated: it names an item's attribute."""
    attributes = _attributes(estimator_of(folder), numbers_of_run(folder))
    return bool(split_selector(dict.fromkeys(names), names=attributes)[0])


def _chosen(
    folder: RunFolder, rules: Sequence[Rule], texts: Sequence[str], group: str
) -> tuple[Estimator, list[list[Number]]]:
    """Estimator, and the numbers that each rule selects.

    Raises
    ------
    PlanError, UnknownNameError
        If there are none, or no item is of the slice.
    """
    known = numbers_of_run(folder)
    estimator = estimator_of(folder)
    chosen = []
    for rule, text in zip(rules, texts, strict=True):
        asked, sides = _sides(rule, text, folder, known, _attributes(estimator, known))
        numbers = [n for n in known if isinstance(n, Assignment)] if len(sides) > 1 else known
        picks = ((where, picked(own, text, numbers, group)) for own, where in sides)
        found, *others = (_on_slice(several, where, text, estimator) for where, several in picks)
        if others:
            found = [new for one in found for new in _of_both(one, others[0], asked, text)]
        if asked.each:
            found = [new for one in found for new in of_each(one, asked.each, estimator)]
        chosen.append(found)
    return estimator, chosen


def _on_slice(numbers: list[Number], where: str, text: str, estimator: Estimator) -> list[Number]:
    """The numbers on the slice that a rule asks for, if any."""
    if not where:
        return numbers
    for dataset in {n.key.dataset for n in numbers} & {*estimator.slices.datasets}:
        place = f"The rule {text!r}: no item of {dataset!r}"
        estimator.slices.of(dataset).must_have(where, where=place)
    return [number_over(number, where) for number in numbers]


def _sides(
    rule: Rule, text: str, folder: RunFolder, known: Sequence[Number], names: Collection[str]
) -> tuple[AskedNumbers, list[tuple[Rule, str]]]:
    """One side of a rule, or the two of a difference or a ratio: a selection, and a slice of it.

    Raises
    ------
    PlanError
        If both sides have two sides of their own.
    """
    roles = {name: model["role"] for name, model in folder.manifest.get("models", {}).items()}
    asked = AskedNumbers(((rule.metric, dict(rule.where)),))
    if not any(is_named(number, rule.metric) for number in known):
        subjects = dict.fromkeys(number.key.subject for number in known)
        own = [name for name in subjects if roles.get(name) == "measured"]
        asked = asked_of(rule.metric, rule.where, models=own, text=f"The rule {text!r}")
        asked = asked.of_own(
            lambda metric: {
                name for n in known if names_metric(metric, n.key.metric) for name in where_of(n)
            }
        )
    sides = []
    for metric, stated in asked.sides:
        columns, where = split_selector(stated, names=names)
        inside = joined(slice_of_values(columns), rule.slice)
        sides.append((replace(rule, metric=metric, where=where), inside))
    if rule.minus:
        if len(sides) > 1:
            raise PlanError(
                f"The rule {text!r}: {rule.metric} has two sides already, so nothing can stand "
                "behind minus."
            )
        ((one, inside),) = sides
        columns, stated = split_selector(rule.minus[0], names=names)
        other = replace(one, where={**one.where, **stated})
        sides.append((other, joined(slice_of_values(columns), rule.minus[1]) or inside))
    placed = tuple((own.metric, dict(own.where)) for own, _ in sides)
    return asked._replace(sides=placed), sides


def _of_both(
    one: Number, others: Sequence[Number], asked: AskedNumbers, text: str
) -> Iterator[Number]:
    """Numbers of two sides: one, and every other that differs from it in the stated parts only.

    Raises
    ------
    PlanError
        If there is none; or several, of one metric in two selections.
    """
    places = partner(where_of(one), [where_of(other) for other in others], asked)
    fitting = list({canonical_json(plain(others[at].key)): others[at] for at in places}.values())
    fitting = [other for other in fitting if other.measure == one.measure] or fitting
    if not fitting or (len(fitting) > 1 and not asked.how):
        there = "; ".join(map(said_of, fitting)) or "nothing"
        raise PlanError(f"The rule {text!r}: from {said_of(one)} is subtracted {there}. Say which.")
    for other in fitting:
        assert isinstance(one, Assignment) and isinstance(other, Assignment)  # noqa: PT018
        is_paired = one.subject == other.subject and dict(one.within) == dict(other.within)
        how = asked.between(one.metric, other.metric)
        name = f"{one.id} {asked.how or 'minus'} {other.id}"
        yield PlacedContrast(name, one, other, is_paired, how=how)


def _attributes(estimator: Estimator, known: Sequence[Number]) -> set[str]:
    """Names of columns and attributes of the items; a condition of the run comes first."""
    names = {name for one in estimator.slices.datasets for name in estimator.slices.of(one).names}
    return names - {name for number in known for name in where_of(number)}


def only_tested(
    found: Iterable[Finding],
    estimated: Mapping[str, Estimated],
    touching: Mapping[str, Sequence[str]],
    counts: Mapping[str, Estimated],
    of_run: Iterable[Finding],
) -> Iterator[Finding]:
    """Findings on rules, refused where the number of a rule was not tested.

    Parameters
    ----------
    found
        Findings on rules.
    estimated
        Their numbers.
    touching
        Estimates of the share of items that a change altered, by the number that it is about.
    counts
        Those estimates.
    of_run
        Findings of the run: what it refused for want of skill, no rule passes on.
    """
    lacking = {
        component.estimate: one.reason
        for one in of_run
        if one.claim.risk is not None and one.lacks_skill
        for component in one.claim.components
    }
    for finding in found:
        parts = finding.claim.components
        if finding.verdict == "not supported":
            yield finding
            continue
        without_value = (
            _refused(finding, part, finding.reason)
            for part in parts
            if estimated[part.estimate].estimate.value is None
        )
        without_skill = (
            _refused(finding, part, lacking[part.estimate])
            for part in parts
            if part.estimate in lacking
        )
        untouched = _untouched(finding, touching, counts)
        yield next(chain(without_value, untouched, without_skill), finding)


def _untouched(
    finding: Finding, touching: Mapping[str, Sequence[str]], counts: Mapping[str, Estimated]
) -> Iterator[Finding]:
    """Refusals of a finding on a rule where a change altered no text."""
    for component in finding.claim.components:
        one = replace(finding.claim, coverage=tuple(touching.get(component.estimate, ())))
        touched = touched_of(one, counts)
        if touched is not None and not touched.items:
            yield _refused(finding, component, touched.says("changed"), touched=touched)


def _refused(finding: Finding, component: Component, reason: str, **more: Any) -> Finding:
    """Finding on a rule that was not tested, on one of its numbers."""
    said = f"not tested: {component.against.removeprefix(OF_ITSELF)}: {reason}"
    return replace(finding, verdict="refused", reason=said, **more)


def numbers_of_run(folder: RunFolder) -> list[Number]:
    """All numbers that a rule may select."""
    manifest = folder.manifest
    placed = [one for whole in assignments_in(manifest) for one in whole.at_each()]
    return [*placed, *differences_in(manifest)]


def number_over(number: Number, where: str) -> Number:
    """The number on the items of a slice, under a name of its own."""
    return replace(over(number, where), id=f"{number.id}/{where}")


def of_each(number: Number, axis: str, estimator: Estimator) -> Iterator[Number]:
    """The number for each value of an axis; itself if it is of one value already."""
    if axis in where_of(number):
        yield number
        return
    for value in estimator.slices.of(number.key.dataset).values(axis):
        yield number_over(number, slice_of_values({axis: value}))


def is_named(number: Number, name: str) -> bool:
    """Whether a number belongs to a named estimate of the plan."""
    is_designed = number.id.startswith(f"{number.measure}/{number.key.subject}")
    return number.id == name or (number.id.startswith(f"{name}/") and not is_designed)


def where_of(number: Number) -> dict[str, object]:
    """Names and values that a rule may select a number by."""
    key = number.key
    reference = {} if key.reference is None else {"reference": key.reference}
    return {"subject": key.subject, "dataset": key.dataset, **reference, **key.condition}


def said_of(number: Number) -> str:
    """Condition of a number, in words."""
    key, minus = number.key, ""
    if isinstance(number, PlacedContrast) and number.is_of_slices:
        minus = f" on {number.a.group} minus {number.b.group}"
    elif key.reference not in (None, key.subject):
        is_minus = isinstance(number, PlacedContrast) and not number.how
        minus = f" {'minus' if is_minus else 'beside'} {key.reference}"
    parts = [f"{name} {value}" for name, value in key.condition.items()]
    parts += [key.group] * (not minus and key.group not in ("all", "changed"))
    return ", ".join([key.subject + minus, key.dataset, *parts])


def picked(rule: Rule, text: str, known: Sequence[Number], group: str) -> list[Number]:
    """Numbers that a rule selects."""
    named = [number for number in known if is_named(number, rule.metric)]
    if named:
        found = [number for number in named if rule.fits(rule.metric, where_of(number))]
    else:
        found = _of_metric(rule, known)
    in_group = [number for number in found if number.key.group == group] or found
    if DRAW not in rule.where:
        in_group = of_all_draws(in_group, lambda number: number.key)
    if not in_group:
        conditions = sorted({f"{k}={v}" for number in known for k, v in where_of(number).items()})
        raise PlanError(
            f"No estimate of this run fits the rule {text!r}; conditions are "
            f"{', '.join(conditions[:12]) or 'none'}."
        )
    return in_group


def not_in_run(metric: str, known: Iterable[str]) -> UnknownNameError:
    """Error of a metric that a run has not computed; of one that there is, how it is asked for."""
    remedy = ""
    with suppress(UserError):  # no metric at all: the similar names say more
        metric_name(metric)
        remedy = (
            "A metric that the run was not asked for stands in a plan, and the plan is run: "
            f"[[estimate]] with from = the measurement that has its records, metric = {metric!r}."
        )
    bare = {name.partition("@")[0] for name in known}
    return UnknownNameError("metric in this run", metric, bare, remedy=remedy)


def _of_metric(rule: Rule, known: Sequence[Number]) -> list[Number]:
    """Numbers of the metric that a rule names.

    Raises
    ------
    UnknownNameError
        If there is no such metric, or the run has not computed it.
    """
    metrics = sorted({number.key.metric for number in known})
    if not any(names_metric(rule.metric, m) for m in metrics):
        metric_name(rule.metric)
        raise not_in_run(rule.metric, metrics)
    fitting = [number for number in known if rule.fits(number.key.metric, where_of(number))]
    # the level of the originals is a baseline beside drops, and differences stand beside the levels
    # that they are made of: each is meant where nothing before it is
    by_role = (
        [n for n in fitting if n.key.role == r] for r in ("measured", "baseline", "contrast")
    )
    return next(filter(None, by_role), [])
