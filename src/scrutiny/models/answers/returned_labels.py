"""Conversion of what a user's classifier returned into predictions: labels and probabilities.

Labels, mappings, rows, and arrays or frames of other libraries are told apart here, one by one.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any, Final

from scrutiny.core.errors import ModelError
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import BAD, SUM_TOLERANCE, AnswerError, MiscountError
from scrutiny.models.answers.isolation import shown_value
from scrutiny.models.answers.returned_answers import (
    SHOWN_LETTERS,
    Answers,
    one_for_each,
    or_failure,
    require_order,
)

_MOST_LABELS: Final = 12
_EXPECTED: Final = (
    "Return a label, a mapping from labels to probabilities, or a row of probabilities for each."
)


def answered_label(value: object) -> str:
    """Returned or stored answer as a label, whatever its class: ``numpy.int64(1)`` is ``"1"``.

    Examples
    --------
    >>> answered_label(1.0), answered_label("pos")
    ('1', 'pos')
    """
    plain = _scalar(value)
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
    AnswerError
        ``bad_answer`` for any other shape of a single answer, which says nothing of others.
    """
    import numpy as np

    require_order(rows, source)
    rows = _plain(rows)
    try:
        given = np.asarray(rows)
        array = given.astype(np.float64 if given.dtype.kind != "c" else given.dtype)
    except (TypeError, ValueError) as error:
        said = f"{source} must return an array of probabilities of shape (n, k): {error}"
        raise _shape_error(said, count) from error
    is_plain = type(rows) is np.ndarray and rows.dtype.kind == "f"  # numbers alone, and all given
    if not is_plain and any(map(_is_masked, [rows, *rows])):
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
    wrong = (
        f"{source} returned probabilities of shape {array.shape} for {count} examples; the "
        f"shape must be ({count}, {len(labels)}), a column for each of {', '.join(labels)}."
    )
    if array.ndim and len(array) != count:
        raise MiscountError(BAD, wrong)
    if array.shape[1:] != (len(labels),):
        raise _shape_error(wrong, count)
    return [Prediction(None, tuple(row)) for row in array.tolist()]


def _shape_error(said: str, count: int) -> ModelError | AnswerError:
    """Error of an array of another shape: the model's, or that of the only answer."""
    return ModelError(said) if count > 1 else AnswerError(BAD, said)


def from_rows(rows: Any, labels: tuple[str, ...], *, count: int, source: str) -> Answers:
    """Predictions of returned rows of probabilities; in a list, some may be of the wrong length.

    Raises
    ------
    ModelError
        If all of several are, or if there are no labels to go with them.
    AnswerError
        ``bad_answer`` if the only one is.
    """
    if isinstance(rows, (list, tuple)) and labels and len(rows) == count:
        fits = {_is_row(row) and len(row) == len(labels) for row in rows}
        if fits == {True, False} or not any(map(_is_row, rows)):
            return from_answers(rows, labels, count=count, source=source)
    return [*from_probabilities(rows, labels, count=count, source=source)]


def from_answers(answers: Any, labels: tuple[str, ...], *, count: int, source: str) -> Answers:
    """Predictions of what a classifier returned, one for each example.

    Labels (also as numbers and truth values); mappings from labels to probabilities; what pipelines
    of transformers give, ``{"label": ..., "score": ...}`` or a list of them; rows of probabilities.
    In lists, tuples, arrays of NumPy and torch, series and frames of pandas.

    Raises
    ------
    ModelError
        If it is not one answer for each, or an array of another shape.
    """
    require_order(answers, source)
    if _is_masked(answers):
        raise ModelError(f"{source} returned masked answers: return a label for each example.")
    answers = _plain(answers)
    if getattr(answers, "ndim", 1) == 2 and answers.shape[1] > 1 and _is_numeric(answers):
        return [*from_probabilities(answers, labels, count=count, source=source)]
    found = [*map(_plain, one_for_each(answers, count, source))]
    if found and all(
        (_is_row(a) and (_is_numeric(a) or all(map(_is_number, a)))) and len(a) == len(labels)
        for a in found
    ):
        return [*from_probabilities(found, labels, count=count, source=source)]
    if all(type(a) is str for a in found):
        return [Prediction(a) for a in found]
    return [or_failure(partial(_answer, a, labels, source)) for a in found]


def _answer(answer: Any, labels: tuple[str, ...], source: str) -> Prediction:
    """Prediction of what was returned for one example."""
    if isinstance(answer, Prediction):
        return answer
    if isinstance(answer, Mapping):
        return _from_mapping(answer, labels, source)
    if _is_row(answer) and len(answer):
        parts = list(answer)
        if all(isinstance(part, Mapping) for part in parts):
            if (likeliest := _likeliest_of_some(parts, labels)) is not None:
                return _answer(likeliest, labels, source)
            if all({"label", "score"} <= part.keys() for part in parts):
                scored = {part["label"]: part["score"] for part in parts}
            else:
                scored = {label: score for part in parts for label, score in part.items()}
            return _from_mapping(scored, labels, source)
        if len(parts) == 1 or (isinstance(parts[0], str) and _is_number(parts[1])):
            return _answer(parts[0], labels, source)  # an array (n, 1), or a label and its score
        if all(map(_is_number, parts)):
            return Prediction(scores=tuple(float(_scalar(part)) for part in parts))
    if not _is_label(answer):
        raise AnswerError(
            BAD,
            f"{source} returned {shown_value(answer, SHOWN_LETTERS)} for an example. {_EXPECTED}",
        )
    return Prediction(_named(answer, labels))


def _likeliest_of_some(parts: Sequence[Mapping[Any, Any]], labels: tuple[str, ...]) -> Any | None:
    """Likeliest label where a pipeline told a few of them; None for probabilities of all."""
    if len(parts) >= len(labels) or not all({"label", "score"} <= part.keys() for part in parts):
        return None
    scores = [part["score"] for part in parts]
    if not all(map(_is_number, scores)) or sum(scores) > 1 - SUM_TOLERANCE:
        return None
    return max(parts, key=lambda part: part["score"])["label"]


def _from_mapping(answer: Mapping[Any, Any], labels: tuple[str, ...], source: str) -> Prediction:
    """Prediction from a mapping of labels to probabilities; a missing label has 0.

    A mapping with ``label`` and ``score`` is that label; ``labels`` and ``scores`` are parallel.
    """
    if {"label", "score"} <= answer.keys():
        return _answer(answer["label"], labels, source)
    if {"labels", "scores"} <= answer.keys():
        answer = dict(zip(answer["labels"], answer["scores"], strict=False))
    try:
        scores = {_named(k, labels): float(_scalar(v)) for k, v in answer.items()}
    except (TypeError, ValueError) as error:
        raise AnswerError(
            BAD,
            f"{source} returned {shown_value(answer, SHOWN_LETTERS)} for an example. {_EXPECTED}",
        ) from error
    unknown = [k for k in scores if k not in labels]
    if unknown:
        raise AnswerError(
            BAD,
            f"{source} returned a probability of {unknown[0]!r}, which is not among its labels: "
            f"{', '.join(labels[:_MOST_LABELS]) or 'none are known; add #labels=a|b'}.",
        )
    return Prediction(scores=tuple(scores.get(label, 0.0) for label in labels))


def _named(value: Any, labels: tuple[str, ...]) -> str:
    """Label of a value; True and False are 1 and 0 where these are the labels."""
    label = answered_label(value)
    plain = _scalar(value)
    if isinstance(plain, bool) and label not in labels and str(int(plain)) in labels:
        return str(int(plain))
    return label


def _plain(answers: Any) -> Any:
    """Answers of torch and frames of pandas as what can be read row by row."""
    top = type(answers).__module__.partition(".")[0]
    if top == "torch" and hasattr(answers, "detach"):
        own = answers.detach().cpu()
        return (own.float() if own.is_floating_point() else own).numpy()
    if top == "pandas" and hasattr(answers, "columns"):
        names = [str(name) for name in answers.columns]
        if names != [str(i) for i in range(len(names))] and len(names) > 1:
            return answers.to_dict("records")
        return answers.to_numpy()
    return answers


def _is_masked(answers: Any) -> bool:
    """Whether something of an array of ``numpy.ma`` is masked."""
    is_of_ma = type(answers).__module__.startswith("numpy.ma")
    return is_of_ma and bool(answers.mask.any())


def _is_row(answer: Any) -> bool:
    """Whether an answer consists of several values."""
    return not isinstance(answer, (str, bytes, Prediction, Mapping)) and hasattr(answer, "__len__")


def _is_numeric(array: Any) -> bool:
    """Whether an array holds numbers."""
    import numpy as np

    return isinstance(array, np.ndarray) and array.dtype.kind in "biufc"


def _scalar(value: Any) -> Any:
    """Number or text without the class of an array's library."""
    item = getattr(value, "item", None)
    return item() if callable(item) and getattr(value, "size", 1) in (1, None) else value


def _is_number(value: Any) -> bool:
    """Whether a value is a number, and not a text or a truth value."""
    plain = value if isinstance(value, str) else _scalar(value)
    return isinstance(plain, Real) and not isinstance(plain, bool)


def _is_label(answer: Any) -> bool:
    """Whether an answer is a class name: a string, a whole number or a truth value."""
    if _is_row(answer) or answer is None:
        return False
    plain = _scalar(answer)
    if isinstance(plain, Real) and not isinstance(plain, (bool, int)):
        return float(plain).is_integer()
    return isinstance(plain, (str, bool, int))
