"""Conversion of what a user's object returned into predictions."""

from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Real
from typing import Any, Final

from scrutiny.core.answers.answer import AnswerType
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example, Span
from scrutiny.core.task import Prediction
from scrutiny.models.answers.bio import spans_from_tags
from scrutiny.models.answers.checked import how_many, listed
from scrutiny.models.answers.inputs import borders

_SHOWN: Final = 60  # letters of an answer in a message


def answered_label(value: object) -> str:
    """Returned or stored answer as a label, whatever its class: ``numpy.int64(1)`` is ``"1"``.

    Examples
    --------
    >>> answered_label(1.0), answered_label("pos")
    ('1', 'pos')
    """
    item = getattr(value, "item", None)
    plain = item() if callable(item) else value
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    return str(plain)


def from_probabilities(
    rows: Any, labels: tuple[str, ...], *, count: int, source: str
) -> list[Prediction]:
    """Predictions of an array of probabilities ``(n, k)`` that was returned.

    Raises
    ------
    ModelError
        For any other shape, or if there are no labels to go with the columns.
    """
    import numpy as np

    _require_order(rows, source)
    try:
        given = np.asarray(rows)
        array = given.astype(np.float64 if given.dtype.kind != "c" else given.dtype)
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"{source} must return an array of probabilities of shape (n, k): {error}"
        ) from error
    if any(map(_is_masked, [rows, *rows])):
        raise ModelError(
            f"{source} returned masked probabilities, and what is masked is none: return an array "
            "without a mask, with NaN where there is no answer (array.filled(float('nan')))."
        )
    if array.dtype.kind == "c":
        raise ModelError(f"{source} returned complex numbers, which are no probabilities.")
    if not labels:
        raise ModelError(
            f"{source} returns probabilities and does not say of which labels. Add them in the "
            "order of the columns, #labels=negative|positive, or set classes_ on the object."
        )
    if array.shape != (count, len(labels)):
        raise ModelError(
            f"{source} returned probabilities of shape {array.shape} for {count} examples; the "
            f"shape must be ({count}, {len(labels)}), a column for each of {', '.join(labels)}."
        )
    return [Prediction(scores=tuple(row)) for row in array.tolist()]


def from_answers(
    answers: Any, labels: tuple[str, ...], *, count: int, source: str
) -> list[Prediction]:
    """Predictions of what a classifier returned: labels, mappings, or an array ``(n, k)``.

    Raises
    ------
    ModelError
        If it is none of these.
    """
    _require_order(answers, source)
    if _is_masked(answers):
        raise ModelError(f"{source} returned masked answers: return a label for each example.")
    found = listed(answers, count) if isinstance(answers, Iterable) else [answers]
    _require_count(found, answers, count, source)
    if found and all(isinstance(a, Mapping) for a in found):
        return [_from_mapping(a, labels, source) for a in found]
    if found and all(_is_row(a) for a in found):
        return from_probabilities(found, labels, count=count, source=source)
    if found and all(isinstance(a, Prediction) for a in found):
        return found
    wrong = next((a for a in found if not _is_label(a)), None)
    if wrong is not None:
        raise ModelError(
            f"{source} returned {repr(wrong)[:_SHOWN]} for an example. Return a label, a mapping "
            "from labels to probabilities, or a row of probabilities for each."
        )
    return [Prediction(answered_label(a)) for a in found]


def from_tags(answers: Any, examples: Sequence[Example], *, source: str) -> list[Prediction]:
    """Predictions of what a tagger returned for each text: BIO tags or spans.

    A span is ``(start, end, label)``, or a mapping with these keys (``entity_group`` will do for
    ``label``), in code points of the text.

    Raises
    ------
    ModelError
        If it is neither, or if the number of tags is not that of the tokens.
    """
    _require_order(answers, source)
    found = listed(answers, len(examples))
    _require_count(found, answers, len(examples), source)
    return [Prediction(_spans(list(a), e, source)) for a, e in zip(found, examples, strict=True)]


def from_given(
    answers: Any, examples: Sequence[Example], kind: AnswerType[Any], *, source: str
) -> list[Prediction]:
    """Returned answers of a type as predictions, one for each example.

    Raises
    ------
    ModelError
        If there is not one for each, or one is no such answer.
    """
    _require_order(answers, source)
    found = listed(answers, len(examples))
    _require_count(found, answers, len(examples), source)
    return [
        a if isinstance(a, Prediction) else given_answer(a, e, kind, source=source)
        for a, e in zip(found, examples, strict=True)
    ]


def given_answer(
    answer: Any, example: Example, kind: AnswerType[Any], *, source: str
) -> Prediction:
    """Prediction of what stands for an answer.

    Raises
    ------
    ModelError
        If it is no such answer.
    """
    try:
        return Prediction(kind.given(answer, example))
    except TypeError as error:
        raise ModelError(
            f"{source} gave {repr(answer)[:_SHOWN]} for item {example.id!r}: {error}."
        ) from error


def _spans(answer: list[Any], example: Example, source: str) -> tuple[Span, ...]:
    """Spans of one tagged text."""
    field = next(iter(example.fields))
    tokens = borders(example)
    if all(isinstance(a, str) for a in answer) and (answer or not tokens):
        try:
            return spans_from_tags(answer, tokens, field)
        except ModelError as error:
            raise ModelError(f"{source}, item {example.id!r}: {error}") from error
    return tuple(_span(a, field, source) for a in answer)


def _span(answer: Any, field: str, source: str) -> Span:
    """One span of a tuple or a mapping."""
    if isinstance(answer, Span):
        return answer
    try:
        if isinstance(answer, Mapping):
            label = answer.get("label", answer.get("entity_group"))
            return Span(field, int(answer["start"]), int(answer["end"]), str(label))
        start, end, label = answer
        return Span(field, int(start), int(end), str(label))
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(
            f"{source} returned {answer!r} as a span. A span is (start, end, label) in code "
            "points, or a mapping with these keys; or return one BIO tag for each token."
        ) from error


def _from_mapping(answer: Mapping[Any, Any], labels: tuple[str, ...], source: str) -> Prediction:
    """Prediction from a mapping of labels to probabilities; a missing label has 0."""
    scores = {answered_label(k): float(v) for k, v in answer.items()}
    unknown = [k for k in scores if k not in labels]
    if unknown:
        raise ModelError(
            f"{source} returned a probability of {unknown[0]!r}, which is not among its labels: "
            f"{', '.join(labels) or 'none are known; add #labels=a|b'}."
        )
    return Prediction(scores=tuple(scores.get(label, 0.0) for label in labels))


def _require_order(answers: Any, source: str) -> None:
    """Raise for an iterable that is not a sequence of answers."""
    if isinstance(answers, (str, bytes, Mapping, Set)):
        raise ModelError(
            f"{source} returned one {type(answers).__name__} for all that it was asked. It is "
            "called with a list and must return a list, one answer for each, in order."
        )


def _is_masked(answers: Any) -> bool:
    """Whether something of an array of ``numpy.ma`` is masked."""
    is_of_ma = type(answers).__module__.startswith("numpy.ma")
    return is_of_ma and bool(answers.mask.any())


def _require_count(found: list[Any], given: Any, count: int, source: str) -> None:
    """Raise unless there is one answer for each example."""
    if len(found) != count:
        raise ModelError(
            f"{source} gave {how_many(given, found)} answers to {count} examples; it is called "
            "with a list and must return one answer for each, in order."
        )


def _is_row(answer: Any) -> bool:
    """Whether an answer is a row of numbers."""
    return not isinstance(answer, (str, bytes, Prediction, Mapping)) and hasattr(answer, "__len__")


def _is_label(answer: Any) -> bool:
    """Whether an answer is a class name: a string, a whole number or a truth value."""
    item = getattr(answer, "item", None)
    plain = item() if callable(item) else answer
    if isinstance(plain, Real) and not isinstance(plain, (bool, int)):
        return float(plain).is_integer()
    return isinstance(plain, (str, bool, int))
