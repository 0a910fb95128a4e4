"""Several right answers to one item: references of a translation, answers of annotators."""

from collections.abc import Callable, Mapping
from typing import Any

from scrutiny.core.answers.answer import AnswerType, type_of
from scrutiny.core.answers.stored import from_json, to_json
from scrutiny.core.answers.track import Track
from scrutiny.core.example import Example, Span


class AnyOf(tuple[Any, ...]):
    """Right answers to one item, any of which will do; all of one type, and one at least."""

    __slots__ = ()


class AnyOfType(AnswerType[AnyOf]):
    """Sets of right answers; only gold answers are such."""

    name = "any of"
    holds = AnyOf

    def has_places(self, answer: AnyOf) -> bool:
        """Whether one of them does."""
        return any(type_of(one).has_places(one) for one in answer)

    def fences(self, answer: AnyOf) -> tuple[Span, ...]:
        """Spans of each answer."""
        return tuple(span for one in answer for span in type_of(one).fences(one))

    def encode(self, answer: AnyOf) -> Any:
        """JSON of each."""
        return [to_json(one) for one in answer]

    def decode(self, value: Any) -> AnyOf:
        """Answers from their JSON."""
        return AnyOf(from_json(one) for one in value)

    def check(self, answer: AnyOf, example: Example) -> str | None:
        """A model has to decide."""
        return "is several answers; a model gives one."

    def show(self, answer: AnyOf, fields: Mapping[str, str]) -> str:
        """All of them."""
        return " or ".join(type_of(one).show(one, fields) for one in answer)

    def brief(self, answer: AnyOf) -> str:
        """All of them in few words."""
        return " or ".join(type_of(one).brief(one) for one in answer)

    def is_said(self, answer: AnyOf, brief: str) -> bool | None:
        """Whether it is one of them."""
        told = [type_of(one).is_said(one, brief) for one in answer]
        return None if None in told else any(told)

    def labels(self, answer: AnyOf) -> tuple[str, ...]:
        """Labels of all."""
        return tuple(label for one in answer for label in type_of(one).labels(one))

    def renamed(self, answer: AnyOf, name: Callable[[str], str]) -> AnyOf:
        """Answers with other labels."""
        return AnyOf(type_of(one).renamed(one, name) for one in answer)

    def carry(self, answer: AnyOf, track: Track) -> AnyOf:
        """Right answers to the changed text that come of each."""
        found = [right for one in answer for right in type_of(one).carried(one, track)]
        return AnyOf(dict.fromkeys(found))


ANY_OF = AnyOfType()
