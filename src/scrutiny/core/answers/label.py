"""Label: the name of one class."""

from collections.abc import Callable, Mapping
from typing import Any

from scrutiny.core.answers.answer import AnswerType
from scrutiny.core.example import Example


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
