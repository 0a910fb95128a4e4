"""Validation of every answer; an invalid item does not fail its whole batch."""

import math
from collections.abc import Callable, Iterable, Sequence, Sized
from itertools import islice
from numbers import Real
from typing import Any, Final, Generic, TypeVar

from scrutiny.core.answers.answer import is_answer, label_in, type_of
from scrutiny.core.boundary.printable import is_storable
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, ModelError, ScrutinyError
from scrutiny.core.example import Example
from scrutiny.core.model import AnswersOneByOne, Model
from scrutiny.core.queries.remote import RemoteModel, Replies
from scrutiny.core.task import Prediction
from scrutiny.models.answers.isolation import is_interrupt, isolated, message_of, shown_value

Q = TypeVar("Q")
A = TypeVar("A")
#: How far the probabilities of one answer may sum from 1.
SUM_TOLERANCE: Final = 1e-3
#: Reason of an answer that came and cannot be used: of the wrong shape, of an unknown label, none.
BAD: Final = "bad_answer"
_MOST_SPLIT: Final = 20  # batches with the wrong number of answers, none right, of a hopeless model
_TOO_FEW: Final = 2  # queries of which a batch with the wrong number of answers says nothing
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


class MiscountError(AnswerError):
    """A model gave more or fewer answers than it was asked for."""


def predict_or_fail(model: Model, examples: Sequence[Example]) -> list[Prediction | Failure]:
    """One checked answer or failure for each example, in order.

    A batch that raises is asked again in halves, down to single examples, so that only the
    examples at fault fail. Reasons: ``model_error`` (it raised), ``bad_answer`` (no prediction, the
    wrong number of probabilities, negative ones, ones that do not sum to 1 within 1e-3, an unknown
    label, a span outside of its text), ``non_finite`` (NaN or infinite probabilities),
    ``no_unicode``, and those of `AnswerError` (``no_prediction``).

    Raises
    ------
    ModelError
        If the model itself says that it cannot be asked, or gives the wrong number of answers
        however many it is asked.
    """
    if isinstance(model, RemoteModel):
        came = dict(model.replies(examples))
        return read_or_fail(model, examples, [came[place] for place in range(len(examples))])
    ask = model.answers_or_failures if isinstance(model, AnswersOneByOne) else model.predict
    answers: list[Any] = answer_or_fail(ask, examples, source=model.source)
    labels = model.labels
    fine = frozenset([one for one in labels if type(one) is str and is_storable(one)])
    return [
        _labeled(labels, fine, a) or check_answer(model, e, a)
        for e, a in zip(examples, answers, strict=True)
    ]


def read_or_fail(
    model: RemoteModel, examples: Sequence[Example], replies: Sequence[Replies | Failure]
) -> list[Prediction | Failure]:
    """One checked answer or failure for the replies to each example, in order."""
    return [
        check_answer(model, e, one if isinstance(one, Failure) else model.read(e, one))
        for e, one in zip(examples, replies, strict=True)
    ]


def _labeled(labels: Sequence[str], fine: frozenset[str], answer: object) -> Prediction | None:
    """Valid answer of a classifier in the fast case; `None` if it needs the full check.

    Classifiers answer by the hundred thousand, and all that can be wrong with probabilities shows
    in their types, their least and their sum. ``fine`` are the labels that can be written.
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
        return Prediction(label, scores) if label in fine else None
    return answer if type(label) is str and label in fine else None


def answer_or_fail(
    ask: Callable[[Sequence[Q]], Iterable[A]], asked: Sequence[Q], *, source: str
) -> list[A | Failure]:
    """One answer or failure for each query, in order; a batch that raises is split in half.

    So is one that gets more or fewer answers than it has queries.

    Raises
    ------
    ModelError
        If the model itself says that it cannot be asked, or if the number of answers is wrong in
        twenty batches, or in all, and never right in one of several queries.
    """
    halving = _Halving(ask, source)
    answers = halving.answers(asked)
    if halving.miscounted and not halving.counted and len(asked) > _TOO_FEW:
        raise ModelError(halving.miscounted[0])
    return answers


class _Halving(Generic[Q, A]):
    """One batch that is asked again in halves, down to the single queries at fault.

    ``miscounted`` says what is wrong with batches that got the wrong number of answers; ``counted``
    is whether one of several queries got the right number.
    """

    def __init__(self, ask: Callable[[Sequence[Q]], Iterable[A]], source: str) -> None:
        self._ask = ask
        self._source = source
        self.miscounted: list[str] = []
        self.counted = False

    def answers(self, asked: Sequence[Q]) -> list[A | Failure]:
        """Answers to some of the queries."""
        if not asked:
            return []
        try:
            with isolated(self._source):
                given = self._ask(asked)
                answers: list[A | Failure] = [*listed(given, len(asked))]
        except (ModelError, ConformanceError):
            raise
        except MiscountError as error:
            return self._halves(asked, self._miscounted(str(error)))
        except BaseException as error:  # also sys.exit, and what tasks are cancelled with
            if is_interrupt(error):
                raise
            return self._halves(asked, _failure(error))
        if len(answers) == len(asked):
            self.counted |= len(asked) > 1
            return answers
        said = (
            f"{self._source} gave {how_many(given, answers)} answers to {len(asked)} examples; it "
            "must give one for each, in order."
        )
        return self._halves(asked, self._miscounted(said))

    def _halves(self, asked: Sequence[Q], failure: Failure) -> list[A | Failure]:
        """Answers to both halves; a failure of one query alone."""
        if len(asked) == 1:
            return [failure]
        half = len(asked) // 2
        return [*self.answers(asked[:half]), *self.answers(asked[half:])]

    def _miscounted(self, said: str) -> Failure:
        """Failure of a batch that got the wrong number of answers."""
        self.miscounted.append(said)
        if len(self.miscounted) >= _MOST_SPLIT and not self.counted:
            raise ModelError(self.miscounted[0])
        return Failure(BAD, said)


def listed(answers: Iterable[A], count: int) -> list[A]:
    """Answers in a list, at most one too many if they might be endless."""
    return list(answers if isinstance(answers, Sized) else islice(answers, count + 1))


def how_many(given: object, answers: Sequence[object]) -> str:
    """Number of answers for a message; without a length, only some are counted."""
    return f"{len(answers)}" if isinstance(given, Sized) else f"{len(answers)} or more"


def check_answer(
    model: Model, example: Example, answer: Prediction | Failure
) -> Prediction | Failure:
    """Return the answer, with the most likely label if it names none; if invalid, why."""
    try:
        return answer if isinstance(answer, Failure) else _valid(model, example, answer)
    except AnswerError as error:
        return _failure(error)


def _valid(model: Model, example: Example, answer: Prediction) -> Prediction:
    """Answer with its most likely label; raise `AnswerError` unless it is valid."""
    if not isinstance(answer, Prediction):
        raise _bad(model, example, f"is a {type(answer).__name__}, no Prediction.")
    scores = answer.scores
    is_known = answer.answer is None or is_answer(answer.answer)
    if not (is_known and (scores is None or all(isinstance(score, Real) for score in scores))):
        raise _bad(
            model,
            example,
            f"is {shown_value(answer, _SHOWN)}: in a Prediction the answer is a label (a string), "
            "spans (a tuple of Span), a Text or another type of scrutiny.core.answers, and the "
            "scores are numbers.",
        )
    if answer.scores is not None:
        if not all(map(math.isfinite, answer.scores)):
            said = f"has scores {_short(answer.scores)}: a probability is a finite number"
            raise _bad(model, example, said, reason="non_finite")
        if answer.answer is None or label_in(answer.answer) is not None:
            _check_scores(model, example, answer.scores)
        if answer.answer is None:
            likeliest = model.labels[answer.scores.index(max(answer.scores))]
            answer = answer._replace(answer=likeliest)
    if answer.answer is None:
        raise _bad(model, example, "is empty: no answer, no scores.")
    label, kind = label_in(answer.answer), type_of(answer.answer)
    if label is not None and model.labels and label not in model.labels:
        raise _bad(
            model,
            example,
            f"is the label {label[:_SHOWN]!r}. Its labels are: {', '.join(model.labels)}. State "
            "the right ones: #labels=a|b behind the model string.",
        )
    if wrong := kind.check(answer.answer, example):
        raise _bad(model, example, wrong)
    if answer.scores is not None and label is None:
        _check_confidences(model, example, answer, answer.scores)
    if not all(map(is_storable, (answer.said or "", *kind.words(answer.answer)))):
        raise _bad(model, example, "holds half a surrogate pair", reason="no_unicode")
    return answer


def _check_scores(model: Model, example: Example, scores: tuple[float, ...]) -> None:
    """Raise unless these are probabilities of the model's labels."""
    if len(scores) != len(model.labels):
        raise _bad(
            model,
            example,
            f"has {len(scores)} probabilities, but the model has {len(model.labels)} labels "
            f"({', '.join(model.labels)}): one row of shape ({len(model.labels)},) is needed for "
            "each example.",
        )
    total = sum(scores)
    if min(scores) < 0 or abs(total - 1) > SUM_TOLERANCE:
        raise _bad(
            model,
            example,
            f"has scores {_short(scores)}, which are no probabilities: they must not be negative "
            f"and must sum to 1 (here {total:.4g}). If they are logits, apply a softmax.",
        )


def _check_confidences(
    model: Model, example: Example, answer: Prediction, scores: tuple[float, ...]
) -> None:
    """Raise unless each part of an answer that is no label has its probability."""
    count = len(type_of(answer.answer).judged(answer.answer, answer.answer))
    if len(scores) != count or not all(0 <= score <= 1 for score in scores):
        raise _bad(
            model,
            example,
            f"has the scores {_short(scores)} for {count} parts: answers that are no labels have "
            "one probability from 0 to 1 for each part (span, word, or the whole answer), or none.",
        )


def _bad(model: Model, example: Example, wrong: str, *, reason: str = BAD) -> AnswerError:
    """Error of an answer that cannot be used, with the rest of "The answer …"."""
    return AnswerError(reason, f"The answer of {model.source} to item {example.id!r} {wrong}")


def first_failure_raised(answers: Iterable[A | Failure]) -> list[A]:
    """Answers, if all of them can be used.

    Raises
    ------
    AnswerError
        For the first that cannot.
    """
    found: list[A] = []
    for answer in answers:
        if isinstance(answer, Failure):
            raise AnswerError(answer.reason, answer.message)
        found.append(answer)
    return found


def _failure(error: BaseException) -> Failure:
    """Failure of one example, from what was raised."""
    if isinstance(error, AnswerError):
        return Failure(error.reason, str(error))
    return Failure("model_error", message_of(error)[:_MOST_SAID])


def _short(scores: tuple[float, ...]) -> str:
    """Scores with few digits."""
    return "(" + ", ".join(f"{s:.4g}" for s in scores[:6]) + (", …)" if len(scores) > 6 else ")")


def index_of(label: str, labels: Sequence[str], *, source: str) -> int:
    """Index of a label among those of a model.

    Raises
    ------
    ModelError
        If there is no such label.
    """
    if label not in labels:
        raise ModelError(f"{source} has no label {label!r}; its labels are {', '.join(labels)}.")
    return labels.index(label)
