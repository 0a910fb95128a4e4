"""Inputs of a model from the examples of a task: texts, pairs of texts, or words."""

from collections.abc import Sequence

from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.facts import Facts, wanted_in_words
from scrutiny.core.task import Task
from scrutiny.tasks.names import base_name
from scrutiny.text.tokens import token_spans


def texts(examples: Sequence[Example]) -> list[str] | list[tuple[str, ...]]:
    """Text of each example, or the tuple of its texts if it has several fields."""
    if all(len(example.fields) == 1 for example in examples):
        return [example.text for example in examples]
    return [tuple(example.fields.values()) for example in examples]


def borders(example: Example) -> list[tuple[int, int]]:
    """Input of a model that answers for words: their borders in the first field, given or ours."""
    field = next(iter(example.fields))
    if example.tokens and field in example.tokens:
        return list(example.tokens[field])
    return token_spans(example.text)


def input_words(examples: Sequence[Example]) -> list[list[str]]:
    """Input of a model that is given words: those of the first field of each example."""
    return [[e.text[start:end] for start, end in borders(e)] for e in examples]


def index_of(label: str, labels: Sequence[str], *, source: str) -> int:
    """Index of a label among those of a model.

    Raises
    ------
    ModelError
        If there is no such label.
    """
    if label not in labels:
        raise ModelError(f"{source} has no label {label!r}; its labels are {', '.join(labels)}.")
    return labels.index(label)


def must_answer_task(task: Task, wanted: tuple[Facts, ...], *, source: str) -> None:
    """Raise unless a kind of model can answer the inputs of a task.

    Raises
    ------
    ModelError
        If it is not; the message names those that are.
    """
    if not any(one.are_of(task.facts) for one in wanted):
        raise ModelError(
            f"{source} cannot answer the task {base_name(task)}: it gives "
            f"{wanted_in_words(wanted)}, and that has {task.facts}."
        )
