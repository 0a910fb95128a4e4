"""Estimates and claims of the robustness diagnostic.

For a recipe T and a draw d, on the same items and replicates throughout:

==================  =================================================================
drop                score on the originals minus score on the variants, over all items
drop, changed       the same over the items that T changed
drop, control       the same for the matched random change (role ``control``)
excess              drop minus the control's drop
flips               share of changed items whose prediction changed
changed             share of places (words, spans) of both texts of which it says something else
changed, beyond     that share minus the control's
broken, mended      right before and wrong after, and the reverse
coverage            share of items that T changed
==================  =================================================================

The risk of T is its drop: it hurts, it holds within what is tolerable, or it cannot be told; beside
it stands whether it is more than random change does. Several draws are one number, the mean of
their drops, beside the drop of each. Recipes that may change the gold answer get flips and no risk.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from scrutiny.core.claim import Claim, Component, Risk
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.expressions import expression_in_words, metric_of_metric
from scrutiny.core.languages import left_out, must_know
from scrutiny.core.plugin_base import without_versions
from scrutiny.core.record import Measure
from scrutiny.core.task import Task
from scrutiny.diagnostics.robustness.robustness_recipes import RobustnessParams, has_labels
from scrutiny.perturb.engine.readings import BlindReading, reading_of
from scrutiny.perturb.engine.recipe import Recipe
from scrutiny.reliability.metrics import metric_of
from scrutiny.tasks.scores import score_of

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_CONTROL = "control: random change"


def _condition_of(recipe: Recipe, draw: int) -> dict[str, object]:
    """Condition of a recipe's records."""
    return {"transformation": recipe.name, "draw": draw}


def measures_of_changes(task: Task) -> tuple[Measure, ...]:
    """Measures of robustness by place: changed places and all places; none without places."""
    places = "" if task.answer_type is None else task.answer_type.places
    if not places:
        return ()
    return Measure("changed", unit=places), Measure("compared", unit=places)


class _Score(NamedTuple):
    """Score that should be kept: its metric, and what its numbers are marked by.

    ``mark`` stands behind their names; it is empty for the first score.
    """

    metric: str
    mark: str = ""


def make_design(params: RobustnessParams, inputs: Inputs) -> Design:
    """Design for one family on one dataset."""
    recipes = params.recipes(inputs.task, inputs.data.languages)
    data = inputs.data
    fields = [name for name in data.fields if name not in inputs.task.closed_fields]
    for recipe in recipes:
        named = f"The transformation {_title(recipe)}"
        must_know(named, recipe.languages, data.languages, data=data.name)
        recipe.must_suit(inputs.task.facts, data.labels, fields)
    unspoken = [recipe.title for recipe in params.unspoken(inputs.task, data.languages)]
    first, *others = params.kept_metrics(inputs.task)
    scores = [_Score(first), *(_Score(m, f"/{without_versions(m)}") for m in others)]
    if inputs.subject.unscored:
        scores = []
    kept = {r: [s for s in scores if _is_kept(s, r, inputs.task)] for r in recipes}
    about = f"changes hurt {inputs.subject.name} on {inputs.data.name}"
    names = {s: f"{expression_in_words(s.metric)}: {about}" if s.mark else about for s in scores}
    return Design(
        conditions=tuple(_condition_of(r, d) for r in recipes for d in range(params.draws)),
        estimates=tuple(_estimates(kept, scores, params, inputs)),
        claims=tuple(
            _claim(recipe, s, params, inputs)
            for s in scores
            for recipe in recipes
            if s in kept[recipe]
        )
        or tuple(_changes(recipes if inputs.subject.unscored else (), params, inputs.task)),
        queries_per_item=1 + (1 + params.control) * len(recipes) * params.draws,
        notes=tuple(_notes(params, inputs, kept)),
        families={f"robustness{s.mark}": names[s] for s in scores} or {"robustness": about},
        left_out=left_out("changes", unspoken, data.languages, data=data.name),
    )


def _is_kept(score: _Score, recipe: Recipe, task: Task) -> bool:
    """Whether the gold answers that a score reads are known after a change."""
    layers = () if task.answer_type is None else task.answer_type.layers
    read = set(layers).intersection(metric_of(score.metric).needs)
    return recipe.is_scored(task.facts) and all(map(recipe.keeps, read))


def _estimates(
    kept: Mapping[Recipe, Sequence[_Score]],
    scores: Sequence[_Score],
    params: RobustnessParams,
    inputs: Inputs,
) -> Iterator[EstimateSpec]:
    """Specifications in the order of the report."""
    for score in scores:
        yield EstimateSpec(f"level{score.mark}", score.metric, role="baseline")
    for recipe, found in kept.items():
        for draw in range(params.draws):
            yield from _of_recipe(recipe, draw, inputs, params, scores=found)
        if params.draws > 1:
            for score in found:
                # drops of all draws of a recipe as one number each
                for what in ("drop", *(["excess"] * params.control)):
                    yield EstimateSpec(
                        f"{what}{score.mark}/{recipe.name}",
                        metric_of_metric(what, score.metric),
                        {"transformation": recipe.name},
                        draws=params.draws,
                    )


def _of_recipe(
    recipe: Recipe,
    draw: int,
    inputs: Inputs,
    params: RobustnessParams,
    *,
    scores: Sequence[_Score],
) -> Iterator[EstimateSpec]:
    """Specifications of one recipe and draw."""
    name = f"{recipe.name}/{draw}"
    condition = _condition_of(recipe, draw)
    of = partial(EstimateSpec, condition=condition, group="changed")
    yield EstimateSpec(f"coverage/{name}", "coverage@1", condition)
    for score in scores:
        mark, drop = score.mark, metric_of_metric("drop", score.metric)
        yield EstimateSpec(f"drop{mark}/{name}", drop, condition)
        yield of(f"drop_changed{mark}/{name}", drop)
        if params.control:
            yield EstimateSpec(f"drop_control{mark}/{name}", drop, condition, role="control")
            excess = metric_of_metric("excess", score.metric)
            yield EstimateSpec(f"excess{mark}/{name}", excess, condition)
    told, judged = score_of(inputs.task), params.kept_metrics(inputs.task)
    beside = [metric for metric in (told.level, *told.also) if metric not in judged]
    for metric in beside if scores else ():
        if _is_kept(_Score(metric), recipe, inputs.task):
            drop = metric_of_metric("drop", metric)
            yield EstimateSpec(f"drop_{without_versions(metric)}/{name}", drop, condition)
    if measures_of_changes(inputs.task):
        metric = "changed_share@1"
        yield of(f"changed/{name}", metric)
        if params.control:
            yield of(f"changed_control/{name}", metric, role="control")
        if params.control and inputs.subject.unscored:
            yield of(f"changed_beyond/{name}", metric_of_metric("beyond", metric))
    if has_labels(inputs.task):
        flips = ("flip_rate@1", "broken_rate@1", "mended_rate@1")
        for metric in flips if scores else flips[:1]:
            yield of(f"{metric.partition('_')[0]}/{name}", metric)
        if params.control:
            yield of(f"flip_control/{name}", "flip_rate@1", role="control")


def _claim(recipe: Recipe, score: _Score, params: RobustnessParams, inputs: Inputs) -> Claim:
    """The risk of a recipe: its cost, compared with that of matched random change."""
    mark, of_task = score.mark, score_of(inputs.task)
    name = recipe.name if params.draws > 1 else f"{recipe.name}/0"
    tolerance = of_task.tolerance if params.tolerance is None else params.tolerance
    excess = [Component(f"excess{mark}/{name}", 0.0, _CONTROL)] * params.control
    what = f"{recipe.title}: {expression_in_words(score.metric)}" if mark else recipe.title
    own = _reading(recipe, score, inputs)
    has_level = params.kept_metrics(inputs.task)[0] == of_task.level
    return Claim(
        id=f"{recipe.name}{mark}",
        says=f"{_title(recipe)} lowers {expression_in_words(score.metric)}",
        components=(Component(f"drop{mark}/{name}", 0.0), *excess),
        family=f"robustness{mark}",
        checks=("items", "seeds", "datasets"),
        competence=(("level", inputs.data.chance),) * has_level,
        risk=Risk(what, tolerance, "costs {} points", read=own.read, fit=own.fit),
        coverage=_coverage(recipe, params),
    )


def _reading(recipe: Recipe, score: _Score, inputs: Inputs) -> BlindReading:
    """How many changed texts of the recipe were read, where that bounds the score.

    What was read are labels of English texts, and a share of texts bounds a mean over items.
    """
    is_mean = score.metric == "accuracy@1" and has_labels(inputs.task)
    is_read = is_mean and inputs.data.languages <= {"en"}
    return reading_of(recipe) if is_read else BlindReading()


def _coverage(recipe: Recipe, params: RobustnessParams) -> tuple[str, ...]:
    """Estimates of the share of items that a recipe changed, one a draw."""
    return tuple(f"coverage/{recipe.name}/{draw}" for draw in range(params.draws))


def _changes(recipes: Sequence[Recipe], params: RobustnessParams, task: Task) -> Iterator[Claim]:
    """Risks of a model that cannot be scored: what it changes of its own answers."""
    for recipe in recipes if measures_of_changes(task) else ():
        places = measures_of_changes(task)[0].unit
        name = f"{recipe.name}/0"
        beyond = [Component(f"changed_beyond/{name}", 0.0, _CONTROL)] * params.control
        yield Claim(
            id=recipe.name,
            says=f"{_title(recipe)} changes what the model says of {places}",
            components=(Component(f"changed/{name}", 0.0), *beyond),
            family="robustness",
            checks=("items", "seeds", "datasets"),
            risk=Risk(recipe.title, score_of(task).tolerance, f"changes {{}} % of {places}"),
            coverage=_coverage(recipe, params),
        )


def _title(recipe: Recipe) -> str:
    """Readable name of a recipe, without version."""
    return without_versions(recipe.name)


def _notes(
    params: RobustnessParams, inputs: Inputs, kept: Mapping[Recipe, Sequence[_Score]]
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
    others = [_title(recipe) for recipe, scores in kept.items() if not scores]
    if others and not inputs.subject.unscored:
        counts = "counts changed predictions and " if has_labels(inputs.task) else ""
        yield (
            f"{', '.join(others)} may change the gold answer of {inputs.task.name}: the report "
            f"{counts}makes no claim."
        )
    yield from _signs(kept, inputs.data.labels)


def _signs(recipes: Iterable[Recipe], labels: Sequence[str]) -> Iterator[str]:
    """Sentences about changes that may themselves be signs of a class of the data."""
    for recipe in recipes:
        signs = frozenset().union(*(step.transformation.signs_of() for step in recipe.steps))
        meant = [x for x in labels if not signs.isdisjoint(_LETTERS.findall(x.lower()))]
        if meant:
            yield (
                f"What {_title(recipe)} adds may itself be a sign of {', '.join(meant)}: an answer "
                "that changes to that may be right, and its cost an effect of the labels."
            )
