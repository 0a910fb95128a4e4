"""At each word, first one move and then the other, before going on: BAE-R+I."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from scrutiny.perturb.search.goal import Closeness, Judged, best, reached
from scrutiny.perturb.search.methods.importance import How, rank
from scrutiny.perturb.search.place import Place
from scrutiny.perturb.search.problem import Asking, Method, Problem
from scrutiny.perturb.search.state import State


@dataclass(frozen=True, slots=True)
class ReplaceThenInsert(Method):
    """Greedy by importance, with the moves of the space taken in turn at each word.

    Parameters
    ----------
    prefer
        Where several candidates reach the goal, the one that this finds closest to the base.

    References
    ----------
    Garg & Ramakrishnan (2020), BAE: BERT-based adversarial examples for text classification.

    Examples
    --------
    >>> ReplaceThenInsert().prefer is None
    True
    """

    id: ClassVar[str] = "replace_then_insert@1"
    summary: ClassVar[str] = "at each word the moves of the space in turn, the best of each"

    prefer: Closeness | None = None

    def search(self, problem: Problem) -> Asking:
        """Rank once, then walk."""
        order = yield from rank(problem, How("delete"))
        current = problem.base
        for one in order:
            for number in range(len(problem.space.moves)):
                judged = yield from _asked(problem, current.state, place=one.place, number=number)
                there = reached(judged, self.prefer)
                if there is not None:
                    return there
                top = best(judged)
                if top is not None and top.score > current.score:
                    current = top
        return current


def _asked(
    problem: Problem, state: State, *, place: Place, number: int
) -> Generator[Sequence[State], Sequence[Judged], Sequence[Judged]]:
    """Judgments of what one move proposes at a word, which may have been changed before."""
    here = _word_now(problem, state, place=place, number=number)
    candidates = [] if here is None else problem.candidates(state, here)
    if not candidates:
        return ()
    return (yield candidates)


def _word_now(problem: Problem, state: State, *, place: Place, number: int) -> Place | None:
    """The word's place in a text, with the sites of one move alone."""
    now = problem.space.place(state, place.key)
    if now is None:
        return None
    sites = tuple(site for site in now.sites if site[0] == number)
    return now._replace(sites=sites) if sites else None
