"""Parameters of the robustness diagnostic, and the recipes that they name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from scrutiny.core.boundary.parameters import at_least, shares
from scrutiny.core.errors import PlanError
from scrutiny.core.languages import speaks_any
from scrutiny.core.plugin_base import without_versions
from scrutiny.core.registry import OWN, registry
from scrutiny.core.task import Task
from scrutiny.perturb.engine.recipe import Recipe, parse_recipe
from scrutiny.perturb.resources.loading import RESOURCES
from scrutiny.tasks.scores import score_of

#: What is asked first where time is short: one change of each kind (letters, case, words, grammar,
#: style, marks), the commonest in texts that people write; then their near relatives; then what
#: only some sources of texts have. Others follow by name.
_MOST_USEFUL: Final = (
    "typos",
    "word_case",
    "synonym_wordnet",
    "contraction",
    "social_media",
    "punctuation",
    "spelling_error",
    "keyboard",
    "tense",
    "ocr",
    "append_irrelevant",
)


@dataclass(frozen=True, slots=True)
class RobustnessParams:
    """Transformations, number of draws, and controls.

    Parameters
    ----------
    transformations
        Recipes: ``typos``, ``typos(share=0.3)``, ``contraction+typos``. Empty: every
        transformation that knows the language, needs no extra, is not one for searches only, and
        makes fit texts often enough (``docs/transformation-quality.md``); where answers are no
        labels, only those after which the right answer is known.
    usual
        Transformations that are asked where none is named, if they apply: those of an audit's
        profile. Those of plug-ins are asked beside them. Empty: every one, as said above.
    draws
        Independent draws of each recipe; their mean is what the recipe costs.
    constraints
        Vetoes on single edits, by name.
    resources
        Specifications by name: ``{"tagger": "spacy", "masked_lm": "hf:./mlm"}``.
    tolerance
        Drop that can be lived with; nothing takes the task's own, two points.
    control
        Whether a random change of the same amount stands beside each change.
    metrics
        Scores of the task that should be kept, such as ``("las", "upos")`` of a parser; empty: the
        one that it is told by.
    """

    transformations: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()
    draws: int = 1
    constraints: tuple[str, ...] = ()
    resources: Mapping[str, str] = field(default_factory=dict)
    tolerance: float | None = None
    control: bool = True
    metrics: tuple[str, ...] = ()

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
        return [recipe for recipe in self._usual(task, languages) if not self._lacking(recipe)]

    def kept_metrics(self, task: Task) -> tuple[str, ...]:
        """Names of the scores, with versions.

        Raises
        ------
        PlanError
            If the task has no such score.
        """
        scored = score_of(task)
        known = {without_versions(name): name for name in (scored.level, *scored.also)}
        asked = [without_versions(name) for name in self.metrics or (scored.level,)]
        other = next((name for name in asked if name not in known), None)
        if other is not None:
            raise PlanError(f"{task.name} has no score {other!r}; it has {', '.join(known)}.")
        return tuple(dict.fromkeys(known[name] for name in asked))

    def ranked(self, task: Task, languages: frozenset[str]) -> list[Recipe]:
        """Recipes, the most useful first; as they were written where they were named."""
        found = self.recipes(task, languages)
        if self.transformations:
            return found
        place = {name: number for number, name in enumerate(_MOST_USEFUL)}
        return sorted(found, key=lambda one: place.get(without_versions(one.name), len(place)))

    def left_out(self, task: Task, languages: frozenset[str]) -> dict[str, list[str]]:
        """Recipes that would be asked, by name, with the resources that they lack."""
        recipes = () if self.transformations else self._usual(task, languages)
        return {r.name: lacking for r in recipes if (lacking := self._lacking(r))}

    def unspoken(self, task: Task, languages: frozenset[str]) -> list[Recipe]:
        """Recipes that texts in English would be asked with, and that know none of the languages.

        None where recipes are named: those are refused.
        """
        recipes = () if self.transformations else self._usual(task, frozenset({"en"}))
        asked = (recipe for recipe in recipes if not self._lacking(recipe))
        return [recipe for recipe in asked if not speaks_any(recipe.languages, languages)]

    def _usual(self, task: Task, languages: frozenset[str]) -> list[Recipe]:
        """Recipes that are asked unless others are named, and support a language."""
        named = {registry().resolve("transformation", name) for name in self.usual}
        recipes = {name: parse_recipe(name) for name in registry().names("transformation")}
        known = [
            recipe
            for name, recipe in recipes.items()
            if name in named
            or (
                recipe.is_default
                and (not named or registry().entry("transformation", name).origin != OWN)
            )
            if speaks_any(recipe.languages, languages)
        ]
        return known if has_labels(task) else [r for r in known if r.is_scored(task.facts)]

    def _lacking(self, recipe: Recipe) -> list[str]:
        """Resources of a recipe that are neither there nor named."""
        held = {n for n, r in RESOURCES.items() if r.default and r.is_installed}
        return [name for name in recipe.resources if name not in held | set(self.resources)]


def has_labels(task: Task) -> bool:
    """Whether robustness counts a changed answer, though nobody may know the right one."""
    return {"hit", "pred"} <= {measure.name for measure in task.measures}
