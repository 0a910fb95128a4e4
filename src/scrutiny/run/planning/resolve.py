"""Resolving a plan: data, models, diagnostics and designs behind its names."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scrutiny.core.boundary.given import must_be_declared, refuse_odd_values
from scrutiny.core.boundary.parameters import known
from scrutiny.core.errors import PlanError
from scrutiny.core.plan import Plan, Resampling
from scrutiny.core.record import grouped
from scrutiny.data.dataset import SharedItems
from scrutiny.models.strings.model_families import expand
from scrutiny.run.planning.beside_seeds import with_seeds_compared
from scrutiny.run.planning.design_numbers import design_assignments, design_contrasts
from scrutiny.run.planning.doubtful_data import refused_on_shared, shared_data
from scrutiny.run.planning.loading import LoadedModels, Opened
from scrutiny.run.planning.matched_labels import must_name_labels_that_occur, pairings_of
from scrutiny.run.planning.measurements import measurement_of
from scrutiny.run.planning.plan_claims import design_claims, plan_claims
from scrutiny.run.planning.plan_estimates import plan_assignments, plan_contrasts, plan_relations
from scrutiny.run.planning.plan_slices import asked_slices
from scrutiny.run.planning.presuppositions import (
    refused_on_goals,
    refused_on_records,
    with_presupposed,
)
from scrutiny.run.planning.published import must_be_claimed, must_read
from scrutiny.run.planning.resolved import Resolved
from scrutiny.tasks.tasks import load_task


def resolve(
    plan: Plan,
    *,
    data: Mapping[str, Any] | None = None,
    models: Mapping[str, Any] | None = None,
    opened: Opened | None = None,
) -> Resolved:
    """Resolve a plan: read its data, expand its families, design its diagnostics.

    Parameters
    ----------
    plan
        The plan.
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
    opened = opened or Opened(LoadedModels(given=models or {}), data or {})
    plan = with_presupposed(plan, lambda one: opened.dataset(one, plan.on_bad_row).languages)
    families = {
        m.name: expand(m.source, random=m.random, name=m.name, role=m.role, seeds=m.seeds)
        for m in plan.models
    }
    plan = with_seeds_compared(plan, families)
    opened.expect(family.replicates[0].source for family in families.values())
    measured = (d for d in plan.data if d.name not in plan.only_trained)
    datasets = {d.name: opened.dataset(d, plan.on_bad_row) for d in measured}
    tasks = {name: load_task(d.task).on(d.examples) for name, d in datasets.items()}
    looked_up = Resolved(plan, datasets, families, {}, {}, tasks, opened.options)
    must_name_labels_that_occur(looked_up)
    return designed(replace(looked_up, pairings=pairings_of(looked_up, opened)), plan)


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
    # Raise for duplicate measurements: their records would be indistinguishable.
    seen: dict[tuple[str, ...], str] = {}
    for one in measured.measurements.values():
        for family, data in one.designs:
            key = (one.kind, family, data, one.plan.reference)
            if key in seen:
                raise PlanError(
                    f"measure {one.plan.id!r} repeats measure {seen[key]!r}: both are "
                    f"{one.diagnostic.id} with the same parameters, of {family!r} on {data!r}. "
                    "Leave one out, or give it other parameters."
                )
            seen[key] = one.plan.id
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
            "scrutiny.run.training.with_trained(plan) trains, and gives the plan "
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
            *((name, (a.id, a.dataset)) for name, a in own),
            *((name, (c.id, c.a.dataset)) for name, c in contrasts),
        ]
    )
    full = [
        *(r.full for r in relations),
        *(a.id for a in assignments),
        *(c.id for c in controlled),
        *(c.id for _, c in contrasts),
    ]
    # those of one measurement are from controls and ceilings, whatever the models learned
    between = [*(c for c in controlled if c.a.measure != c.b.measure), *(c for _, c in contrasts)]
    pairs = (*controlled, *(c for _, c in contrasts), *asked.contrasts)
    sides: dict[str, Sequence[Any]] = {a.id: (a,) for a in measured}
    sides |= {c.id: (c.a, c.b) for c in pairs}
    # a correlation is of checkpoints on their way to skill
    sides |= {r.full: (*r.a, *r.b) for r in relations if r.how != "correlation"}
    claims = plan_claims(resolved.plan.claim, full=full, own=by_plan)
    claims = refused_on_records(claims, sides, resolved)
    must_be_claimed(resolved.plan.published, (c.id for c in (*claims, *planned)))
    data_of = {name: {one.dataset for one in of} for name, of in sides.items()}
    data_of |= {r.full: {r.a[0].dataset} for r in relations}
    claimed = refused_on_goals((*planned, *claims, *asked.claims), between, resolved.families)
    return replace(
        resolved,
        assignments=measured,
        relations=relations,
        contrasts=pairs,
        claims=tuple(refused_on_shared(claimed, data_of, shared)),
        slices=asked.sizes,
    )
