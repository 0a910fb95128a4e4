"""Texts as they are, for how well a model predicts them."""

from scrutiny.core.task import Role
from scrutiny.data.tasks.by_columns import ByColumns
from scrutiny.data.tasks.roles import field_role


class Passages(ByColumns):
    """Running text, a passage an item. Columns never tell it from classification: state it."""

    name = "passages"
    roles = (
        field_role("text", "column of the text", "passage", "paragraph", "sentence"),
        Role("document", "column of the document of a passage", "unit", ("document",)),
    )
