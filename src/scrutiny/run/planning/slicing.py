"""Estimates on a slice: the same number over the items that satisfy a predicate."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from scrutiny.core.errors import PlanError
from scrutiny.core.slice_syntax import canonical, joined
from scrutiny.data.run_items import training_of
from scrutiny.data.slices import COLUMNS, Items
from scrutiny.run.planning.assignment import Assignment, Contrast
from scrutiny.run.planning.resolved import Resolved


def items_of(resolved: Resolved, dataset: str) -> Items:
    """Items of a dataset of a plan, with attributes for slices."""
    (plan,) = (data for data in resolved.plan.data if data.name == dataset)
    return Items.of(
        resolved.datasets[dataset].examples,
        partial(training_of, plan.training, resolved.datasets[dataset].task)
        if plan.training
        else None,
    )


def split(
    where: Mapping[str, Any], *, names: Collection[str] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Conditions ``name = value`` of a selector, and the rest of it.

    ``names`` are further names of attributes and columns.

    Examples
    --------
    >>> split({"a_topic": "film", "draw": "0"})
    ({'a_topic': 'film'}, {'draw': '0'})
    """
    columns = {n: v for n, v in where.items() if n.startswith(COLUMNS) or n in names}
    return columns, {name: value for name, value in where.items() if name not in columns}


def two_models(
    where: Mapping[str, Any], models: Sequence[str], *, text: str
) -> tuple[str, str, dict[str, Any]]:
    """Second and first model of a gain, and the rest of its selector.

    Those that the selector names as ``subject`` and ``reference``, else the only two.

    Raises
    ------
    PlanError
        If it does not name them and there are not two.
    """
    second, first = where.get("subject"), where.get("reference")
    if len(models) == 2:
        second, first = second or models[1], first or models[0]
    if not second or not first:
        raise PlanError(
            f"{text}: a gain is of two models, and there are {len(models)} "
            f"({', '.join(models)}). Say which: subject=SECOND, reference=FIRST."
        )
    rest = {n: v for n, v in where.items() if n not in ("subject", "reference")}
    return second, first, rest


def over(assignment: Assignment, where: str) -> Assignment:
    """Assignment over the items of a slice."""
    if not where:
        return assignment
    spec = assignment.spec
    return replace(
        assignment, spec=replace(spec, where=joined(spec.where, where), group=canonical(where))
    )


def contrast_over(contrast: Contrast, where: str) -> Contrast:
    """Contrast with both sides over the items of a slice.

    Raises
    ------
    PlanError
        If its sides are slices already.
    """
    if contrast.is_of_slices:
        raise PlanError(
            f"{contrast.id} compares two slices already, {contrast.a.spec.group} and "
            f"{contrast.b.spec.group}. Leave {where} out."
        )
    return replace(contrast, a=over(contrast.a, where), b=over(contrast.b, where))
