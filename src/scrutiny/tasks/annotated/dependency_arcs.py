"""Sentences with the head of each word and the relation between them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.tasks.annotated.annotated import Annotated, Labeled
from scrutiny.tasks.columns.roles import OF_SENTENCES, WORDS, list_role
from scrutiny.tasks.columns.word_cells import list_of
from scrutiny.tasks.held_out import held_out_column


class DependencyArcs(Annotated):
    """Dependencies numbered as in CoNLL-U: heads from 1, 0 for the root."""

    name = "dependency-arcs"
    identifying_columns = ("heads", "relations")
    roles = (
        WORDS,
        list_role("heads", "column of the list of heads, from 1, 0 for the root", "head"),
        list_role("relations", "column of the list of relations", "deprels", "deprel"),
        *OF_SENTENCES,
    )

    def labeled(self, row: Mapping[str, Any], words: Sequence[str]) -> Iterator[Labeled]:
        """One label ``HEAD:RELATION`` for each word that has a head."""
        heads = list_of(row, "heads", n=len(words))
        relations = list_of(row, "relations", n=len(words))
        for i, (head, relation) in enumerate(zip(heads, relations, strict=True)):
            if head is None:
                continue
            if isinstance(head, bool) or not isinstance(head, int) or not 0 <= head <= len(words):
                raise DataError(
                    f"heads[{i}] is {head!r}; heads are counted from 1 to {len(words)}, and 0 is "
                    "the root"
                )
            if head == i + 1:
                raise DataError(f"heads[{i}]: the word {words[i]!r} is its own head")
            if not isinstance(relation, str) or not relation:
                raise DataError(f"relations[{i}] is {relation!r}, no name of a relation")
            yield Labeled(i, i, f"{head}:{relation}")

    def doubts(self, row: Mapping[str, Any], example: Example) -> Iterator[str]:
        """Doubts: sentences that are no tree, and the doubts of any row."""
        yield from super().doubts(row, example)
        if sum(span.label.startswith("0:") for span in example.spans) != 1:
            yield "have no root or several"

    def told(self, row: Mapping[str, Any], words: Sequence[str]) -> Mapping[str, str]:
        """Attributes: whether the sentence is held out of trainings."""
        del row
        return held_out_column(" ".join(words))
