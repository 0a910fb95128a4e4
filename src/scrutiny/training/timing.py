"""Seconds that a training would take, from a few of its steps."""

from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Final

#: Steps that are taken: one warms up, the others are timed.
STEPS: Final = 4
#: A step reads a text forward and twice as long backward; the dev part is only read forward.
_FORWARD: Final = 1 / 3


def seconds_of_training(
    steps: Iterable[object], *, epochs: int, batch: int, texts: int, dev: int
) -> float:
    """Seconds of all epochs of a training.

    Parameters
    ----------
    steps
        A few steps, each of which is taken when it is asked for.
    epochs, batch
        Passes over the training part, and texts of a step.
    texts, dev
        Numbers of texts in the training part and in the dev part.
    """
    took = list(_timed(steps))
    told = took[1:] or took  # there is a single step only
    each = sum(told) / len(told)
    return epochs * each * (-(-texts // batch) + _FORWARD * dev / batch)


def _timed(steps: Iterable[object]) -> Iterator[float]:
    """Seconds of each step."""
    began = perf_counter()
    for _ in steps:
        yield perf_counter() - began
        began = perf_counter()
