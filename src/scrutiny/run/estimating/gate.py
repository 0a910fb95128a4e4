"""Gate: rules applied to a finished run, with the same verdicts as in the audit.

What a rule did not test neither passes nor fails, whatever its number says: a number that nobody
asked for has no value; a change that altered no text costs nothing whatever the model does, and so
does every change where the model answers without reading the text.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from scrutiny.core.boundary.json_text import canonical_json, plain
from scrutiny.core.claim import OF_ITSELF, Claim, Component, Finding
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import Estimate
from scrutiny.core.expressions import names_metric
from scrutiny.core.slice_syntax import joined, slice_of_values
from scrutiny.reliability.assignment import Assignment, Number, PlacedContrast
from scrutiny.reliability.estimate import Estimated
from scrutiny.reliability.verdicts.claims import decide
from scrutiny.reliability.verdicts.limits import counted
from scrutiny.reliability.verdicts.prerequisites import touched_of
from scrutiny.reliability.written_metrics import AskedMetric, Rule, asked_of, parse_rule, partner
from scrutiny.run.estimating.estimator import Estimator, estimator_of
from scrutiny.run.estimating.rule_numbers import (
    is_named,
    number_over,
    numbers_of_run,
    of_each,
    picked,
    said_of,
    where_of,
)
from scrutiny.run.planning.plan_slices import split_selector
from scrutiny.store.findings import claim_from_json
from scrutiny.store.run_folder import RunFolder


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
            checks=("items", "seeds"),
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
        found, *others = (side.numbers(estimator, numbers, group) for side in sides)
        if others:
            found = [new for one in found for new in _of_both(one, others[0], asked, text)]
        if asked.each:
            found = [new for one in found for new in of_each(one, asked.each, estimator)]
        chosen.append(found)
    return estimator, chosen


@dataclass(frozen=True, slots=True)
class _RuleSide:
    """One side of a rule: a selection of numbers, and the slice they are over."""

    rule: Rule
    asked: str
    text: str

    def numbers(self, estimator: Estimator, known: Sequence[Number], group: str) -> list[Number]:
        """The numbers on the slice."""
        found = picked(self.rule, self.text, known, group)
        if not self.asked:
            return found
        for dataset in {n.key.dataset for n in found} & {*estimator.slices.datasets}:
            place = f"The rule {self.text!r}: no item of {dataset!r}"
            estimator.slices.of(dataset).must_have(self.asked, where=place)
        return [number_over(number, self.asked) for number in found]


def _sides(
    rule: Rule, text: str, folder: RunFolder, known: Sequence[Number], names: Collection[str]
) -> tuple[AskedMetric, list[_RuleSide]]:
    """One side of a rule, or the two of a difference or a ratio.

    Raises
    ------
    PlanError
        If both sides have two sides of their own.
    """
    roles = {name: model["role"] for name, model in folder.manifest.get("models", {}).items()}
    asked = AskedMetric(((rule.metric, dict(rule.where)),))
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
        sides.append(_RuleSide(replace(rule, metric=metric, where=where), inside, text))
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
            _RuleSide(other, joined(slice_of_values(columns), rule.minus[1]) or one.asked, text)
        )
    placed = tuple((side.rule.metric, dict(side.rule.where)) for side in sides)
    return asked._replace(sides=placed), sides


def _of_both(
    one: Number, others: Sequence[Number], asked: AskedMetric, text: str
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
