"""Parameters of the similarity of representations."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from scrutiny.core.boundary.limits import at_least, known, shares
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.language import POOLINGS

Layers = Literal["last", "same", "all"]
#: In the order of the report; every one is a statistic of that name.
MEASURES: Final = (
    "debiased_cka",
    "linear_cka",
    "minibatch_cka",
    "mean_cca",
    "svcca",
    "pwcca",
    "rsa",
    "procrustes_distance",
    "neighbor_jaccard",
)
#: Three of different kinds that a claim rests on: kernels, distances between items, neighbors.
CLAIMED: Final = ("debiased_cka", "rsa", "neighbor_jaccard")
_LAYERS: Final = ("last", "same", "all")


@dataclass(frozen=True, slots=True)
class RepresentationsParams:
    """Layers, poolings and measures to compare.

    Parameters
    ----------
    poolings
        What one vector for a text is: ``mean`` of its tokens, ``cls``, ``last``. Unless told:
        ``mean``; of two encoders ``cls`` as well, of two left-to-right models ``last``.
    layers
        ``last`` of both; ``same``: layers at the same share of the depth, the embeddings among
        them; ``all``: these, and debiased CKA of every layer of one with every layer of the other.
    measures
        By name. Below the last layers those that a claim rests on: one of kernels, one of
        distances, one of neighbors.
    neighbors
        k of the nearest neighbors.
    batch
        Items in a batch of minibatch CKA.
    most_items
        Items that are compared at most, drawn at random: cost grows with their square.
    groups
        Groups of items that are left out in turn (jackknife).
    exchanges
        Times that items are exchanged at random, for what widths and numbers alone give; of the
        last layers.
    unit
        Column of items that belong together (``u_document``); the first ``u_`` column of several
        values unless told.
    margin
        Smallest likeness beyond untrained networks worth a claim.
    """

    poolings: tuple[str, ...] = ()
    layers: Layers = "same"
    measures: tuple[str, ...] = MEASURES
    neighbors: int = 10
    batch: int = 64
    most_items: int = 400
    groups: int = 20
    exchanges: int = 10
    unit: str = ""
    margin: float = 0.05

    def __post_init__(self) -> None:
        known("pooling", self.poolings, POOLINGS)
        known("measure", self.measures, MEASURES)
        known("choice of layers", [self.layers], _LAYERS)
        if not self.measures:
            raise PlanError("measures names at least one.")
        if "word" in self.poolings:
            raise PlanError("Texts have no target word: poolings are mean, cls, first-piece, last.")
        at_least(self, neighbors=1, batch=4, most_items=10, groups=5, exchanges=1)
        shares(self, "margin")

    @property
    def claimed(self) -> tuple[str, ...]:
        """Computed measures that the claim uses."""
        return tuple(name for name in CLAIMED if name in self.measures)


@dataclass(frozen=True, slots=True)
class LayerPair:
    """A layer of the reference and a layer of the target; 0 are the embeddings."""

    reference: int
    target: int
    is_last: bool = False

    @property
    def condition(self) -> dict[str, object]:
        """Condition in records and estimates; the last layers of any two models have the same."""
        if self.is_last:
            return {"layer": "last"}
        return {"layer": self.target, "reference_layer": self.reference}


@dataclass(frozen=True, slots=True)
class VectorComparison:
    """One number to compute: a measure of one pooling and pair of layers."""

    measure: str
    pooling: str
    layers: LayerPair

    @property
    def where(self) -> dict[str, object]:
        """Condition of its estimate, whose metric names the measure."""
        return {"pooling": self.pooling, **self.layers.condition}

    @property
    def condition(self) -> dict[str, object]:
        """Condition of its records."""
        return {"measure": self.measure, **self.where}

    @property
    def name(self) -> str:
        """Short name, unique among the comparisons."""
        return "/".join([self.measure, self.pooling, *map(str, self.layers.condition.values())])


def poolings_of(
    params: RepresentationsParams, reference: frozenset[str], target: frozenset[str]
) -> tuple[str, ...]:
    """Poolings for two models with these capabilities."""
    if params.poolings:
        return params.poolings
    left_to_right = ["token_logprobs" in found for found in (reference, target)]
    if all(left_to_right):
        return ("mean", "last")
    return ("mean",) if any(left_to_right) else ("mean", "cls")


def layer_pairs(layers: Layers, reference: int, target: int) -> Iterator[LayerPair]:
    """Pairs of layers of models with these numbers of layers; the last layers first.

    Examples
    --------
    >>> [(p.reference, p.target) for p in layer_pairs("same", 4, 2)]
    [(4, 2), (0, 0), (2, 1)]
    """
    yield LayerPair(reference, target, is_last=True)
    if layers == "last" or not reference or not target:
        return
    for layer in range(target):
        yield LayerPair(round(layer * reference / target), layer)


def comparisons(
    params: RepresentationsParams, poolings: tuple[str, ...], *, reference: int, target: int
) -> list[VectorComparison]:
    """All comparisons for models with these numbers of layers, in the order of the report."""
    found = [
        VectorComparison(measure, pooling, pair)
        for pooling in poolings
        for pair in layer_pairs(params.layers, reference, target)
        for measure in (params.measures if pair.is_last else params.claimed)
    ]
    if params.layers != "all" or not reference or not target:
        return found
    grid = [
        VectorComparison("debiased_cka", poolings[0], LayerPair(one, other))
        for one in range(reference + 1)
        for other in range(target + 1)
    ]
    known = {(c.measure, c.pooling, c.layers) for c in found}
    return found + [c for c in grid if (c.measure, c.pooling, c.layers) not in known]
