"""Beam search over all places, and greedy search."""

from dataclasses import dataclass
from typing import Any

from scrutiny.core.boundary.limits import at_least
from scrutiny.perturb.search.goal import Closeness, Judged, ranked, reached
from scrutiny.perturb.search.problem import Asking, Method, Problem
from scrutiny.perturb.search.state import State


@dataclass(frozen=True, slots=True)
class Beam(Method):
    """The best few texts are kept and changed at every place.

    Expand every text of the beam at every place, and keep the best results.

    Ends where the goal is reached, where nothing can be changed any more, or after ``steps``; the
    result is then the best text seen, not the best of the last step.

    Parameters
    ----------
    width
        Texts that go on.
    steps
        Largest number of steps.
    prefer
        Where several texts of a step reach the goal, the one that this finds closest to the base.
    least
        Texts of a lower score do not go on; nothing for any.

    **Measures** what several changes do together.

    **Misleads when** the budget is small: a step asks about every candidate of every place.

    Examples
    --------
    >>> Beam(width=4).steps
    100
    """

    id = "beam@1"

    width: int = 10
    steps: int = 100
    prefer: Closeness | None = None
    least: float | None = None

    def __post_init__(self) -> None:
        at_least(self, width=1, steps=1)

    def search(self, problem: Problem) -> Asking:
        """Expand, ask the model, keep the best."""
        beam = [problem.base]
        seen = {problem.base.state.key}
        for _ in range(self.steps):
            states = [one.state for one in beam]
            yield from problem.prepare([(state, problem.places(state)) for state in states])
            candidates = _expanded(problem, states, seen)
            if not candidates:
                break
            judged = yield candidates
            there = reached(judged, self.prefer)
            if there is not None:
                return there
            beam = [one for one in ranked(judged) if self._may_go_on(one)][: self.width]
        return None  # the engine has the best text seen

    def _may_go_on(self, one: Judged) -> bool:
        return self.least is None or one.score >= self.least


def _expanded(problem: Problem, beam: list[State], seen: set[Any]) -> list[State]:
    """Texts one step from the beam that were not asked before."""
    found: list[State] = []
    for one in beam:
        for state in problem.neighbors(one):
            if state.key not in seen:
                seen.add(state.key)
                found.append(state)
    return found


@dataclass(frozen=True, slots=True)
class Greedy(Method):
    """A beam of one: each step goes to the best text that one change gives.

    Parameters
    ----------
    steps
        Largest number of steps.
    prefer
        Where several texts of a step reach the goal, the one that this finds closest to the base.

    Examples
    --------
    >>> Greedy(steps=1).prefer is None
    True
    """

    id = "greedy@1"

    steps: int = 100
    prefer: Closeness | None = None

    def search(self, problem: Problem) -> Asking:
        """A beam of one."""
        return (yield from Beam(1, self.steps, self.prefer).search(problem))
