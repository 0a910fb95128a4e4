"""Parameters of the diagnostic of shared invariances."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from scrutiny.core.boundary.limits import at_least, one_of, shares
from scrutiny.core.errors import PlanError
from scrutiny.perturb.search.goals.distances import DISTANCES, Distance

Preset = Literal["corrected", "as_published"]
How = Literal["best_of", "exhaustive", "saliency"]

_PRESETS = ("corrected", "as_published")
_METHODS = ("best_of", "exhaustive", "saliency")


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
        one_of(self, preset=_PRESETS, method=_METHODS, distance=DISTANCES)
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
