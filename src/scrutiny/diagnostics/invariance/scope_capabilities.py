"""Capabilities: kinds of change, their settings, and the search for texts with the same answer.

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
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal, get_args

from scrutiny.core.boundary.parameters import at_least, one_of, shares
from scrutiny.core.errors import PlanError
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.models.answers.compared_answers import kept_parts
from scrutiny.perturb.characters.typos import MiddleSwap
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
from scrutiny.perturb.search.goals.answer_goals import DISTANCES, Distance
from scrutiny.perturb.search.goals.output_goals import KeepOutput
from scrutiny.perturb.search.judging import single
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.search.methods.plain_searches import Exhaustive, RandomChoice
from scrutiny.perturb.words.synonyms import WordnetAll

Preset = Literal["corrected", "as_published"]
How = Literal["best_of", "exhaustive", "saliency"]


@dataclass(frozen=True, slots=True)
class ScopeParams:
    """Settings of changes, search and claims.

    Parameters
    ----------
    capabilities
        ``synonym``, ``typo``, ``fairness`` (names of people and their gender), or recipes
        (``contraction``, ``synonym_vectors``, ``back_translation``): each is a transformation with
        its constraints. Several ways to make one change (WordNet, vectors, a masked language model)
        are several capabilities.
    preset
        ``corrected``: as the other parameters say. ``as_published``: one word by weighted saliency
        among WordNet's synonyms of all senses, and the best of 15 scrambles of all long words;
        ``amounts``, ``method``, ``candidates`` and ``distance`` are then those of the paper.
    amounts
        How many places are changed, one condition for each: the curve over the amount of change.
    trials
        Changed texts of an item and condition, each another one.
    method
        ``best_of``: of so many random changes the one that moves the reference least.
        ``exhaustive``: of all changes of one place. ``saliency``: greedily, the words first whose
        loss the reference minds least.
    candidates
        Texts that ``best_of`` asks the reference about for each trial.
    budget
        Largest number of texts that any search may ask about, the item among them; or nothing.
    distance
        Between the reference's answers to the item and to the changed text.
    keeps_label
        Whether the reference's label has to stay.
    constraints
        Vetoes on candidates, by name, on top of the capability's own.
    resources
        Specifications by name: ``{"vectors": "glove", "masked_lm": "zoo:bert-4x128/seed-1"}``.
    tolerance, cutoff
        Of Soft-SCoPE; our own, since those of the paper are not known to us.
    cutoffs
        Further cutoffs at which Soft-SCoPE is computed: the curve over its constants.
    margin
        Smallest lift over random changes worth a claim.
    loss
        Largest loss that does not matter: claims that a model keeps its answer as often as the
        reference's other runs do, or as the reference itself where there is one run of it, less
        this much. Each run of the reference then stands beside the one whose texts come before.
        Nothing claims none of it.
    """

    capabilities: tuple[str, ...] = ("synonym", "typo")
    preset: Preset = "corrected"
    amounts: tuple[int, ...] = (1,)
    trials: int = 3
    method: How = "best_of"
    candidates: int = 30
    budget: int | None = None
    distance: Distance = "l1"
    keeps_label: bool = True
    constraints: tuple[str, ...] = ()
    resources: Mapping[str, str] = field(default_factory=dict)
    tolerance: float = 0.05
    cutoff: float = 1.0
    cutoffs: tuple[float, ...] = (0.25, 0.5, 2.0)
    margin: float = 0.02
    loss: float | None = None

    def __post_init__(self) -> None:
        one_of(self, preset=get_args(Preset), method=get_args(How), distance=DISTANCES)
        if not self.capabilities or len(set(self.capabilities)) < len(self.capabilities):
            raise PlanError("capabilities names at least one, and each once.")
        if not self.amounts or min(self.amounts) < 1 or len(set(self.amounts)) < len(self.amounts):
            raise PlanError(f"amounts are numbers of places from 1, each once, not {self.amounts}.")
        at_least(self, trials=1, candidates=1)
        if self.method == "exhaustive" and max(self.amounts) > 1:
            raise PlanError(
                "The exhaustive search takes one step: with amounts beyond 1 use best_of or "
                "saliency."
            )
        if any(not 0 <= self.tolerance <= cutoff for cutoff in (self.cutoff, *self.cutoffs)):
            raise PlanError(
                f"0 <= tolerance <= cutoff has to hold; they are {self.tolerance} and "
                f"{(self.cutoff, *self.cutoffs)}."
            )
        shares(self, "margin", "loss")


#: Capabilities that are recipes with a name of their own.
_RECIPES: Final[Mapping[str, str]] = {
    "fairness": "mention_swap(kinds=PER)+name_place_swap+name_place_swap(gender=male)"
}


@dataclass(frozen=True, slots=True)
class KeepAnswer(Goal):
    """The model gives another text the same answer as before: spans, arcs, an extract, a text.

    Its parts, moved by the edits, have to agree; the score is the share of those that do, minus
    missing changes. A text that breaks the answer, so that nobody knows what it became, is worse
    than any other.

    Parameters
    ----------
    least
        Words that have to change.

    Examples
    --------
    >>> KeepAnswer(least=2).least
    2
    """

    id: ClassVar[str] = "keep_answer@1"

    least: int = 1

    def skips(self, base: Base) -> str | None:
        """Never: an answer without parts can be kept, too."""
        return None

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Share of the answer that is kept minus missing words, and whether nothing is missing."""
        missing = max(0, self.least - state.words_changed)
        before, after = single(base.answer), single(answer)
        kept = kept_parts(before, after, example=base.example, edits=state.edits)
        if kept is None:
            return -1.0 - missing, False
        is_same = state.texts == state.origin.texts
        return kept.share - missing, kept.is_whole and not (missing or is_same)


ALL: Final = "all"
_SCRAMBLES: Final = 15
_SWAPS: Final = 6  # distinct ones that a word of six letters has
_CONTENT: Final = Changeable(stop_words=True)
_EXHAUSTIVE: Final = Exhaustive()
_GREEDY: Final = GreedyRanked(ranking="saliency", as_released=True)
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
        if params.method == "best_of":
            method: Method = RandomChoice(params.candidates, amount, stops=False)
            most_asked = params.candidates
        else:
            method = _EXHAUSTIVE if params.method == "exhaustive" else _GREEDY
            most_asked = _OF_SALIENCY if params.budget is None else params.budget
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
        scramble = Move(MiddleSwap(scope="text", draws=_SCRAMBLES))
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
        moves = (Move(WordnetAll(), may_change=_CONTENT),)
    yield Generation(name, 1, _space(moves, params, most=1), goal, _GREEDY, 1, _OF_SALIENCY)


def _moves(capability: str) -> tuple[str, tuple[Move, ...]]:
    """Name of a capability, and the moves that propose its changes."""
    if capability == "synonym":
        return capability, (Move(WordnetAll(pos="tagged", inflect=True), may_change=_CONTENT),)
    if capability == "typo":
        return capability, (Move(MiddleSwap(scope="word", draws=_SWAPS)),)
    recipe = parse_recipe(_RECIPES.get(capability, capability))
    moves = tuple(
        Move(step.transformation, None, Changeable(fields=step.fields), step.where)
        for step in recipe.steps
    )
    return capability if capability in _RECIPES else recipe.name, moves


def _goal(params: ScopeParams, task: Task, *, least: int) -> Goal:
    """Goal of the search: an unchanged answer."""
    if not task.gives_labels:
        return KeepAnswer(least)
    return KeepOutput(params.distance, keeps_label=params.keeps_label, least=least)


def _space(moves: Sequence[Move], params: ScopeParams, *, most: int | None) -> Space:
    constraints = tuple(registry().load("constraint", name)() for name in params.constraints)
    return Space(tuple(moves), Amount(words=most), constraints)
