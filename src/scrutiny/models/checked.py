"""Every answer of a model checked, and one bad item kept from taking down its batch."""

import math
from collections.abc import Sequence
from typing import Final

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, ModelError, ScrutinyError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction

#: How far the probabilities of one answer may sum from 1.
SUM_TOLERANCE: Final = 1e-3


class AnswerError(ScrutinyError):
    """A model has no answer to one of the examples it was asked; the others may be asked again.

    ``reason`` is the short stable code that goes into the records.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def predict_or_fail(model: Model, examples: Sequence[Example]) -> list[Prediction | Failure]:
    """One checked answer or failure for each example, in order.

    A batch that raises is asked again in halves, down to single examples, so that only the
    examples at fault fail. Reasons: ``model_error`` (it raised), ``non_finite`` (NaN or infinite
    probabilities), and those of `AnswerError` (``no_prediction``).

    Raises
    ------
    ModelError
        If answers are malformed, which no other item would mend: the wrong number of them, the
        wrong number of probabilities, negative ones, ones that do not sum to 1 within 1e-3, an
        unknown label, a span outside of its text.
    """
    if not examples:
        return []
    try:
        answers = list(model.predict(examples))
    except (ModelError, ConformanceError):
        raise
    except Exception as error:
        if len(examples) == 1:
            return [_failure(error)]
        half = len(examples) // 2
        return [
            *predict_or_fail(model, examples[:half]),
            *predict_or_fail(model, examples[half:]),
        ]
    if len(answers) != len(examples):
        raise ModelError(
            f"{model.source} gave {len(answers)} answers to {len(examples)} examples; it must "
            "give one for each, in order."
        )
    return [check_answer(model, e, a) for e, a in zip(examples, answers, strict=True)]


def check_answer(model: Model, example: Example, answer: Prediction) -> Prediction | Failure:
    """Return the answer if it is sound, with the likeliest label where it names none.

    Raises
    ------
    ModelError
        If it is malformed.
    """
    if not isinstance(answer, Prediction):
        raise ModelError(f"{_where(model, example)} is a {type(answer).__name__}, no Prediction.")
    if answer.scores is not None:
        if not all(map(math.isfinite, answer.scores)):
            return Failure("non_finite", f"{_where(model, example)} has {answer.scores}")
        _check_scores(model, example, answer.scores)
        if answer.label is None:
            answer = answer._replace(label=_likeliest(model, answer.scores))
    if answer.label is not None and model.labels and answer.label not in model.labels:
        raise ModelError(
            f"{_where(model, example)} is the label {answer.label!r}. Its labels are: "
            f"{', '.join(model.labels)}. State the right ones: #labels=a|b behind the model string."
        )
    for span in answer.spans or ():
        _check_span(model, example, (span.field, span.start, span.end))
    if answer.label is None and answer.spans is None and answer.text is None:
        raise ModelError(f"{_where(model, example)} is empty: no label, no scores, no spans.")
    return answer


def _check_scores(model: Model, example: Example, scores: tuple[float, ...]) -> None:
    """Raise unless these are probabilities of the model's labels."""
    if len(scores) != len(model.labels):
        raise ModelError(
            f"{_where(model, example)} has {len(scores)} probabilities, but the model has "
            f"{len(model.labels)} labels ({', '.join(model.labels)}): one row of shape "
            f"({len(model.labels)},) is needed for each example."
        )
    total = sum(scores)
    if min(scores) < 0 or abs(total - 1) > SUM_TOLERANCE:
        raise ModelError(
            f"{_where(model, example)} has scores {_short(scores)}, which are no probabilities: "
            f"they must not be negative and must sum to 1 (here {total:.4g}). If they are logits, "
            "apply a softmax."
        )


def _check_span(model: Model, example: Example, place: tuple[str, int, int]) -> None:
    """Raise unless a span lies inside of its text."""
    field, start, end = place
    length = len(example.fields.get(field, ""))
    if field not in example.fields or not 0 <= start < end <= length:
        raise ModelError(
            f"{_where(model, example)} has the span {field}[{start}:{end}], but {field!r} is "
            f"{length} code points long. Fields: {', '.join(example.fields)}."
        )


def _likeliest(model: Model, scores: tuple[float, ...]) -> str:
    """Label of the highest probability; the first of equals."""
    return model.labels[scores.index(max(scores))]


def _failure(error: Exception) -> Failure:
    """Failure of one example, from what was raised."""
    if isinstance(error, AnswerError):
        return Failure(error.reason, str(error))
    return Failure("model_error", f"{type(error).__name__}: {error}")


def _where(model: Model, example: Example) -> str:
    """Start of a message about one answer."""
    return f"The answer of {model.source} to item {example.id!r}"


def _short(scores: tuple[float, ...]) -> str:
    """Scores with few digits."""
    return "(" + ", ".join(f"{s:.4g}" for s in scores[:6]) + (", …)" if len(scores) > 6 else ")")
