"""Label: the name of one class."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from scrutiny.core.answers.answer import AnswerType
from scrutiny.core.example import Example

#: Characters of a label that is still read as a number.
_LONGEST_NUMBER: Final = 300


class LabelType(AnswerType[str]):
    """Names of classes."""

    name = "label"
    holds = str

    def decode(self, value: Any) -> str:
        """Return the label, which is its own JSON."""
        return str(value)

    def check(self, answer: str, example: Example) -> str | None:
        """No fault: the model itself says which labels there are."""
        return None

    def show(self, answer: str, fields: Mapping[str, str]) -> str:
        """Return the label."""
        return answer

    def key(self, answer: str) -> tuple[str, ...]:
        """Return the label behind a mark that nothing else begins with."""
        return (f"={answer}",)

    def is_said(self, answer: str, brief: str) -> bool:
        """Whether it is this label."""
        return brief == answer

    def labels(self, answer: str) -> tuple[str, ...]:
        """Return the label."""
        return (answer,)

    def renamed(self, answer: str, name: Callable[[str], str]) -> str:
        """Label by another name."""
        return name(answer)


LABEL = LabelType()


def sort_labels(labels: Sequence[str]) -> list[str]:
    """Distinct labels in a fixed order: integers by value, anything else by code point.

    Examples
    --------
    >>> sort_labels(["10", "2", "2"])
    ['2', '10']
    """
    distinct = set(labels)
    if all(is_integer(label) for label in distinct):
        return sorted(distinct, key=lambda label: (int(label), label))
    return sorted(distinct)


def is_integer(label: str) -> bool:
    """Whether a label is a whole number; Python parses none of thousands of digits."""
    return len(label) <= _LONGEST_NUMBER and label.removeprefix("-").isdecimal()
