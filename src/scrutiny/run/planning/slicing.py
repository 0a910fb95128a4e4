"""Estimates on a slice: the items whose columns, or whose texts, are of one kind."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa

from scrutiny.core.errors import PlanError
from scrutiny.run.blocks import example_of
from scrutiny.run.planning.assignment import Assignment, Contrast

#: Beginnings of the names of columns of the items: groups, and units of resampling.
_COLUMNS: Final = ("a_", "u_")
_MOST_SHOWN: Final = 8


def split(
    where: Mapping[str, Any], *, attributes: Collection[str] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Columns of the items that a selector names, and the rest of it.

    ``attributes`` are names that stand for columns, too.

    Examples
    --------
    >>> split({"a_topic": "film", "draw": "0"})
    ({'a_topic': 'film'}, {'draw': '0'})
    """
    columns = {n: v for n, v in where.items() if n.startswith(_COLUMNS) or n in attributes}
    return columns, {name: value for name, value in where.items() if name not in columns}


def with_attributes(items: pa.Table, names: Collection[str], texts: pa.Table) -> pa.Table:
    """Items with a column for each attribute: "yes" or "no", or nothing in another language.

    Parameters
    ----------
    items
        The items of a run.
    names
        Names of `scrutiny.data.slices.SLICES`.
    texts
        The same items with their texts.
    """
    from scrutiny.data.slices import SLICES

    asked = [one for one in SLICES if one.name in names]
    examples = [example_of(row) for row in texts.to_pylist()]
    for one in asked:
        said = [
            None
            if one.is_english and not example.language.startswith("en")
            else "yes"
            if one.holds(example)
            else "no"
            for example in examples
        ]
        items = items.append_column(one.name, pa.array(said, pa.string()))
    return items


def named(columns: Mapping[str, str]) -> str:
    """Name of a slice.

    Examples
    --------
    >>> named({"a_topic": "film", "negation": "yes"})
    'a_topic=film, negation=yes'
    """
    return ", ".join(f"{name}={value}" for name, value in columns.items())


def over(assignment: Assignment, columns: Mapping[str, str]) -> Assignment:
    """Assignment over the items that have these values."""
    if not columns:
        return assignment
    spec, group = assignment.spec, named(columns)
    return replace(assignment, spec=replace(spec, where={**spec.where, **columns}, group=group))


def contrast_over(contrast: Contrast, columns: Mapping[str, str]) -> Contrast:
    """Contrast both of whose sides are over the items that have these values.

    Raises
    ------
    PlanError
        If its sides are slices already.
    """
    if contrast.is_of_slices:
        raise PlanError(
            f"{contrast.id} compares two slices already, {contrast.a.spec.group} and "
            f"{contrast.b.spec.group}. Leave {', '.join(columns)} out."
        )
    return replace(contrast, a=over(contrast.a, columns), b=over(contrast.b, columns))


def must_occur(name: str, value: str, known: Iterable[object], *, where: str) -> None:
    """Refuse a value that no item has in a column.

    Raises
    ------
    PlanError
        With the values that there are.
    """
    there = {str(one) for one in known if one is not None}
    if value not in there:
        shown = ", ".join(sorted(there)[:_MOST_SHOWN]) or "no values, since there is no such column"
        raise PlanError(f"{where} has {name} = {value}; there are {shown}.")
