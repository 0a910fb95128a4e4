"""Tasks by name, and the task that a set of columns is for."""

from collections.abc import Collection

from scrutiny.core.errors import DataError
from scrutiny.core.registry import registry
from scrutiny.core.task import Task


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

    Raises
    ------
    DataError
        If they are for none.

    Examples
    --------
    >>> infer_task({"text", "text_pair", "label"})
    'text-pair-classification'
    """
    if "tokens" in columns and "tags" in columns:
        return "token-tagging"
    if "text" in columns:
        return "text-pair-classification" if "text_pair" in columns else "text-classification"
    raise DataError(
        f"No task is known for the columns {', '.join(sorted(columns)) or '(none)'}: "
        "text-classification needs text, text-pair-classification text and text_pair, "
        "token-tagging tokens and tags."
    )
