"""Conformance of diagnostics: declarations, designs, and records."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, is_dataclass
from itertools import groupby
from typing import Any, Final

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.design import DataShape, Design, Inputs, SubjectShape
from scrutiny.core.diagnostic import Batch, Cell, ChangesTexts, Diagnostic, fits
from scrutiny.core.edit import Variant
from scrutiny.core.errors import ConformanceError
from scrutiny.core.example import Example, suite_tests
from scrutiny.core.facts import wanted_in_words
from scrutiny.core.model import Model, PlainModel, as_model
from scrutiny.core.plugin_base import must_be_of_kind
from scrutiny.core.record import ROLES, STATUSES, Row
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.panel import sides_of
from scrutiny.tasks.classification import TextClassification
from scrutiny.testing.checking import (
    Promises,
    ToyContext,
    promise,
    promises,
    require_docstring,
    require_members,
    require_versioned,
)
from scrutiny.testing.toy_models import FlakyClassifier, KeywordClassifier

Variants = dict[str, tuple[Variant, ...]]
_TASK: Final = TextClassification.name
_REVIEWS: Final = (
    ("A good film with a fine story.", "positive"),
    ("The story is bad and the end is worse.", "negative"),
    ("Good actors, good music, and not a minute too long.", "positive"),
    ("I left early because it was bad.", "negative"),
    ("Paris looks good in every picture.", "positive"),
    ("Two hours of bad jokes about London.", "negative"),
)


def check_diagnostic(
    diagnostic: Diagnostic[Any],
    *,
    examples: Sequence[Example] | None = None,
    task: Task | None = None,
    model: PlainModel | None = None,
    reference: PlainModel | None = None,
) -> None:
    """Raise unless a diagnostic fulfills its contract, with default parameters.

    Checked: members, docstring and parameters; a design that is the same when asked twice, whose
    estimates name known statistics and declared measures, and whose claims name its estimates;
    variants that are the same when prepared twice, of known items; one or more rows for each
    item, item by item, with values exactly where the status is ``ok``; where ``scope`` is
    ``item``, the same rows in batches of one; as many rows when an item makes the model fail.

    Parameters
    ----------
    diagnostic
        Diagnostic to check.
    examples, task, model
        Examples and model to use; default: six short reviews and a `KeywordClassifier`. Give all
        three where it is for another task or needs capabilities.
    reference
        Second model of a diagnostic with ``wants_reference``; default: the same model.

    Raises
    ------
    ConformanceError
        With a sentence about the first promise that is broken.
    """
    must_be_of_kind(diagnostic, "diagnostic", type(diagnostic).__name__)
    require_members(diagnostic, ("id", "Params"), what="diagnostic")
    require_versioned(diagnostic)
    require_docstring(diagnostic, sections=("Measures", "Misleads when", "References"))
    chosen = as_model(model or KeywordClassifier())
    trial = _Trial(
        diagnostic=diagnostic,
        params=_default_params(diagnostic),
        examples=tuple(_sample_reviews() if examples is None else examples),
        task=task or registry().load("task", _TASK)(),
        model=chosen,
        reference=as_model(reference or chosen) if diagnostic.wants_reference else None,
    )
    # raise unless the diagnostic applies to this task and model
    asked = trial.diagnostic
    is_scope = asked.scope in ("item", "dataset")
    trial.promise("scope is 'item' or 'dataset'.", is_scope)
    lacking = sorted(asked.needs - trial.model.capabilities - {"predict"})
    trial.promise(f"give check_diagnostic a model with {lacking}.", not lacking)
    trial.promise(
        f"give check_diagnostic items and a model of {wanted_in_words(asked.wants)}.",
        fits(asked, trial.task),
    )
    promises(diagnostic.id, _check_design(trial))
    variants = _check_variants(trial)
    rows = _check_rows(trial, variants)
    if diagnostic.scope == "item":
        trial.promise(
            "its scope is 'item', but items measured one by one give other rows.",
            [r for e in trial.examples for r in trial.measure([e], variants)[0]] == rows,
        )
        promises(diagnostic.id, _check_failures(trial, variants, rows))


@dataclass(frozen=True, slots=True)
class _Trial:
    """Diagnostic with the data and models it is checked on."""

    diagnostic: Diagnostic[Any]
    params: Any
    examples: tuple[Example, ...]
    task: Task
    model: Model
    reference: Model | None

    def promise(self, message: str, is_kept: object) -> None:
        """Raise unless a condition of the contract is fulfilled."""
        promise(self.diagnostic.id, message, is_kept)

    def measure(
        self, examples: Sequence[Example], variants: Variants, *, model: Model | None = None
    ) -> tuple[list[Row], ToyContext]:
        """Rows of a batch of these examples, and the context used."""
        context = ToyContext(self.task, model or self.model, reference=self.reference)
        batch = Batch(tuple(examples), {e.id: variants[e.id] for e in examples if variants[e.id]})
        beside = None if self.reference is None else "reference"
        cell = Cell("subject", None, "dataset", reference=beside)
        return list(self.diagnostic.measure(self.params, cell, batch, context)), context


def _sample_reviews() -> list[Example]:
    """Six short reviews with gold labels."""
    return [
        Example(id=f"review-{i}", fields={"text": text}, gold=gold)
        for i, (text, gold) in enumerate(_REVIEWS)
    ]


def _default_params(diagnostic: Diagnostic[Any]) -> Any:
    """Parameters with their defaults, checked."""
    kind = diagnostic.Params
    is_frozen = is_dataclass(kind) and kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    promise(diagnostic.id, "Params must be a frozen dataclass.", is_frozen)
    try:
        params = kind()
        canonical_json(params)
    except TypeError as error:
        raise ConformanceError(
            f"{diagnostic.id}: Params() must work without arguments and have a canonical JSON "
            f"form, because its digest names the records: {error}."
        ) from error
    return params


def _inputs(trial: _Trial) -> Inputs:
    """Inputs of the design."""
    scored = [example for example in trial.examples if example.gold is not None]
    return Inputs(
        task=trial.task,
        data=DataShape(
            "dataset",
            items=lambda: trial.examples,
            n_items=len(trial.examples),
            chance=trial.task.chance(scored),
            labels=trial.model.labels,
            languages=frozenset(example.language for example in trial.examples),
            tests=suite_tests(trial.examples),
        ),
        subject=_shape("subject", trial.model),
        reference=None if trial.reference is None else _shape("reference", trial.reference),
    )


def _shape(name: str, model: Model) -> SubjectShape:
    """Properties of a model, for the design."""
    n_layers, n_heads = model.attention_shape or (0, 0)
    return SubjectShape(name, model.capabilities, n_layers, n_heads, n_replicates=3)


def _check_design(trial: _Trial) -> Promises:
    """Raise unless the design is pure and consistent."""
    inputs = _inputs(trial)
    design = trial.diagnostic.design(trial.params, inputs)
    yield "design must give a Design.", isinstance(design, Design)
    yield (
        "design gave two results for the same inputs; it must be a pure function.",
        trial.diagnostic.design(trial.params, inputs) == design,
    )
    ids = [spec.id for spec in design.estimates]
    yield f"estimates share an id: {ids}.", len(set(ids)) == len(ids)
    measures = trial.diagnostic.measured(trial.task)
    known = {measure.name for measure in measures} | {"ok"}
    for spec in design.estimates:
        statistic = metric_of(spec.metric, measures)
        sides = spec.reading(sides_of(statistic, measures)).sides
        for need in statistic.needs:
            side, _, measure = need.rpartition(".")
            yield (
                f"the estimate {spec.id!r} lacks what {spec.metric} needs: {need!r}.",
                side in sides and measure in known,
            )
    for contrast in design.contrasts:
        yield (
            f"the contrast {contrast.id!r} names no estimate: {contrast.a}, {contrast.b}.",
            {contrast.a, contrast.b} <= set(ids),
        )
    known = {*ids, *(contrast.id for contrast in design.contrasts)}
    for claim in design.claims:
        for component in claim.components:
            yield (
                f"the claim {claim.id!r} names no estimate: {component.estimate!r}.",
                component.estimate in known,
            )


def _check_variants(trial: _Trial) -> Variants:
    """Variants by item; raise if they are random, of unknown items, or share names."""
    examples = trial.examples
    if not isinstance(trial.diagnostic, ChangesTexts):
        return {example.id: () for example in examples}
    prepare = trial.diagnostic.prepare
    found, again = (
        list(prepare(trial.params, examples, ToyContext(trial.task, reference=trial.reference)))
        for _ in range(2)
    )
    trial.promise("prepare gave two results for one seed.", found == again)
    items = {example.id for example in examples}
    keys = [(variant.item, variant.name) for variant in found]
    trial.promise("two variants share a name.", len(set(keys)) == len(keys))
    for variant in found:
        trial.promise(
            f"the variant {variant.name!r} is of no item: {variant.item!r}.", variant.item in items
        )
        trial.promise(
            f"{variant.name!r} is the control of no variant: {variant.control_of!r}.",
            variant.control_of is None or (variant.item, variant.control_of) in keys,
        )
    return {e.id: tuple(v for v in found if v.item == e.id) for e in examples}


def _check_rows(trial: _Trial, variants: Variants) -> list[Row]:
    """Checked rows of all examples."""
    rows, _ = trial.measure(trial.examples, variants)
    shape = _shape("subject", trial.model)
    lengths = {"layer": shape.n_layers, "head": shape.n_heads}
    lengths |= trial.diagnostic.lengths(trial.params)
    width = sum(m.sized(lengths).size for m in trial.diagnostic.measured(trial.task))
    for row in rows:
        # raise unless a row has values exactly where it is ``ok``, and they are numbers
        where = f"the row of item {row.item!r}, variant {row.variant!r}"
        is_ok, values = row.status == "ok", row.values or ()
        kept = {
            f"{where} has the status {row.status!r} and the role {row.role!r}.": (
                row.status in STATUSES and row.role in ROLES
            ),
            f"{where} is {row.status!r} and has the values {row.values}: ok rows only have.": (
                (row.values is not None) == is_ok
            ),
            f"{where} is {row.status!r} and gives no reason.": is_ok or bool(row.reason),
            f"{where} has {len(values)} values; {width} are declared.": (
                not is_ok or len(values) == width
            ),
            f"{where} has {values}.": all(map(math.isfinite, values)),
        }
        promises(trial.diagnostic.id, kept.items())
    if trial.diagnostic.scope == "item":
        order = [item for item, _ in groupby(row.item for row in rows)]
        trial.promise(
            "rows must come item by item, in the order of the batch, none left out.",
            order == [example.id for example in trial.examples],
        )
    return rows


def _check_failures(trial: _Trial, variants: Variants, rows: list[Row]) -> Promises:
    """Raise unless an item on which the model fails has its rows, with status failed."""
    _, context = trial.measure(trial.examples, variants)
    if not context.asked or trial.diagnostic.needs - {"predict"}:
        return  # the flaky model has predictions to fail on, and nothing else
    failing = trial.examples[0].id
    flaky = FlakyClassifier([failing], inner=trial.model)
    found, _ = trial.measure(trial.examples, variants, model=flaky)
    yield (
        "an item on which the model fails loses rows; a failure is a row too.",
        [(r.item, r.variant) for r in found] == [(r.item, r.variant) for r in rows],
    )
    statuses = {row.status for row in found if row.item == failing}
    yield (
        f"the model failed on an item, and its rows are {sorted(statuses)}.",
        "failed" in statuses and "ok" not in statuses,
    )
