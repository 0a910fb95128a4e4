"""Two sentences that differ in one point, of which one is grammatical."""

from scrutiny.core.task import Role
from scrutiny.data.tasks.by_columns import ByColumns
from scrutiny.data.tasks.roles import field_role


class MinimalPairs(ByColumns):
    """Pairs such as *the dogs bark* and *the dogs barks*."""

    name = "minimal-pairs"
    told_by = ("good", "bad")
    roles = (
        field_role("good", "column of the grammatical sentence", "sentence_good"),
        field_role("bad", "column of the ungrammatical sentence", "sentence_bad"),
        Role("construction", "column of the construction", names=("construction",)),
        Role("template", "column of the template that pairs share", "unit", ("template",)),
    )
