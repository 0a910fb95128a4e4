"""Extract: words copied from a text, as answers of reading comprehension are."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scrutiny.core.answers.answer import Agreement, AnswerType
from scrutiny.core.answers.extract_words import words_of_both
from scrutiny.core.answers.track import Track
from scrutiny.core.edit import EditRefusedError
from scrutiny.core.example import Example, Span


class Extract(NamedTuple):
    """Words of a text field, with their place where it is known.

    Parameters
    ----------
    text
        The words.
    field
        Name of the text field; empty if the place is unknown.
    start
        Code point at which they begin.
    """

    text: str
    field: str = ""
    start: int = 0


class ExtractType(AnswerType[Extract]):
    """Stretches of a text, which are right or wrong by their words."""

    name = "extract"
    holds = Extract

    def has_places(self, answer: Extract) -> bool:
        """Whether its place is known."""
        return bool(answer.field)

    def fences(self, answer: Extract) -> tuple[Span, ...]:
        """Return its place, where it is known."""
        return (_span(answer),) if answer.field else ()

    def encode(self, answer: Extract) -> Any:
        """Words and place; words alone where it is unknown."""
        return list(answer) if answer.field else [answer.text]

    def decode(self, value: Any) -> Extract:
        """Extract from its JSON."""
        return Extract(*value)

    def given(self, value: Any, example: Example) -> Extract:
        """Extract of words; of words and their start, as pipelines of transformers give it.

        A start is a code point of the last field.
        """
        start = None
        if isinstance(value, Mapping):
            start = value.get("start", value.get("answer_start"))
            value = value.get("answer", value.get("text"))
        if not isinstance(value, str) or not isinstance(start, int | None):
            raise TypeError('an answer is a string, or {"answer": string, "start": whole number}')
        return Extract(value) if start is None else Extract(value, [*example.fields][-1], start)

    def check(self, answer: Extract, example: Example) -> str | None:
        """Words that do not stand where they are said to."""
        if not answer.field:
            return None
        end = answer.start + len(answer.text)
        there = example.fields.get(answer.field, "")[answer.start : end]
        if there == answer.text:
            return None
        return (
            f"is {answer.text!r:.60} at {answer.field}[{answer.start}:{end}], where the text has "
            f"{there!r:.60}."
        )

    def agree(self, a: Extract, b: Extract) -> Agreement:
        """Whether both have the same words that count, wherever they stand."""
        ours, theirs = words_of_both(a.text, b.text)
        return Agreement(int(ours == theirs), 1)

    def is_said(self, answer: Extract, brief: str) -> bool:
        """Whether these are its words."""
        return self.agree(answer, Extract(brief)).equal == 1

    def show(self, answer: Extract, fields: Mapping[str, str]) -> str:
        """Return the words."""
        return answer.text

    def words(self, answer: Extract) -> tuple[str, ...]:
        """Return the words."""
        return (answer.text,)

    def carry(self, answer: Extract, track: Track) -> Extract:
        """Words that stand now where the extract stood.

        Raises
        ------
        EditRefusedError
            ``crosses_span``, ``empties_span``: an edit crosses its border, or leaves nothing;
            ``replaced_answer``: an edit puts other spans in its place.
        """
        if not answer.field:
            return answer
        found = track.spans((_span(answer),))
        if len(found) != 1:
            raise EditRefusedError("replaced_answer", "an edit puts other spans in its place")
        _, start, end, _ = found[0]
        return Extract(track.texts[answer.field][start:end], answer.field, start)

    def carried(self, answer: Extract, track: Track) -> Iterator[Extract]:
        """The extract at its new place, and its old words where they still stand in the text."""
        new = self.carry(answer, track)
        yield new
        if new.text != answer.text:
            place = track.texts[answer.field].find(answer.text)
            if place >= 0:
                yield Extract(answer.text, answer.field, place)


EXTRACT = ExtractType()


def _span(answer: Extract) -> Span:
    """Place of an extract."""
    return Span(answer.field, answer.start, answer.start + len(answer.text), "the answer")
