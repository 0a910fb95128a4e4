"""Adversarial texts of a run, stored to be read, rated, and sent to other models.

Which text is found depends on the model, so it can be no variant that is made beforehand. Each
shard keeps its texts as JSON in an array of bytes named ``attacks``; `found_in` reads those of a
run.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scrutiny.core.boundary.json_text import digest
from scrutiny.store.stored_forms import packed_in

ATTACKS: Final = "attacks"


@dataclass(frozen=True, slots=True)
class FoundText:
    """The final text of an attack.

    Parameters
    ----------
    kind, subject, replicate, dataset
        Which diagnostic, of which model, on which data.
    item, recipe, draw, role
        The item, the attack, and whether it is the attack's (``measured``) or random (``control``).
    edits
        On the item, as ``(field, start, end, text)``.
    fields, originals, texts
        Names of all fields, and their texts before and after the edits.
    is_success
        Whether it fools the model.
    before, after, right
        Predicted labels, or other answers in words; of long ones the parts that differ, and what is
        right of these.
    asked, words_changed
        Texts the model saw for it, and words that differ.
    valid
        Probability that it keeps the meaning, if somebody said.
    """

    kind: str
    subject: str
    replicate: str | None
    dataset: str
    item: str
    recipe: str
    draw: int
    role: str
    edits: tuple[tuple[str, int, int, str], ...]
    fields: tuple[str, ...]
    originals: tuple[str, ...]
    texts: tuple[str, ...]
    is_success: bool
    before: str | None
    after: str | None
    asked: int
    words_changed: int
    valid: float | None = None
    right: str = ""

    @property
    def variant(self) -> str:
        """Name within its item; the same text of the same attack has the same name everywhere."""
        return variant_name(self.recipe, self.texts)


def variant_name(recipe: str, texts: Sequence[str]) -> str:
    """Name of an adversarial text.

    Examples
    --------
    >>> variant_name("pwws@1", ["A fine film"])
    'pwws@1~6f665abd'
    """
    return f"{recipe}~{digest(*texts, size=4)}"


def found_in(folder: Path) -> Iterator[FoundText]:
    """Texts that attacks of a run kept, shard by shard in the order of their names."""
    for row in packed_in(Path(folder), ATTACKS):
        several = {n: tuple(row[n]) for n in ("fields", "originals", "texts")}
        edits = tuple(tuple(edit) for edit in row["edits"])
        yield FoundText(**{**row, **several, "edits": edits})
