"""Base of published attacks: written form, requirements, and components."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar, Final, Literal, NamedTuple

from scrutiny.core.boundary.parameters import chosen_parameters, read_parameters
from scrutiny.core.errors import PlanError
from scrutiny.core.facts import wanted_in_words
from scrutiny.core.plugin_base import PlugIn, title_of
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.core.transformation import effect_of
from scrutiny.perturb.engine.recipe_syntax import read_recipe, write_value
from scrutiny.perturb.resources.loading import RESOURCES
from scrutiny.perturb.search import Goal, Search, Space
from scrutiny.perturb.search.goals.answer_goals import ScoreFalls
from scrutiny.perturb.search.judging import Expense, Found, expense_of
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked


class Given(NamedTuple):
    """Resources and capabilities that an attack can use.

    Parameters
    ----------
    resources
        Names of those that the run brought, and of those that ship with the package.
    fields
        Text fields of the task that may be changed.
    capabilities
        What the victim may be asked for.
    """

    resources: frozenset[str] = frozenset()
    fields: tuple[str, ...] = ("text",)
    capabilities: frozenset[str] = frozenset({"predict"})

    def has(self, resource: str) -> bool:
        """Whether a resource is available."""
        return resource in self.resources

    @property
    def last_field(self) -> tuple[str, ...]:
        """The hypothesis of a pair, for attacks that keep the premise; otherwise every field."""
        return self.fields[-1:] if len(self.fields) > 1 else ()


class Attack(PlugIn, ABC):
    """A published attack; each is a frozen dataclass of its parameters.

    Attributes
    ----------
    id
        Versioned name.
    languages
        Languages that it knows; ``*`` stands for any.
    needs
        Capabilities of the victim.
    resources
        What it cannot do without.
    lacking
        By resource, what it does without one that it could use.
    deviations
        Sentences on what it does otherwise than the paper, whatever it is given.
    is_fooling
        False where success is no changed answer.
    is_risk
        Whether success is a risk that a report states.
    only_labels
        Why it attacks labels alone, as the rest of "attacks labels alone: …"; empty where answers
        of any type will do.
    """

    __slots__ = ()
    kind = "attack"

    id: ClassVar[str]
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    needs: ClassVar[frozenset[str]] = frozenset({"predict"})
    resources: ClassVar[tuple[str, ...]] = ()
    lacking: ClassVar[Mapping[str, str]] = {}
    deviations: ClassVar[tuple[str, ...]] = ()
    is_fooling: ClassVar[bool] = True
    is_risk: ClassVar[bool] = True
    only_labels: ClassVar[str] = ""

    @abstractmethod
    def search(self, given: Given) -> Search:
        """Space, goal and method."""

    def control_space(self, search: Search) -> Space:
        """Space of the random change that is its control; by default that of its search."""
        return search.space

    def expense(self, found: Found) -> Expense:
        """What random change may spend beside a search: as many texts, as many words changed."""
        return expense_of(found)


def given_to_attacks(
    resources: Iterable[str], task: Task | None = None, *, capabilities: Iterable[str] = ()
) -> Given:
    """Resources that recipes of attacks are given: those that are named, and those with a default.

    Examples
    --------
    >>> given_to_attacks(["encoder"]).has("wordnet"), given_to_attacks([]).has("encoder")
    (True, False)
    """
    shipped = {name for name, kind in RESOURCES.items() if kind.default and kind.is_installed}
    fields = ("text",) if task is None else task.open_fields
    found = frozenset({"predict", *capabilities})
    return Given(frozenset(shipped | set(resources)), fields, found)


def lacks(attack: Attack, given: Given) -> tuple[str, ...]:
    """Missing resources and capabilities that an attack needs."""
    missing = [name for name in attack.resources if not given.has(name)]
    return (*missing, *sorted(attack.needs - given.capabilities))


def deviations_of(attack: Attack, given: Given) -> tuple[str, ...]:
    """Differences of an attack from its paper, with the given resources."""
    without = [said for name, said in attack.lacking.items() if not given.has(name)]
    return (*attack.deviations, *without)


def misfit(attack: Attack, task: Task) -> str:
    """Sentence that says why an attack does not apply to the answers of a task; empty if it does.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> misfit(parse_attack("pruthi"), SimpleNamespace(gives_labels=False))
    ''
    """
    if task.gives_labels or not attack.only_labels:
        return ""
    return (
        f"{attack.id} attacks labels alone: {attack.only_labels}. The items of {task.name!r} are "
        f"{task.facts}."
    )


def changes_what_is_right(attack: Attack, given: Given, task: Task) -> tuple[str, ...]:
    """Titles of an attack's changes after which the right answers of a task may be others."""
    changes = [move.transformation for move in attack.search(given).space.moves]
    told = [title_of(c, c.id) for c in changes if effect_of(c, task.facts) == "may change"]
    return tuple(dict.fromkeys(told))


def goal_for(written: str, task: Task) -> Goal | None:
    """Goal of attacks on the answers of a task; None for the attack's own, which is about labels.

    Where none is written, that the item's score falls below half of what it was.

    Raises
    ------
    PlanError
        If the goal is about answers of another type.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> goal_for("", SimpleNamespace(gives_labels=False))
    ScoreFalls(below=0.5)
    """
    if not written:
        return None if task.gives_labels else ScoreFalls()
    goal = parse_goal(written)
    if goal.wants and not any(want.are_of(task.facts) for want in goal.wants):
        raise PlanError(
            f"The goal {goal.id} is about {wanted_in_words(goal.wants)}, and the items of "
            f"{task.name!r} are {task.facts}. score_falls and part_lost are about answers of any "
            "type; `scrutiny list goals` prints all."
        )
    return goal


def search_of(
    attack: Attack, given: Given, goal: Goal | None = None, *, of_labels: bool = True
) -> Search:
    """Search of an attack, with another goal in place of its own if it looks for wrong answers.

    Where answers are no labels, greedy searches rank places by a candidate of each: an unknown or
    a missing word can be no result, and breaks a parse or a translation wherever it stands.
    """
    search = attack.search(given)
    if goal is None or not attack.is_fooling:
        return search
    method = search.method
    if not of_labels and isinstance(method, GreedyRanked):
        method = replace(method, ranking="candidate", fixes_choice=False)
    return replace(search, goal=goal, method=method)


@lru_cache(maxsize=256)
def parse_attack(text: str) -> Attack:
    """Attack parsed from its written form; without a version, the newest.

    Raises
    ------
    PlanError
        If it cannot be read, or a value is of the wrong type.
    UnknownNameError
        For a name, a parameter or a choice that does not exist; near ones are in the message.

    Examples
    --------
    >>> name_of(parse_attack("pwws(variant=textattack)"))
    'pwws@1(variant=textattack)'
    """
    attack: Attack = _parsed("attack", text)
    return attack


@lru_cache(maxsize=64)
def parse_goal(text: str) -> Goal:
    """Goal parsed from its written form, as an attack is.

    Examples
    --------
    >>> parse_goal("part_lost(least=2)").least
    2
    """
    goal: Goal = _parsed("goal", text)
    return goal


def _parsed(kind: Literal["attack", "goal"], text: str) -> Any:
    steps = read_recipe(text)
    if len(steps) != 1:
        raise PlanError(f"{text!r} names {len(steps)} {kind}s; {_ALONE[kind]} stands for itself.")
    name, written = steps[0]
    full = registry().resolve(kind, name)
    made = registry().load(kind, full)
    return made(**read_parameters(made, written, of=full))


_ALONE: Final = {"attack": "an attack", "goal": "a goal"}


def name_of(attack: Attack) -> str:
    """Canonical form that can be parsed: parameters that differ from the defaults, in order."""
    written = [f"{name}={write_value(value)}" for name, value in chosen_parameters(attack)]
    return f"{attack.id}({','.join(written)})" if written else attack.id
