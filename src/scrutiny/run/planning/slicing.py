"""Estimates on a slice: the same number over the items that satisfy a predicate."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from scrutiny.core.errors import PlanError
from scrutiny.core.slice_syntax import canonical, joined
from scrutiny.data.attributes.training import load_training
from scrutiny.data.slices import COLUMNS, Items
from scrutiny.run.planning.assignment import Assignment, PlannedContrast
from scrutiny.run.planning.resolved import Resolved


def items_of(resolved: Resolved, dataset: str) -> Items:
    """Items of a dataset of a plan, with attributes for slices."""
    (plan,) = (data for data in resolved.plan.data if data.name == dataset)
    return Items.of(
        resolved.datasets[dataset].examples,
        partial(load_training, plan.training, resolved.datasets[dataset].task)
        if plan.training
        else None,
    )


def split_selector(
    where: Mapping[str, Any], *, names: Collection[str] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Conditions ``name = value`` of a plan's selector, and the rest of it.

    ``names`` are further names of attributes and columns.

    Examples
    --------
    >>> split_selector({"a_topic": "film", "draw": "0"})
    ({'a_topic': 'film'}, {'draw': '0'})
    """
    columns = {n: v for n, v in where.items() if n.startswith(COLUMNS) or n in names}
    return columns, {name: value for name, value in where.items() if name not in columns}


def over(assignment: Assignment, where: str) -> Assignment:
    """Assignment over the items of a slice."""
    if not where:
        return assignment
    spec = assignment.spec
    return replace(
        assignment, spec=replace(spec, where=joined(spec.where, where), group=canonical(where))
    )


def contrast_over(contrast: PlannedContrast, where: str) -> PlannedContrast:
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
