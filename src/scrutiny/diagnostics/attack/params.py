"""Parameters of the attack diagnostics, and the attacks that they name."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scrutiny.core.boundary.limits import at_least, shares
from scrutiny.core.errors import PlanError
from scrutiny.core.task import Task
from scrutiny.perturb.recipes.attack import Attack, given_to_attacks, lacks, name_of, parse_attack


@dataclass(frozen=True, slots=True)
class TransferParams:
    """Attacks on the reference whose texts are sent to the models, and their budget.

    Parameters
    ----------
    recipes, budget, items, draws, control, resources, tolerance
        As of ``attack``; the budget is of texts that the *reference* is asked about.
    """

    recipes: tuple[str, ...] = ("deepwordbug", "pwws")
    budget: int = 1000
    items: int | None = None
    draws: int = 1
    control: bool = True
    resources: Mapping[str, str] = field(default_factory=dict)
    tolerance: float = 0.05

    def __post_init__(self) -> None:
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
        ``encoder`` the cosine to the original is measured, with ``perplexity`` the ratio; ``nli``
        rates validity as a ``rater`` does.
    tolerance
        Share of the items that an attack may fool the model on.
    ratings
        File that says which texts or substitutions keep the meaning; see
        `scrutiny.diagnostics.attack.ratings`.
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
        If one cannot be read, or lacks what it cannot do without.
    """
    named = [parse_attack(text) for text in params.recipes]
    found = {name_of(attack): attack for attack in named}
    held = given_to_attacks(params.resources, task, capabilities=capabilities)
    for name, attack in found.items():
        if missing := lacks(attack, held):
            raise PlanError(
                f"{name} needs {', '.join(missing)}: name a resource in params, for instance "
                f'resources = {{ {missing[0]} = "…" }}, or attack a model that has it.'
            )
    return found
