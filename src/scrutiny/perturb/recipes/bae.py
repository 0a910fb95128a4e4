"""BAE: words that a masked language model predicts, as replacements or insertions."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from scrutiny.perturb.constraints.each_word import SamePos
from scrutiny.perturb.recipes.attack import Attack, Given
from scrutiny.perturb.recipes.similar import NO_ENCODER, OTHER_ENCODER, WINDOW, closest, similar
from scrutiny.perturb.search import (
    Asking,
    Changeable,
    Method,
    Move,
    Place,
    Problem,
    Search,
    Space,
    State,
)
from scrutiny.perturb.search.goal import Closeness, Judged, best, reached
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.search.methods.importance import How, rank
from scrutiny.perturb.words.masked import MaskedReplace
from scrutiny.perturb.words.masked_lengths import MaskedInsert


@dataclass(frozen=True, slots=True)
class ReplaceThenInsert(Method):
    """At each word the moves of the space in turn, the best of each.

    Greedy by importance; each move of the space is tried in turn at each word.

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

    id = "replace_then_insert@1"

    prefer: Closeness | None = None

    def search(self, problem: Problem) -> Asking:
        """Rank the words once, then change them in order."""
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
    """Judgments of the proposals of one move at a word, which may have been changed before."""
    here = _word_now(problem, state, place=place, number=number)
    candidates = [] if here is None else problem.candidates(state, here)
    if not candidates:
        return ()
    return (yield candidates)


def _word_now(problem: Problem, state: State, *, place: Place, number: int) -> Place | None:
    """The word's place in a text, with the sites of one move only."""
    now = problem.space.place(state, place.key)
    if now is None:
        return None
    sites = tuple(site for site in now.sites if site[0] == number)
    return now._replace(sites=sites) if sites else None


Mode = Literal["R", "I", "R/I", "R+I"]


@dataclass(frozen=True, slots=True)
class Bae(Attack):
    """Predictions of a masked language model, replaced or inserted.

    Words replaced or surrounded by predictions of a masked language model.

    Words are ranked by what the model loses without them. At each, the word is replaced (R) or a
    word is inserted left or right of it (I) by the candidate that lowers the gold label's
    probability most; among candidates that flip the label the closest is taken.

    Parameters
    ----------
    mode
        ``R``; ``I``; ``R/I``: whichever of both is better at a place; ``R+I``: first R, then I.
    variant
        ``as_published``: cosine of the sentence to the text *before the step* at least .8.
        ``textattack`` (0.3.11, mode R alone): to the original at least .936338, which is the
        angular similarity that belongs to .8, used as a cosine there.
    candidates
        Likeliest words that are looked at.

    **Measures** how far fluent changes bring a model.

    **Misleads when** read without the share that is valid: "bad" is as likely as "good" behind "a".

    References
    ----------
    Garg & Ramakrishnan (2020), BAE: BERT-based adversarial examples for text classification.

    Examples
    --------
    >>> [move.transformation.id for move in Bae(mode="R/I").search(Given()).space.moves]
    ['masked_replace@1', 'masked_insert@1']
    """

    id = "bae@1"
    title = "BAE"
    resources = ("masked_lm", "tagger")
    lacking: ClassVar[Mapping[str, str]] = {"encoder": NO_ENCODER}
    deviations = (
        "Whole words of the masked language model's vocabulary stand in for words that GloVe knows "
        "as well.",
        "A step is taken where it is better than the text before it; the paper takes the best one "
        "of a place in any case.",
        OTHER_ENCODER,
    )

    mode: Mode = "R"
    variant: Literal["as_published", "textattack"] = "as_published"
    candidates: int = 50

    def search(self, given: Given) -> Search:
        """Greedy, by importance."""
        rule = Changeable(stop_words=True)
        replacing: Any = MaskedReplace(top=self.candidates)
        inserting: Any = MaskedInsert(top=self.candidates)
        beside = Changeable(stop_words=True, is_once=self.mode != "R+I")  # beside what R put there
        moves = {
            "R": (Move(replacing, None, rule),),
            "I": (Move(inserting, None, beside),),
        }
        chosen = moves.get(self.mode, (*moves["R"], *moves["I"]))
        is_ours = self.variant == "as_published"
        near = similar(given, least_cosine=0.8 if is_ours else 0.936338, window=WINDOW)
        pos: Any = SamePos(noun_verb=True)  # lets insertions pass
        space = Space(
            chosen,
            constraints=() if is_ours else near,
            step_constraints=(pos, *near) if is_ours else (pos,),
        )
        if self.mode == "R+I":
            return Search(space, Untargeted(), ReplaceThenInsert(prefer=closest(given)))
        return Search(space, Untargeted(), GreedyRanked(ranking="delete", prefer=closest(given)))
