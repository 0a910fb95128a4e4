"""Unguided searches: all changes in order, or random ones."""

from collections.abc import Mapping
from dataclasses import dataclass

from scrutiny.core.boundary.limits import at_least
from scrutiny.core.randomness import stream_of
from scrutiny.perturb.engine.change import Rng
from scrutiny.perturb.search.problem import Asking, Method, Problem
from scrutiny.perturb.search.state import State


@dataclass(frozen=True, slots=True)
class Exhaustive(Method):
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

    id = "exhaustive@1"

    stops: bool = False

    def search(self, problem: Problem) -> Asking:
        """All candidates of all places; returns nothing, so the best text seen is the result."""
        start = problem.base.state
        yield from problem.prepare([(start, problem.places(start))])
        if not self.stops:
            yield problem.neighbors(start)
            return None
        for place in problem.places(start):
            if any(one.is_reached for one in (yield problem.candidates(start, place))):
                break
        return None


@dataclass(frozen=True, slots=True)
class RandomChoice(Method):
    """Random changes; the control for all other methods.

    Ask about texts with randomly chosen candidates at randomly chosen places.

    Every try starts from the base and takes so many steps, each to a random candidate of a random
    place that has any; a text on which fewer steps are possible gets those that are.

    Parameters
    ----------
    tries
        Texts that are drawn; one that was drawn before costs nothing.
    words
        Steps of each try.
    amounts
        Steps by item, where a control has to match what another search changed.
    stops
        Whether it ends at the first text that reaches the goal.

    **Measures** what chance finds in the same space at the same price.

    **Misleads when** it changes fewer words than the search that it is compared with: match them.

    Examples
    --------
    >>> RandomChoice(tries=20, words=2).stops
    True
    """

    id = "random@1"

    tries: int = 100
    words: int = 1
    amounts: Mapping[str, int] | None = None
    stops: bool = True

    def __post_init__(self) -> None:
        at_least(self, tries=1, words=1)

    def search(self, problem: Problem) -> Asking:
        """Draw, ask the model, and let the engine keep the best."""
        steps = (self.amounts or {}).get(problem.base.state.origin.example.id, self.words)
        start = problem.base.state
        yield from problem.prepare([(start, problem.places(start))])
        rng = problem.rng(stream_of(self))
        drawn = (_walk(problem, rng, steps) for _ in range(self.tries))
        texts = (state for state in drawn if state is not None)
        if not self.stops:
            yield list(texts)
            return None
        for state in texts:
            (judged,) = yield [state]
            if judged.is_reached:
                return judged
        return None


def _walk(problem: Problem, rng: Rng, steps: int) -> State | None:
    """Text after random steps from the base; `None` if no step is possible."""
    state = problem.base.state
    for _ in range(steps):
        after = _random_step(problem, state, rng)
        if after is None:
            break
        state = after
    return None if state is problem.base.state else state


def _random_step(problem: Problem, state: State, rng: Rng) -> State | None:
    """Random candidate of a random place that has any; `None` if none has."""
    places = list(problem.places(state))
    while places:
        candidates = problem.candidates(state, places.pop(int(rng.random() * len(places))))
        if candidates:
            return candidates[int(rng.random() * len(candidates))]
    return None
