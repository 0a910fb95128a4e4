"""Columns of tasks that bring their own roles."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from scrutiny.core.errors import DataError
from scrutiny.core.task import Role
from scrutiny.data.column_lookup import Columns, add_shared, column_named, lacking
from scrutiny.data.source import OPTIONS, ROLES, DataSource
from scrutiny.data.table import Table
from scrutiny.data.tasks.names import load_task
from scrutiny.data.tasks.roles import every_task

#: Well-known names of a column of identifiers.
ID_NAMES: Final = ("id", "guid", "uid", "uuid", "item_id", "example_id")
_ID: Final = Role("id", OPTIONS["id"], "field", ID_NAMES)


def own_columns(task: str, stated: DataSource, *, source: DataSource, table: Table) -> Columns:
    """Columns of a task that brings its own roles: stated, else by well-known names.

    ``stated`` is the data string with the reader's defaults, ``source`` what its author wrote.
    Where such a task has a category and nobody says which column that is, the first of the groups
    is it.
    """
    own = load_task(task).roles
    refuse_foreign(task, source, own=own)
    roles = {
        role.key: column_named(stated.option(role.name), role.name, stated, table)
        for role in (*own, _ID)
        if stated.options.get(role.name)
    }
    groups = stated.columns("group")
    if groups and "category" not in stated.options and any(r.name == "category" for r in own):
        roles["a_category"] = column_named(groups[0], "group", stated, table)
    free = {c.strip().casefold(): c for c in reversed(table.columns) if c not in roles.values()}
    guessed = []
    for role in (*own, _ID):
        column = next((free[n] for n in role.names if n in free), None)
        if column is not None and role.key not in roles and role.name not in stated.options:
            roles[role.key] = column
            guessed.append(role.key)
    for role in own:
        if role.is_needed and role.key not in roles:
            raise DataError(lacking(task, role.name, role.meaning, table=table))
    constants = add_shared(roles, stated, table)
    return Columns(task, roles, tuple(guessed), constants)


def refuse_foreign(task: str, source: DataSource, *, own: Sequence[Role]) -> None:
    """Refuse options that only other tasks have, but for empty ones, which keep from guessing."""
    columns = [role.name for role in own] or list(load_task(task).columns)
    others = {name for name, value in source.options.items() if value} & set(ROLES)
    for name in source.options:
        if name not in {*columns, "id"} and (name not in OPTIONS or name in others):
            mine = f": it has {', '.join(columns)}"
            raise DataError(
                f"In {source}, {name}= is no column of {task}{mine}. Columns to compare groups by "
                "are listed in group=, those whose rows belong together in unit=."
            )


def task_of_options(options: Mapping[str, str]) -> str:
    """Task whose columns the options name where those are not everybody's; else nothing."""
    if set(options) <= set(OPTIONS):
        return ""
    counts = [(len((set(task.told_by) - set(ROLES)) & set(options)), task) for task in every_task()]
    best, task = max(counts, key=lambda pair: pair[0])
    return str(task.name) if best else ""


def task_of_names(columns: Collection[str]) -> str:
    """Task of its own roles whose telling columns are all there by well-known names."""
    there = {column.strip().casefold() for column in columns}
    for task in every_task():
        names = {role.name: set(role.names) for role in task.roles}
        telling = task.told_by
        if names and telling and all(names[role] & there for role in telling):
            return str(task.name)
    return ""


def task_of_annotation(columns: Collection[str]) -> str:
    """Task of annotated words whose needed columns are all there by well-known names."""
    there = {column.strip().casefold() for column in columns}
    for task in every_task():
        needed = {role.name: set(role.names) for role in task.roles if role.is_needed}
        if "words" in needed and all(names & there for names in needed.values()):
            return str(task.name)
    return ""
