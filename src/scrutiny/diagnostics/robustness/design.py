"""Estimates and claims of the robustness diagnostic.

For a recipe T and a draw d, on the same items and replicates throughout:

==================  =================================================================
drop                score on the originals minus score on the variants, over all items
drop, changed       the same over the items that T changed
drop, control       the same for the matched random change (role ``control``)
excess              drop minus the control's drop
flips               share of changed items whose prediction changed
broken, mended      right before and wrong after, and the reverse
coverage            share of items that T changed
==================  =================================================================

The risk of T is its drop: it hurts, it holds within what is tolerable, or it cannot be told; beside
it stands whether it is more than random change does. Several draws are one number, the mean of
their drops, beside the drop of each. Recipes that may change the gold answer get flips and no risk.
"""

from collections.abc import Iterator, Mapping, Sequence

from scrutiny.core.claim import Claim, Component, Risk
from scrutiny.core.diagnostic import Design, EstimateSpec, Inputs, Selector, draws_of
from scrutiny.core.expressions import made_of, spoken
from scrutiny.core.task import score_of
from scrutiny.diagnostics.robustness.params import RobustnessParams, has_labels
from scrutiny.perturb.engine.recipe import Recipe
from scrutiny.reliability.verdicts.gate_rules import without_versions

_BEFORE = Selector(role="baseline")
_STAYS = {"after": "before"}
_BOTH_STAY = {"after": "before", "control": "before"}


def condition_of(recipe: Recipe, draw: int) -> dict[str, object]:
    """Condition of a recipe's records."""
    return {"transformation": recipe.name, "draw": draw}


def make_design(params: RobustnessParams, inputs: Inputs) -> Design:
    """Design for one family on one dataset."""
    recipes = params.recipes(inputs.task, inputs.data.languages)
    keeping = [r for r in recipes if r.is_scored(inputs.task.name)]
    return Design(
        conditions=tuple(condition_of(r, d) for r in recipes for d in range(params.draws)),
        estimates=tuple(_estimates(recipes, keeping, params, inputs)),
        claims=tuple(_claim(recipe, params, inputs) for recipe in keeping),
        queries_per_item=1 + (1 + params.control) * len(recipes) * params.draws,
        notes=tuple(_notes(params, inputs, recipes, keeping)),
        families={"robustness": f"changes hurt {inputs.subject.name} on {inputs.data.name}"},
    )


def _estimates(
    recipes: Sequence[Recipe], keeping: Sequence[Recipe], params: RobustnessParams, inputs: Inputs
) -> Iterator[EstimateSpec]:
    """Specifications in the order of the report."""
    scored = score_of(inputs.task)
    yield EstimateSpec("level", scored.level, {"": _BEFORE}, role="baseline")
    for recipe in recipes:
        for draw in range(params.draws):
            yield from _of_recipe(recipe, draw, inputs, params, is_scored=recipe in keeping)
        if params.draws > 1 and recipe in keeping:
            yield from _of_draws(recipe, params, scored.level)


def _of_draws(recipe: Recipe, params: RobustnessParams, level: str) -> Iterator[EstimateSpec]:
    """Drops of all draws of a recipe as one number each."""
    conditions = [condition_of(recipe, draw) for draw in range(params.draws)]
    changed = {"before": _BEFORE, **draws_of("after", "measured", conditions)}
    control = draws_of("control", "control", conditions)
    condition = {"transformation": recipe.name}
    yield EstimateSpec(
        f"drop/{recipe.name}",
        made_of("drop", level),
        changed,
        fallback=_STAYS,
        condition=condition,
    )
    if params.control:
        yield EstimateSpec(
            f"excess/{recipe.name}",
            made_of("excess", level),
            {**changed, **control},
            fallback=_BOTH_STAY,
            condition=condition,
        )


def _of_recipe(
    recipe: Recipe, draw: int, inputs: Inputs, params: RobustnessParams, *, is_scored: bool
) -> Iterator[EstimateSpec]:
    """Specifications of one recipe and draw."""
    scored = score_of(inputs.task)
    name = f"{recipe.name}/{draw}"
    condition = condition_of(recipe, draw)
    after = Selector("measured", condition)
    control = Selector("control", condition)
    changed: Mapping[str, Selector] = {"before": _BEFORE, "after": after}
    yield EstimateSpec(f"coverage/{name}", "coverage@1", {"after": after}, condition=condition)
    drop = made_of("drop", scored.level)
    if is_scored:
        pair = (drop, changed)
        yield EstimateSpec(f"drop/{name}", *pair, fallback=_STAYS, condition=condition)
        yield EstimateSpec(f"drop_changed/{name}", *pair, group="changed", condition=condition)
        for metric in scored.also:
            yield EstimateSpec(
                f"drop_{without_versions(metric)}/{name}",
                made_of("drop", metric),
                changed,
                fallback=_STAYS,
                condition=condition,
            )
    if is_scored and params.control:
        yield EstimateSpec(
            f"drop_control/{name}",
            drop,
            {"before": _BEFORE, "after": control},
            fallback=_STAYS,
            role="control",
            condition=condition,
        )
        yield EstimateSpec(
            f"excess/{name}",
            made_of("excess", scored.level),
            {**changed, "control": control},
            fallback=_BOTH_STAY,
            condition=condition,
        )
    if has_labels(inputs.task):
        flips = ("flip_rate@1", "broken_rate@1", "mended_rate@1")
        for metric in flips if is_scored else flips[:1]:
            short = metric.partition("_")[0]
            yield EstimateSpec(
                f"{short}/{name}", metric, changed, group="changed", condition=condition
            )
        if params.control:
            yield EstimateSpec(
                f"flip_control/{name}",
                "flip_rate@1",
                {"before": _BEFORE, "after": control},
                group="changed",
                role="control",
                condition=condition,
            )


def _claim(recipe: Recipe, params: RobustnessParams, inputs: Inputs) -> Claim:
    """The risk of a recipe: its cost, compared with that of matched random change."""
    scored = score_of(inputs.task)
    name = recipe.name if params.draws > 1 else f"{recipe.name}/0"
    tolerance = scored.tolerance if params.tolerance is None else params.tolerance
    excess = [Component(f"excess/{name}", 0.0, "control: random change")] * params.control
    return Claim(
        id=recipe.name,
        says=f"{title(recipe)} lowers {spoken(scored.level)}",
        diagnostic="robustness",
        components=(Component(f"drop/{name}", 0.0), *excess),
        family="robustness",
        checks=("items", "seeds", "datasets"),
        competence=(("level", inputs.data.chance),),
        risk=Risk(recipe.title, tolerance, "costs {} points"),
    )


def title(recipe: Recipe) -> str:
    """Readable name of a recipe, without version."""
    return without_versions(recipe.name)


def _notes(
    params: RobustnessParams, inputs: Inputs, recipes: Sequence[Recipe], keeping: Sequence[Recipe]
) -> Iterator[str]:
    """Sentences for "how this was measured"."""
    yield (
        "The model answers every item unchanged, changed, and changed at random by the same "
        "amount; the three are compared on the same items and replicates."
        if params.control
        else "The model answers every item unchanged and changed; no random change stands beside."
    )
    yield "Items that a transformation cannot change count as unchanged in the drop over all items."
    if params.draws == 1:
        yield "One draw of each transformation: the effect of the draw was not measured."
    lacking = params.left_out(inputs.task, inputs.data.languages)
    if lacking:
        named = ", ".join(f"{without_versions(n)} ({', '.join(of)})" for n, of in lacking.items())
        yield f"Not asked, for want of a resource (`resources` names one): {named}."
    others = [title(r) for r in recipes if r not in keeping]
    if others:
        counts = "counts changed predictions and " if has_labels(inputs.task) else ""
        yield (
            f"{', '.join(others)} may change the gold answer of {inputs.task.name}: the report "
            f"{counts}makes no claim."
        )
