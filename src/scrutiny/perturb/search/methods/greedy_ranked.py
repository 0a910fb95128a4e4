"""Greedy search, one word after the other, most important first."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from math import ceil

from scrutiny.core.boundary.limits import one_of, shares
from scrutiny.core.edit import EditRefusedError
from scrutiny.perturb.search.goal import Closeness, Judged, best, reached
from scrutiny.perturb.search.methods.importance import RANKINGS, How, Ranked, Ranking, rank
from scrutiny.perturb.search.problem import Asking, Method, Problem
from scrutiny.perturb.search.state import State
from scrutiny.perturb.search.warming import Needed

Proposing = Generator[Needed, Sequence[Judged], list[State]]


@dataclass(frozen=True, slots=True)
class GreedyRanked(Method):
    """Words in order of importance, each changed if that helps.

    Rank the places of the base once, then change them in this order while it helps.

    At each place all candidates of the current text are asked about. If the goal is reached at
    one, the search ends there; otherwise the best is taken if it is better than where it stands.
    Choices that were fixed beforehand are taken in any case, as they are in the paper.

    Parameters
    ----------
    ranking
        What makes a place important: the score with the word replaced by ``unknown`` (``unk``) or
        left out (``delete``); the length of the loss gradient at the word (``gradient``); the
        drop by ``unk`` put through a softmax and multiplied by what the best candidate there gains
        (``saliency``); nothing (``random``).
    as_released
        For ``saliency``: multiply by the absolute score after the change, as a released toolkit
        does, in place of the gain that the paper states.
    fixes_choice
        For ``saliency``: use the candidate that was best alone, as the paper states, instead of
        asking about all candidates again.
    adds_flip
        For ``delete`` and ``unk``: where the word's absence changes the label, its importance
        grows by what the new label gains.
    unknown
        What stands for an unknown word.
    share
        Only so large a part of the ranked places is visited.
    prefer
        Where several candidates reach the goal, the one that this finds closest to the base; with
        nothing, the one of the highest score.

    References
    ----------
    Gao, Lanchantin, Soffa, Qi (2018), DeepWordBug. Jin et al. (2020), TextFooler. Ren, Deng, He,
    Che (2019), probability weighted word saliency.

    Examples
    --------
    >>> GreedyRanked(ranking="delete").unknown
    '[UNK]'
    """

    id = "greedy_ranked@1"

    ranking: Ranking = "unk"
    as_released: bool = False
    fixes_choice: bool = False
    adds_flip: bool = False
    unknown: str = "[UNK]"
    share: float = 1.0
    prefer: Closeness | None = None

    def __post_init__(self) -> None:
        one_of(self, ranking=RANKINGS)
        shares(self, "share", zero=False, one=True)

    def search(self, problem: Problem) -> Asking:
        """Rank, then change in order."""
        how = How(self.ranking, self.unknown, self.as_released, self.adds_flip)
        order = yield from rank(problem, how)
        current = problem.base
        for one in order[: ceil(self.share * len(order))]:
            candidates = yield from self._candidates(problem, current.state, one)
            if not candidates:
                continue
            judged = yield candidates
            there = reached(judged, self.prefer)
            if there is not None:
                return there
            top = best(judged)
            if top is not None and (self.fixes_choice or top.score > current.score):
                current = top
        return None if self.fixes_choice else current  # the engine has the best text seen

    def _candidates(self, problem: Problem, state: State, one: Ranked) -> Proposing:
        """Candidates to ask about at a place of the current text."""
        if self.ranking != "saliency" or not self.fixes_choice:
            place = problem.space.place(state, one.place.key)
            if place is None:
                return []
            yield from problem.prepare([(state, [place])])
            return problem.candidates(state, place)
        if one.choice is None:
            return []
        try:
            after = State.of(state.origin, (*state.edits, *one.choice.state.edits))
        except EditRefusedError:
            return []
        return [after] if problem.space.admits(after) else []
