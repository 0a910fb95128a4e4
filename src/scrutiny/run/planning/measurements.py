"""Measurements of a plan: diagnostics with their parameters and designs, and paired replicates."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from itertools import dropwhile
from typing import Any, Final

from pydantic import PydanticSchemaGenerationError, TypeAdapter, ValidationError

from scrutiny.core.boundary.given import refuse_odd_values
from scrutiny.core.boundary.json_text import canonical_json, plain, value_digest
from scrutiny.core.boundary.parameters import known
from scrutiny.core.boundary.printable import and_more
from scrutiny.core.columns.item_columns import (
    are_plain,
    attribute_counts,
    fields_of,
    scored_originals,
)
from scrutiny.core.design import DataShape, Inputs, SubjectShape
from scrutiny.core.diagnostic import Diagnostic, OwnPairs, fits
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.example import Example, suite_tests
from scrutiny.core.facts import wanted_in_words
from scrutiny.core.model import Family, Replicate
from scrutiny.core.plan import DataPlan, MeasurePlan
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.data.hashes import drawn
from scrutiny.run.planning.design_numbers import base_of, controls_for
from scrutiny.run.planning.resolved import Measurement, Pairing, ReplicatePair, Resolved

#: A column with more values than this is no grouping.
_MOST_VALUES: Final = 500


def measurement_of(plan: MeasurePlan, resolved: Resolved) -> Measurement:
    """Measurement of a plan, with parameters parsed and designs made."""
    name = registry().resolve("diagnostic", plan.diagnostic)
    diagnostic = registry().load("diagnostic", name)()
    params = make_params(diagnostic.Params, plan.params, where=f"measure {plan.id!r}")
    # Raise if a diagnostic lacks its reference, or has one that it cannot use.
    if diagnostic.wants_reference and not plan.reference:
        raise PlanError(
            f"measure {plan.id!r}: {diagnostic.id} compares each model with a second one: add "
            f"reference = {plan.models[0]!r}, or another model of the plan (--reference MODEL)."
        )
    if plan.reference and not diagnostic.wants_reference:
        raise PlanError(
            f"measure {plan.id!r}: {diagnostic.id} measures one model at a time and would never "
            f"ask the reference {plan.reference!r}; leave `reference` out."
        )
    families, beside = resolved.families, resolved.families.get(plan.reference)
    own = diagnostic.own_pairs(params)
    cells = {name: pairs_of(families[name], beside, own=own) for name in plan.models}
    designs = {}
    for family in plan.models:
        for data in plan.data:
            for one in filter(None, (family, plan.reference)):
                _must_apply(diagnostic, name, resolved.tasks[data], resolved.pairings[one, data])
            if diagnostic.of_suites and not resolved.datasets[data].is_suite:
                raise PlanError(
                    f"{name} measures cases with what is expected of them, and {data!r} has none: "
                    "name a suite (--suite PATH, or --data suite:PATH)."
                )
            inputs = inputs_of(plan, resolved, family=family, data=data)
            if diagnostic.of_suites and not inputs.data.tests:
                raise PlanError(
                    f"{name} measures cases, and none of the {inputs.data.n_items} items of "
                    f"{data!r} that are read is one: read more of them (--limit)."
                )
            if diagnostic.reads_training(params) and not inputs.data.has_training:
                raise PlanError(
                    f"{name} needs the training data of {data!r}, and none is given: name it in "
                    f'the plan (training = "csv:train.csv" under [data.{data}]).'
                )
            designs[family, data] = diagnostic.design(params, inputs)
    examples = {d: drawn(resolved.datasets[d].examples, plan.items) for d in plan.data}
    kind = f"{name}#{value_digest(params)}"
    return Measurement(plan, diagnostic, params, kind, designs, cells, examples)


def inputs_of(plan: MeasurePlan, resolved: Resolved, *, family: str, data: str) -> Inputs:
    """Inputs of a measurement's design, for a family and a dataset."""
    dataset, task = resolved.datasets[data], resolved.tasks[data]
    whole = resolved.plan
    training = whole.dataset(data).training
    model, beside = whole.model(family), map(whole.model, plan.models)
    examples = drawn(dataset.examples, plan.items)
    scored = scored_originals(examples)
    # Whether a later measurement is the same with a family and the reference exchanged.
    after = dropwhile(lambda one: one.id != plan.id, whole.measure)
    back = replace(plan, models=(), data=(), reference=family)
    is_first_way = plan.reference not in ("", family) and any(
        replace(later, id=plan.id, models=(), data=()) == back
        and plan.reference in later.models
        and data in later.data
        for later in after
    )
    return Inputs(
        task=task,
        data=DataShape(
            data,
            items=lambda: examples,
            n_items=len(examples),
            columns=_columns(examples),
            chance=task.chance(scored) if scored else 0.0,
            labels=dataset.labels,
            languages=dataset.languages,
            beside=tuple(  # of the same task, later in the measurement
                name
                for name in plan.data[plan.data.index(data) + 1 :]
                if resolved.tasks[name].name == task.name
            ),
            tests=() if are_plain(examples) else suite_tests(examples),
            has_training=bool(training),
            training=lambda: resolved.training.of(training, task.name).examples if training else (),
            fields=tuple(fields_of(examples)),
        ),
        subject=_shape(family, resolved, data=data),
        reference=_shape(plan.reference, resolved, data=data) if plan.reference else None,
        base=base_of(model, plan),
        controls=frozenset(other.role for other in beside if controls_for(model, other)),
        is_audit=plan.is_audit,
        is_first_way=is_first_way,
    )


def _shape(family: str, resolved: Resolved, *, data: str) -> SubjectShape:
    """Properties of a family on a dataset, for designs."""
    pairing, replicates = resolved.pairings[family, data], resolved.families[family].replicates
    return SubjectShape(
        family,
        pairing.capabilities,
        pairing.n_layers,
        pairing.n_heads,
        len(replicates),
        pairing.unscored,
    )


def _columns(examples: Sequence[Example]) -> dict[str, dict[str, int]]:
    """Counts of the values of each column; columns with many values are left out."""
    counts: dict[str, Counter[str]] = {}
    for name, values in attribute_counts(examples).items():
        counts[name] = Counter()
        for value, n in values.items():
            counts[name][str(value)] += n
    return {name: dict(found) for name, found in counts.items() if len(found) <= _MOST_VALUES}


def _must_apply(diagnostic: Diagnostic[Any], name: str, task: Task, pairing: Pairing) -> None:
    """Raise for a diagnostic on a task or model that it does not apply to."""
    if not fits(diagnostic, task):
        raise PlanError(
            f"{name} does not apply to the task {task.name!r}, whose items are {task.facts}: it "
            f"measures {wanted_in_words(diagnostic.wants)}"
            f"{': ' * bool(diagnostic.why_only)}{diagnostic.why_only}."
        )
    if pairing.unscored and compares(diagnostic):
        raise PlanError(
            f"{name} compares answers with gold ones, and those of this model are of another "
            f"scheme: {pairing.unscored}. What it changes when texts change is counted all the "
            "same: measure robustness."
        )
    lacking = diagnostic.needs - pairing.capabilities
    if lacking:
        raise PlanError(
            f"{name} needs a model with {', '.join(sorted(lacking))}; this one offers "
            f"{', '.join(sorted(pairing.capabilities)) or 'nothing'}."
        )


def compares(diagnostic: Diagnostic[Any]) -> bool:
    """Whether a diagnostic compares a model's answers with gold ones."""
    return diagnostic.reads_gold and "predict" in diagnostic.needs


_SHOWN = 8


def pairs_of(
    family: Family, reference: Family | None, *, own: OwnPairs = "itself"
) -> tuple[ReplicatePair, ...]:
    """Pairs of replicates and reference replicates, in the family's order.

    A single model stands beside every replicate of the other side; otherwise those with equal
    random factors are paired, and captures that are not random have to be equal or the target's
    alone. Untrained and other null replicates belong to none of the reference's, so they take them
    in turn.

    Parameters
    ----------
    family, reference
        Both sides; without a reference every replicate is alone.
    own
        What each replicate of a family that is its own reference stands beside: itself; the next
        one, the last beside the first: what another run of the same recipe gives, and of two there
        is one pair; or the one before it, by whose name the pair goes, as where texts of each are
        asked of the next.

    Raises
    ------
    PlanError
        With both lists, where neither is so.
    """
    ours = family.replicates
    if reference is None:
        return tuple(ReplicatePair(i, None, r.key) for i, r in enumerate(ours))
    others = reference.replicates
    if own != "itself" and family.name == reference.name:
        return tuple(_runs(ours, turned=own == "before"))
    if len(others) == 1:
        return tuple(ReplicatePair(i, 0, r.key) for i, r in enumerate(ours))
    if len(ours) == 1 and not any(r.condition for r in others):
        return tuple(ReplicatePair(0, i, r.key) for i, r in enumerate(others))
    if family.role == "null" and not any(r.condition for r in others):
        return tuple(ReplicatePair(i, i % len(others), r.key) for i, r in enumerate(ours))
    found = [[i for i, other in enumerate(others) if _belong(r, other)] for r in ours]
    used = {i for places in found for i in places}
    if any(len(places) != 1 for places in found) or len(used) < len(others):
        raise PlanError(
            f"The replicates of {family.name!r} and of its reference {reference.name!r} do not "
            f"pair: {family.name!r} has {_listed(ours)}; {reference.name!r} has {_listed(others)}. "
            "Give both the same random factors and values (seeds = [...]), or make one of them a "
            "single model, which is held against every replicate of the other."
        )
    return tuple(ReplicatePair(i, places[0], ours[i].key) for i, places in enumerate(found))


def _runs(own: Sequence[Replicate], *, turned: bool) -> Iterator[ReplicatePair]:
    """Each replicate with the next of its condition; unless turned, two make one pair."""
    for i, one in enumerate(own):
        alike = [j for j, other in enumerate(own) if other.condition == one.condition]
        place = alike.index(i)
        following = alike[(place + 1) % len(alike)]
        if turned:
            yield ReplicatePair(following, i, one.key)
        elif len(alike) != 2 or place == 0:
            yield ReplicatePair(i, following, one.key)


def _belong(own: Replicate, other: Replicate) -> bool:
    """Whether two replicates have the same factors."""
    same = dict(own.random) == dict(other.random)
    return same and (not other.condition or dict(own.condition) == dict(other.condition))


def _listed(replicates: Sequence[Replicate]) -> str:
    """Factors of the first replicates."""
    return and_more([canonical_json({**r.condition, **r.random}) for r in replicates], _SHOWN)


def lacks_training(diagnostic: Diagnostic[Any], task: Task, data: DataPlan) -> bool:
    """Whether a diagnostic would read training data in an audit, and the data name none."""
    params = make_params(
        diagnostic.Params, plain(diagnostic.audit_params(task)), where=diagnostic.id
    )
    return not data.training and diagnostic.reads_training(params)


def make_params(kind: type[Any], given: Mapping[str, Any], *, where: str) -> Any:
    """Parameters of a diagnostic from plain values.

    Raises
    ------
    PlanError
        For a name that it does not have (near ones are given), or a value of another type or that
        it refuses, or a number that is not finite.
    """
    if not is_dataclass(kind):
        raise PlanError(f"{where}: parameters must be a dataclass.")
    refuse_odd_values(given, where=where)
    known("parameter", given, [f.name for f in fields(kind)], where=where)
    try:
        # Values are of the types that the dataclass declares: a list is a tuple, a whole number may
        # stand for a share, and no text or truth is a number.
        checked = _checked(kind)
        if checked is None:
            return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})
        return checked.validate_json(json.dumps(given), strict=True)
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(str(part) for part in problem["loc"])
        said = problem["msg"].removeprefix("Input ").replace("valid array", "list")
        raise PlanError(f"{where}: {place} = {problem['input']!r} {said}.") from error
    except (TypeError, ValueError, PlanError, UnknownNameError) as error:
        raise PlanError(f"{where}: {error}") from error


@lru_cache(maxsize=256)
def _checked(kind: type[Any]) -> TypeAdapter[Any] | None:
    """What checks the values of a dataclass; it takes milliseconds to make, and plans ask often.

    None for a type of a plug-in that is not known here: its own checks have to do.
    """
    try:
        return TypeAdapter(kind)
    except PydanticSchemaGenerationError:
        return None
