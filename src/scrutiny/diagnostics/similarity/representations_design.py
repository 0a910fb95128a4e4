"""Estimates and claims about the similarity of two models' vectors.

For each pooling and pair of layers one estimate a measure; of the last layers also what is left of
it beyond permuted items, beyond untrained networks, and beyond other runs of the reference.

The claim: vectors of the last layers are alike beyond untrained networks of the same kind (where
the measurement has none: beyond permuted items), by kernels, by distances and by neighbors, in
every pooling.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.diagnostics.similarity.representations_params import (
    RepresentationsParams,
    VectorComparison,
    comparisons,
    poolings_of,
)

_IN_WORDS: Final = {
    "debiased_cka": "debiased CKA",
    "rsa": "RSA",
    "neighbor_jaccard": "neighbors",
}


def make_representations_design(params: RepresentationsParams, inputs: Inputs) -> Design:
    """Design for one family and its reference on one dataset."""
    poolings = poolings_of(params, inputs.second.capabilities, inputs.subject.capabilities)
    wanted = comparisons(
        params, poolings, reference=inputs.second.n_layers, target=inputs.subject.n_layers
    )
    claimed = [c for c in wanted if c.layers.is_last and c.measure in params.claimed]
    contrasts = [] if inputs.is_self else list(_contrasts(claimed, inputs))
    return Design(
        conditions=tuple(c.condition for c in wanted),
        estimates=tuple(_specs(wanted, params)),
        claims=() if inputs.is_self or not claimed else (_claim(claimed, params, inputs),),
        queries_per_item=2,
        notes=tuple(_notes(params, inputs)),
        families={
            "representations": f"vectors of {inputs.subject.name} and {inputs.second.name} for "
            f"{inputs.data.name} are more similar than {_baseline(inputs)}"
        },
        contrasts=tuple(contrasts),
    )


def _specs(
    wanted: Sequence[VectorComparison], params: RepresentationsParams
) -> Iterator[EstimateSpec]:
    """Estimates of all comparisons, then the excess of the last layers over permuted items."""
    for prefix, metric in (("", "likeness({})@1"), ("excess/", "beyond(likeness({}))@1")):
        for comparison in wanted:
            if not prefix or comparison.layers.is_last:
                yield EstimateSpec(
                    f"{prefix}{comparison.name}",
                    metric.format(comparison.measure),
                    {"": Selector("measured", comparison.condition)},
                    condition=comparison.where,
                    unit=params.unit or "item",
                )


def _contrasts(claimed: Sequence[VectorComparison], inputs: Inputs) -> Iterator[ContrastSpec]:
    """Differences from untrained networks, and from other runs of the reference."""
    for comparison in claimed:
        name = comparison.name
        yield from ContrastSpec.untrained([name])
        if inputs.second.n_replicates > 1:
            yield ContrastSpec(f"runs/{name}", name, name, minus="reference")


def _claim(
    claimed: Sequence[VectorComparison], params: RepresentationsParams, inputs: Inputs
) -> Claim:
    """Claim that last layers are similar, for every measure and pooling."""
    kinds = [_IN_WORDS[name] for name in params.claimed]
    return Claim(
        id="alike",
        says=f"vectors of {inputs.subject.name} and {inputs.second.name} are more similar than "
        f"{_baseline(inputs)} ({', '.join(kinds)})",
        components=tuple(
            Component(_claimed_name(c, inputs), params.margin, _against(c, claimed[0], inputs))
            for c in claimed
        ),
        family="representations",
        checks=Claim.checks_with(measure=kinds, pooling={c.pooling for c in claimed}),
    )


def _claimed_name(comparison: VectorComparison, inputs: Inputs) -> str:
    """Name of the estimate in a claim."""
    beyond = "untrained" if "null" in inputs.controls else "excess"
    return f"{beyond}/{comparison.name}"


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
