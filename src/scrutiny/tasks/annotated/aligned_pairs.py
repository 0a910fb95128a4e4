"""Sentences with pairs of words that belong together: a predicate and its role."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scrutiny.core.errors import DataError
from scrutiny.core.facts import ALIGNED_WORDS
from scrutiny.tasks.annotated.annotated import Annotated, Labeled
from scrutiny.tasks.columns.roles import OF_SENTENCES, WORDS, list_role
from scrutiny.tasks.columns.word_cells import list_of, run_of_words


class AlignedPairs(Annotated):
    """Pairs of groups of words, each pair two lists of word indices."""

    name = "aligned-pairs"
    holds = ALIGNED_WORDS.holds
    identifying_columns = ("pairs",)
    roles = (
        WORDS,
        list_role("pairs", "column of the list of pairs of lists of places of words"),
        *OF_SENTENCES,
    )

    def labeled(self, row: Mapping[str, Any], words: Sequence[str]) -> Iterator[Labeled]:
        """Labels ``PAIR:a`` and ``PAIR:b`` for each pair, numbered from 1."""
        for i, pair in enumerate(list_of(row, "pairs"), 1):
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise DataError(f"pairs[{i - 1}] is no pair of lists of places of words")
            for side, value in zip("ab", pair, strict=True):
                where = f"pairs[{i - 1}], side {side},"
                yield Labeled(*run_of_words(value, where, n=len(words)), f"{i}:{side}")
