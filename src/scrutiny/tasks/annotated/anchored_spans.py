"""Words that belong to an anchor: the scope of a negation cue, of a quantifier, of a hedge."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scrutiny.core.errors import DataError
from scrutiny.core.facts import ANCHORED_SPANS
from scrutiny.core.queries.annotation import ANCHOR, TARGET
from scrutiny.tasks.annotated.annotated import Annotated, Labeled
from scrutiny.tasks.columns.roles import OF_SENTENCES, WORDS, list_role
from scrutiny.tasks.columns.word_cells import indices_of, runs_of_words
from scrutiny.tasks.held_out import held_out_column


class AnchoredSpans(Annotated):
    """Sentence with the words of one anchor, and its target words, which may be none.

    A sentence with several anchors is several items. ``a_cue`` is the anchor in lower case;
    ``a_heldout`` is whether trainings on this data leave the sentence out.
    """

    name = "anchored-spans"
    holds = ANCHORED_SPANS.holds
    identifying_columns = ("anchor", "target")
    roles = (
        WORDS,
        list_role("anchor", "column of the list of places of the anchor's words", "cue"),
        list_role("target", "column of the list of places of words that belong to it", "scope"),
        *OF_SENTENCES,
    )

    def labeled(self, row: Mapping[str, Any], words: Sequence[str]) -> Iterator[Labeled]:
        """Spans of the anchor and of its target; a word listed twice has two."""
        anchor = indices_of(row.get("anchor"), "anchor", n=len(words))
        target = indices_of(row.get("target"), "target", n=len(words))
        if not anchor:
            raise DataError("anchor has no words")
        for label, indices in ((ANCHOR, sorted(set(anchor))), (TARGET, target)):
            for first, last in runs_of_words(indices):
                yield Labeled(first, last, label)

    def told(self, row: Mapping[str, Any], words: Sequence[str]) -> Mapping[str, str]:
        """Attributes: the anchor's words in lower case, and whether the sentence is held out."""
        cue = " ".join(words[i].lower() for i in sorted(set(row["anchor"])))
        return {"a_cue": cue, **held_out_column(" ".join(words))}
