"""Two sentences that differ in one point, of which one is grammatical."""

from scrutiny.data.tasks.roles import Role, field_role
from scrutiny.data.tasks.unlabeled import Unlabeled


class MinimalPairs(Unlabeled):
    """Pairs such as *the dogs bark* and *the dogs barks*."""

    name = "minimal-pairs"
    fields: tuple[str, ...] = ("good", "bad")
    columns: tuple[str, ...] = fields
    told_by: tuple[str, ...] = fields
    roles: tuple[Role, ...] = (
        field_role("good", "column of the grammatical sentence", "sentence_good"),
        field_role("bad", "column of the ungrammatical sentence", "sentence_bad"),
        Role("construction", "column of the construction", names=("construction",)),
        Role("template", "column of the template that pairs share", "unit", ("template",)),
    )
