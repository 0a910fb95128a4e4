"""Options that say of a reader's own columns what they are for."""

from collections.abc import Collection

from scrutiny.data.tasks.names import load_task


def stated_columns(task: str, columns: Collection[str]) -> dict[str, str]:
    """Defaults of a table whose columns have the names of the task's roles."""
    roles = [role.name for role in load_task(task).roles if role.name in columns]
    found = {"task": task, **{name: name for name in roles}}
    return found | ({"id": "id"} if "id" in columns else {})
