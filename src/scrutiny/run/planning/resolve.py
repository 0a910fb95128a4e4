"""Resolving a plan: data, models, diagnostics and designs behind its names."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import dropwhile
from typing import Any, Final

from scrutiny.core.boundary.canonical import value_digest
from scrutiny.core.boundary.declared import must_be_declared
from scrutiny.core.boundary.given import refuse_odd_values
from scrutiny.core.boundary.limits import known
from scrutiny.core.boundary.storable import is_storable, repeated
from scrutiny.core.design import DataShape, Inputs, SubjectShape
from scrutiny.core.diagnostic import Diagnostic, fits
from scrutiny.core.errors import ModelError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import wanted_in_words
from scrutiny.core.grouping import grouped
from scrutiny.core.model import LoadOptions
from scrutiny.core.plan import MeasurePlan, Plan, Resampling
from scrutiny.core.registry import registry
from scrutiny.core.suites.tests import originals, suite_tests
from scrutiny.core.task import Task
from scrutiny.data.dataset import Dataset
from scrutiny.data.drawn_items import drawn
from scrutiny.data.labels import LabelMatch
from scrutiny.data.shared_items import SharedItems
from scrutiny.models.strings.family import expand
from scrutiny.run.planning.asked_slices import asked_slices
from scrutiny.run.planning.claims import plan_claims, with_presupposed
from scrutiny.run.planning.doubtful_data import refused_on_shared, shared_data
from scrutiny.run.planning.estimates import plan_assignments, plan_contrasts
from scrutiny.run.planning.goals import refused_on_goals
from scrutiny.run.planning.loading import LoadedModels, ModelCard
from scrutiny.run.planning.opened import Opened
from scrutiny.run.planning.pairs import pairs_of
from scrutiny.run.planning.params import make_params
from scrutiny.run.planning.published import must_be_claimed, must_read
from scrutiny.run.planning.relations import plan_relations
from scrutiny.run.planning.resolved import Measurement, Pairing, Resolved
from scrutiny.run.planning.specs import (
    base_of,
    controls_for,
    design_assignments,
    design_claims,
    design_contrasts,
    refused_on_records,
)
from scrutiny.run.planning.whose_labels import how_to_state, types_match
from scrutiny.tasks.names import load_task

#: A column with more values than this is no grouping.
_MOST_VALUES: Final = 500


def resolve(
    plan: Plan,
    *,
    options: LoadOptions | None = None,
    data: Mapping[str, Any] | None = None,
    models: Mapping[str, Any] | None = None,
    opened: Opened | None = None,
) -> Resolved:
    """Resolve a plan: read its data, expand its families, design its diagnostics.

    Parameters
    ----------
    plan
        The plan.
    options
        Device, batch and adapter options.
    data, models
        Python objects for names in the plan (a data frame, a callable).
    opened
        What the command has open already, with options and objects of its own.

    Raises
    ------
    PlanError, DataError, ModelError, UnknownNameError
        For whatever cannot be read, with where and how to fix it.
    """
    _must_be_sound(plan)
    opened = opened or Opened(LoadedModels(options or LoadOptions(), models or {}), data or {})
    plan = with_presupposed(plan, lambda one: opened.dataset(one, plan.on_bad_row).languages)
    families = {
        m.name: expand(m.source, random=m.random, name=m.name, role=m.role, seeds=m.seeds)
        for m in plan.models
    }
    opened.expect(family.replicates[0].source for family in families.values())
    measured = (d for d in plan.data if d.name not in plan.only_trained)
    datasets = {d.name: opened.dataset(d, plan.on_bad_row) for d in measured}
    tasks = {name: load_task(d.task).on(d.examples) for name, d in datasets.items()}
    looked_up = Resolved(plan, datasets, families, {}, {}, tasks, opened.options)
    _must_name_labels_that_occur(looked_up)
    return designed(replace(looked_up, pairings=_pairings(looked_up, opened)), plan)


def designed(resolved: Resolved, plan: Plan) -> Resolved:
    """Resolve a plan on the data and models of a resolved one.

    Raises
    ------
    PlanError
        If a measurement cannot be read, or repeats another one.
    """
    looked_up = replace(resolved, plan=plan)
    measurements = {m.id: measurement_of(m, looked_up) for m in plan.measure}
    measured = replace(looked_up, measurements=measurements)
    _must_measure_once(measured)
    return _with_estimates(measured, shared_data(plan, resolved.datasets))


def _must_be_sound(plan: Plan) -> None:
    """Raise for plans that no look-up can fix."""
    _must_be_seed(plan.seed)
    must_be_declared(plan, where="The plan")
    refuse_odd_values(plan, where="The plan")
    _must_resample(plan.resampling)
    models = {model.name for model in plan.models}
    untrained = [node.name for node in plan.train if node.name not in models]
    if untrained:
        raise PlanError(
            f"The plan trains {untrained[0]!r}, which has to be done before it is resolved: "
            "scrutiny.run.training.trained.with_trained(plan) trains, and gives the plan "
            "to resolve."
        )
    if not plan.measure:
        raise PlanError(
            "The plan measures nothing: add a [[measure]] with an id and a diagnostic, or let "
            "`scrutiny audit PLAN` choose all that applies."
        )
    named = {
        "data": [d.name for d in plan.data],
        "models": [m.name for m in plan.models],
        "measure": [m.id for m in plan.measure],
        "estimate or relate": [*(e.id for e in plan.estimate), *(r.id for r in plan.relate)],
        "claim": [c.id for c in plan.claim],
        "published": [p.id for p in plan.published],
    }
    for what, names_of in named.items():
        twice = [name for name, count in Counter(names_of).items() if count > 1]
        if twice:
            raise PlanError(f"{what} {twice[0]!r} occurs twice in the plan; names are unique.")
    must_read(plan.published, named["measure"])
    for m in plan.measure:
        if not m.models or not m.data:
            lacking = "models" if not m.models else "data"
            raise PlanError(f"measure {m.id!r} has no {lacking}, and neither has the plan.")
        named_models = (*m.models, *filter(None, [m.reference]))
        known("model in the plan", named_models, named["models"], where=f"measure {m.id!r}")
        known("data in the plan", m.data, named["data"], where=f"measure {m.id!r}")


def _must_be_seed(seed: Any) -> None:
    """Raise unless the seed is a whole number of at most 63 bits."""
    is_whole = isinstance(seed, int) and not isinstance(seed, bool)
    if not is_whole or not 0 <= seed < 2**63:
        found = repr(seed) if not is_whole else "negative" if seed < 0 else "too large"
        raise PlanError(
            f"The seed of the plan is {found}: a seed is a "
            "whole number from 0 to 9,223,372,036,854,775,807 (2^63 - 1)."
        )


def _must_resample(how: Resampling) -> None:
    """Raise for resampling that a plan in a file could not state."""
    allowed = {
        "draws": (how.draws >= 1, "a whole number from 1"),
        "level": (0 < how.level < 1, "between 0 and 1"),
    }
    for name, (is_fine, said) in allowed.items():
        if not is_fine:
            given = getattr(how, name)
            raise PlanError(f"The plan: resampling.{name} is {given!r}, and it must be {said}.")


def _must_measure_once(resolved: Resolved) -> None:
    """Raise for duplicate measurements: their records would be indistinguishable."""
    seen: dict[tuple[str, ...], str] = {}
    for one in resolved.measurements.values():
        for family, data in one.designs:
            key = (one.kind, family, data, one.plan.reference)
            if key in seen:
                raise PlanError(
                    f"measure {one.plan.id!r} repeats measure {seen[key]!r}: both are "
                    f"{one.diagnostic.id} with the same parameters, of {family!r} on {data!r}. "
                    "Leave one out, or give it other parameters."
                )
            seen[key] = one.plan.id


def _with_estimates(resolved: Resolved, shared: Sequence[SharedItems]) -> Resolved:
    """Resolved plan with its estimates and claims, under full names."""
    designed = tuple(design_assignments(resolved))
    controlled = tuple(design_contrasts(resolved, designed))
    own = list(plan_assignments(resolved, designed))
    contrasts = list(plan_contrasts(resolved, designed))
    assignments = (*designed, *(a for _, a in own))
    planned = tuple(design_claims(resolved))
    asked = asked_slices(resolved, designed, planned)
    measured = (*assignments, *asked.assignments)
    relations = tuple(plan_relations(resolved, measured))
    by_plan = grouped(
        [
            *((r.id, (r.full, r.a[0].dataset)) for r in relations),
            *((name, (a.spec.id, a.dataset)) for name, a in own),
            *((name, (c.id, c.a.dataset)) for name, c in contrasts),
        ]
    )
    full = [
        *(r.full for r in relations),
        *(a.spec.id for a in assignments),
        *(c.id for c in controlled),
        *(c.id for _, c in contrasts),
    ]
    # those of one measurement are from controls and ceilings, whatever the models learned
    between = [*(c for c in controlled if c.a.measure != c.b.measure), *(c for _, c in contrasts)]
    pairs = (*controlled, *(c for _, c in contrasts), *asked.contrasts)
    sides: dict[str, Sequence[Any]] = {a.spec.id: (a,) for a in measured}
    sides |= {c.id: (c.a, c.b) for c in pairs}
    # a correlation is of checkpoints on their way to skill
    sides |= {r.full: (*r.a, *r.b) for r in relations if r.how != "correlation"}
    claims = plan_claims(resolved.plan.claim, full=full, own=by_plan)
    claims = refused_on_records(claims, sides, resolved)
    must_be_claimed(resolved.plan.published, (c.id for c in (*claims, *planned)))
    data_of = {name: of[0].dataset for name, of in sides.items()}
    data_of |= {r.full: r.a[0].dataset for r in relations}
    claimed = refused_on_goals((*planned, *claims, *asked.claims), between, resolved.families)
    return replace(
        resolved,
        assignments=measured,
        relations=relations,
        contrasts=pairs,
        claims=tuple(refused_on_shared(claimed, data_of, shared)),
        slices=asked.sizes,
    )


def _pairings(resolved: Resolved, opened: Opened) -> dict[tuple[str, str], Pairing]:
    """Pairings of every family with every dataset of the same measurement."""
    plan, tasks = resolved.plan, resolved.tasks
    wanted = dict.fromkeys(
        (model, data)
        for m in plan.measure
        for model in (*m.models, *filter(None, [m.reference]))
        for data in m.data
    )
    explicit = {m.name: m.labels for m in plan.models}
    pairings = {}
    # what is loaded for one task answers for all datasets of it
    for family, name in sorted(wanted, key=lambda one: one[0]):
        source, dataset = resolved.families[family].replicates[0].source, resolved.datasets[name]
        card = opened.card(family, source, tasks[name], dataset.examples)
        pairings[family, name] = _pair(card, dataset, tasks[name], explicit.get(family) or {})
    return {pair: pairings[pair] for pair in wanted}  # in plan order


def _must_name_labels_that_occur(resolved: Resolved) -> None:
    """Raise for label maps of models with labels that are not in the data.

    Data that are cut by a limit may lack any label.
    """
    plan = resolved.plan
    cut = {d.name for d in plan.data if d.limit is not None}
    for model in plan.models:
        measured = {
            d for m in plan.measure if model.name in (*m.models, m.reference) for d in m.data
        }
        if not model.labels or not measured or measured & cut:
            continue
        labels = {label for name in measured for label in resolved.datasets[name].labels}
        known("label in its data", model.labels, labels, where=f"labels of model {model.name!r}")


def _pair(card: ModelCard, dataset: Dataset, task: Task, explicit: Mapping[str, str]) -> Pairing:
    labels = card.model_labels
    half = next((label for label in labels if not is_storable(label)), None)
    if half is not None:
        raise ModelError(f"{card.source}: its label {half!r} holds half a surrogate pair.")
    twice = repeated(labels)
    if twice is not None:
        raise ModelError(
            f"{card.source}: its label {twice!r} occurs twice, so its answers could not be told "
            "apart. Give each of its outputs a name of its own."
        )
    if not task.must_be_answered:  # so no label has to be matched
        match = LabelMatch({})
    elif labels and not task.gives_labels:
        match = types_match(card, dataset, explicit)
    elif labels:
        match = LabelMatch.between(
            dataset.labels,
            labels,
            explicit_map=explicit or None,
            renamed=dataset.label_map,
            is_object=not dataset.data_string,
        )
    elif task.gives_labels:
        how = how_to_state(card.source, dataset.labels)
        raise ModelError(
            f"{card.source} does not say what its labels are, and they cannot be guessed: {how}."
        )
    else:  # taggers may leave their types open
        match = LabelMatch({label: label for label in dataset.labels})
    return Pairing.of(card, match)


def measurement_of(plan: MeasurePlan, resolved: Resolved) -> Measurement:
    """Measurement of a plan, with parameters parsed and designs made."""
    name = registry().resolve("diagnostic", plan.diagnostic)
    diagnostic = registry().load("diagnostic", name)()
    params = make_params(diagnostic.Params, plan.params, where=f"measure {plan.id!r}")
    _must_have_reference(diagnostic, plan)
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
            designs[family, data] = diagnostic.design(params, inputs)
    examples = {d: drawn(resolved.datasets[d].examples, plan.items) for d in plan.data}
    kind = f"{name}#{value_digest(params)}"
    return Measurement(plan, diagnostic, params, kind, designs, cells, examples)


def _must_have_reference(diagnostic: Diagnostic[Any], plan: MeasurePlan) -> None:
    """Raise if a diagnostic lacks its reference, or has one that it cannot use."""
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


def inputs_of(plan: MeasurePlan, resolved: Resolved, *, family: str, data: str) -> Inputs:
    """Inputs of a measurement's design, for a family and a dataset."""
    dataset, task = resolved.datasets[data], resolved.tasks[data]
    examples = drawn(dataset.examples, plan.items)
    scored = [example for example in originals(examples) if example.gold is not None]
    return Inputs(
        task=task,
        data=DataShape(
            data,
            n_items=len(examples),
            columns=_columns(examples),
            chance=task.chance(scored) if scored else 0.0,
            labels=dataset.labels,
            languages=dataset.languages,
            beside=_after(data, plan.data, resolved),
            tests=suite_tests(examples),
        ),
        subject=_shape(family, resolved, data=data),
        reference=_shape(plan.reference, resolved, data=data) if plan.reference else None,
        base=base_of(family, plan=plan, models=resolved.plan.models),
        controls=_controls(family, plan, resolved),
        is_audit=plan.is_audit,
        is_first_way=_is_first_way(plan, resolved.plan.measure, family=family, data=data),
    )


def _is_first_way(
    plan: MeasurePlan, measures: Sequence[MeasurePlan], *, family: str, data: str
) -> bool:
    """Whether a later measurement is the same with a family and the reference exchanged."""
    after = dropwhile(lambda one: one.id != plan.id, measures)
    back = replace(plan, models=(), data=(), reference=family)
    return plan.reference not in ("", family) and any(
        replace(later, id=plan.id, models=(), data=()) == back
        and plan.reference in later.models
        and data in later.data
        for later in after
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


def _after(data: str, names: Sequence[str], resolved: Resolved) -> tuple[str, ...]:
    """Datasets of the same task that come later in a measurement."""
    later = names[list(names).index(data) + 1 :]
    return tuple(n for n in later if resolved.tasks[n].name == resolved.tasks[data].name)


def _controls(family: str, plan: MeasurePlan, resolved: Resolved) -> frozenset[str]:
    """Roles of the control families that a measurement has for a family."""
    models = {model.name: model for model in resolved.plan.models}
    others = (models[name] for name in plan.models)
    return frozenset(m.role for m in others if controls_for(models[family], m))


def _columns(examples: Sequence[Example]) -> dict[str, dict[str, int]]:
    """Counts of the values of each column; columns with many values are left out."""
    counts: dict[str, Counter[str]] = {}
    for example in examples:
        for name, value in example.attributes.items():
            counts.setdefault(name, Counter())[str(value)] += 1
    return {name: dict(found) for name, found in counts.items() if len(found) <= _MOST_VALUES}


def _must_apply(diagnostic: Diagnostic[Any], name: str, task: Task, pairing: Pairing) -> None:
    """Raise for a diagnostic on a task or model that it does not apply to."""
    if not fits(diagnostic, task):
        raise PlanError(
            f"{name} does not apply to the task {task.name!r}, whose items are {task.facts}: it "
            f"measures {wanted_in_words(diagnostic.wants)}."
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
