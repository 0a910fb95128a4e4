"""Measures of likeness of two models' vectors: those asked of which layers, and their statistics.

A likeness is a property of all items together. Its records hold, for each item, ``value`` (the
likeness over all items, the same in every row), ``influence`` (what the item adds to it, by leaving
its group out; mean 0) and ``exchanged`` (the likeness with the items of one side exchanged). The
value is the mean of value plus influence, and resampling items moves it as the jackknife says:
an item drawn twice would be its own neighbor, so the likeness itself is never resampled.

``likeness(debiased_cka)@1``, and of ``linear_cka``, ``minibatch_cka``
    **Measures**: centered kernel alignment: likeness up to rotation and scale, decided by the
    directions of much variance. **Misleads when**: read alone: a few shifted items move it far.
    Linear CKA is biased upward where features are many.
``mean_cca``, ``svcca``, ``pwcca``
    **Measures**: canonical correlations: likeness up to linear maps. **Misleads when**: items are
    not many times the features: independent vectors are then alike.
``rsa``
    **Measures**: whether both find the same pairs of items far apart. **Misleads when**: a few
    clusters decide it.
``procrustes_distance``
    **Measures**: what is left after the best rotation: 0 for a copy, less is more alike.
    **Misleads when**: items are few.
``neighbor_jaccard``
    **Measures**: whether items have the same nearest items. **Misleads when**: neighbors are no
    small share of the items.
``beyond(likeness(rsa))@1``, and of the others
    **Measures**: each of them minus those of permuted items. **Misleads when**: taken for a test
    of a good likeness: two models that read the same words beat chance.
``stir@1``, ``beyond(stir)@1``
    **Measures**: alignment of a model's vectors of texts and of their changed forms that a
    reference equates (STIR); minus that of random changes. **Misleads when**: the first is read
    without the second: a small change moves no model far.

**References**: Kornblith et al. (2019), Similarity of neural network representations revisited;
Nguyen, Raghu & Kornblith (2021); Raghu et al. (2017), SVCCA; Morcos, Raghu & Bengio (2018);
Kriegeskorte, Mur & Bandettini (2008); Ding, Denain & Steinhardt (2021); Klabunde et al. (2025),
ReSi; Nanda et al. (2022); Efron & Stein (1981), The jackknife estimate of variance.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from scrutiny.core.boundary.parameters import at_least, known, shares
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.language import POOLINGS
from scrutiny.core.statistic import Chance
from scrutiny.reliability.metrics import one_of
from scrutiny.reliability.row_statistics import Additive, with_count

Layers = Literal["last", "same", "all"]
#: What random exchanges of the items give is measured beside each likeness.
_EXCHANGED: Final = Chance("permuted items", "exchanged")


def _likeness(name: str, says: str, scale: str, chance: Chance) -> Additive:
    """Similarity of one kind; influences are resampled, not the fit."""
    return Additive(
        f"{name}@1",
        says,
        ("value", "influence"),
        lambda m: with_count(m[..., 0] + m[..., 1]),  # pseudo-values of the jackknife
        scale=scale,
        conditional_on="the influence of each item (jackknife)",
        is_mean=True,
        chance=chance,
    )


LIKENESS: Final = one_of(
    "likeness",
    {
        name: _likeness(name, says, scale, _EXCHANGED)
        for name, says, scale in (
            ("debiased_cka", "debiased CKA", "coefficient"),
            ("linear_cka", "linear CKA", "share"),
            ("minibatch_cka", "minibatch CKA", "coefficient"),
            ("mean_cca", "mean canonical correlation", "share"),
            ("svcca", "SVCCA", "share"),
            ("pwcca", "projection-weighted CCA", "share"),
            ("rsa", "RSA (Spearman of distances)", "coefficient"),
            ("procrustes_distance", "Procrustes distance", "amount"),
            ("neighbor_jaccard", "overlap of nearest neighbors", "share"),
        )
    },
)
#: In the order of the report; every one is a statistic of that name.
MEASURES: Final = LIKENESS.usual
#: Three of different kinds that a claim rests on: kernels, distances between items, neighbors.
CLAIMED: Final = ("debiased_cka", "rsa", "neighbor_jaccard")


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
        known("choice of layers", [self.layers], get_args(Layers))
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
    known = set(found)
    return found + [c for c in grid if c not in known]


STIR: Final = _likeness(
    "stir", "STIR", "coefficient", Chance("random change", stream="stir_lift@1")
)
