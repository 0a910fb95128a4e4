"""Capabilities: kinds of change, and the search for texts the reference cannot tell apart.

==========  ================================================  ===================================
            ``corrected`` (our default)                       ``as_published``
==========  ================================================  ===================================
synonym     WordNet lemmas of the word's part of speech, all  lemmas of all parts of speech, not
            senses, inflected; no function words              inflected; no function words
typo        two inner letters swapped in a word of 4 letters  the same in all such words at once
            or more; no function words
fairness    another name for a person, or all people of a     not known to us: refused
            text of the other gender
amount      so many places, 1 unless told                     1 word; all words
search      the best of 30 random changes                     greedy by weighted saliency; the
                                                              best of 15 random changes
==========  ================================================  ===================================

A recipe is a capability of its own, changed and searched as synonyms are.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from scrutiny.core.errors import PlanError
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.diagnostics.invariance.params import ScopeParams
from scrutiny.perturb.characters.middle_swap import MiddleSwap
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.search import (
    Amount,
    Answer,
    Base,
    Changeable,
    Goal,
    Method,
    Move,
    Search,
    Space,
    State,
)
from scrutiny.perturb.search.goals.keeping import KeepOutput
from scrutiny.perturb.search.goals.outputs import Tagging
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.search.methods.unguided import Exhaustive, RandomChoice
from scrutiny.perturb.words.wordnet import WordnetAll

#: Capabilities that are recipes with a name of their own.
_RECIPES: Final[Mapping[str, str]] = {
    "fairness": "mention_swap(kinds=PER)+name_place_swap+name_place_swap(gender=male)"
}
_TAGGED = Tagging(against="prediction")


@dataclass(frozen=True, slots=True)
class KeepTags(Goal):
    """The model tags another text as before.

    The same spans, adjusted by the edits; the score is their F1 minus missing changes.

    Parameters
    ----------
    least
        Words that have to change.

    Examples
    --------
    >>> KeepTags(least=2).least
    2
    """

    id: ClassVar[str] = "keep_tags@1"

    least: int = 1

    def skips(self, base: Base) -> str | None:
        """Never: an answer without tags can be kept, too."""
        return None

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """F1 of the spans minus missing words, and whether none are missing."""
        lost, is_other = _TAGGED.judge(base, answer, state)
        missing = max(0, self.least - state.words_changed)
        is_same = state.texts == state.origin.texts
        return 1.0 - lost - missing, not (is_other or missing or is_same)


ALL: Final = "all"
_SCRAMBLES: Final = 15
_SWAPS: Final = 6  # distinct ones that a word of six letters has
_CONTENT: Final = Changeable(stop_words=True)
_EXHAUSTIVE: Final[Any] = Exhaustive()
_GREEDY: Final[Any] = GreedyRanked(ranking="saliency", as_released=True)
#: Texts that a search by saliency is expected to ask about; nothing bounds it without a budget.
_OF_SALIENCY: Final = 200


@dataclass(frozen=True, slots=True)
class Generation:
    """How the changed texts of one capability and amount are generated.

    Parameters
    ----------
    capability, amount
        What its records are called by.
    space
        Where the search may go.
    goal, method
        What it is for, and how it goes on.
    steps
        Places that a random change of the same amount changes.
    most_asked
        Texts that one search asks the reference about, about.
    """

    capability: str
    amount: int | str
    space: Space
    goal: Goal
    method: Method
    steps: int
    most_asked: int

    @property
    def label(self) -> str:
        """Short name, unique within the parameters."""
        return f"{self.capability}/{self.amount}"

    @property
    def condition(self) -> dict[str, object]:
        """Condition of its records."""
        return {"capability": self.capability, "amount": self.amount}

    @property
    def search(self) -> Search:
        """Definition of the search."""
        return Search(self.space, self.goal, self.method)


def generations(params: ScopeParams, task: Task) -> tuple[Generation, ...]:
    """Every capability with every amount, in this order.

    Raises
    ------
    UnknownNameError, PlanError
        If a recipe or a constraint cannot be read.
    """
    makers = {"corrected": _corrected, "as_published": _as_published}
    return tuple(
        generation
        for capability in params.capabilities
        for generation in makers[params.preset](capability, params, task)
    )


def _corrected(capability: str, params: ScopeParams, task: Task) -> Iterator[Generation]:
    """Corrected method: the stated distance, so many places, the same budget for all."""
    name, moves = _moves(capability)
    for amount in params.amounts:
        method, most_asked = _method(params, amount)
        yield Generation(
            capability=name,
            amount=amount,
            space=_space(moves, params, most=None if params.method == "best_of" else amount),
            goal=_goal(params, task, least=amount),
            method=method,
            steps=amount,
            most_asked=most_asked,
        )


def _as_published(capability: str, params: ScopeParams, task: Task) -> Iterator[Generation]:
    """Search of the paper; the distance is the stated one, not the released one."""
    params_of_paper = ScopeParams(constraints=params.constraints, resources=params.resources)
    goal = _goal(params_of_paper, task, least=1)
    if capability == "typo":
        scramble = _move(MiddleSwap(scope="text", draws=_SCRAMBLES))
        space = _space((scramble,), params, most=None)
        yield Generation(capability, ALL, space, goal, _EXHAUSTIVE, 1, _SCRAMBLES)
        return
    if capability in _RECIPES:
        raise PlanError(
            f"The capability {capability!r} has no published form: the paper's appendix, which has "
            'it, was not available to us. Use preset = "corrected" for it.'
        )
    name, moves = _moves(capability)
    if capability == "synonym":
        moves = (_move(WordnetAll(), may_change=_CONTENT),)
    yield Generation(name, 1, _space(moves, params, most=1), goal, _GREEDY, 1, _OF_SALIENCY)


def _moves(capability: str) -> tuple[str, tuple[Move, ...]]:
    """Name of a capability, and the moves that propose its changes."""
    if capability == "synonym":
        return capability, (_move(WordnetAll(pos="tagged", inflect=True), may_change=_CONTENT),)
    if capability == "typo":
        return capability, (_move(MiddleSwap(scope="word", draws=_SWAPS)),)
    recipe = parse_recipe(_RECIPES.get(capability, capability))
    moves = tuple(
        Move(step.transformation, None, Changeable(fields=step.fields), step.where)
        for step in recipe.steps
    )
    return capability if capability in _RECIPES else recipe.name, moves


def _move(transformation: Any, may_change: Changeable | None = None) -> Move:
    """Move of a transformation, which has its words to protect in its class."""
    return Move(transformation, may_change=may_change or Changeable())


def _method(params: ScopeParams, amount: int) -> tuple[Method, int]:
    """Search method, and the number of texts that it asks about for one trial."""
    if params.method == "best_of":
        best_of: Any = RandomChoice(params.candidates, amount, stops=False)
        return best_of, params.candidates
    most = _OF_SALIENCY if params.budget is None else params.budget
    if params.method == "exhaustive":
        return _EXHAUSTIVE, most
    return _GREEDY, most


def _goal(params: ScopeParams, task: Task, *, least: int) -> Goal:
    """Goal of the search: an unchanged answer."""
    goal: Any = KeepTags(least)
    if task.gives_labels:
        goal = KeepOutput(params.distance, keeps_label=params.keeps_label, least=least)
    kept: Goal = goal
    return kept


def _space(moves: Sequence[Move], params: ScopeParams, *, most: int | None) -> Space:
    constraints = tuple(registry().load("constraint", name)() for name in params.constraints)
    return Space(tuple(moves), Amount(words=most), constraints)
