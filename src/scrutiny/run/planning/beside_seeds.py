"""Measurements over the seeds of a model: what one seed says, beside what the next one says."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace

from scrutiny.core.model import Family
from scrutiny.core.plan import MeasurePlan, Plan
from scrutiny.core.registry import registry


def with_seeds_compared(plan: Plan, families: Mapping[str, Family]) -> Plan:
    """Plan with the measurements over seeds that its diagnostics name.

    A diagnostic with ``over_seeds`` brings that one for each model of several seeds, which is its
    own reference, on the same data and with those parameters that both have. A plan that says
    itself what is compared over a model's seeds is left as it is.

    Raises
    ------
    UnknownNameError
        If the plan names a diagnostic that there is not.
    """
    found = registry()
    named = {
        (found.resolve("diagnostic", one.diagnostic), one.reference, model)
        for one in plan.measure
        for model in one.models
    }
    more = [
        added
        for one in plan.measure
        for added in _compared(one, plan, families)
        if (added.diagnostic, added.reference, added.reference) not in named
    ]
    taken = {one.id for one in plan.measure}
    for number, one in enumerate(more):
        name = one.id
        while name in taken:
            name = f"{name} {number + 1}"
        taken.add(name)
        more[number] = replace(one, id=name)
    return replace(plan, measure=(*plan.measure, *more)) if more else plan


def _compared(
    measure: MeasurePlan, plan: Plan, families: Mapping[str, Family]
) -> Iterator[MeasurePlan]:
    """Measurements over the seeds of each model of one that names any."""
    found = registry()
    wanted = found.load("diagnostic", found.resolve("diagnostic", measure.diagnostic)).over_seeds
    if not wanted:
        return
    name = found.resolve("diagnostic", wanted)
    both = {one.name for one in fields(found.load("diagnostic", name).Params)}
    params = {key: value for key, value in measure.params.items() if key in both}
    for model in measure.models:
        family = families.get(model)
        if family is None or family.role != "measured":
            continue
        conditions = [str(dict(one.condition)) for one in family.replicates]
        if len(conditions) > len({*conditions}):  # two seeds of one condition at least
            yield replace(
                measure,
                id=f"{measure.id} over seeds",
                diagnostic=name,
                models=(model,),
                params=params,
                reference=model,
                nulls=None,
                where=(),
            )
