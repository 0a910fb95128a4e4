"""Phrases by type at each layer: how far they separate beside shuffled types, and their map."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from scrutiny.core.arrays import Floats, Integers, Singles
from scrutiny.core.boundary.parameters import at_least, known
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.example import Example
from scrutiny.core.facts import ARCS, SPANS
from scrutiny.core.randomness import Rng, stream_of
from scrutiny.core.record import Measure, Row, grouped
from scrutiny.core.task import Task
from scrutiny.diagnostics.layers.phrases import Phrase
from scrutiny.diagnostics.layers.probe_params import LAYER_CHOICES, LayerChoice, layers_of
from scrutiny.diagnostics.layers.word_labels import phrases_of
from scrutiny.diagnostics.layers.word_vectors import in_blocks, width_of, word_vectors, words_there
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.representations.mean_cosines import unit_vectors
from scrutiny.stats.representations.principal_axes import principal_axes
from scrutiny.store.stored_forms import packed
from scrutiny.tasks.item_hashes import half_of

#: Array of a task with the points of the map.
MAP: Final = "phrase_map"
_MOST_HELD: Final = 2**28
_PARTS: Final = 4  # first, last, their product, their difference
_DRAWS: Final = 5  # of shuffled types


@dataclass(frozen=True, slots=True)
class LayerSpansParams:
    """Layers and phrases.

    Parameters
    ----------
    layers
        ``all``, or ``few``: the embeddings, the middle and the last.
    shortest, longest
        Fewest and most words of a phrase. Of one word, first and last are the same, and tell it.
    per_type
        Phrases of each type at most, drawn at random: their vectors are held (16 bytes x phrases x
        dimension x layers, of as many layers at a time as fit into 256 MB).
    shown
        Phrases of each type on the map at most.
    """

    layers: LayerChoice = "all"
    shortest: int = 2
    longest: int = 8
    per_type: int = 300
    shown: int = 40

    def __post_init__(self) -> None:
        known("choice of layers", [self.layers], LAYER_CHOICES)
        at_least(self, shortest=1, longest=self.shortest, per_type=4, shown=1)


class DrawnPhrase(NamedTuple):
    """A phrase of an item, and the half of the data that the item is in."""

    item: int
    phrase: Phrase
    half: str


class LayerSpans(Diagnostic[LayerSpansParams]):
    """Whether phrases of one type lie together at each layer, beside shuffled types.

    Share of phrases whose vector lies nearest to the center of its own type, at every layer.

    A phrase is the vectors of its first and last word, their product and their difference, each
    part brought to length 1. Centers are means over the phrases of one half of the texts, and
    phrases of the other half are asked for the nearest, both ways, as many of each type as there
    are. Role ``control``: types shuffled among phrases of one length, so that length tells as much.
    The page has a map of some of them, on the first two principal components.

    **Measures**: whether types of phrases (noun phrase, prepositional phrase, clause; or tagged
    spans) form groups that need no training to be seen.

    **Misleads when**: types begin or end with certain words (a PP with a preposition), which layer
    0 tells as well: read the difference from layer 0. A map shows two dimensions of many.

    **References**: Peters et al. (2018), Dissecting contextual word embeddings, 4.2 (with a map by
    t-SNE, whose distances mean nothing; here they are projections).
    """

    id = "layers.spans@1"
    needs = frozenset({"representations"})
    wants = (ARCS, SPANS)
    why_only = "types of phrases follow from trees or tags"
    measures = (Measure("own_center"), Measure("phrases"))
    scope = "dataset"
    nulls = 3

    def audit_params(self, task: Task) -> LayerSpansParams:
        """Parameters in an audit: three layers and 100 phrases of a type."""
        return LayerSpansParams(layers="few", per_type=100, shown=20)

    def design(self, params: LayerSpansParams, inputs: Inputs) -> Design:
        """Separated phrases at every layer, and a claim for each above the embeddings."""
        layers = layers_of(params.layers, inputs.subject.n_layers)
        specs: list[EstimateSpec] = []
        contrasts: list[ContrastSpec] = []
        claims = []
        for layer in layers:
            where = {"layer": layer}
            specs += [
                EstimateSpec(f"{layer}", "separated_phrases@1", where),
                EstimateSpec(f"shuffled/{layer}", "separated_phrases@1", where, role="control"),
                EstimateSpec(f"beyond/{layer}", "beyond(separated_phrases)@1", where),
            ]
            contrasts += ContrastSpec.untrained([f"{layer}"])
            if layer != layers[0]:
                name = f"over embeddings/{layer}"
                contrasts.append(ContrastSpec(name, f"{layer}", f"{layers[0]}", minus="own"))
                claims.append(_claim(layer, inputs))
        return Design(
            conditions=tuple({"layer": layer} for layer in layers),
            estimates=tuple(specs),
            claims=tuple(claims),
            contrasts=tuple(contrasts),
            queries_per_item=2,
            notes=(
                f"Phrases of {params.shortest} to {params.longest} words, at most "
                f"{params.per_type} of a type; centers are of the other half of the texts.",
            ),
            families={
                "layers.spans": f"layers of {inputs.subject.name} put phrases of one type together"
            },
        )

    def measure(
        self, params: LayerSpansParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """Two rows for each item and layer: its phrases near their own center, and shuffled."""
        examples, layers = batch.examples, layers_of(params.layers, ctx.model.n_layers)
        drawn = _drawn(examples, params, ctx.rng("phrases", stream_of(LayerSpans), cell.dataset))
        counts: dict[tuple[int, str], Floats] = {}
        failures: dict[int, Failure] = {}
        points: list[dict[str, Any]] = []
        each = 4 * _PARTS * len(drawn) * width_of(ctx.model, examples)
        for block in in_blocks(layers, each=each, most=_MOST_HELD):
            kept, vectors = _read(drawn, examples, ctx.model, block, failures)
            for place, layer in enumerate(block):
                if not kept:
                    continue
                rng = ctx.rng("shuffled types", stream_of(LayerSpans), cell.dataset, layer)
                for role, right in _near(kept, vectors[place], rng).items():
                    found = np.zeros((len(examples), 2))
                    for one, share in zip(kept, right.tolist(), strict=True):
                        found[one.item] += share, 1.0
                    counts[layer, role] = found
                points += _mapped(kept, vectors[place], params.shown, examples, layer=layer)
        whose = {"subject": cell.subject, "dataset": cell.dataset, "replicate": cell.replicate}
        ctx.array(MAP, packed([{**whose, **one} for one in points]))
        lacking = Failure("no_phrase", status="skipped")
        for i, example in enumerate(examples):
            for layer in layers:
                for role in ("measured", "control"):
                    own = counts.get((layer, role))
                    values = None if own is None or not own[i, 1] else own[i].tolist()
                    row = failures.get(i, lacking) if values is None else values
                    yield RowKind.of({"layer": layer}, role).row(example.id, row)


def _claim(layer: int, inputs: Inputs) -> Claim:
    """Claim that a layer puts phrases of a type together, more than their words do."""
    return Claim(
        id=f"separated/{layer}",
        says=f"layer {layer} puts phrases of one type together, more than layer 0",
        components=(
            Component(f"beyond/{layer}", 0.0, "control: types shuffled among phrases of a length"),
            Component(f"over embeddings/{layer}", 0.0, "baseline: layer 0"),
            *inputs.beyond_untrained(f"{layer}", 0.0),
        ),
        family="layers.spans",
        checks=("items", "seeds", "datasets"),
    )


def _drawn(examples: Sequence[Example], params: LayerSpansParams, rng: Rng) -> list[DrawnPhrase]:
    """Phrases of each type, in the order of the items; types without phrases in both halves drop.

    As many of each type as there are at most.
    """
    found = [
        DrawnPhrase(i, phrase, str(e.attributes.get("a_half", half_of(e.id))))
        for i, e in enumerate(examples)
        for phrase in phrases_of(e, shortest=params.shortest, longest=params.longest)
    ]
    kept: list[DrawnPhrase] = []
    for _, own in sorted(grouped((one.phrase.type, one) for one in found).items()):
        order = rng.permutation(len(own))[: params.per_type].tolist()
        chosen = [own[i] for i in order]
        if len({one.half for one in chosen}) > 1:
            kept += chosen
    return sorted(kept)


def _read(
    drawn: Sequence[DrawnPhrase],
    examples: Sequence[Example],
    model: Any,
    block: Sequence[int],
    failures: dict[int, Failure],
) -> tuple[list[DrawnPhrase], Singles]:
    """Phrases that have vectors, and these ``(layer, phrase, dimension)``."""
    of_item = grouped((one.item, one) for one in drawn)
    kept: list[DrawnPhrase] = []
    vectors: list[Singles] = []
    read = word_vectors(model, (examples[i] for i in of_item), block)
    for (item, phrases), found in zip(of_item.items(), read, strict=True):
        if isinstance(found, Failure):
            failures[item] = found
            continue
        there = words_there(found)
        for one in phrases:
            ends = [one.phrase.start, one.phrase.end - 1]
            if there[ends].all():
                kept.append(one)
                vectors.append(span_vectors(found[:, ends[0]], found[:, ends[1]]))
    return kept, np.stack(vectors, axis=1) if vectors else np.empty((len(block), 0, 1), np.float32)


def span_vectors(first: Singles, last: Singles) -> Singles:
    """Vector ``(..., 4 x dimension)`` of spans, of those of their first and last word.

    First, last, their product and their difference, each of length 1, so that none outweighs the
    others.

    **References**: Peters et al. (2018), 4.2, equation 2 (after Lee et al. 2017).
    """
    parts = (first, last, first * last, first - last)
    return np.concatenate([unit_vectors(part) for part in parts], axis=-1).astype(np.float32)


def _near(phrases: Sequence[DrawnPhrase], vectors: Singles, rng: Rng) -> Mapping[str, Floats]:
    """Share of right types ``(phrase,)``, of own types and, over draws, of shuffled ones."""
    names = sorted({one.phrase.type for one in phrases})
    types = np.array([names.index(one.phrase.type) for one in phrases])
    is_first = np.array([one.half == phrases[0].half for one in phrases])
    own = nearest_centers(vectors, types, is_first) == types
    lengths = np.array([one.phrase.end - one.phrase.start for one in phrases])
    shuffled = np.zeros(len(types))
    for _ in range(_DRAWS):
        at_random = types.copy()
        for length in np.unique(lengths):
            places = np.flatnonzero(lengths == length)
            at_random[places] = types[rng.permutation(places)]
        shuffled += nearest_centers(vectors, at_random, is_first) == at_random
    return {"measured": own.astype(np.float64), "control": shuffled / _DRAWS}


def nearest_centers(vectors: Singles, types: Integers, is_first: Any) -> Integers:
    """Type ``(phrase,)`` whose center in the other half of the phrases is nearest, by cosine.

    The mean of all centers is taken out of vectors and centers.

    Parameters
    ----------
    vectors
        ``(phrase, dimension)``.
    types
        ``(phrase,)`` from 0.
    is_first
        ``(phrase,)`` whether each is in the first half.
    """
    found = np.full(len(types), -1)
    for half in (is_first, ~is_first):
        there = np.unique(types[half])
        if there.size and (~half).any():
            centers = np.stack([vectors[half & (types == one)].mean(axis=0) for one in there])
            middle = centers.mean(axis=0)
            cosines = unit_vectors(vectors[~half] - middle) @ unit_vectors(centers - middle).T
            found[~half] = there[cosines.argmax(axis=1)]
    return found


def _mapped(
    phrases: Sequence[DrawnPhrase],
    vectors: Singles,
    shown: int,
    examples: Sequence[Example],
    *,
    layer: int,
) -> Iterable[dict[str, Any]]:
    """Points of a map of some phrases of each type: two principal components."""
    by_type = grouped((one.phrase.type, i) for i, one in enumerate(phrases))
    chosen = sorted(i for own in by_type.values() for i in own[:shown])
    try:
        axes = principal_axes(vectors[chosen], most=2)
    except StatisticsError:
        return
    places = axes.coordinates(vectors[chosen])
    total = float(np.square(vectors[chosen] - axes.center).sum() / len(chosen))
    share = float(np.square(axes.spread).sum()) / total
    for i, (x, *y) in zip(chosen, places.tolist(), strict=True):
        one = phrases[i]
        yield {
            "layer": layer,
            "type": one.phrase.type,
            "item": examples[one.item].id,
            "x": round(x, 4),
            "y": round(y[0], 4) if y else 0.0,
            "share": round(share, 4),
        }
