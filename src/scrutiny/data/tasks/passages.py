"""Texts as they are, without an answer, and a corpus whose texts are not at hand."""

from scrutiny.core.task import Role
from scrutiny.data.tasks.by_columns import ByColumns
from scrutiny.data.tasks.roles import TEXT, text_role


class Passages(ByColumns):
    """Running text, a passage an item, for how well a model predicts it.

    Columns never tell it from classification: state it.
    """

    name = "passages"
    roles = (
        text_role("text", TEXT.meaning, "passage", "paragraph", "sentence"),
        Role("document", "column of the document of a passage", "unit", ("document",)),
    )


class StoredHeads(ByColumns):
    """A corpus on which heads have been scored elsewhere.

    It is one item as a whole: its counts cannot be taken apart into sentences.
    """

    name = "stored-heads"
    roles = (text_role("corpus", "column of the name of a corpus"),)
