"""Validation of every answer; an invalid item does not fail its whole batch."""

import math
from collections.abc import Callable, Iterable, Sequence, Sized
from itertools import islice
from numbers import Real
from typing import Final, TypeVar

from scrutiny.core.answers.answer import is_answer, label_in, type_of
from scrutiny.core.boundary.storable import is_storable
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, ModelError, ScrutinyError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.queries.remote import RemoteModel, Replies
from scrutiny.core.task import Prediction
from scrutiny.models.answers.isolation import is_interrupt, isolated, message_of, shown_value

Q = TypeVar("Q")
A = TypeVar("A")
#: How far the probabilities of one answer may sum from 1.
SUM_TOLERANCE: Final = 1e-3
_REAL: Final = {float}
_SHOWN: Final = 60  # letters of an answer in a message
_MOST_SAID: Final = 2_000  # letters of what a model says of its failure


class AnswerError(ScrutinyError):
    """A model has no answer to one of the examples; the others may be asked again.

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
    if isinstance(model, RemoteModel):
        came = dict(model.replies(examples))
        return read_or_fail(model, examples, [came[place] for place in range(len(examples))])
    answers = answer_or_fail(model.predict, examples, source=model.source)
    labels = model.labels
    return [
        _labeled(labels, a) or (a if isinstance(a, Failure) else check_answer(model, e, a))
        for e, a in zip(examples, answers, strict=True)
    ]


def read_or_fail(
    model: RemoteModel, examples: Sequence[Example], replies: Sequence[Replies | Failure]
) -> list[Prediction | Failure]:
    """One checked answer or failure for the replies to each example, in order.

    Raises
    ------
    ModelError
        If answers are malformed, as those of any model.
    """
    found = [
        one if isinstance(one, Failure) else model.read(example, one)
        for example, one in zip(examples, replies, strict=True)
    ]
    return [
        one if isinstance(one, Failure) else check_answer(model, example, one)
        for example, one in zip(examples, found, strict=True)
    ]


def _labeled(labels: Sequence[str], answer: object) -> Prediction | None:
    """Valid answer of a classifier in the fast case; `None` if it needs the full check.

    Classifiers answer by the hundred thousand, and all that can be wrong with probabilities shows
    in their types, their least and their sum.
    """
    if type(answer) is not Prediction:
        return None
    label, scores, said = answer
    if said is not None or type(scores) is not tuple or not scores:
        return None
    if len(scores) != len(labels) or set(map(type, scores)) != _REAL:
        return None
    if not (min(scores) >= 0 and abs(sum(scores) - 1) <= SUM_TOLERANCE):
        return None  # NaN among them: no comparison holds
    if label is None:
        label = labels[scores.index(max(scores))]
        return Prediction(label, scores) if is_storable(label) else None
    return answer if type(label) is str and label in labels and is_storable(label) else None


def answer_or_fail(
    ask: Callable[[Sequence[Q]], Iterable[A]], asked: Sequence[Q], *, source: str
) -> list[A | Failure]:
    """One answer or failure for each query, in order; a batch that raises is split in half.

    Raises
    ------
    ModelError
        If the number of answers is wrong, or if the model itself says that it cannot be asked.
    """
    if not asked:
        return []
    try:
        with isolated(source):
            given = ask(asked)
            answers: list[A | Failure] = [*listed(given, len(asked))]
    except (ModelError, ConformanceError):
        raise
    except BaseException as error:  # also sys.exit, and what tasks are cancelled with
        if is_interrupt(error):
            raise
        if len(asked) == 1:
            return [_failure(error)]
        half = len(asked) // 2
        return [
            *answer_or_fail(ask, asked[:half], source=source),
            *answer_or_fail(ask, asked[half:], source=source),
        ]
    if len(answers) != len(asked):
        raise ModelError(
            f"{source} gave {how_many(given, answers)} answers to {len(asked)} examples; it must "
            "give one for each, in order."
        )
    return answers


def listed(answers: Iterable[A], count: int) -> list[A]:
    """Answers in a list, at most one too many if they might be endless."""
    return list(answers if isinstance(answers, Sized) else islice(answers, count + 1))


def how_many(given: object, answers: Sequence[object]) -> str:
    """Number of answers for a message; without a length, only some are counted."""
    return f"{len(answers)}" if isinstance(given, Sized) else f"{len(answers)} or more"


def check_answer(model: Model, example: Example, answer: Prediction) -> Prediction | Failure:
    """Return the answer if it is valid, with the most likely label if it names none.

    Raises
    ------
    ModelError
        If it is malformed.
    """
    if not isinstance(answer, Prediction):
        raise ModelError(f"{_where(model, example)} is a {type(answer).__name__}, no Prediction.")
    _check_types(model, example, answer)
    if answer.scores is not None:
        if not all(map(math.isfinite, answer.scores)):
            return Failure("non_finite", f"{_where(model, example)} has {answer.scores}")
        _check_scores(model, example, answer.scores)
        if answer.answer is None:
            likeliest = model.labels[answer.scores.index(max(answer.scores))]
            answer = answer._replace(answer=likeliest)
    if answer.answer is None:
        raise ModelError(f"{_where(model, example)} is empty: no answer, no scores.")
    label, kind = label_in(answer.answer), type_of(answer.answer)
    if label is not None and model.labels and label not in model.labels:
        raise ModelError(
            f"{_where(model, example)} is the label {label[:_SHOWN]!r}. Its labels are: "
            f"{', '.join(model.labels)}. State the right ones: #labels=a|b behind the model string."
        )
    if wrong := kind.check(answer.answer, example):
        raise ModelError(f"{_where(model, example)} {wrong}")
    if not all(map(is_storable, (answer.said or "", *kind.words(answer.answer)))):
        return Failure("no_unicode", f"{_where(model, example)} holds half a surrogate pair")
    return answer


def _check_types(model: Model, example: Example, answer: Prediction) -> None:
    """Raise unless a model's own predictions have the right types."""
    scores = answer.scores
    is_known = answer.answer is None or is_answer(answer.answer)
    if not (is_known and (scores is None or all(isinstance(score, Real) for score in scores))):
        raise ModelError(
            f"{_where(model, example)} is {shown_value(answer, _SHOWN)}: in a Prediction the "
            "answer is a label (a string), spans (a tuple of Span), a Text or another type of "
            "scrutiny.core.answers, and the scores are numbers."
        )


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


def _failure(error: BaseException) -> Failure:
    """Failure of one example, from what was raised."""
    if isinstance(error, AnswerError):
        return Failure(error.reason, str(error))
    return Failure("model_error", message_of(error)[:_MOST_SAID])


def _where(model: Model, example: Example) -> str:
    """Start of a message about one answer."""
    return f"The answer of {model.source} to item {example.id!r}"


def _short(scores: tuple[float, ...]) -> str:
    """Scores with few digits."""
    return "(" + ", ".join(f"{s:.4g}" for s in scores[:6]) + (", …)" if len(scores) > 6 else ")")
