"""A corpus on which heads have been scored elsewhere; its texts are not at hand."""

from scrutiny.data.tasks.roles import field_role
from scrutiny.data.tasks.unlabeled import Unlabeled


class StoredHeads(Unlabeled):
    """One item, the corpus as a whole: its counts cannot be taken apart into sentences."""

    name = "stored-heads"
    fields = ("corpus",)
    columns = fields
    roles = (field_role("corpus", "column of the name of a corpus"),)
