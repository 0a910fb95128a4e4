"""Every text that is one step away."""

from dataclasses import dataclass
from typing import ClassVar

from scrutiny.perturb.search.problem import Asking, Problem


@dataclass(frozen=True, slots=True)
class Exhaustive:
    """Ask about every text one step from the base, and take the best.

    Parameters
    ----------
    stops
        Whether it ends at the first place where the goal is reached instead of asking about all.

    **Measures** the best that one step can do: nothing is left to the search.

    **Misleads when** two changes together do what none does alone.

    Examples
    --------
    >>> Exhaustive().stops
    False
    """

    id: ClassVar[str] = "exhaustive@1"
    summary: ClassVar[str] = "every text one step from the base; the best of them"

    stops: bool = False

    def search(self, problem: Problem) -> Asking:
        """All candidates of all places; nothing returned, so the best text seen is it."""
        start = problem.base.state
        yield from problem.prepare([(start, problem.places(start))])
        if not self.stops:
            yield problem.neighbors(start)
            return None
        for place in problem.places(start):
            judged = yield problem.candidates(start, place)
            if any(one.is_reached for one in judged):
                break
        return None
