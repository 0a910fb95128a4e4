"""Surface patterns of attention: neighbors, special tokens, punctuation, broad and rare."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, cast

from scrutiny.core.boundary.limits import at_least
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.facts import ANCHORED_SPANS, ARCS, MENTIONS, RUNNING_TEXT, WORD_CLASSES
from scrutiny.core.queries.attention import Attends, AttentionMap
from scrutiny.core.record import HEADS, LAYERS, Measure, Row
from scrutiny.diagnostics.attention.arcs.params import OFFSETS
from scrutiny.diagnostics.attention.claims import attention_contrasts
from scrutiny.diagnostics.attention.patterns.sums import (
    MEASURES,
    SUMS,
    pattern_words,
    summable_map,
    sums_of,
)

#: Means of every head, by metric.
OF_HEADS: Final = (
    "attention_to(self)",
    "attention_to(previous)",
    "attention_to(next)",
    "attention_to(first)",
    "attention_to(last)",
    "attention_to(punctuation)",
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


def _claim(name: str, margin: float) -> Claim:
    """Claim that more heads belong to a category than in untrained networks."""
    return Claim(
        id=name,
        says=f"more heads than in untrained networks {COUNTS[name]}, by {margin:g}",
        components=(Component(f"untrained/{name}", margin, "control: untrained"),),
        family="attention.patterns",
        checks=("items", "seeds", "datasets"),
    )


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
        of_heads = (EstimateSpec(n, f"{n}@1", along=("layer", "head")) for n in OF_HEADS)
        return Design(
            conditions=({},),
            estimates=(*of_heads, *(EstimateSpec(name, f"{name}@1") for name in COUNTS)),
            claims=tuple(_claim(name, params.margin) for name in _CLAIMED),
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
        texts = [pattern_words(example, params.n_words) for example in batch.examples]
        maps = cast("Attends", ctx.model).attentions([words for words in texts if words])
        for example, words in zip(batch.examples, texts, strict=True):
            yield RowKind().row(example.id, _values(words, next(maps) if words else NO_WORDS))


def _values(words: tuple[str, ...], found: AttentionMap | Failure) -> tuple[float, ...] | Failure:
    """Measures of one text."""
    found = summable_map(found)
    if isinstance(found, Failure):
        return found
    sums, rows, first_rows = sums_of(found, words)
    of_heads = [n for name in (*SUMS, "offsets") for n in sums[name].ravel().tolist()]
    return (*of_heads, rows, first_rows)
