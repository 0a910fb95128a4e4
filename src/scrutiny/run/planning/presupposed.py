"""What diagnostics presuppose, added to a plan: untrained replicates, and tests of competence."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan
from scrutiny.core.registry import registry
from scrutiny.models.named.family import expand
from scrutiny.models.strings.adapters import as_checkpoint
from scrutiny.models.strings.source import UNTRAINED, parse

#: Untrained replicates where budgets are modest: in an audit, and of larger networks.
FEW_NULLS: Final = 5
#: Weights up to this size are cheap to run twenty times.
CHEAP_BYTES: Final = 32_000_000


def with_presupposed(plan: Plan) -> Plan:
    """Plan with the families and measurements that its diagnostics presuppose.

    A diagnostic with ``nulls`` gets an untrained family of each model it measures, unless the
    measurement has a family of that role already or says ``nulls = 0``. A diagnostic with
    ``presupposes`` brings those diagnostics, on data of their own, for the same models.

    Raises
    ------
    UnknownNameError
        If the plan names a diagnostic that there is not.
    """
    for number, measure in enumerate(plan.measure):
        diagnostic = _diagnostic(measure)
        nulls = list(_null_families(plan, measure, diagnostic))
        known = {model.name for model in plan.models}
        names = dict.fromkeys([*measure.models, *(model.name for model in nulls)])
        plan = replace(
            plan,
            models=(*plan.models, *(model for model in nulls if model.name not in known)),
            measure=_at(plan.measure, number, replace(measure, models=tuple(names))),
        )
    for measure in plan.measure:
        for name, source in getattr(_diagnostic(measure), "presupposes", {}).items():
            plan = _with_measurement(plan, measure, name, source)
    return plan


def _null_families(plan: Plan, measure: MeasurePlan, diagnostic: Any) -> Iterator[ModelPlan]:
    """Untrained families that a measurement lacks."""
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


def _how_many(measure: MeasurePlan, diagnostic: Any, source: str) -> int:
    """Untrained replicates of a model: as stated, else as many as are cheap; 0 for no network."""
    wanted = getattr(diagnostic, "nulls", 0) if measure.nulls is None else measure.nulls
    checkpoint = as_checkpoint(parse(source)) if wanted else None
    if checkpoint is None:
        return 0
    weights = Path(checkpoint.target).expanduser().glob("*.safetensors")
    is_cheap = sum(path.stat().st_size for path in weights) <= CHEAP_BYTES
    if measure.nulls is None and (measure.is_audit or not is_cheap):
        return min(wanted, FEW_NULLS)
    return int(wanted)


def _with_measurement(plan: Plan, measure: MeasurePlan, name: str, source: str) -> Plan:
    """Plan in which a presupposed diagnostic measures the models of another measurement."""
    roles = {model.name: model.role for model in plan.models}
    models = [m for m in measure.models if roles.get(m, "measured") == "measured"]
    own = [m for m in plan.measure if _base(m.diagnostic) == _base(name)]
    lacking = [m for m in models if not any(m in other.models for other in own)]
    if not lacking:
        return plan
    data = next((d for d in plan.data if d.source == source), None)
    data = data or DataPlan(source.partition("#")[0], source)
    added = next((m for m in own if m.data == (data.name,)), None)
    if added is not None:
        place = plan.measure.index(added)
        grown = replace(added, models=(*added.models, *lacking))
        return replace(plan, measure=_at(plan.measure, place, grown))
    new = MeasurePlan(_base(name), name, tuple(lacking), (data.name,), is_audit=measure.is_audit)
    datasets = plan.data if data in plan.data else (*plan.data, data)
    return replace(plan, data=datasets, measure=(new, *plan.measure))


def _at(
    measures: Sequence[MeasurePlan], place: int, measure: MeasurePlan
) -> tuple[MeasurePlan, ...]:
    """Measurements with another one at a place."""
    return (*measures[:place], measure, *measures[place + 1 :])


def _diagnostic(measure: MeasurePlan) -> Any:
    return registry().load("diagnostic", measure.diagnostic)


def _base(name: str) -> str:
    return name.partition("@")[0]
