"""Relations of estimates over replicates: the plan's ``[[relate]]``."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.errors import PlanError
from scrutiny.core.plan import OF_ONE, EstimatePlan, RelatePlan
from scrutiny.run.planning.assignment import Assignment, PlannedRelation
from scrutiny.run.planning.estimates import fitting
from scrutiny.run.planning.resolved import Resolved


def plan_relations(resolved: Resolved, designed: Sequence[Assignment]) -> Iterator[PlannedRelation]:
    """Relations that the plan asks for, each resolved to the designs' estimates.

    Raises
    ------
    PlanError, UnknownNameError
        If a side names nothing, or several estimates, is missing or one too many, or the sides
        share no step.
    """
    for plan in resolved.plan.relate:
        if (plan.b is None) != (plan.how in OF_ONE):
            raise PlanError(
                f"relate {plan.id!r}: a {plan.how} is of "
                f"{'a alone, so leave b out' if plan.b else 'two sides, a and b'}."
            )
        a = _side(plan, "a", resolved, designed)
        b = a if plan.b is None else _side(plan, "b", resolved, designed)
        if plan.how != "correlation":
            yield PlannedRelation(
                plan.id, _one(plan, a), _one(plan, b) if plan.b else (), (), plan.how
            )
            continue
        shared = tuple(step for step in a if step in b)
        if not shared:
            raise PlanError(
                f"relate {plan.id!r}: a is there for {', '.join(a)} and b for {', '.join(b)}; "
                "they share no condition of the model family."
            )
        yield PlannedRelation(
            plan.id, tuple(a[s] for s in shared), tuple(b[s] for s in shared), shared
        )


def _one(plan: RelatePlan, side: Mapping[str, Assignment]) -> tuple[Assignment]:
    """The only assignment of a side."""
    if len(side) > 1:
        raise PlanError(
            f"relate {plan.id!r}: a {plan.how} is of one condition of the models, and there are "
            f"{', '.join(side)}. Say which with where = {{ ... }}."
        )
    (one,) = side.values()
    return (one,)


def _side(
    plan: RelatePlan, name: str, resolved: Resolved, designed: Sequence[Assignment]
) -> dict[str, Assignment]:
    """Assignment of one side by the condition of its family."""
    stated: Mapping[str, Any] = getattr(plan, name)
    wanted = EstimatePlan(
        f"{plan.id}/{name}", stated["from"], stated["metric"], where=stated.get("where", {})
    )
    found: dict[str, Assignment] = {}
    for one in fitting(wanted, resolved, designed):
        step = canonical_json(dict(one.within))
        if step in found:
            raise PlanError(
                f"relate {plan.id!r}: side {name} fits several estimates: "
                f"{found[step].spec.id} and {one.spec.id}. Say which with where = {{ ... }}."
            )
        found[step] = one
    return found
