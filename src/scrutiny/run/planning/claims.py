"""Claims of a plan: its own, with their estimates, and those that diagnostics presuppose."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from scrutiny.core.claim import Claim, Component
from scrutiny.core.diagnostic import Diagnostic
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.languages import in_words, may_be
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan
from scrutiny.core.registry import registry
from scrutiny.models.strings.adapters import checkpoint_of
from scrutiny.models.strings.family import expand
from scrutiny.models.strings.source import UNTRAINED, parse


def plan_claims(
    claims: Sequence[Claim],
    *,
    full: Sequence[str],
    own: Mapping[str, Sequence[tuple[str, str]]],
) -> list[Claim]:
    """Claims whose components have full names of estimates.

    Parameters
    ----------
    claims
        As the plan has them: an estimate, of a component or of a skill that is presupposed, is
        named in full, by the end of its full name where that is unique, or by an estimate of the
        plan's own.
    full
        Full names of all estimates of the run.
    own
        Full name and dataset of each, by the plan's own identifier; a claim on several datasets
        has to hold on each.

    Raises
    ------
    PlanError
        For a name that is unknown (near ones are given) or means several estimates.
    """
    named = []
    for claim in claims:
        found = [_components(claim, one, full=full, own=own) for one in claim.components]
        skills = [
            (component.estimate, least)
            for name, least in claim.competence
            for component in _components(claim, Component(name, least), full=full, own=own)
        ]
        components = tuple(c for part in found for c in part)
        named.append(replace(claim, components=components, competence=tuple(skills)))
    return named


def _components(
    claim: Claim,
    component: Component,
    *,
    full: Sequence[str],
    own: Mapping[str, Sequence[tuple[str, str]]],
) -> list[Component]:
    name = component.estimate
    if name in own and len(own[name]) > 1:
        return [
            replace(component, estimate=one, against=f"dataset {dataset}: {component.against}")
            for one, dataset in own[name]
        ]
    if name in own:
        return [replace(component, estimate=own[name][0][0])]
    ending = [one for one in full if one == name] or [
        one for one in full if one.endswith(f"/{name}")
    ]
    if len(ending) == 1:
        return [replace(component, estimate=ending[0])]
    if ending:
        raise PlanError(
            f"claim {claim.id!r}: {name!r} means several estimates: {', '.join(ending[:8])}. "
            "Name one of them in full, or claim something of each."
        )
    short = {ending for one in full for ending in _endings(one)}
    unknown = UnknownNameError("estimate", name, [*own, *short])
    raise PlanError(f"claim {claim.id!r}: {unknown}")


def _endings(full: str) -> list[str]:
    """Full name, and its suffixes after each slash."""
    parts = full.split("/")
    return ["/".join(parts[i:]) for i in range(len(parts))]


#: Untrained replicates where budgets are modest: in an audit, and of larger networks.
FEW_NULLS: Final = 5
#: Weights up to this size are cheap to run twenty times.
CHEAP_BYTES: Final = 32_000_000
#: Languages of data of a plan.
LanguagesOf = Callable[[DataPlan], frozenset[str]]


def with_presupposed(plan: Plan, languages_of: LanguagesOf) -> Plan:
    """Plan with the families and measurements that its diagnostics presuppose.

    A diagnostic with ``nulls`` gets an untrained family of each model it measures, unless the
    measurement has a family of that role already or says ``nulls = 0``. A diagnostic with
    ``presupposes`` brings those diagnostics, on data of their own, for the same models; where it
    measures texts in other languages than these data, it brings none, and the plan says so.

    Parameters
    ----------
    plan
        The plan.
    languages_of
        Languages of data, which are read for it.

    Raises
    ------
    UnknownNameError
        If the plan names a diagnostic that there is not.
    """
    for number, measure in enumerate(plan.measure):
        nulls = list(_null_families(plan, measure, _diagnostic(measure)))
        known = {model.name for model in plan.models}
        names = dict.fromkeys([*measure.models, *(model.name for model in nulls)])
        plan = replace(
            plan,
            models=(*plan.models, *(model for model in nulls if model.name not in known)),
            measure=_at(plan.measure, number, replace(measure, models=tuple(names))),
        )
    for measure in plan.measure:
        for name, source in _diagnostic(measure).presupposes.items():
            plan = _with_measurement(plan, measure, name, source, languages_of=languages_of)
    return plan


def _null_families(
    plan: Plan, measure: MeasurePlan, diagnostic: Diagnostic[Any]
) -> Iterator[ModelPlan]:
    """Untrained families that a measurement requires and lacks."""
    models = {model.name: model for model in plan.models}
    measured = [models[name] for name in measure.models if name in models]
    has_own = {model.control_of for model in measured if model.role == "null"}
    for model in measured:
        # what was trained from a model that is measured here has that model's untrained ones
        has_base = model.base in measure.models
        if model.role == "measured" and not has_base and not has_own & {"", model.name}:
            first = expand(model.source, random=model.random, name=model.name, seeds=model.seeds)
            source = first.replicates[0].source
            wanted = _how_many(measure, diagnostic, source)
            if wanted:
                yield ModelPlan(
                    f"{model.name} untrained",
                    f"{UNTRAINED}:{source}",
                    role="null",
                    seeds=tuple(range(wanted)),
                    control_of=model.name,
                )


def _how_many(measure: MeasurePlan, diagnostic: Diagnostic[Any], source: str) -> int:
    """Number of untrained replicates of a model: stated, or cheap; 0 without a network."""
    wanted = diagnostic.nulls if measure.nulls is None else measure.nulls
    checkpoint = checkpoint_of(parse(source)) if wanted else None
    if checkpoint is None:
        return 0
    weights = Path(checkpoint.target).expanduser().glob("*.safetensors")
    is_cheap = sum(path.stat().st_size for path in weights) <= CHEAP_BYTES
    if measure.nulls is None and (measure.is_audit or not is_cheap):
        return min(wanted, FEW_NULLS)
    return wanted


def _with_measurement(
    plan: Plan, measure: MeasurePlan, name: str, source: str, *, languages_of: LanguagesOf
) -> Plan:
    """Plan in which a presupposed diagnostic measures the models of another measurement."""
    roles = {model.name: model.role for model in plan.models}
    models = [m for m in measure.models if roles.get(m, "measured") == "measured"]
    own = [m for m in plan.measure if _base(m.diagnostic) == _base(name)]
    lacking = [m for m in models if not any(m in other.models for other in own)]
    if not lacking:
        return plan
    data = next((d for d in plan.data if d.source == source), None)
    data = data or DataPlan(source.partition("#")[0], source)
    known = languages_of(data)
    spoken = {d.name: languages_of(d) for d in plan.data if d.name in measure.data}
    foreign = {d: found for d, found in spoken.items() if not may_be(known, found)}
    if foreign:
        said = _not_shown(measure, _base(name), data.name, known=known, foreign=foreign)
        plan = replace(plan, left_out=tuple(dict.fromkeys([*plan.left_out, said])))
    if foreign and len(foreign) == len(spoken):
        return plan
    added = next((m for m in own if m.data == (data.name,)), None)
    if added is not None:
        place = plan.measure.index(added)
        grown = replace(added, models=(*added.models, *lacking))
        return replace(plan, measure=_at(plan.measure, place, grown))
    new = MeasurePlan(_base(name), name, tuple(lacking), (data.name,), is_audit=measure.is_audit)
    datasets = plan.data if data in plan.data else (*plan.data, data)
    return replace(plan, data=datasets, measure=(new, *plan.measure))


def _not_shown(
    measure: MeasurePlan,
    presupposed: str,
    data: str,
    *,
    known: frozenset[str],
    foreign: Mapping[str, frozenset[str]],
) -> str:
    """Sentence about a skill that data in one language cannot show of texts in others.

    Parameters
    ----------
    measure
        What presupposes it.
    presupposed, data
        Diagnostic that would show it, and on what.
    known, foreign
        Languages of that data, and those of each dataset that is in none of them.
    """
    others = frozenset(code for found in foreign.values() for code in found)
    return (
        f"{measure.id} presupposes {presupposed}, which is measured on {data}, in "
        f"{in_words(known)}, and says nothing of {', '.join(foreign)}, in {in_words(others)}. What "
        f"{measure.id} claims there stays undecided, unless a plan measures {presupposed} on data "
        "in that language."
    )


def _at(
    measures: Sequence[MeasurePlan], place: int, measure: MeasurePlan
) -> tuple[MeasurePlan, ...]:
    """Measurements with another one inserted at an index."""
    return (*measures[:place], measure, *measures[place + 1 :])


def _diagnostic(measure: MeasurePlan) -> Any:
    return registry().load("diagnostic", measure.diagnostic)


def _base(name: str) -> str:
    return name.partition("@")[0]
