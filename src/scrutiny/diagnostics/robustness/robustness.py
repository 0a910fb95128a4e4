"""The robustness diagnostic: changed texts, their random controls, and the model's answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final
from weakref import finalize

from scrutiny.core.answers.answer import type_of
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, ChangesTexts, Context, Failure, RowKind
from scrutiny.core.edit import EditRefusedError, Variant
from scrutiny.core.example import Example
from scrutiny.core.record import Measure, Row
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction, Task
from scrutiny.diagnostics.robustness.robustness_claims import make_design, measures_of_changes
from scrutiny.diagnostics.robustness.robustness_recipes import RobustnessParams
from scrutiny.perturb.engine.apply import Setting
from scrutiny.perturb.engine.batch import perturb_draws
from scrutiny.perturb.engine.controls import Controls
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.resources.other_items import with_items
from scrutiny.stats.intervals.rows import items_planned
from scrutiny.text.edits import apply_edits, track_of

AskedText = tuple[Example, Variant | None]
_Found = tuple[Example, Prediction | Failure]
#: What an audit in little time has to be able to find: a loss of five points, where one answer in
#: ten flips.
_LOSS: Final = 0.05
_CHURN: Final = 0.1
_BASELINE: Final = RowKind(role="baseline")


class Robustness(ChangesTexts[RobustnessParams]):
    """Score before and after changes that should not matter, compared with random changes.

    **Measures**: how far the score falls when texts change in one way, and how much of that fall
    any change of the same amount would cause.

    **Misleads when**: the transformation changes the gold answer of an item (no rater looked);
    it changes few items (see the coverage); items repeat each other; the texts stand in what the
    model was trained on.

    **References**: Wang et al. (2021), TextFlint; the control and the interval are ours.
    """

    id = "robustness@1"
    needs = frozenset({"predict"})
    tolerates = MappingProxyType({"tolerance": ""})
    reads_gold = False  # changed answers are counted without it
    varies = "transformations"

    def measured(self, task: Task) -> tuple[Measure, ...]:
        """Measures of the task; behind them changed places, of those of both texts."""
        return (*task.measures, *measures_of_changes(task))

    def audit_params(self, task: Task) -> RobustnessParams:
        """Parameters in an audit: two draws, which show the effect of the draw."""
        scored = task.scored_by
        kept = (scored.level, *scored.kept) if scored and scored.kept else ()
        return RobustnessParams(draws=2, metrics=kept)

    def variations(self, params: RobustnessParams, inputs: Inputs) -> tuple[str, ...]:
        """Names of the recipes, the most useful first."""
        return tuple(r.name for r in params.ranked(inputs.task, inputs.data.languages))

    def enough_items(self, n_rows: int) -> int:
        """Number of items that finds a loss of five points in a family of so many rows."""
        return items_planned(_LOSS, churn=_CHURN, n_rows=n_rows)

    def design(self, params: RobustnessParams, inputs: Inputs) -> Design:
        """Conditions, estimates and claims for one family on one dataset."""
        return make_design(params, inputs)

    def prepare(
        self, params: RobustnessParams, examples: Sequence[Example], ctx: Context
    ) -> Iterable[Variant]:
        """Variants of every recipe and draw, each followed by its matched random change."""
        languages = ctx.languages or frozenset(e.language for e in examples)
        recipes = params.recipes(ctx.task, languages)
        constraints = [registry().load("constraint", name)() for name in params.constraints]
        setting = Setting(
            seed=ctx.seed,
            draw=0,
            resources=with_items(params.resources, ctx.dataset),
            constraints=tuple(constraints),
            facts=ctx.task.facts,
        )
        settings = [setting._replace(draw=draw) for draw in range(params.draws)]
        for example, documents, draws in perturb_draws(examples, recipes, settings):
            controls = Controls(example, documents)
            for variants in zip(*draws, strict=True):  # of one recipe
                for draw, variant in enumerate(variants):
                    yield variant
                    if params.control:
                        control = controls.of(variant, seed=ctx.seed, draw=draw)
                        if variant.status == "ok" and control.status == "skipped":
                            # a skipped one counts as unchanged; this has to leave the comparison
                            control = replace(control, status="undefined")
                        yield control

    def __init__(self) -> None:
        self._kept: dict[int, Sequence[AskedText]] = {}  # by the batch, as long as it is held

    def _asked_of(self, batch: Batch) -> Sequence[AskedText]:
        """Questions of a batch; cached, because every replicate is asked the same."""
        name = id(batch)
        if name in self._kept:
            return self._kept[name]
        asked: list[AskedText] = []
        for example in batch.examples:
            asked.append((example, None))
            for variant in batch.variants.get(example.id, ()):
                if variant.status == "ok":
                    changed = apply_edits(example, variant.edits)  # carries the old gold along
                    if variant.gold is not None and variant.gold != changed.gold:
                        changed = replace(changed, gold=variant.gold)
                    asked.append((changed, variant))
        self._kept[name] = tuple(asked)
        finalize(batch, self._kept.pop, name)
        return self._kept[name]

    def measure(
        self, params: RobustnessParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each original, variant and control."""
        asked = self._asked_of(batch)
        answers = ctx.predict(
            [example for example, _ in asked],
            variants=[None if v is None else v.name for _, v in asked],
        )
        found: Mapping[Any, Any] = {
            (e.id, None if v is None else v.name): (e, answer)
            for (e, v), answer in zip(asked, answers, strict=True)
        }
        for example in batch.examples:
            before = found[example.id, None]
            for variant in (None, *batch.variants.get(example.id, ())):
                name, kind = None, _BASELINE
                if variant is not None:
                    name, kind = variant.name, _kind_of(variant.recipe, variant.draw, variant.role)
                values = _values(example, variant, before, found.get((example.id, name)), ctx)
                yield kind.row(example.id, values, variant=name)


def _values(
    example: Example,
    variant: Variant | None,
    before: _Found,
    found: _Found | None,
    ctx: Context,
) -> tuple[float, ...] | Failure:
    """Measures of one original or variant."""
    if variant is not None and variant.status != "ok":
        return Failure(variant.reason or "", status=variant.status)
    if example.gold is None:
        return Failure("no_gold", status="skipped")
    asked, answer = found if found is not None else (example, Failure("not_asked"))
    if isinstance(answer, Failure):
        return answer
    values = ctx.task.score(asked.gold, answer, labels=ctx.labels)
    if measures_of_changes(ctx.task):
        values += _changed(example, variant, before[1], answer, ctx.task)
    return values


def _changed(
    example: Example,
    variant: Variant | None,
    before: Prediction | Failure,
    after: Prediction,
    task: Task,
) -> tuple[float, float]:
    """Places of which a model says something else, of those that both texts have.

    None are compared where the original has no answer, or one that its edits do not carry. What a
    change falsifies of the gold answer is not expected to stay of another, either.
    """
    if variant is None or isinstance(before, Failure):
        return 0.0, 0.0
    kind = type_of(before.answer)
    recipe = parse_recipe(variant.recipe)
    said = recipe.new_gold(before.answer, task.facts, example, variant.edits)
    if said is None:
        return 0.0, 0.0
    try:
        equal, compared = kind.kept(said, after.answer, track_of(example, variant.edits))
    except EditRefusedError:
        return 0.0, 0.0
    return float(compared - equal), float(compared)


@lru_cache(maxsize=1024)
def _kind_of(recipe: str, draw: int, role: str) -> RowKind:
    return RowKind.of({"transformation": recipe, "draw": draw}, role)
