"""Settings of a search: space, goal, method, victim and limits."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from scrutiny.core.boundary.limits import at_least
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import Gradients
from scrutiny.perturb.search.goal import Answer, Goal
from scrutiny.perturb.search.origin import Documents
from scrutiny.perturb.search.problem import Method
from scrutiny.perturb.search.space import Space


class Ask(Protocol):
    """A function that answers: one model, or two."""

    def __call__(self, examples: Sequence[Example], /) -> Sequence[Answer | Failure]:
        """One answer for each example, in order."""


@dataclass(frozen=True, slots=True)
class Search:
    """Definition of a search: its space, goal and method."""

    space: Space
    goal: Goal
    method: Method


@dataclass(frozen=True, slots=True)
class Victim:
    """The model under attack.

    Parameters
    ----------
    ask
        Answers many texts at once; a failing one is a value. An error that it raises ends
        everything.
    labels
        The model's labels, in the order of its scores.
    gradients
        What gives gradients, where the method needs them.
    """

    ask: Ask
    labels: tuple[str, ...] = ()
    gradients: Gradients | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits and random seed of a search.

    Parameters
    ----------
    seed, draw
        Seed of the run, and which of the independent draws these searches are.
    budget
        Distinct texts that may be asked about for one item, its base among them.
    seconds
        Wall time for all searches together. Whatever it cuts short cannot be repeated, and says
        so.
    window
        How many searches go on at the same time.
    keep
        How many of the best texts at which the goal is reached come back.
    analyzed
        By item: documents of its fields. Searches with the same resources that share them, as an
        attack and the random change beside it, read each text once.
    """

    seed: int = 0
    draw: int = 0
    budget: int | None = None
    seconds: float | None = None
    window: int = 256
    keep: int = 1
    analyzed: dict[str, Documents] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        at_least(self, budget=1, window=1, keep=1)  # of the budget, the base is one
