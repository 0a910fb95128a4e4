"""A corpus on which heads have been scored elsewhere; its texts are not at hand."""

from scrutiny.data.tasks.by_columns import ByColumns
from scrutiny.data.tasks.roles import field_role


class StoredHeads(ByColumns):
    """One item, the corpus as a whole: its counts cannot be taken apart into sentences."""

    name = "stored-heads"
    roles = (field_role("corpus", "column of the name of a corpus"),)
