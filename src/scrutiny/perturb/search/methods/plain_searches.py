"""Searches over all places at once: beam and greedy, all changes in order, random ones."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from scrutiny.core.boundary.parameters import at_least
from scrutiny.core.randomness import Rng, stream_of
from scrutiny.perturb.search.judging import Closeness, ranked, reached
from scrutiny.perturb.search.moves import Place
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

        def near(states: Sequence[State]) -> Iterator[State]:
            return (one for state in states for one in problem.neighbors(state))

        return beam_search(problem, near, self, prepares=True)


def beam_search(
    problem: Problem,
    near: Callable[[Sequence[State]], Iterable[State]],
    how: Beam,
    *,
    prepares: bool = False,
) -> Asking:
    """Search that keeps the best few texts of each step, and asks no text twice.

    ``near`` gives the texts one step from some; whether moves are asked for candidates before says
    ``prepares``.
    """
    beam = [problem.base]
    seen = {problem.base.state.key}
    for _ in range(how.steps):
        states = [one.state for one in beam]
        if prepares:
            yield from problem.prepare([(state, problem.places(state)) for state in states])
        found: list[State] = []
        for one in near(states):
            if one.key not in seen:
                seen.add(one.key)
                found.append(one)
        if not found:
            break
        judged = yield found
        there = reached(judged, how.prefer)
        if there is not None:
            return there
        good = [o for o in ranked(judged) if how.least is None or o.score >= how.least]
        beam = good[: how.width]
    return None  # the engine has the best text seen


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
        first = cache(partial(problem.candidates, start))  # by place: every try begins here
        drawn = (_walk(problem, rng, steps, first) for _ in range(self.tries))
        texts = (state for state in drawn if state is not None)
        if not self.stops:
            yield list(texts)
            return None
        for state in texts:
            (judged,) = yield [state]
            if judged.is_reached:
                return judged
        return None


def _walk(
    problem: Problem, rng: Rng, steps: int, first: Callable[[Place], list[State]]
) -> State | None:
    """Text after random steps from the base, whose candidates are ``first``; or `None`."""
    state = problem.base.state
    for number in range(steps):
        near = partial(problem.candidates, state) if number else first
        places = list(problem.places(state))
        candidates: list[State] = []
        while places and not candidates:  # a random candidate of a random place that has any
            candidates = near(places.pop(int(rng.random() * len(places))))
        if not candidates:
            break
        state = candidates[int(rng.random() * len(candidates))]
    return None if state is problem.base.state else state
