"""Estimates and claims of cluster alignment.

For every test, part (targets, attributes) and kind of vector: the share of items in their set's
cluster, the same beyond permuted labels, the adjusted Rand index, what single starts give, and the
inertia. The claim of a test: targets fall into clusters that are their sets, beyond permuted labels
and beyond untrained networks, whatever the representation.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from scrutiny.core.claim import Claim
from scrutiny.core.diagnostic import ContrastSpec, Design, EstimateSpec, Inputs
from scrutiny.core.slice_syntax import equal
from scrutiny.diagnostics.association.claims import claim_of_every_kind
from scrutiny.diagnostics.association.params import (
    ClustersParams,
    Kind,
    claimed_first,
    cluster_representations,
    kinds_of,
)

#: Short name and metric of what is estimated of every clustering.
METRICS = (
    ("alignment", "cluster_alignment@1"),
    ("excess", "beyond(cluster_alignment)@1"),
    ("rand", "adjusted_rand@1"),
    ("single", "single_start_alignment@1"),
    ("inertia", "inertia@1"),
)


def condition_of(kind: Kind, part: str) -> dict[str, object]:
    """Condition of the records of one kind of vector and part."""
    return {**kind.condition, "part": part}


def make_clusters_design(params: ClustersParams, inputs: Inputs) -> Design:
    """Design for one family on one dataset."""
    names = cluster_representations(params, inputs.subject.capabilities)
    kinds = kinds_of(names, params.layers, inputs.subject.n_layers or None)
    tests = tuple(inputs.data.columns.get("a_test", {}))
    claimed = claimed_first(kinds, params.claimed)
    controlled = params.parts[0]
    return Design(
        conditions=tuple(condition_of(kind, part) for kind in kinds for part in params.parts),
        estimates=tuple(
            spec
            for test, part, kind in product(tests, params.parts, kinds)
            for spec in _specs(test, part, kind)
        ),
        claims=tuple(_claim(test, controlled, claimed, params) for test in tests),
        queries_per_item=1,
        notes=tuple(_notes(params, kinds)),
        families={
            "clusters": f"clusters of the vectors of {inputs.subject.name} match the sets of the "
            "tests, more than permuted labels and untrained networks"
        },
        contrasts=tuple(
            ContrastSpec.untrained(
                _name("excess", test, controlled, kind) for test in tests for kind in claimed
            )
        ),
    )


def _name(short: str, test: str, part: str, kind: Kind) -> str:
    return f"{short}/{test}/{part}/{kind.name}"


def _specs(test: str, part: str, kind: Kind) -> Iterator[EstimateSpec]:
    """Specifications of one clustering."""
    condition = condition_of(kind, part)
    for short, metric in METRICS:
        yield EstimateSpec.of(
            _name(short, test, part, kind),
            metric,
            condition,
            group=test if part == "targets" else f"{test} {part}",
            unit="u_word",
            strata="a_set",
            where=equal({"a_test": test}),
        )


def _claim(test: str, part: str, kinds: Sequence[Kind], params: ClustersParams) -> Claim:
    """Claim that clustering finds a test's sets, in every representation."""
    return claim_of_every_kind(
        test,
        kinds,
        name=lambda kind: _name("excess", test, part, kind),
        margin=params.margin,
        says=f"{test}: clusters of the {part} match its sets, by {100 * params.margin:g} points "
        "more than permuted labels and untrained networks",
        family="clusters",
    )


def _notes(params: ClustersParams, kinds: Sequence[Kind]) -> Iterator[str]:
    """Sentences for "how this was measured"."""
    yield (
        f"Two clusters by k-means (k-means++), the best of {params.n_starts} start"
        f"{'' if params.n_starts == 1 else 's'} by inertia. Chance is above one half, because the "
        "better of two matchings is chosen; it is estimated by permuting labels by word. "
        "Intervals resample words and keep the fitted clustering fixed."
    )
    if params.procedure == "as_published":
        yield "One start, as in the published procedure: another start may differ a lot."
    if len(kinds) == 1:
        yield "One representation: the effect of this choice on the numbers was not measured."
