"""Conversion of what a user's tagger returned into spans: tags, spans, and pieces of pipelines."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from scrutiny.core.example import Example, Span
from scrutiny.core.task import Prediction
from scrutiny.models.answers.bio import spans_from_tags
from scrutiny.models.answers.checked import BAD, AnswerError
from scrutiny.models.answers.inputs import borders
from scrutiny.models.answers.isolation import shown_value
from scrutiny.models.answers.returned import Answers, each_of

_SHOWN: Final = 60  # letters of an answer in a message
_WORDS: Final = (
    'With #input=words, or an attribute input = "words" on the object, it is given the list of '
    "words of each text, and returns a tag for each; or return spans: (start, end, label)."
)
_GIVEN: Final = "It was given these words in a list: return a tag for each of them, O for none."


def from_tags(
    answers: Any, examples: Sequence[Example], *, source: str, has_words: bool = False
) -> Answers:
    """Predictions of what a tagger returned for each text: tags or spans.

    A span is ``(start, end, label)``, a mapping with these keys (``entity_group`` will do for
    ``label``), in code points of the text, or a span of spaCy. Mappings with ``entity`` are the
    tagged pieces of a pipeline of transformers that does not aggregate.

    Parameters
    ----------
    answers
        What was returned.
    examples
        What was asked.
    source
        Model, for messages.
    has_words
        Whether the tagger was given words.

    Raises
    ------
    ModelError
        If there is not one answer for each text.
    """
    hint = _GIVEN if has_words else _WORDS

    def read(answer: Any, example: Example) -> Prediction:
        if isinstance(answer, Prediction):
            return answer
        try:
            return Prediction(_spans(answer, example))
        except AnswerError as error:
            said = f"{source}, item {example.id!r}: {error}"
            raise AnswerError(BAD, f"{said} {hint}") from error

    return each_of(answers, examples, read, source=source)


def _spans(answer: Any, example: Example) -> tuple[Span, ...]:
    """Spans of one tagged text."""
    field = next(iter(example.fields))
    if isinstance(answer, (str, bytes, Mapping)) or not hasattr(answer, "__iter__"):
        raise AnswerError(BAD, f"it returned {shown_value(answer, _SHOWN)}.")
    parts = list(answer)
    tokens = borders(example)
    if all(isinstance(part, str) for part in parts) and (parts or not tokens):
        return spans_from_tags(parts, tokens, field)
    if parts and all(isinstance(part, Mapping) and "entity" in part for part in parts):
        return _joined(parts, field)
    return tuple(_span(part, field) for part in parts)


def _joined(pieces: Sequence[Mapping[str, Any]], field: str) -> tuple[Span, ...]:
    """Spans of tagged pieces, which leave out those that are outside."""
    tags: list[str] = []
    places: list[tuple[int, int]] = []
    before = None
    for piece in pieces:
        start, end, index = (_number(piece.get(name)) for name in ("start", "end", "index"))
        if before is not None and index != before + 1:
            tags.append("O")
            places.append((start, start))
        tags.append(str(piece["entity"]))
        places.append((start, end))
        before = index
    return spans_from_tags(tags, places, field)


def _number(value: Any) -> int:
    """Whole number of a piece."""
    try:
        return int(value)
    except (TypeError, ValueError) as error:
        raise AnswerError(
            BAD, "a tagged piece has no start, end or index (use a fast tokenizer)."
        ) from error


def _span(part: Any, field: str) -> Span:
    """One span of a tuple, a mapping, or a span of spaCy."""
    if isinstance(part, Span):
        return part
    try:
        if isinstance(part, Mapping):
            name = "label" if "label" in part else "entity_group"
            return Span(field, int(part["start"]), int(part["end"]), str(part[name]))
        if hasattr(part, "start_char"):
            return Span(field, int(part.start_char), int(part.end_char), str(part.label_))
        start, end, label = part
        return Span(field, int(start), int(end), str(label))
    except (KeyError, TypeError, ValueError) as error:
        raise AnswerError(
            BAD,
            f"it returned {shown_value(part, _SHOWN)} as a span. A span is (start, end, label) in "
            "code points, or a mapping with these keys; or return one BIO tag for each token.",
        ) from error
