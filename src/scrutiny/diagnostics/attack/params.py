"""Parameters of the attack diagnostics, and the attacks that they name."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scrutiny.core.errors import PlanError
from scrutiny.core.task import Task
from scrutiny.perturb.recipes.attack import Attack, Given, given_for, lacks
from scrutiny.perturb.recipes.naming import name_of, parse_attack


@dataclass(frozen=True, slots=True)
class AttackParams:
    """Which attacks, how long, of how many items, and who says what is valid.

    Parameters
    ----------
    recipes
        Attacks in their written form: ``deepwordbug``, ``bae(mode="R+I")``.
    budget
        Texts that the model may be asked about for one item and attack, the item among them.
    items
        How many items are attacked, drawn by the hash of their names; nothing for all of them.
    draws
        Independent draws of each attack; a claim has to hold for each of them.
    control
        Whether random changes of the same candidates, with as many texts asked and no more words
        changed, stand beside each attack.
    resources
        Specifications by name: ``{"encoder": "hf:./encoder", "vectors": "glove"}``. With an
        ``encoder`` the cosine to the original is measured, with ``perplexity`` the ratio; ``nli``
        rates validity as a ``rater`` does.
    ratings
        File that says which texts or substitutions keep the meaning; see
        `scrutiny.diagnostics.attack.ratings`.
    rater
        Model string of a classifier of text pairs that knows entailment: a text is as valid as the
        smaller of the probabilities that either text entails the other.
    margin
        Smallest success, and smallest success beyond random change, worth a claim.
    """

    recipes: tuple[str, ...] = ("deepwordbug", "pwws")
    budget: int = 1000
    items: int | None = None
    draws: int = 1
    control: bool = True
    resources: Mapping[str, str] = field(default_factory=dict)
    ratings: str = ""
    rater: str = ""
    margin: float = 0.05

    def __post_init__(self) -> None:
        if not self.recipes:
            raise PlanError("recipes is empty: `scrutiny list attacks` prints them all.")
        if self.budget < 2:
            raise PlanError(f"budget must be 2 texts or more (the item is one), not {self.budget}.")
        if self.items is not None and self.items < 1:
            raise PlanError(f"items must be 1 or more, not {self.items}.")
        if self.draws < 1:
            raise PlanError(f"draws must be 1 or more, not {self.draws}.")
        if not 0 <= self.margin < 1:
            raise PlanError(f"margin must lie between 0 and 1, not {self.margin}.")
        if sum(map(bool, (self.ratings, self.rater, "nli" in self.resources))) > 1:
            raise PlanError(
                "Give one of ratings, rater and the resource nli: judges of validity do not mix."
            )

    @property
    def is_rated(self) -> bool:
        """Whether somebody says what is valid."""
        return bool(self.ratings or self.rater or "nli" in self.resources)


@dataclass(frozen=True, slots=True)
class TransferParams:
    """Which attacks on the reference are tried on the models, and how long they are searched for.

    Parameters
    ----------
    recipes, budget, items, draws, control, resources, margin
        As of ``attack``; the budget is of texts that the *reference* is asked about.
    """

    recipes: tuple[str, ...] = ("deepwordbug", "pwws")
    budget: int = 1000
    items: int | None = None
    draws: int = 1
    control: bool = True
    resources: Mapping[str, str] = field(default_factory=dict)
    margin: float = 0.05

    def __post_init__(self) -> None:
        self.as_attack()

    def as_attack(self) -> AttackParams:
        """Parameters of the attack on the reference."""
        return AttackParams(
            self.recipes,
            self.budget,
            self.items,
            self.draws,
            self.control,
            self.resources,
            margin=self.margin,
        )


def attacks_of(
    params: AttackParams | TransferParams, task: Task, capabilities: frozenset[str]
) -> dict[str, Attack]:
    """Attacks by their canonical names, each once, in order.

    Raises
    ------
    UnknownNameError, PlanError
        If one does not read, or lacks what it cannot do without.
    """
    named = [parse_attack(text) for text in params.recipes]
    found = {name_of(attack): attack for attack in named}
    held = given(params, task, capabilities)
    for name, attack in found.items():
        if missing := lacks(attack, held):
            raise PlanError(
                f"{name} needs {', '.join(missing)}: name a resource in params, for instance "
                f'resources = {{ {missing[0]} = "…" }}, or attack a model that has it.'
            )
    return found


def given(params: AttackParams | TransferParams, task: Task, capabilities: frozenset[str]) -> Given:
    """What the attacks can count on."""
    return given_for(params.resources, task, capabilities=capabilities)
