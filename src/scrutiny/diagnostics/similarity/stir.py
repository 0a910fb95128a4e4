"""STIR: whether texts that leave a reference's vectors unchanged also leave another model's."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, cast

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.parameters import at_least, known
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import (
    Batch,
    Cell,
    ChangesTexts,
    Context,
    Failure,
    Reference,
    RowKind,
    reference_of,
)
from scrutiny.core.edit import Variant
from scrutiny.core.example import Example
from scrutiny.core.facts import LABELS, RUNNING_TEXT
from scrutiny.core.queries.language import POOLINGS, Represents
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.similarity.vector_likeness import (
    compared_items,
    left_out_groups,
    likeness_of_answered,
    passage_of,
    similarity_units,
)
from scrutiny.models.answers.language_answers import answered_vectors
from scrutiny.perturb.engine.apply import Setting
from scrutiny.perturb.engine.batch import perturb_stream
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.stats.representations.item_distances import stir
from scrutiny.text.edits import apply_edits

_ROLES: Final = ("measured", "control")
Changed = Mapping[str, Mapping[str, Variant]]


@dataclass(frozen=True, slots=True)
class StirParams:
    """Changes and search settings for texts that the reference cannot tell apart.

    Parameters
    ----------
    recipe
        How texts are changed.
    candidates
        Random changes of each text, of which the one is taken that moves the reference least.
    pooling
        What one vector for a text is, at the last layer of both models.
    most_items, groups, unit
        As in the likeness of representations.
    margin
        Smallest alignment beyond random changes worth a claim.
    """

    recipe: str = "typos"
    candidates: int = 8
    pooling: str = "mean"
    most_items: int = 400
    groups: int = 20
    unit: str = ""
    margin: float = 0.0

    def __post_init__(self) -> None:
        known("pooling", [self.pooling], [name for name in POOLINGS if name != "word"])
        at_least(self, candidates=2, most_items=10, groups=5)


class SharedVectors(ChangesTexts[StirParams]):
    """Whether texts that keep a reference's vectors keep this model's, too (STIR).

    Alignment of a model's vectors of texts and of changed texts that a reference equates.

    Of some random changes of each text the one is kept that moves the reference's vector least;
    beside it one of them at random. ``value`` is the debiased alignment of the model's vectors of
    the texts and of the changed ones, ``influence`` what the item adds to it.

    **Measures**: how much of what the reference's vectors ignore the model's ignore, too: the
    representational ancestor of Hard-SCoPE. Asymmetric: the texts are the reference's.

    **Misleads when**: read without random changes of the same kind: one changed word moves no
    model far, and every alignment is then near 1. The best of a few candidates is no invariance;
    the paper follows gradients, which text does not allow.

    **References**: Nanda et al. (2022), Measuring representational robustness of neural networks
    through shared invariances. Searching among edits, the debiased alignment, the control and the
    intervals are ours.
    """

    id = "similarity.stir@1"
    needs = frozenset({"representations"})
    wants = (LABELS, RUNNING_TEXT)
    measures = (Measure("value"), Measure("influence"))
    scope = "dataset"
    wants_reference = True

    def audit_params(self, task: Task) -> StirParams:
        """Parameters in an audit: fewer texts."""
        return StirParams(candidates=4, most_items=200)

    def design(self, params: StirParams, inputs: Inputs) -> Design:
        """Alignment, that of random changes, and the difference, with one claim."""
        condition = _condition_of(params)
        one, other = inputs.subject.name, inputs.second.name
        unit = params.unit or "item"
        claim = Claim(
            id="stir",
            says=f"changes that hardly move the vectors of {other} move those of {one} less than "
            "random changes do",
            components=(Component("lift", params.margin, "control: random change"),),
            family="stir",
            checks=("items", "seeds", "datasets"),
        )
        return Design(
            conditions=(condition,),
            estimates=(
                EstimateSpec("stir", "stir@1", condition, unit=unit),
                EstimateSpec("random", "stir@1", condition, role="control", unit=unit),
                EstimateSpec("lift", "beyond(stir)@1", condition, unit=unit),
            ),
            claims=() if one == other else (claim,),
            queries_per_item=3,
            search_per_item=1 + params.candidates,
            notes=(
                f"Of {params.candidates} random changes ({params.recipe}) of each text the one was "
                f"kept that moves the vector of {other} least, and one at random beside it.",
                "Alignment is debiased CKA between the vectors of the texts and of their changed "
                "forms; intervals by the jackknife over groups of items.",
            ),
            families={
                "stir": f"vectors of {one} ignore what those of {other} ignore on "
                f"{inputs.data.name}, beyond random changes"
            },
        )

    def prepare(
        self, params: StirParams, examples: Sequence[Example], ctx: Context
    ) -> Iterable[Variant]:
        """The change that moves the reference least, and a random one, of each drawn item."""
        return list(_searched(params, examples, ctx, reference_of(ctx)))

    def measure(self, params: StirParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """Two rows for each item: of searched changes, and of random ones."""
        whose = _whose(reference_of(ctx))
        variants = {
            item: {v.role: v for v in found if v.name.endswith(whose)}
            for item, found in batch.variants.items()
        }
        return list(_Aligned(params, cell, batch.examples, variants, ctx).rows())


def _whose(reference: Reference) -> str:
    """Suffix of the names of a reference's variants, because several share one file."""
    return f" for {reference.subject}{reference.replicate or ''}"


def _searched(
    params: StirParams, examples: Sequence[Example], ctx: Context, reference: Reference
) -> Iterator[Variant]:
    """Searched and random change of each drawn item, in this order."""
    recipe = parse_recipe(params.recipe)
    stream = partial(ctx.rng, "stir", stream_of(SharedVectors))
    kept = compared_items(
        similarity_units(examples, params.unit), params.most_items, stream("items")
    )
    chosen = [e for e, is_drawn in zip(examples, kept.tolist(), strict=True) if is_drawn]
    columns = [
        [
            variants[0]
            for _, variants in perturb_stream(
                chosen, [recipe], Setting(seed=ctx.seed, draw=draw, facts=ctx.task.facts)
            )
        ]
        for draw in range(params.candidates)
    ]
    moved = _moved(params, chosen, columns, reference)  # (candidate, item)
    for number, example in enumerate(chosen):
        found = [column[number] for column in columns]
        there = [i for i, v in enumerate(found) if np.isfinite(moved[i, number]) and v.edits]
        if not there:
            first = found[0]
            if first.status == "ok":  # changed, and the reference has no vector to go by
                first = replace(first, edits=(), gold=None, status="undefined", reason="no_vector")
            yield _named(first, "measured", reference, recipe.name)
            continue
        nearest = min(there, key=lambda i: (moved[i, number], i))
        random = there[int(stream(example.id).integers(len(there)))]
        yield _named(found[nearest], "measured", reference, recipe.name)
        yield _named(found[random], "control", reference, recipe.name)


def _named(variant: Variant, role: str, reference: Reference, recipe: str) -> Variant:
    """Variant under the name of its role and of whose it is."""
    name, treated = (f"{recipe}/{r}{_whose(reference)}" for r in (role, "measured"))
    control_of = treated if role == "control" else None
    return replace(variant, name=name, role=role, control_of=control_of, draw=0)


def _moved(
    params: StirParams,
    examples: Sequence[Example],
    columns: Sequence[Sequence[Variant]],
    reference: Reference,
) -> Floats:
    """Distance of the reference's vector for each candidate ``(candidate, item)``; NaN if none."""
    ask = partial(_last, reference.model, pooling=params.pooling)
    base = ask(examples)
    found = np.full((len(columns), len(examples)), np.nan)
    for candidate, column in enumerate(columns):
        fine = [i for i, v in enumerate(column) if v.status == "ok" and v.edits]
        if fine:
            changed = [apply_edits(examples[i], column[i].edits) for i in fine]
            found[candidate, fine] = np.linalg.norm(ask(changed) - base[fine], axis=1)
    return found


def _last(model: Any, examples: Sequence[Example], *, pooling: str) -> Floats:
    """Vectors ``(item, dimension)`` of the last layer; NaN for missing ones."""
    layer = cast("Represents", model).n_layers
    passages = [passage_of(example) for example in examples]
    return answered_vectors(model, passages, layers=[layer], poolings=(pooling,)).of(layer, pooling)


@dataclass(frozen=True, slots=True, eq=False)
class _Aligned:
    """A model's vectors of items and of their changed forms."""

    params: StirParams
    cell: Cell
    examples: Sequence[Example]
    variants: Changed
    ctx: Context

    def rows(self) -> Iterator[Row]:
        """Rows item by item."""
        columns = {role: self._column(role) for role in _ROLES}
        for example in self.examples:
            for role in _ROLES:
                yield columns[role][example.id]

    def _column(self, role: str) -> dict[str, Row]:
        """Row of every item for changes of one role."""
        kind = RowKind.of(_condition_of(self.params), role)
        rows, chosen = {}, []
        for example in self.examples:
            made = self.variants.get(example.id, {})
            variant = made.get(role)
            why = "no_treatment" if made else "not_drawn"
            if variant is not None:
                why = variant.reason or "no_pair"
                if variant.status == "ok":
                    chosen.append(example)
            rows[example.id] = kind.row(example.id, Failure(why, status="skipped"))
        if not chosen:
            return rows
        changed = [apply_edits(e, self.variants[e.id][role].edits) for e in chosen]
        ask = partial(_last, self.ctx.model, pooling=self.params.pooling)
        units = similarity_units(chosen, self.params.unit)
        rng = self.ctx.rng("stir", stream_of(SharedVectors), f"{self.cell.dataset}/groups")
        group = left_out_groups(units, self.params.groups, rng)
        found = likeness_of_answered(ask(chosen), ask(changed), stir, group=group, unit=units)
        for example, one in zip(chosen, found, strict=True):
            values = one if isinstance(one, Failure) else one[:2]
            rows[example.id] = kind.row(example.id, values)
        return rows


def _condition_of(params: StirParams) -> dict[str, object]:
    """Condition of records and estimates."""
    return {"recipe": params.recipe, "pooling": params.pooling}
