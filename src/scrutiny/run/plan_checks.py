"""Refusing a plan whose parts do not hang together, before anything is read or loaded."""

from collections.abc import Sequence

from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.plan import Plan


def check_plan(plan: Plan) -> None:
    """Raise unless every measurement has a name of its own, and models and data that there are.

    Raises
    ------
    PlanError
        For a plan that measures nothing, measures twice under one name, or names a model or a
        dataset that it has not; near names are given.
    """
    if not plan.measure:
        raise PlanError(
            "The plan measures nothing: add a [[measure]] with an id and a diagnostic, or let "
            "`scrutiny audit PLAN` choose all that applies."
        )
    ids = [measure.id for measure in plan.measure]
    twice = next((name for name in ids if ids.count(name) > 1), None)
    if twice is not None:
        raise PlanError(f"Two [[measure]] have the id {twice!r}; give each its own.")
    models, data = [m.name for m in plan.models], [d.name for d in plan.data]
    for measure in plan.measure:
        _must_have(measure.id, "model", measure.models, models)
        _must_have(measure.id, "dataset", measure.data, data)


def _must_have(measure: str, what: str, names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse a measurement of nothing, or of a name that the plan has not."""
    section = {"model": "models", "dataset": "data"}[what]
    if not names:
        raise PlanError(
            f"measure {measure!r} has no {what}: the plan needs [{section}.NAME] with a source."
        )
    for name in names:
        if name not in known:
            unknown = UnknownNameError(f"{what} in the plan", name, known)
            raise PlanError(f"measure {measure!r}: {unknown}")
