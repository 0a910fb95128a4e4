"""Tasks by name, and all of them."""

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


def base_name(task: Task) -> str:
    """Name of a task without its version.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> base_name(SimpleNamespace(name="token-tagging@1"))
    'token-tagging'
    """
    return task.name.partition("@")[0]
