"""Fixed patterns of attention that do not depend on the text, and distances between heads.

Patterns are neighbors, special tokens, punctuation, broad and rare. Distances are
Jensen-Shannon divergences between all heads, scaled to a plane.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.parameters import at_least
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.errors import MissingExtraError
from scrutiny.core.example import Example
from scrutiny.core.facts import ANCHORED_SPANS, ARCS, MENTIONS, RUNNING_TEXT, WORD_CLASSES
from scrutiny.core.queries.attention import Attends, AttentionMap
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import HEADS, LAYERS, Measure, Row
from scrutiny.diagnostics.attention.arc_counts import OFFSETS
from scrutiny.diagnostics.attention.pattern_metrics import (
    MEASURES,
    PLACES,
    SUMS,
    pattern_words,
    summable_map,
    sums_of,
)
from scrutiny.diagnostics.attention.presets import attention_contrasts, specs_of
from scrutiny.stats.distributions.divergence import jensen_shannon_matrix
from scrutiny.stats.representations.item_distances import scaled_to_points

#: Means of every head, by metric.
OF_HEADS: Final = (
    *(f"attention_to({place})" for place in PLACES),
    "mean(entropy)",
    "mean(first_entropy)",
    "mean(confidence)",
    "positional_share",
    "mean(rarest)",
)
#: Counts of labeled heads, and what they are said to be.
COUNTS: Final = {
    "labeled_heads(positional)": "attend mostly to one neighbor or to themselves",
    "labeled_heads(special)": "attend mostly to special tokens",
    "labeled_heads(broad)": "attend broadly",
}
_CLAIMED: Final = ("labeled_heads(positional)", "labeled_heads(special)")


#: Tasks whose texts are read: those that have nothing to predict, and annotated ones.
TEXTS: Final = (RUNNING_TEXT, ANCHORED_SPANS, ARCS, MENTIONS, WORD_CLASSES)
NO_WORDS: Final = Failure("no_words", status="undefined")


@dataclass(frozen=True, slots=True)
class PatternsParams:
    """Text length limit, and margins of the claims.

    Parameters
    ----------
    n_words
        First words of a text that are read; about 100 make the 128 pieces of the paper.
    margin
        Heads more than in untrained networks that are worth a claim.
    """

    n_words: int = 100
    margin: float = 1.0

    def __post_init__(self) -> None:
        at_least(self, n_words=1)


class Patterns(Diagnostic[PatternsParams]):
    """Fixed attention patterns: to neighbors, to special tokens, broad.

    Fixed patterns of every head, and the number of heads with each pattern.

    Piece by piece, special tokens among the columns: mean attention to the piece itself, the piece
    before and behind, the first and last special token and punctuation; entropy of the rows and of
    the first special token's; the largest weight; the share of rows that point to one offset, or
    to the text's rarest piece.

    **Measures**: what has to be ruled out before a head is said to know something: positional
    heads, heads at rest on a separator, heads that look everywhere.

    **Misleads when**: attention to a separator is read as looking at it (its value vectors are
    short: Kobayashi et al. 2020); texts differ in length; counts of labeled heads are compared with
    zero instead of with untrained networks.

    **References**: Clark et al. (2019), What does BERT look at?, section 3; Voita et al. (2019),
    Analyzing multi-head self-attention, section 5; Kobayashi et al. (2020), Attention is not only
    a weight.
    """

    id = "attention.patterns@1"
    needs = frozenset({"attentions"})
    wants = TEXTS
    measures = (
        *MEASURES,
        Measure("offsets", (("offset", len(OFFSETS)), LAYERS, HEADS), unit="rows"),
        Measure("rows", unit="rows"),
        Measure("first_rows", unit="rows"),
    )
    nulls = 20

    def design(self, params: PatternsParams, inputs: Inputs) -> Design:
        """Means of every head, numbers of heads in each category, and claims about them."""
        along = {**dict.fromkeys(OF_HEADS, ("layer", "head")), **dict.fromkeys(COUNTS, ())}
        return Design(
            conditions=({},),
            estimates=tuple(specs_of({}, along)),
            claims=tuple(
                Claim(
                    id=name,
                    says=f"more heads than in untrained networks {COUNTS[name]}, by "
                    f"{params.margin:g}",
                    components=(
                        Component(f"untrained/{name}", params.margin, "control: untrained"),
                    ),
                    family="attention.patterns",
                    checks=("items", "seeds", "datasets"),
                )
                for name in _CLAIMED
            ),
            notes=(
                f"The first {params.n_words} words of each text, each cut by itself; rows of "
                "words' pieces, special tokens among the columns. Rows of entropy are smoothed as "
                "in the released code. Rarity goes by the place in the model's vocabulary.",
                "Labels of Clark et al.: positional above .5 of the attention on one neighbor or "
                "the piece itself, special above .6 on special tokens, broad above 3.8 nats.",
            ),
            families={
                "attention.patterns": f"heads of {inputs.subject.name} have learned patterns that "
                "do not depend on the text"
            },
            contrasts=tuple(attention_contrasts(COUNTS)),
        )

    def measure(
        self, params: PatternsParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each text."""
        for example, words, found in _maps_of(batch.examples, params.n_words, ctx):
            if isinstance(found, Failure):
                yield RowKind().row(example.id, found)
                continue
            sums, rows, first_rows = sums_of(found, words)
            of_heads = [n for name in (*SUMS, "offsets") for n in sums[name].ravel().tolist()]
            yield RowKind().row(example.id, (*of_heads, rows, first_rows))


def _maps_of(
    examples: Sequence[Example], n_words: int, ctx: Context
) -> Iterator[tuple[Example, tuple[str, ...], AttentionMap | Failure]]:
    """Each text with its first words and their map, or why it has none whose rows can be summed."""
    texts = [pattern_words(example, n_words) for example in examples]
    maps = cast("Attends", ctx.model).attentions([words for words in texts if words])
    for example, words in zip(examples, texts, strict=True):
        yield example, words, summable_map(next(maps) if words else NO_WORDS)


@dataclass(frozen=True, slots=True)
class DivergenceParams:
    """Text length limit, and the margin of the claim.

    Parameters
    ----------
    n_words
        First words of a text that are read.
    n_texts
        First texts that are read; the others are skipped. The work grows with the square of the
        number of heads: a text of 126 pieces takes .15 s for 72 heads, .6 s for 144.
    restarts
        Starts of the scaling to the plane, 5 as published.
    margin
        Smallest gap worth a claim, in nats a row.
    """

    n_words: int = 100
    n_texts: int = 200
    restarts: int = 5
    margin: float = 0.01


class Divergence(Diagnostic[DivergenceParams]):
    """Jensen-Shannon distances between heads, within and between layers.

    Distances between all heads: Jensen-Shannon divergence of their rows, summed over tokens.

    Records hold, for each text and layer, the mean distance between heads of the layer and to those
    of other layers. Beside them, over all texts: ``divergence`` ``(head, head)``, heads layer by
    layer, and ``divergence_points`` ``(head, 2)``, a metric scaling of it, with its stress in
    ``divergence_stress``.

    **Measures**: whether heads of one layer attend alike, as the published plot shows.

    **Misleads when**: heads rest on a separator: they are near each other and near nothing else;
    untrained networks are not looked at, whose layers may be as distinct.

    **References**: Clark et al. (2019), What does BERT look at?, section 6; Lin (1991), Divergence
    measures based on the Shannon entropy.
    """

    id = "attention.divergence@1"
    needs = frozenset({"attentions"})
    wants = TEXTS
    measures = (
        Measure("within", (LAYERS,), unit="nats"),
        Measure("between", (LAYERS,), unit="nats"),
        Measure("rows", unit="rows"),
    )
    scope = "dataset"
    nulls = 5

    def design(self, params: DivergenceParams, inputs: Inputs) -> Design:
        """Gap and ratio of the distances, and the claim that there is a gap."""
        return Design(
            conditions=({},),
            estimates=(
                EstimateSpec("gap", "layer_distance(gap)@1"),
                EstimateSpec("ratio", "layer_distance(ratio)@1"),
            ),
            claims=(
                Claim(
                    id="layers",
                    says=f"heads differ from other layers' heads by {params.margin:g} nats a row "
                    "more than from their own layer's, and more than in untrained networks",
                    components=(
                        Component("gap", params.margin, "reference"),
                        Component("untrained/gap", params.margin, "control: untrained"),
                    ),
                    family="attention.divergence",
                    checks=("items", "seeds", "datasets"),
                ),
            ),
            notes=(
                f"The first {params.n_words} words of the first {params.n_texts} texts; rows of "
                "words' pieces, special tokens among the columns, smoothed by .001 as published.",
            ),
            families={
                "attention.divergence": f"heads of one layer of {inputs.subject.name} attend alike"
            },
            contrasts=tuple(ContrastSpec.untrained(["gap"])),
        )

    def measure(
        self, params: DivergenceParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each text; total distances are stored as arrays."""
        shape = cast("Attends", ctx.model).attention_shape
        total: Floats | None = None
        for example, _, found in _maps_of(batch.examples[: params.n_texts], params.n_words, ctx):
            made = distances_of(found)
            if isinstance(made, Failure):
                yield RowKind().row(example.id, made)
                continue
            total = made[0] if total is None else total + made[0]
            within, between = by_layer(made[0], shape)
            yield RowKind().row(example.id, (*within.tolist(), *between.tolist(), made[1]))
        for example in batch.examples[params.n_texts :]:
            yield RowKind().row(example.id, Failure("beyond_n_texts", status="skipped"))
        if total is None:
            return
        ctx.array("divergence", total)
        rng = ctx.rng("scaling", stream_of(Divergence), cell.dataset)
        try:
            scaled = scaled_to_points(total, rng=rng, restarts=params.restarts)
        except MissingExtraError:
            return
        ctx.array("divergence_points", scaled.points)
        ctx.array("divergence_stress", np.array([scaled.stress]))


def distances_of(found: AttentionMap | Failure) -> tuple[Floats, float] | Failure:
    """Divergence ``(head, head)`` summed over rows of word tokens, and the number of rows."""
    if isinstance(found, Failure):
        return found
    layers, heads = found.weights.shape[:2]
    if min(layers, heads) < 2:
        return Failure("one_layer_or_head", status="undefined")
    rows = [i for i, word in enumerate(found.words) if word is not None]
    maps = found.weights[:, :, rows]
    return jensen_shannon_matrix(maps.reshape(layers * heads, *maps.shape[2:])), float(len(rows))


def by_layer(matrix: Floats, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """Mean distance of each layer's heads ``(layer,)`` to each other, and to other layers' heads.

    Examples
    --------
    >>> d = 1.0 - np.kron(np.eye(2), np.ones((2, 2)))
    >>> [part.tolist() for part in by_layer(d, (2, 2))]
    [[0.0, 0.0], [1.0, 1.0]]
    """
    layers, heads = shape
    blocks = matrix.reshape(layers, heads, layers, heads).sum(axis=(1, 3))  # (layer, layer)
    own = np.diagonal(blocks)
    within = own / (heads * (heads - 1))
    between = (blocks.sum(axis=1) - own) / (heads * heads * (layers - 1))
    return np.asarray(within), np.asarray(between)
