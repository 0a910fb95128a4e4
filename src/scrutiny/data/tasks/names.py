"""Tasks by name, and the task that a set of columns is for."""

from collections.abc import Collection

from scrutiny.core.errors import DataError
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.data.tasks.roles import every_task


def load_task(name: str) -> Task:
    """Task of this name, with or without its version.

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


def infer_task(columns: Collection[str]) -> str:
    """Name of the task that these mapped columns are for.

    Each task says which columns tell it (``told_by``); the one that asks for most wins.

    Raises
    ------
    DataError
        If they are for none.

    Examples
    --------
    >>> infer_task({"text", "text_pair", "label"})
    'text-pair-classification'
    """
    telling = [(t.name, t.told_by) for t in every_task()]
    fitting = [(len(by), name) for name, by in telling if by and set(by) <= set(columns)]
    if fitting:
        return str(max(fitting)[1])
    needs = "; ".join(f"{name} needs {' and '.join(by)}" for name, by in telling if by)
    raise DataError(
        f"No task is known for the columns {', '.join(sorted(columns)) or '(none)'}: {needs}."
    )
