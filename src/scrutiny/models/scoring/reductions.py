"""From answers to one number."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Reduce = Callable[[Sequence[Any]], float]


def numbers(answer: Any) -> Iterator[float]:
    """Log-probabilities of an answer, however deep they lie."""
    if isinstance(answer, int | float):
        yield float(answer)
    else:
        for part in answer:
            yield from numbers(part)


def total(answers: Sequence[Any]) -> float:
    """Sum of all log-probabilities.

    Examples
    --------
    >>> total([((-1.0,), (-2.0,)), (-0.5,)])
    -3.5
    """
    return sum(numbers(answers))


def mean(answers: Sequence[Any]) -> float:
    """Mean of all log-probabilities, each token alike."""
    found = list(numbers(answers))
    return sum(found) / len(found)


def mean_probability(answers: Sequence[Any]) -> float:
    """Arithmetic mean of the probabilities."""
    found = [math.exp(value) for value in numbers(answers)]
    return sum(found) / len(found)


def rounded(reduce: Reduce, decimals: int) -> Reduce:
    """Reduction that is rounded, as a published procedure does before it compares."""

    def to_decimals(answers: Sequence[Any]) -> float:
        return round(reduce(answers), decimals)

    return to_decimals
