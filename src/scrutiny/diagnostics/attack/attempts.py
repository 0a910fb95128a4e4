"""Attempts: attacks that a plan names, executed on a model, and random change at equal cost."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Literal, get_args

from scrutiny.core.boundary.parameters import at_least, one_of, shares
from scrutiny.core.diagnostic import Context, Failure, Reference
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.languages import speaks
from scrutiny.core.queries.gradients import Gradients, InputEmbeddings, TokenGradients
from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.core.task import Prediction, Task
from scrutiny.core.transformation import Where
from scrutiny.diagnostics.attack.random_change import AtRandom
from scrutiny.perturb.recipes.attack import (
    Attack,
    changes_what_is_right,
    given_to_attacks,
    goal_for,
    lacks,
    misfit,
    name_of,
    parse_attack,
    search_of,
)
from scrutiny.perturb.search.judging import Found, Goal, Scorer
from scrutiny.perturb.search.moves import Documents
from scrutiny.perturb.search.problem import Search, Settings, Victim
from scrutiny.perturb.search.running import search_all
from scrutiny.reliability.metrics import metric_of
from scrutiny.tasks.scores import level_of, score_of

#: Attacks that need no model of their own and few texts.
CHEAP: Final = ("deepwordbug", "pwws")


@dataclass(frozen=True, slots=True)
class TransferParams:
    """Attacks on the reference whose texts are sent to the models, and their budget.

    Parameters
    ----------
    recipes, budget, items, draws, control, resources, tolerance, goal, words
        As of ``attack``; the budget is of texts that the *reference* is asked about.
    """

    recipes: tuple[str, ...] = CHEAP
    budget: int = 1000
    items: int | None = None
    draws: int = 1
    control: bool = True
    resources: Mapping[str, str] = field(default_factory=dict)
    tolerance: float = 0.05
    goal: str = ""
    words: Literal["", "around", "within", "beside", "anywhere"] = ""

    def __post_init__(self) -> None:
        one_of(self, words=("", *get_args(Where)))
        if not self.recipes:
            raise PlanError("recipes is empty: `scrutiny list attacks` prints them all.")
        at_least(self, budget=2, items=1, draws=1)  # of the budget, the item is one
        shares(self, "tolerance")


@dataclass(frozen=True, slots=True)
class AttackParams(TransferParams):
    """Attacks, their budget, the number of items, and the rater of validity.

    Parameters
    ----------
    recipes
        Attacks in their written form: ``deepwordbug``, ``bae(mode="R+I")``.
    budget
        Texts that the model may be asked about for one item and attack, the item among them.
    items
        How many items are attacked, drawn by the hash of their names; nothing for all of them.
    draws
        Independent draws of each attack; their mean is what the attack costs.
    control
        Whether random changes of the same candidates, with as many texts asked and no more words
        changed, stand beside each attack.
    resources
        Specifications by name: ``{"encoder": "hf:./encoder", "vectors": "glove"}``. With an
        ``encoder`` the cosine to the original is measured, with ``perplexity`` the ratio, with
        ``grammar`` the number of new mistakes; ``nli`` rates validity as a ``rater`` does.
    tolerance
        Share of the items that an attack may fool the model on.
    goal
        What attacks look for, in its written form: ``part_lost``, ``score_falls(below=0.3)``,
        ``targeted(target="negative")``. With nothing: another label; where answers are no labels,
        that the item's score falls below half of what it was.
    words
        Which are changed, relative to those that the right answer speaks of: ``around`` them
        (entities are left alone), ``within`` (only they are changed: of tags of all words, any),
        ``beside`` (in their sentences) or ``anywhere``. With nothing, as each change has it.
    ratings
        File that says which texts or substitutions keep the meaning; see
        `scrutiny.diagnostics.attack.validity`.
    rater
        Model string of a classifier of text pairs that knows entailment: a text is as valid as the
        smaller of the probabilities that either text entails the other.
    """

    ratings: str = ""
    rater: str = ""

    def __post_init__(self) -> None:
        TransferParams.__post_init__(self)
        if sum(map(bool, (self.ratings, self.rater, "nli" in self.resources))) > 1:
            raise PlanError(
                "Give one of ratings, rater and the resource nli: judges of validity do not mix."
            )

    @property
    def is_rated(self) -> bool:
        """Whether validity is rated."""
        return bool(self.ratings or self.rater or "nli" in self.resources)


def attacks_of(
    params: TransferParams, task: Task, capabilities: frozenset[str]
) -> dict[str, Attack]:
    """Attacks by their canonical names, each once, in order.

    Raises
    ------
    UnknownNameError, PlanError
        If one cannot be read, does not apply to the task's answers, or lacks what it cannot do
        without.
    """
    named = [parse_attack(text) for text in params.recipes]
    found = {name_of(attack): attack for attack in named}
    held = given_to_attacks(params.resources, task, capabilities=capabilities)
    for name, attack in found.items():
        if said := misfit(attack, task):
            raise PlanError(f"{said} deepwordbug, pruthi and others attack answers of any type.")
        if missing := lacks(attack, held):
            raise PlanError(
                f"{name} needs {', '.join(missing)}: name a resource in params, for instance "
                f'resources = {{ {missing[0]} = "…" }}, or attack a model that has it.'
            )
    return found


def cheap_attacks(task: Task) -> tuple[str, ...]:
    """Attacks of an audit: the default ones after which the right answers of a task are known.

    All of them where answers are labels: whether meaning is preserved is asked apart.
    """
    given = given_to_attacks((), task)
    return tuple(
        name
        for name in CHEAP
        if task.gives_labels or not changes_what_is_right(parse_attack(name), given, task)
    )


def goal_of(params: TransferParams, task: Task) -> Goal | None:
    """Goal of the attacks on a task; None for their own, which are about labels.

    Raises
    ------
    UnknownNameError, PlanError
        If it cannot be read, or does not apply to the task's answers or its score.
    """
    goal = goal_for(params.goal, task)
    if goal is not None and goal.is_scored:
        level = metric_of(score_of(task).level)
        if not isinstance(level, AdditiveStatistic):
            raise PlanError(
                f"{level.id} of the task {task.name!r} is a score of many items and of no single "
                "one, so that none of them can fall: give the attacks goal=part_lost."
            )
    return goal


def scorer(task: Task, labels: tuple[str, ...]) -> Scorer:
    """Score of one answer to one text, by the task's own metric."""
    return lambda example, answer: level_of(task, [example], [answer], labels=labels)


#: Why an item was not attacked.
NOT_DRAWN: Final = Failure("not_drawn", status="skipped")
LANGUAGE: Final = "language"
UNANSWERED: Final = "unanswered"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attack in one draw, with its results by item; ``control`` may be empty."""

    recipe: str
    draw: int
    found: Mapping[str, Found]
    control: Mapping[str, Found]


class RelabeledGradients:
    """Gradients of a model whose labels have other names in the data."""

    def __init__(self, model: Gradients, labels: tuple[str, ...]) -> None:
        self.labels = labels
        self._model = model
        self._own = dict(zip(labels, model.labels, strict=True))

    def gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Gradient of the negative log-probability of a label for each example."""
        return self._model.gradients(examples, [self._own[label] for label in labels])

    def embeddings(self) -> InputEmbeddings:
        """Input vectors of the whole vocabulary."""
        return self._model.embeddings()


def output_name(recipe: str, draw: int, *, is_control: bool = False) -> str:
    """Name under which the answer to an adversarial text is stored."""
    name = f"{recipe}#{draw}" if draw else recipe
    return f"{name}/random" if is_control else name


@dataclass(frozen=True, slots=True)
class AttackWork:
    """Shared state of all attempts on a model.

    Parameters
    ----------
    params
        Budget, draws, whether there is a control.
    asked
        The model.
    task
        Task whose answers are attacked.
    seed
        Of the run.
    analyzed
        By item: its fields as the searches so far have read them.
    """

    params: TransferParams
    asked: Context | Reference
    task: Task
    seed: int
    analyzed: dict[str, Documents] = field(default_factory=dict, repr=False, compare=False)

    def search(self, attack: Attack) -> Search:
        """Search of an attack with the resources and the goal of this work."""
        held = self.params.resources
        given = given_to_attacks(held, self.task, capabilities=self.asked.model.capabilities)
        goal = goal_of(self.params, self.task)
        search = search_of(attack, given, goal, of_labels=self.task.gives_labels)
        if not self.params.words:
            return search
        moves = tuple([replace(move, where=self.params.words) for move in search.space.moves])
        return replace(search, space=replace(search.space, moves=moves))

    def attempts(
        self, attacks: Mapping[str, Attack], examples: Sequence[Example]
    ) -> Iterator[Attempt]:
        """Each attack in each draw, one after the other."""
        for name, attack in attacks.items():
            spoken = [e for e in examples if speaks(attack.languages, e.language)]
            for draw in range(self.params.draws):
                search = self.search(attack)
                found = self._run(search, spoken, draw=draw, name=output_name(name, draw))
                control: dict[str, Found] = {}
                if self.params.control:
                    attacked = [e for e in spoken if found[e.id].status == "ok"]
                    expenses = {e.id: attack.expense(found[e.id]) for e in attacked}
                    space = attack.control_space(search)
                    at_random = Search(space, search.goal, AtRandom(expenses, search.method))
                    label = output_name(name, draw, is_control=True)
                    control = self._run(at_random, attacked, draw=draw, name=label)
                yield Attempt(name, draw, found, control)

    def beside(
        self, attack: Attack, examples: Sequence[Example], method: Any, *, draw: int
    ) -> dict[str, Found]:
        """Result of another method in the space of random change."""
        search = self.search(attack)
        alike = replace(method, like=search.method)
        other = Search(attack.control_space(search), search.goal, alike)
        return self._run(other, examples, draw=draw, name=method.id)

    def _run(
        self, search: Search, examples: Sequence[Example], *, draw: int, name: str
    ) -> dict[str, Found]:
        """Result of one search for each item; the answer to its final text is stored."""
        model, labels, gradients = self.asked.model, self.asked.labels, None
        if "gradients" in model.capabilities and isinstance(model, Gradients):
            gradients = RelabeledGradients(model, labels)

        def ask(texts: Sequence[Example]) -> Sequence[Prediction | Failure]:
            return self.asked.predict(texts, variants=[name] * len(texts))

        paths = None
        if "path_gradients" in model.capabilities:
            paths = partial(self.asked.ask, "path_gradients")
        score = scorer(self.task, labels) if search.goal.is_scored else None
        victim = Victim(ask, labels, gradients, paths, score)
        found = {
            one.item: one
            for one in search_all(
                examples,
                search,
                victim=victim,
                settings=Settings(self.seed, draw, self.params.budget, analyzed=self.analyzed),
                resources=self.params.resources or None,
            )
        }
        ended = [one.state.example for one in found.values() if one.state is not None]
        if ended:  # asked last, so that this is what stays under the name
            ask(ended)
        return found
