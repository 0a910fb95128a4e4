"""Expectations: what the answer to a case should be."""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, NamedTuple

from scrutiny.core.answers.answer import type_of
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.plugin_base import PlugIn
from scrutiny.core.task import Prediction, Task

#: Kinds of behavioral tests (Ribeiro et al. 2020, CheckList).
TestKind = Literal["minimum functionality", "invariance", "directional"]


class Asked(NamedTuple):
    """A text and the answer to it."""

    example: Example
    answer: Prediction


class Seen(NamedTuple):
    """Input of an expectation: a case and its original, each with its answer.

    Parameters
    ----------
    case
        The case with its answer.
    base
        The item that it was made of, with its answer; None for a text of its own.
    task
        What is asked.
    labels
        The model's labels in the data's words, in the order of the scores.
    """

    case: Asked
    base: Asked | None
    task: Task
    labels: tuple[str, ...]


class Expectation(PlugIn, ABC):
    """Expectation of the answer to a case; a frozen dataclass whose fields are its parameters.

    Attributes
    ----------
    id
        Versioned name.
    test_kind
        Kind of the tests that expect this.
    needs_base
        Whether it compares with the answer to the item that the case was made of.
    fails
        What becomes of a case that fails, in a word or two that follow a share: "change".
    """

    kind = "expectation"

    id: ClassVar[str]
    test_kind: ClassVar[TestKind]
    needs_base: ClassVar[bool] = False
    fails: ClassVar[str] = "fail"

    @property
    def needs_probabilities(self) -> bool:
        """Whether a model that gives labels alone cannot be asked."""
        return False

    @abstractmethod
    def is_met(self, seen: Seen) -> bool | Failure:
        """Whether the answer is as expected, or why that cannot be told."""

    def told(self, asked: Asked, labels: tuple[str, ...]) -> str:
        """Answer in a few words, as far as this expectation looks at it."""
        answer = asked.answer.answer
        fields = asked.example.fields
        return "no answer" if answer is None else type_of(answer).beside(answer, fields)

    def wanted(self, example: Example) -> str:
        """Expected answer to a case, in a few words."""
        gold = example.gold
        return "" if gold is None else type_of(gold).beside(gold, example.fields)
