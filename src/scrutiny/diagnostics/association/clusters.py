"""Cluster alignment: whether two clusters of vectors match the two sets of a test.

For every test, part (targets, attributes) and kind of vector: the share of items in their set's
cluster, the same beyond permuted labels, the adjusted Rand index, what single starts give, and the
inertia. The claim of a test: targets fall into clusters that are their sets, beyond permuted labels
and beyond untrained networks, whatever the representation.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.facts import WORD_SETS
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Measure, Row
from scrutiny.core.slice_syntax import slice_of_values
from scrutiny.diagnostics.association.association_metrics import cluster_sets
from scrutiny.diagnostics.association.word_sets import (
    OF_ONE_KIND,
    ClustersParams,
    Kind,
    WordSets,
    claim_of_every_kind,
    claimed_first,
    cluster_representations,
    has_direction,
    kinds_of_vectors,
    word_set_vectors,
    word_sets,
    words_of,
)

_PARTS: Final = {"targets": ("X", "Y"), "attributes": ("A", "B")}
_CHANCE: Final = (
    "Chance is above one half, because the better of two matchings is chosen; it is estimated by "
    "permuting labels by word. Intervals resample words and keep the fitted clustering fixed."
)
_ONE_START: Final = "One start, as in the published procedure: another start may differ a lot."
_PERMUTATIONS: Final = 999


class ClusterAlignment(Diagnostic[ClustersParams]):
    """Whether clusters of vectors match the two sets of an association test.

    Share of texts in the cluster of their set, after clustering without the sets.

    Records of an item, for each kind of vector and part: ``cluster`` (1 in the cluster that is
    matched to X or A), ``side`` (1 in X or A), ``null`` (mean alignment when labels are permuted by
    word, the same for all items), ``single`` (how often it is matched over starts), ``single_low``
    and ``single_high`` (least and largest alignment over starts), ``squared_distance`` to the
    center of its cluster.

    **Measures**: whether the main division of a representation is the one that the test names,
    beyond what the better of two matchings gives by chance.

    **Misleads when**: one start is read as *the* clustering (single starts differ by half of the
    scale on one encoder); chance is taken to be one half; clusters follow the template or a word
    and happen to agree with the sets. No alignment does not mean that the sets cannot be told
    apart, only that something else divides the vectors more.

    **References**: Aribandi, Tay & Metzler (2021), How reliable are model diagnostics?, figure 2;
    Arthur & Vassilvitskii (2007), k-means++; Hubert & Arabie (1985), Comparing partitions.
    """

    id = "association.clusters@1"
    needs = frozenset({"representations"})
    wants = (WORD_SETS,)
    measures = (
        Measure("cluster"),
        Measure("side"),
        Measure("null", unit="share of items"),
        Measure("single", unit="share of starts"),
        Measure("single_low"),
        Measure("single_high"),
        Measure("squared_distance"),
    )
    scope = "dataset"
    nulls = 20

    def design(self, params: ClustersParams, inputs: Inputs) -> Design:
        """Alignment of each test, part and kind of vector, one claim for each test."""
        names = cluster_representations(params, inputs.subject.capabilities)
        kinds = kinds_of_vectors(names, params.layers, inputs.subject.n_layers or None)
        tests = tuple(inputs.data.columns.get("a_test", {}))
        claimed = claimed_first(kinds, params.claimed)
        controlled = params.parts[0]
        excess = {(t, k): _name("excess", t, controlled, k) for t in tests for k in claimed}
        starts = f"{params.n_starts} start{'' if params.n_starts == 1 else 's'}"
        notes = [f"Two clusters by k-means (k-means++), the best of {starts} by inertia. {_CHANCE}"]
        if params.procedure == "as_published":
            notes.append(_ONE_START)
        if len(kinds) == 1:
            notes.append(OF_ONE_KIND)
        return Design(
            conditions=tuple(_condition_of(kind, part) for kind in kinds for part in params.parts),
            estimates=tuple(
                EstimateSpec(
                    _name(short, test, part, kind),
                    metric,
                    _condition_of(kind, part),
                    group=test if part == "targets" else f"{test} {part}",
                    unit="u_word",
                    strata="a_set",
                    where=slice_of_values({"a_test": test}),
                )
                for test, part, kind in product(tests, params.parts, kinds)
                for short, metric in METRICS
            ),
            claims=tuple(
                claim_of_every_kind(
                    test,
                    {kind.name: excess[test, kind] for kind in claimed},
                    margin=params.margin,
                    says=f"{test}: clusters of the {controlled} match its sets, by "
                    f"{100 * params.margin:g} points more than permuted labels and untrained "
                    "networks",
                    family="clusters",
                )
                for test in tests
            ),
            notes=tuple(notes),
            families={
                "clusters": f"clusters of the vectors of {inputs.subject.name} match the sets of "
                "the tests, more than permuted labels and untrained networks"
            },
            contrasts=tuple(ContrastSpec.untrained(excess.values())),
        )

    def measure(
        self, params: ClustersParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each item of a clustered part and kind of vector, test by test.

        Of untrained replicates, the part that claims are about is clustered and no other.
        """
        examples = batch.examples
        names = cluster_representations(params, ctx.model.capabilities)
        vectors = word_set_vectors(examples, ctx, representations=names, layers=params.layers)
        tests = word_sets(examples)
        parts = params.parts[:1] if cell.role == "null" else params.parts
        for kind in kinds_of_vectors(names, params.layers, vectors.layers[-1]):
            values = vectors.of(kind.layer, kind.representation)
            for test, part in product(tests, parts):
                place = _Place(test, part, kind)
                if vectors.failure:
                    yield from place.rows(examples, Failure(vectors.failure), {})
                else:
                    yield from _rows(place, examples, values, params=params, ctx=ctx)


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """One test, part and kind of vector."""

    test: WordSets
    part: str
    kind: Kind

    @property
    def items(self) -> NDArray[np.int64]:
        """Positions of the items, the first set before the second."""
        return np.concatenate([self.test.members[name] for name in _PARTS[self.part]])

    def rows(
        self, examples: Sequence[Example], lacking: Failure, known: Mapping[int, tuple[float, ...]]
    ) -> Iterator[Row]:
        """Rows of all items: their values, or the reason if they have none."""
        kind = RowKind.of(_condition_of(self.kind, self.part))
        for i in self.items.tolist():
            yield kind.row(examples[i].id, known.get(i, lacking))


def _rows(
    place: _Place,
    examples: Sequence[Example],
    vectors: Floats,
    *,
    params: ClustersParams,
    ctx: Context,
) -> Iterator[Row]:
    """Rows of one clustering, without items that have no vector."""
    items = place.items
    kept = items[has_direction(vectors[items])]
    is_first = np.isin(kept, place.test.members[_PARTS[place.part][0]])
    chosen = vectors[kept]
    if params.scaled_to_unit:
        chosen = chosen / np.linalg.norm(chosen, axis=1, keepdims=True)
    name = f"{place.test.name}/{place.part}"
    found = cluster_sets(
        chosen,
        is_first,
        words=words_of(examples, kept),
        starts=params.n_starts,
        permutations=_PERMUTATIONS,
        # all models use the same starts
        rng=ctx.rng("kmeans", stream_of(ClusterAlignment), name, draw=params.start_seed),
    )
    if found is None:
        yield from place.rows(examples, Failure("no_two_clusters", status="undefined"), {})
        return
    null = np.full(kept.size, found.null)
    columns = np.stack([found.cluster, is_first, null, found.single], axis=1)
    ends = float(found.alignments.min()), float(found.alignments.max())
    by_item = {
        i: (*map(float, row), *ends, float(distance))
        for i, row, distance in zip(
            kept.tolist(), columns, found.squared_distance.tolist(), strict=True
        )
    }
    yield from place.rows(examples, Failure("no_vector", status="undefined"), by_item)


#: Short name and metric of what is estimated of every clustering.
METRICS = (
    ("alignment", "cluster_alignment@1"),
    ("excess", "beyond(cluster_alignment)@1"),
    ("rand", "adjusted_rand@1"),
    ("single", "single_start_alignment@1"),
    ("inertia", "inertia@1"),
)


def _condition_of(kind: Kind, part: str) -> dict[str, object]:
    """Condition of the records of one kind of vector and part."""
    return {**kind.condition, "part": part}


def _name(short: str, test: str, part: str, kind: Kind) -> str:
    return f"{short}/{test}/{part}/{kind.name}"
