"""Surface patterns of attention: neighbors, special tokens, punctuation, broad and rare."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, cast

from scrutiny.core.attention import Attends, AttentionMap
from scrutiny.core.diagnostic import Batch, Cell, Context, Design, Failure, Inputs
from scrutiny.core.errors import PlanError
from scrutiny.core.record import HEADS, LAYERS, Measure, Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.attention.arcs.params import OFFSETS
from scrutiny.diagnostics.attention.patterns.design import make_patterns_design
from scrutiny.diagnostics.attention.patterns.sums import (
    SUMS,
    distributions,
    sums_of,
    words_of,
)

#: Tasks whose texts are read: those that have nothing to predict, and annotated ones.
TEXTS: Final = frozenset(
    {
        "passages",
        "anchored-spans",
        "dependency-arcs",
        "mention-clusters",
        "token-classes",
    }
)
NO_WORDS: Final = "no_words"


@dataclass(frozen=True, slots=True)
class PatternsParams:
    """How much of a text is read, and what is claimed.

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
        if self.n_words < 1:
            raise PlanError(f"n_words must be 1 or more, not {self.n_words}.")


class Patterns:
    """Where every head looks whatever the text says, and how many heads look nowhere else.

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
    summary = "where heads look whatever the text says: neighbors, special tokens, everywhere"
    Params = PatternsParams
    needs: frozenset[str] = frozenset({"attentions"})
    tasks: frozenset[str] = TEXTS
    measures: tuple[Measure, ...] = (
        *(Measure(name, (LAYERS, HEADS)) for name in SUMS),
        Measure("offsets", (("offset", len(OFFSETS)), LAYERS, HEADS), unit="rows"),
        Measure("rows", unit="rows"),
        Measure("first_rows", unit="rows"),
    )
    scope: Literal["item", "dataset"] = "item"
    nulls = 20

    def measured(self, task: Task) -> tuple[Measure, ...]:
        """Sums over rows by head, and how many rows there are."""
        return self.measures

    def design(self, params: PatternsParams, inputs: Inputs) -> Design:
        """Means of every head, counts of labeled ones, and what is claimed of the counts."""
        return make_patterns_design(inputs, n_words=params.n_words, margin=params.margin)

    def measure(
        self, params: PatternsParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each text."""
        texts = [words_of(example, params.n_words) for example in batch.examples]
        maps = cast("Attends", ctx.model).attentions([words for words in texts if words])
        for example, words in zip(batch.examples, texts, strict=True):
            yield _row(example.id, words, next(maps) if words else Failure(NO_WORDS))


def _row(item: str, words: tuple[str, ...], found: AttentionMap | Failure) -> Row:
    """Row of one text."""
    start = (item, None, "measured", "{}")
    found = distributions(found)
    if isinstance(found, Failure):
        status = "undefined" if found.reason == NO_WORDS else "failed"
        return Row(*start, status, found.reason, None)
    sums, rows, first_rows = sums_of(found, words)
    values = [number for name in (*SUMS, "offsets") for number in sums[name].ravel().tolist()]
    return Row(*start, "ok", None, (*values, rows, first_rows))
