"""What a model that writes is asked: its user's template, or the texts and a wish for one label."""

from collections.abc import Sequence

from scrutiny.core.task import Task
from scrutiny.models.choice.prompt import template_parts


def asking_parts(
    template: str, task: Task, words: Sequence[str], *, source: str
) -> tuple[str, ...]:
    """Template as parts; the usual one names the fields, and the words of labels if there are any.

    Raises
    ------
    ModelError
        If the template cannot be read, or does not name every field of the task.
    """
    if not template:
        template = "\n".join("{" + name + "}" for name in task.fields)
        if words:
            said = ", ".join(one.strip() for one in words)
            template += f"\n\nAnswer with one of these and nothing else: {said}."
    return template_parts(template, task.fields, source=source)
