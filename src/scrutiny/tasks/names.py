"""Tasks by name, all of them, and the columns that they bring to data strings."""

from collections.abc import Mapping

from scrutiny.core.registry import registry
from scrutiny.core.task import Task


def load_task(name: str) -> Task:
    """Task by name, with or without its version.

    Raises
    ------
    UnknownNameError
        If there is none.

    Examples
    --------
    >>> load_task("text-classification").fields
    ('text',)
    """
    task: Task = registry().load("task", name)()
    return task


def every_task() -> list[Task]:
    """All tasks, built-in and plugged in, by name."""
    return [load_task(name) for name in registry().names("task")]


def role_options() -> Mapping[str, str]:
    """Options of data strings that name the columns of tasks, with their meanings."""
    return {role.name: role.meaning for task in every_task() for role in task.roles}
