"""Texts without an answer, and a corpus whose texts are not available."""

from scrutiny.core.facts import HEAD_COUNTS, RUNNING_TEXT
from scrutiny.core.task import Role
from scrutiny.tasks.columns.by_columns import ByColumns
from scrutiny.tasks.columns.roles import TEXT, text_role


class Passages(ByColumns):
    """Running text, one passage per item, for language modeling.

    Its columns do not distinguish it from classification: state the task.
    """

    name = "passages"
    holds = RUNNING_TEXT.holds
    roles = (
        text_role("text", TEXT.meaning, "passage", "paragraph", "sentence"),
        Role("document", "column of the document of a passage", "unit", ("document",)),
    )


class StoredHeads(ByColumns):
    """Corpus on which attention heads have been scored elsewhere.

    It is one item as a whole: its counts cannot be taken apart into sentences.
    """

    name = "stored-heads"
    holds = HEAD_COUNTS.holds
    roles = (text_role("corpus", "column of the name of a corpus"),)
