"""Estimates and claims of the association tests.

For every test and kind of vector: the effect size over the targets, words resampled within X and
within Y. The claim of a test: the effect size of the declared representation exceeds the margin,
and exceeds that of untrained networks by the margin, and both hold for every other representation.
"""

from collections.abc import Iterator, Sequence

from scrutiny.core.claim import Claim
from scrutiny.core.diagnostic import Design, EstimateSpec, Inputs, Selector
from scrutiny.core.predicates import equal
from scrutiny.diagnostics.association.claims import claim_of_every_kind, untrained_contrast
from scrutiny.diagnostics.association.params import (
    Kind,
    SeatParams,
    claimed_first,
    kinds_of,
    layers_of,
    seat_representations,
)


def make_seat_design(params: SeatParams, inputs: Inputs) -> Design:
    """Design for one family on one dataset."""
    kinds = kinds_of(
        seat_representations(params, inputs.capabilities), params.layers, layers_of(inputs)
    )
    tests = tuple(inputs.columns.get("a_test", {}))
    return Design(
        conditions=tuple(kind.condition for kind in kinds),
        estimates=tuple(_spec(test, kind, params) for test in tests for kind in kinds),
        claims=tuple(_claim(test, claimed_first(kinds, params.claimed), params) for test in tests),
        queries_per_item=1,
        notes=tuple(_notes(params, kinds)),
        families={
            "association": f"{inputs.subject} puts the first targets nearer to the first "
            f"attributes (d > {params.margin:g}) in every representation, and more than untrained "
            "networks do"
        },
        contrasts=tuple(untrained_contrast(_name(test, kind)) for test in tests for kind in kinds),
    )


def _name(test: str, kind: Kind) -> str:
    return f"d/{test}/{kind.name}"


def _spec(test: str, kind: Kind, params: SeatParams) -> EstimateSpec:
    """Effect size of one test and kind of vector."""
    return EstimateSpec(
        _name(test, kind),
        f"effect_size({'sample' if params.ddof == 1 else 'population'})@1",
        {"": Selector("measured", kind.condition)},
        group=test,
        condition=kind.condition,
        unit="u_word",
        strata="a_set",
        where=equal({"a_test": test}),
    )


def _claim(test: str, kinds: Sequence[Kind], params: SeatParams) -> Claim:
    """Claim that a test finds an association, whatever the representation."""
    return claim_of_every_kind(
        test,
        kinds,
        name=lambda kind: _name(test, kind),
        margin=params.margin,
        says=f"{test}: first targets nearer to first attributes, d > {params.margin:g}, "
        "beyond untrained networks",
        diagnostic="association.seat",
        family="association",
    )


def _notes(params: SeatParams, kinds: Sequence[Kind]) -> Iterator[str]:
    """Sentences for "how this was measured"."""
    yield (
        "Intervals resample words with all their sentences, within X and within Y; attributes are "
        "held fixed. Permutation tests exchange words (word_permutation) and, as published, single "
        "sentences (sentence_permutation), which share words and so are no independent evidence."
    )
    if len(kinds) == 1:
        yield "One representation: how the choice of it moves the numbers was not measured."
    if params.procedure == "may2019":
        yield "Texts are lower-cased and encoded without special tokens, as in the published code."
    if any(kind.representation == "first-piece" for kind in kinds):
        yield (
            "first-piece is the published encoder of BERT: the first piece of the text without "
            "special tokens, so in most sentences not a piece of the word that they are about."
        )
