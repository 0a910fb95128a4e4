"""The best of a batch; ties go to what was proposed first."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from scrutiny.perturb.search.goal import Judged
from scrutiny.perturb.search.state import State


class Closeness(Protocol):
    """How close a text still is to its base, say by a sentence encoder; higher is closer."""

    id: str

    def closeness(self, states: Sequence[State]) -> Sequence[float]:
        """Closeness of each text."""
        ...


def best(judged: Iterable[Judged]) -> Judged | None:
    """Judged text of the highest score that has an answer; the first of equals."""
    found: Judged | None = None
    for one in judged:
        if one.answer is not None and (found is None or one.score > found.score):
            found = one
    return found


def reached(judged: Sequence[Judged], prefer: Closeness | None = None) -> Judged | None:
    """Text at which the goal is reached: the closest to the base, or that of the best score."""
    there = [one for one in judged if one.is_reached]
    if prefer is None or len(there) < 2:
        return best(there)
    values = prefer.closeness([one.state for one in there])
    return there[max(range(len(there)), key=values.__getitem__)]


def ranked(judged: Iterable[Judged]) -> list[Judged]:
    """Answered texts from the best score to the worst; equals in the order of proposal."""
    answered = [one for one in judged if one.answer is not None]
    return sorted(answered, key=lambda one: -one.score)
