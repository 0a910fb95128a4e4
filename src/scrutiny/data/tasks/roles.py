"""Columns that a task brings by itself: options of its data strings, and what items keep of them.

A task with ``roles`` needs no line anywhere else: its options are known to data strings, its
columns are found by their well-known names, and its items carry them.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from scrutiny.core.registry import registry


class Role(NamedTuple):
    """What a column is for.

    Parameters
    ----------
    name
        Option of the data string that names the column.
    meaning
        "column of …", for messages.
    kind
        ``field``: a text; ``group``: an attribute ``a_NAME``; ``number``: such an attribute that is
        a number; ``unit``: a unit of resampling ``u_NAME``.
    names
        Well-known names of such a column, in lower case.
    is_needed
        Whether the task cannot do without it.
    default
        Value of a group that is not there; empty for none.
    """

    name: str
    meaning: str
    kind: Literal["field", "group", "number", "unit"] = "group"
    names: tuple[str, ...] = ()
    is_needed: bool = False
    default: str = ""

    @property
    def key(self) -> str:
        """Name in a mapped row, and of the attribute."""
        if self.kind == "field":
            return self.name
        return f"u_{self.name}" if self.kind == "unit" else f"a_{self.name}"


def field_role(name: str, meaning: str, *names: str) -> Role:
    """Role of a text that the task needs."""
    return Role(name, meaning, "field", (name, *names), is_needed=True)


def roles_of(task: Any) -> tuple[Role, ...]:
    """Roles that a task brings; none for tasks of text, label, tokens and tags."""
    return tuple(getattr(task, "roles", ()))


def every_task() -> list[Any]:
    """All tasks, built-in and plugged in, by name."""
    return [registry().load("task", name)() for name in registry().names("task")]


def role_options() -> Mapping[str, str]:
    """Options of data strings that tasks bring, with what they are for."""
    return {role.name: role.meaning for task in every_task() for role in roles_of(task)}
