"""Similarity of two models' vectors: CKA, CCA, RSA, Procrustes, neighbors; with baselines.

For each pooling and pair of layers one estimate a measure; of the last layers also what is left of
it beyond permuted items, beyond untrained networks, and beyond other runs of the reference.

The claim: vectors of the last layers are alike beyond untrained networks of the same kind (where
the measurement has none: beyond permuted items), by kernels, by distances and by neighbors, in
every pooling.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import numpy as np

from scrutiny.core.arrays import Integers
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.core.diagnostic import (
    Batch,
    Cell,
    Context,
    Diagnostic,
    Failure,
    RowKind,
    reference_of,
)
from scrutiny.core.example import Example
from scrutiny.core.facts import LABELS, RUNNING_TEXT, SPANS
from scrutiny.core.model import Model
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.similarity.likeness_measures import (
    CLAIMED,
    RepresentationsParams,
    VectorComparison,
    comparisons,
    poolings_of,
)
from scrutiny.diagnostics.similarity.vector_likeness import (
    Similarity,
    compared_items,
    left_out_groups,
    likeness_of_answered,
    passage_of,
    similarities_of,
    similarity_units,
)
from scrutiny.models.answers.language_answers import ItemVectors, answered_vectors


class SimilarityRepresentations(Diagnostic[RepresentationsParams]):
    """Similarity of two models' vectors of the same texts, against chance.

    Similarity of a model's vectors to a reference's for the same texts, by layer.

    Each text, or pair of texts, gives one vector, so that tokenizers may differ; a classifier's are
    those of the layers under its head. ``value`` is the likeness over all
    items, the same in every row; ``influence`` what the item adds to it, so that the mean of both
    over resampled items varies as a jackknife says (the bootstrap does not suit: an item drawn
    twice is its own neighbor); ``exchanged`` is the likeness with the items of one side exchanged.

    **Measures**: whether two networks arrange the same texts alike: by kernels (CKA), by linear
    maps (CCA, SVCCA, PWCCA), by distances (RSA), after rotation (Procrustes), by neighbors.

    **Misleads when**: one of them is read alone: shifting a few items takes CKA below .3 and
    leaves CCA above .9 (Davari et al. 2023). Read without its baselines: exchanged items (what
    widths and numbers give), untrained networks (what the words alone give), another seed of the
    reference (the most that may be expected). Vectors are anisotropic: one large direction that
    all texts share; in the last layers of a classifier it is the answer, so that two of them are
    alike as far as they agree. Alike vectors are no alike answers.

    **References**: Kornblith et al. (2019); Nguyen, Raghu & Kornblith (2021); Raghu et al. (2017);
    Morcos, Raghu & Bengio (2018); Kriegeskorte, Mur & Bandettini (2008); Ding, Denain & Steinhardt
    (2021); Klabunde et al. (2025); Davari et al. (2023), Reliability of CKA as a similarity
    measure; Efron & Stein (1981), The jackknife estimate of variance.
    """

    id = "similarity.representations@1"
    needs = frozenset({"representations"})
    wants = (LABELS, RUNNING_TEXT, SPANS)
    measures = (
        Measure("value"),
        Measure("influence"),
        Measure("exchanged"),
    )
    scope = "dataset"
    wants_reference = True
    pairs_apart = True
    nulls = 5

    def audit_params(self, task: Task) -> RepresentationsParams:
        """Parameters in an audit: the last layers, with the measures of the claim."""
        return RepresentationsParams(layers="last", measures=CLAIMED, most_items=200)

    def design(self, params: RepresentationsParams, inputs: Inputs) -> Design:
        """Estimates of every layer and measure, one claim for the last layers."""
        poolings = poolings_of(params, inputs.second.capabilities, inputs.subject.capabilities)
        wanted = comparisons(
            params, poolings, reference=inputs.second.n_layers, target=inputs.subject.n_layers
        )
        claimed = [c for c in wanted if c.layers.is_last and c.measure in params.claimed]
        contrasts: list[ContrastSpec] = []
        for name in [] if inputs.is_self else [comparison.name for comparison in claimed]:
            contrasts += ContrastSpec.untrained([name])
            if inputs.second.n_replicates > 1:
                contrasts.append(ContrastSpec(f"runs/{name}", name, name, minus="reference"))
        return Design(
            conditions=tuple(c.condition for c in wanted),
            estimates=tuple(
                EstimateSpec(
                    f"{prefix}{c.name}",
                    metric.format(c.measure),
                    c.where,
                    sides={"": Selector("measured", c.condition)},
                    unit=params.unit or "item",
                )
                for prefix, metric in (
                    ("", "likeness({})@1"),
                    ("excess/", "beyond(likeness({}))@1"),
                )
                for c in wanted
                if not prefix or c.layers.is_last
            ),
            claims=() if inputs.is_self or not claimed else (_claim(claimed, params, inputs),),
            queries_per_item=2,
            notes=tuple(_notes(params, inputs)),
            families={
                "representations": f"vectors of {inputs.subject.name} and {inputs.second.name} for "
                f"{inputs.data.name} are more similar than {_baseline(inputs)}"
            },
            contrasts=tuple(contrasts),
        )

    def measure(
        self, params: RepresentationsParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each item and comparison, item by item."""
        if cell.role == "null":  # what claims are compared with, and nothing else
            params = replace(params, layers="last", measures=params.claimed or params.measures)
        models = reference_of(ctx).model, ctx.model
        found = _Sample.of(params, cell, batch.examples, ctx).compared(models, params)
        return [row for of_item in zip(*found, strict=True) for row in of_item]


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Compared items, in random order, and the groups that are left out or permuted."""

    every: Sequence[Example]
    place: Integers  # (sampled item,) position among all items
    group: Integers
    unit: Integers
    orders: Callable[[int], list[Integers]] = field(repr=False)

    @classmethod
    def of(
        cls,
        params: RepresentationsParams,
        cell: Cell,
        examples: Sequence[Example],
        ctx: Context,
    ) -> "_Sample":
        """Sample of a dataset: the same for every pair of models."""
        stream = partial(ctx.rng, "likeness", stream_of(SimilarityRepresentations))
        units = similarity_units(examples, params.unit)
        kept = compared_items(units, params.most_items, stream(f"{cell.dataset}/items"))
        place = stream(f"{cell.dataset}/order").permutation(np.flatnonzero(kept))
        group = left_out_groups(units[place], params.groups, stream(f"{cell.dataset}/groups"))

        def orders(count: int) -> list[Integers]:
            return [
                stream(f"{cell.dataset}/exchange", draw=draw).permutation(count)
                for draw in range(params.exchanges)
            ]

        return cls(examples, place, group, units[place], orders)

    def compared(
        self, models: tuple[Model, Model], params: RepresentationsParams
    ) -> list[list[Row]]:
        """Rows of every comparison of two models on this sample, a row for each item."""
        a, b = models
        poolings = poolings_of(params, a.capabilities, b.capabilities)
        wanted = comparisons(params, poolings, reference=a.n_layers, target=b.n_layers)
        passages = [passage_of(self.every[i]) for i in self.place.tolist()]
        first, second = (
            answered_vectors(model, passages, layers=layers, poolings=poolings)
            for model, layers in (
                (a, [c.layers.reference for c in wanted]),
                (b, [c.layers.target for c in wanted]),
            )
        )
        similarities = similarities_of(params)
        return [self._compare(c, first, second, similarities=similarities) for c in wanted]

    def _compare(
        self,
        comparison: VectorComparison,
        first: ItemVectors,
        second: ItemVectors,
        *,
        similarities: Mapping[str, Similarity],
    ) -> list[Row]:
        """Rows of one comparison, over the items that have both vectors."""
        layers, pooling = comparison.layers, comparison.pooling
        made: Iterable[tuple[float, ...] | Failure]
        if failure := first.failure or second.failure:
            made = [Failure(failure)] * self.place.size
        else:
            made = likeness_of_answered(
                first.of(layers.reference, pooling),
                second.of(layers.target, pooling),
                similarities[comparison.measure],
                group=self.group,
                unit=self.unit,
                orders=self.orders if layers.is_last else lambda count: [],
            )
        by_place = dict(zip(self.place.tolist(), made, strict=True))
        kind, lacking = RowKind.of(comparison.condition), Failure("not_drawn", status="skipped")
        return [kind.row(e.id, by_place.get(i, lacking)) for i, e in enumerate(self.every)]


_IN_WORDS: Final = {
    "debiased_cka": "debiased CKA",
    "rsa": "RSA",
    "neighbor_jaccard": "neighbors",
}


def _claim(
    claimed: Sequence[VectorComparison], params: RepresentationsParams, inputs: Inputs
) -> Claim:
    """Claim that last layers are similar, for every measure and pooling."""
    kinds = [_IN_WORDS[name] for name in params.claimed]
    beyond = "untrained" if "null" in inputs.controls else "excess"
    return Claim(
        id="alike",
        says=f"vectors of {inputs.subject.name} and {inputs.second.name} are more similar than "
        f"{_baseline(inputs)} ({', '.join(kinds)})",
        components=tuple(
            Component(f"{beyond}/{c.name}", params.margin, _against(c, claimed[0], inputs))
            for c in claimed
        ),
        family="representations",
        checks=Claim.checks_with(measure=kinds, pooling={c.pooling for c in claimed}),
    )


def _against(comparison: VectorComparison, first: VectorComparison, inputs: Inputs) -> str:
    """Alternative that a comparison in the claim excludes."""
    if comparison == first:
        return f"control: {_baseline(inputs)}"
    if comparison.measure != first.measure:
        what = f"choice: measure {comparison.measure}"
        return what if comparison.pooling == first.pooling else f"{what}, {comparison.pooling}"
    return f"choice: pooling {comparison.pooling}"


def _baseline(inputs: Inputs) -> str:
    return "untrained networks" if "null" in inputs.controls else "permuted items"


def _notes(params: RepresentationsParams, inputs: Inputs) -> Iterator[str]:
    """Sentences for "how this was measured"."""
    yield (
        "One vector for each text and layer; the same items for both models, at most "
        f"{params.most_items}. Intervals are by the jackknife over {params.groups} groups of "
        "items: the bootstrap is not suitable, because an item drawn twice is its own neighbor."
    )
    yield (
        "Do not read one measure alone: shifting a few items can change CKA a lot without any "
        "change of behavior (Davari et al. 2023), and CCA needs many more items than dimensions."
    )
    yield (
        f"The baseline of each is the mean of {params.exchanges} random permutations of the "
        "items: the effect of widths and numbers of items."
    )
    if inputs.is_self:
        yield "A family compared with itself: each run with the next one, the highest to expect."
