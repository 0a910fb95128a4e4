"""Parameters of the robustness diagnostic, and the recipes that they name."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scrutiny.core.limits import at_least, shares
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.perturb.engine.recipe import Recipe, parse_recipe
from scrutiny.perturb.resources.loading import RESOURCES


@dataclass(frozen=True, slots=True)
class RobustnessParams:
    """Transformations, number of draws, and controls.

    Parameters
    ----------
    transformations
        Recipes: ``typos``, ``typos(share=0.3)``, ``contraction+typos``. Empty: every
        transformation that knows the language, needs no extra, is not one for searches only, and
        makes fit texts often enough (``docs/transformation-quality.md``).
    draws
        Independent draws of each recipe; their mean is what the recipe costs.
    constraints
        Vetoes on single edits, by name.
    resources
        Specifications by name: ``{"tagger": "spacy", "masked_lm": "hf:./mlm"}``.
    tolerance
        Drop that can be lived with; nothing takes the task's own, two points.
    """

    transformations: tuple[str, ...] = ()
    draws: int = 1
    constraints: tuple[str, ...] = ()
    resources: Mapping[str, str] = field(default_factory=dict)
    tolerance: float | None = None

    def __post_init__(self) -> None:
        at_least(self, draws=1)
        shares(self, "tolerance")

    def recipes(self, task: Task, languages: frozenset[str]) -> list[Recipe]:
        """Recipes in order, without duplicates.

        Raises
        ------
        UnknownNameError, PlanError
            If one cannot be read.
        """
        if self.transformations:
            named = [parse_recipe(text) for text in self.transformations]
            return list({recipe.name: recipe for recipe in named}.values())
        held = {n for n, r in RESOURCES.items() if r.default and r.is_installed}
        held |= set(self.resources)
        recipes = [parse_recipe(name) for name in registry().names("transformation")]
        return [r for r in recipes if _can_run(r, held, languages)]


def _can_run(recipe: Recipe, held: set[str], languages: frozenset[str]) -> bool:
    """Whether a recipe has its resources, supports a language and is a default."""
    if not recipe.is_default:
        return False
    spoken = {part for code in languages for part in ("*", code, code.partition("-")[0])}
    return held.issuperset(recipe.resources) and not spoken.isdisjoint(recipe.languages)
