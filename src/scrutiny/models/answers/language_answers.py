"""Answers to queries: each is checked by itself; vectors of texts stand in one array."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.model import Model
from scrutiny.core.queries.gradients import (
    FOLLOWED,
    INCOMPLETE,
    ParameterGradient,
    PathGradient,
    PathGradients,
)
from scrutiny.core.queries.language import ASKED, Clozes, Continuation, Passage, Represents
from scrutiny.models.answers.checked import BAD, AnswerError, answer_or_fail
from scrutiny.models.answers.isolation import shown_value

_SHOWN: Final = 60  # letters of an answer in a message
_ROUNDING: Final = 1e-4  # how far above certainty float32 may round
_MOST_GAP: Final = 0.05  # of attributions along a path from the difference that they must sum to


def ask_or_fail(model: Model, capability: str, queries: Sequence[Any]) -> list[Any | Failure]:
    """One checked answer or failure for each query, in order.

    Queries that raise are told apart by halving, as in `predict_or_fail`. Reasons: ``too_long``
    (more tokens than the model takes), ``out_of_memory``, ``non_finite`` (NaN, or a probability
    of exactly 0), ``bad_answer`` (the wrong number of values, log-probabilities above 0,
    probabilities outside of 0 to 1, something else), ``incomplete_path`` (attributions that miss
    the difference of the scores by more than 5 %: double the steps), ``model_error``.

    Raises
    ------
    ModelError
        If the model lacks the capability, or gives the wrong number of answers.
    ConformanceError
        If there is no such capability, or if a query makes no sense to the model.
    """
    known = (*ASKED, *FOLLOWED)
    if capability not in known:
        raise ConformanceError(
            f"{capability!r} is nothing to ask through the cache; there are {', '.join(known)}."
        )
    if capability not in model.capabilities:
        raise ModelError(
            f"{model.source} cannot be asked for {capability}. It has: "
            f"{', '.join(sorted(model.capabilities)) or 'nothing'}."
        )
    answers = answer_or_fail(getattr(model, capability), queries, source=model.source)
    check = _CHECKS[capability]
    where = f"The answer of {model.source} to a query for {capability}"
    found = []
    for query, answer in zip(queries, answers, strict=True):
        try:
            one = answer if isinstance(answer, Failure) else check(query, answer, where)
        except AnswerError as error:
            one = Failure(error.reason, str(error))
        except (TypeError, ValueError):
            one = Failure(BAD, f"{where} is {shown_value(answer, _SHOWN)}, which is none.")
        found.append(one)
    return found


def _masked(query: Clozes, answer: Any, where: str) -> Any | Failure:
    """Log-probabilities of a text's clozes, if they are valid."""
    if [len(row) for row in answer] != [len(cloze.targets) for cloze in query]:
        raise AnswerError(BAD, f"{where} must have one value for each target of each cloze.")
    return _logs(tuple(chain.from_iterable(answer)), tuple(map(tuple, answer)), where)


def _continuation(query: Continuation, answer: Any, where: str) -> Any | Failure:
    """Log-probabilities of tokens, if they are valid."""
    _count(answer, len(query.ids) - query.start, where)
    return _logs(answer, tuple(answer), where)


def _logs(values: Sequence[float], answer: Any, where: str) -> Any | Failure:
    """Return the answer if its values are logarithms of probabilities."""
    if not math.isfinite(sum(values)):
        return Failure("non_finite", f"{where} has {_short(values)}: not all are finite numbers")
    if max(values, default=0.0) > _ROUNDING:
        raise AnswerError(
            BAD,
            f"{where} has {_short(values)}: natural logarithms of probabilities are not above 0.",
        )
    return answer


def _probability(query: Any, answer: Any, where: str) -> Any | Failure:
    """Return the answer if it is a probability."""
    return _shares((answer,), float(answer), where)


def _attention(query: Sequence[int], answer: Any, where: str) -> Any | Failure:
    """Return the answer if it is a share of attention for each token."""
    _count(answer, len(query), where)
    return _shares(answer, tuple(answer), where)


def _shares(values: Sequence[float], answer: Any, where: str) -> Any | Failure:
    """Return the answer if its values lie between 0 and 1."""
    if not math.isfinite(sum(values)):
        return Failure("non_finite", f"{where} has {_short(values)}: not all are finite numbers")
    if min(values) < 0 or max(values) > 1 + _ROUNDING:
        raise AnswerError(BAD, f"{where} has {_short(values)}, which do not lie between 0 and 1.")
    return answer


def _path(query: PathGradient, answer: Any, where: str) -> Any | Failure:
    """Attributions that lie in their texts and sum to the difference of the scores."""
    found = PathGradients.of_numbers(answer)
    numbers = [*found.attributions, *found.scores]
    if not math.isfinite(sum(numbers)):
        return Failure("non_finite", f"{where} has {_short(numbers)}: not all are finite numbers")
    texts = dict(query.texts)
    for name, start, end in found.pieces(query):
        if not 0 <= start <= end <= len(texts[name]):
            raise AnswerError(BAD, f"{where} has a piece outside of its text, {start} to {end}.")
    if found.gap > _MOST_GAP:
        return Failure(
            INCOMPLETE,
            f"{where} misses the difference of the scores by {100 * found.gap:.0f} % in "
            f"{query.steps} steps; double them",
        )
    return found


def _parameters(query: ParameterGradient, answer: Any, where: str) -> Any | Failure:
    """Finite gradients, a row for each parameter that was named."""
    if query.parameters:
        _count(answer, len(query.parameters), where)
    rows = tuple(tuple(map(float, row)) for row in answer)
    if not all(math.isfinite(sum(row)) for row in rows):
        return Failure("non_finite", f"{where} has values that are no finite numbers")
    return rows


def _count(answer: Any, wanted: int, where: str) -> None:
    """Raise unless an answer has this number of values."""
    if len(answer) != wanted:
        raise AnswerError(
            BAD, f"{where} has {len(answer)} values; one for each of {wanted} is needed."
        )


def _short(values: Sequence[float]) -> str:
    """The worst values with few digits."""
    worst = [v for v in values if not math.isfinite(v)] or sorted(values)[-3:]
    return ", ".join(f"{v:.4g}" for v in worst[:3])


_CHECKS: Final[Mapping[str, Callable[[Any, Any, str], Any]]] = {
    "masked_logprobs": _masked,
    "token_logprobs": _continuation,
    "next_sentence": _probability,
    "attention_received": _attention,
    "path_gradients": _path,
    "parameter_gradients": _parameters,
}


@dataclass(frozen=True, slots=True, eq=False)
class ItemVectors:
    """Vectors of some items.

    Parameters
    ----------
    layers, poolings
        What was asked for; layers in ascending order.
    values
        ``(passage, layer, pooling, dimension)``; NaN where there is none.
    failure
        Why the model gave none at all; empty otherwise.
    passage
        ``(item,)`` passage of each item, where several items share one.
    """

    layers: tuple[int, ...]
    poolings: tuple[str, ...]
    values: NDArray[Any] = field(repr=False)
    failure: str = ""
    passage: Integers | None = field(default=None, repr=False)

    def of(self, layer: int | None, pooling: str) -> Floats:
        """Vectors ``(item, dimension)`` of a layer, or of the last one."""
        place = -1 if layer is None else self.layers.index(layer)
        found = self.values[:, place, self.poolings.index(pooling)].astype(np.float64)
        return np.asarray(found if self.passage is None else found[self.passage])


def answered_vectors(
    model: Model | None,
    passages: Sequence[Passage],
    *,
    layers: Sequence[int],
    poolings: tuple[str, ...],
    one_by_one: bool = False,
) -> ItemVectors:
    """Answers of a model that is asked for vectors of passages, in one query, or in one for each.

    A model that gives up (a passage that does not fit into memory) is a failure of all items.
    """
    layers = tuple(sorted(set(layers)))
    asked = [[passage] for passage in passages] if one_by_one else [passages]
    encoder = cast("Represents", model)
    try:
        values = np.concatenate(
            [encoder.representations(some, poolings=poolings, layers=layers) for some in asked]
        )
    except AnswerError as error:
        nothing = np.full((len(passages), len(layers), len(poolings), 1), np.nan)
        return ItemVectors(layers, poolings, nothing, error.reason)
    return ItemVectors(layers, poolings, values)
