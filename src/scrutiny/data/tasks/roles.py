"""Columns that tasks bring by themselves: options of data strings, and what items keep of them.

A task with ``roles`` needs no line anywhere else: its options are known to data strings, its
columns are found by their well-known names, and its items carry them.
"""

from collections.abc import Mapping

from scrutiny.core.registry import registry
from scrutiny.core.task import Role, Task


def field_role(name: str, meaning: str, *names: str) -> Role:
    """Role of a text that the task needs."""
    return Role(name, meaning, "field", (name, *names), is_needed=True)


def every_task() -> list[Task]:
    """All tasks, built-in and plugged in, by name."""
    return [registry().load("task", name)() for name in registry().names("task")]


def role_options() -> Mapping[str, str]:
    """Options of data strings that tasks bring, with what they are for."""
    return {role.name: role.meaning for task in every_task() for role in task.roles}
