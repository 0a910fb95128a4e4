"""Conversion of what a user's object returned, one answer an example: of any type, and spans.

A tagger is asked for words and returns tags in any notation of the data's, spans, or the tagged
pieces of a pipeline.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import partial
from numbers import Real
from typing import Any, Final

from scrutiny.core.answers.answer import AnswerType, has_places, is_answer, type_of
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.example import Example, Span
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import BAD, AnswerError, MiscountError, how_many, listed
from scrutiny.models.answers.isolation import shown_value
from scrutiny.tasks.tags import spans_of
from scrutiny.text.tokens import token_spans

Answers = list[Prediction | Failure]
SHOWN_LETTERS: Final = 60  # letters of an answer in a message


def from_given(
    answers: Any, examples: Sequence[Example], kind: AnswerType[Any], *, source: str
) -> Answers:
    """Returned answers of a type as predictions, one for each example.

    Raises
    ------
    ModelError
        If there is not one for each.
    """
    return each_of(
        answers, examples, partial(given_answer, kind=kind, source=source), source=source
    )


def given_answer(
    answer: Any, example: Example, kind: AnswerType[Any], *, source: str
) -> Prediction:
    """Prediction of what stands for an answer, or is one.

    Raises
    ------
    AnswerError
        ``bad_answer`` if it is no such answer.
    """
    if isinstance(answer, Prediction):
        return answer
    if is_answer(answer) and type_of(answer) is kind:
        return Prediction(answer)
    try:
        given = kind.given(answer, example)
        is_scored = kind.is_judged_whole or has_places(given)
        sure = kind.sure_of(answer)
        alone = None if sure is None else (sure,)
        return Prediction(given, (_confidences([answer]) or alone) if is_scored else None)
    except TypeError as error:
        raise AnswerError(
            BAD,
            f"{source} gave {shown_value(answer, SHOWN_LETTERS)} for item {example.id!r}: {error}.",
        ) from error


def _confidences(parts: Iterable[Any]) -> tuple[float, ...] | None:
    """Probabilities of the parts of an answer, where each is a mapping with a ``score``."""
    found = [part.get("score") if isinstance(part, Mapping) else None for part in parts]
    known = [float(score) for score in found if isinstance(score, Real)]
    return tuple(known) if known and len(known) == len(found) else None


def each_of(
    answers: Any,
    examples: Sequence[Example],
    read: Callable[[Any, Example], Prediction],
    *,
    source: str,
) -> Answers:
    """Prediction of each answer, or what is wrong with it.

    Raises
    ------
    ModelError
        If there is not one for each example.
    """
    require_order(answers, source)
    found = one_for_each(answers, len(examples), source)
    return [or_failure(partial(read, a, e)) for a, e in zip(found, examples, strict=True)]


def or_failure(read: Callable[[], Prediction]) -> Prediction | Failure:
    """Prediction, or the failure of an answer that cannot be read."""
    try:
        return read()
    except AnswerError as error:
        return Failure(error.reason, str(error))


def one_for_each(answers: Any, count: int, source: str) -> list[Any]:
    """Answers in a list.

    Raises
    ------
    MiscountError
        Unless there is one for each example.
    """
    found = listed(answers, count) if isinstance(answers, Iterable) else [answers]
    if len(found) != count:
        raise MiscountError(
            BAD,
            f"{source} gave {how_many(answers, found)} answers to {count} examples; it is called "
            "with a list and must return one answer for each, in order.",
        )
    return found


def require_order(answers: Any, source: str) -> None:
    """Raise for an iterable that is not a sequence of answers."""
    if isinstance(answers, (str, bytes, Mapping, Set)):
        raise ModelError(
            f"{source} returned one {type(answers).__name__} for all that it was asked. It is "
            "called with a list and must return a list, one answer for each, in order."
        )


def borders(example: Example) -> list[tuple[int, int]]:
    """Input of a model that answers for words: their borders in the first field, given or ours."""
    field = next(iter(example.fields))
    if example.tokens and field in example.tokens:
        return list(example.tokens[field])
    return token_spans(example.text)


def input_words(examples: Sequence[Example]) -> list[list[str]]:
    """Input of a model that is given words: those of the first field of each example."""
    return [[e.text[start:end] for start, end in borders(e)] for e in examples]


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
            found = _spans(answer, example)
            own = answer if len(found) == len(answer) else ()  # tags and pieces are no spans
            return Prediction(found, _confidences(own))
        except AnswerError as error:
            said = f"{source}, item {example.id!r}: {error}"
            raise AnswerError(BAD, f"{said} {hint}") from error

    return each_of(answers, examples, read, source=source)


def _spans(answer: Any, example: Example) -> tuple[Span, ...]:
    """Spans of one tagged text."""
    field = next(iter(example.fields))
    if isinstance(answer, (str, bytes, Mapping)) or not hasattr(answer, "__iter__"):
        raise AnswerError(BAD, f"it returned {shown_value(answer, SHOWN_LETTERS)}.")
    parts = list(answer)
    tokens = borders(example)
    if all(isinstance(part, str) for part in parts) and (parts or not tokens):
        return spans_from_tags(parts, tokens, field)
    if parts and all(isinstance(part, Mapping) and "entity" in part for part in parts):
        # Spans of tagged pieces, which leave out those that are outside.
        tags: list[str] = []
        places: list[tuple[int, int]] = []
        before = None
        for piece in parts:
            start, end, index = (_number(piece.get(name)) for name in ("start", "end", "index"))
            if before is not None and index != before + 1:
                tags.append("O")
                places.append((start, start))
            tags.append(str(piece["entity"]))
            places.append((start, end))
            before = index
        return spans_from_tags(tags, places, field)
    return tuple(_span(part, field) for part in parts)


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
            f"it returned {shown_value(part, SHOWN_LETTERS)} as a span. A span is (start, end, "
            "label) in code points, or a mapping with these keys; or return one BIO tag for each "
            "token.",
        ) from error


Border = tuple[int, int]


def spans_from_tags(tags: Sequence[str], tokens: Sequence[Border], field: str) -> tuple[Span, ...]:
    """Spans of a tagged text, read as tags of data are (`scrutiny.tasks.tags`).

    Parameters
    ----------
    tags
        One for each token.
    tokens
        Code-point borders of the tokens.
    field
        Name of the text field.

    Raises
    ------
    AnswerError
        ``bad_answer`` if there are more or fewer tags than tokens, or one is no tag.

    Examples
    --------
    >>> spans_from_tags(["B-PER", "I-PER", "O"], [(0, 3), (4, 9), (10, 15)], "text")
    (Span(field='text', start=0, end=9, label='PER'),)
    """
    if len(tags) != len(tokens):
        raise AnswerError(BAD, f"{len(tags)} tags were given to a text of {len(tokens)} tokens.")
    try:
        return spans_of(tags, tokens, field=field)
    except DataError as error:
        raise AnswerError(BAD, f"{error}.") from error
