"""A likelihood as a question: its queries, and the reduction of the answers."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.core.diagnostic import Failure

Reduce = Callable[[Sequence[Any]], float]


def logprobs_of(answer: Any) -> Iterator[float]:
    """Log-probabilities that answer a question of scoring, however deep they lie."""
    if isinstance(answer, int | float):
        yield float(answer)
    else:
        for part in answer:
            yield from logprobs_of(part)


def total(answers: Sequence[Any]) -> float:
    """Sum of all log-probabilities.

    Examples
    --------
    >>> total([((-1.0,), (-2.0,)), (-0.5,)])
    -3.5
    """
    return sum(logprobs_of(answers))


def mean_logprob(answers: Sequence[Any]) -> float:
    """Mean of all log-probabilities that answer a question of scoring, with equal weights."""
    found = list(logprobs_of(answers))
    return sum(found) / len(found)


def mean_probability(answers: Sequence[Any]) -> float:
    """Arithmetic mean of the probabilities that answer a question of scoring."""
    found = [math.exp(value) for value in logprobs_of(answers)]
    return sum(found) / len(found)


def rounded(reduce: Reduce, decimals: int) -> Reduce:
    """Reduction of the answers to a question, rounded as published before scores are compared."""

    def to_decimals(answers: Sequence[Any]) -> float:
        return round(reduce(answers), decimals)

    return to_decimals


#: Sends queries of one capability to a model: answers, or failures, in order.
Ask = Callable[[str, Sequence[Any]], Sequence[Any]]

#: Tokens of masked sequences that are held at a time: many for batches, few for the memory.
MOST_TOKENS: Final = 2**20


@dataclass(frozen=True, slots=True)
class Question:
    """Queries for one likelihood.

    Parameters
    ----------
    queries
        ``(capability, query)``, see `scrutiny.core.queries.language`.
    reduce
        Likelihood of the answers, in the order of the queries.
    """

    queries: tuple[tuple[str, Any], ...]
    reduce: Callable[[Sequence[Any]], float]


def answer_all(questions: Sequence[Question | Failure], ask: Ask) -> list[float | Failure]:
    """Likelihood of each question; each capability is asked once for all of them.

    Parameters
    ----------
    questions
        What to ask; one that cannot be asked stays as it is.
    ask
        How the model is asked (`scrutiny.core.diagnostic.Context.ask`).
    """
    wanted: dict[str, dict[Any, None]] = {}
    for question in questions:
        if isinstance(question, Question):
            for capability, query in question.queries:
                wanted.setdefault(capability, {})[query] = None
    answers = {
        capability: dict(zip(queries, ask(capability, list(queries)), strict=True))
        for capability, queries in wanted.items()
    }
    return [_answered(question, answers) for question in questions]


def scored_together(costs: Sequence[int], *, most: int = MOST_TOKENS) -> Iterator[slice]:
    """Stretches of sentences to score together, of about ``most`` in costs; one may exceed it.

    A sentence of n tokens, one masked at a time, is n sequences of n tokens: long sentences are
    asked a few at a time, so that memory does not grow with their number.

    Examples
    --------
    >>> [(part.start, part.stop) for part in scored_together([3, 3, 3, 9, 1], most=6)]
    [(0, 2), (2, 4), (4, 5)]
    """
    start, total = 0, 0
    for stop, cost in enumerate(costs, 1):
        total += cost
        if total >= most:
            yield slice(start, stop)
            start, total = stop, 0
    if start < len(costs):
        yield slice(start, len(costs))


def _answered(question: Question | Failure, answers: dict[str, dict[Any, Any]]) -> float | Failure:
    """Likelihood of one question; failed if one of its queries did."""
    if isinstance(question, Failure):
        return question
    found = [answers[capability][query] for capability, query in question.queries]
    failure = next((answer for answer in found if isinstance(answer, Failure)), None)
    if failure is not None:
        return failure
    value = question.reduce(found)
    return value if math.isfinite(value) else Failure("non_finite")
