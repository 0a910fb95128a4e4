"""Text: what a model writes, and what it should have written."""

from collections.abc import Mapping
from typing import Any

from scrutiny.core.answers.answer import AnswerType
from scrutiny.core.example import Example


class Text(str):
    """Text as an answer, which is no name of a class."""

    __slots__ = ()


class TextType(AnswerType[Text]):
    """Texts that are written: translations, summaries, replies."""

    name = "text"
    holds = Text

    def decode(self, value: Any) -> Text:
        """Text from its JSON."""
        return Text(value)

    def given(self, value: Any, example: Example) -> Text:
        """Text of a string."""
        if not isinstance(value, str):
            raise TypeError("an answer is a string")
        return Text(value)

    def check(self, answer: Text, example: Example) -> str | None:
        """No fault: any text is a possible answer."""
        return None

    def show(self, answer: Text, fields: Mapping[str, str]) -> str:
        """Return the text itself."""
        return str(answer)

    def words(self, answer: Text) -> tuple[str, ...]:
        """Return the text."""
        return (answer,)


TEXT = TextType()
