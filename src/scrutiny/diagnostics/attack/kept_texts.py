"""Adversarial texts of a run, stored to be read, rated, and sent to other models.

Which text is found depends on the model, so it can be no variant that is made beforehand. Each
shard keeps its texts as JSON in an array of bytes named ``attacks``; `found_in` reads those of a
run.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.boundary.json_text import canonical_json, digest

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


def pack(found: Sequence[FoundText]) -> NDArray[np.uint8]:
    """Texts that an attack found, as an array of bytes that the run keeps."""
    rows = [asdict(one) for one in found]
    return np.frombuffer(canonical_json(rows).encode("utf-8", "surrogatepass"), dtype=np.uint8)


def unpack(data: NDArray[np.uint8]) -> list[FoundText]:
    """Texts from an array of bytes."""
    found = []
    for row in json.loads(data.tobytes().decode("utf-8", "surrogatepass")):
        several = {n: tuple(row[n]) for n in ("fields", "originals", "texts")}
        edits = tuple(tuple(edit) for edit in row["edits"])
        found.append(FoundText(**{**row, **several, "edits": edits}))
    return found


def found_in(folder: Path) -> Iterator[FoundText]:
    """Texts that attacks of a run kept, shard by shard in the order of their names."""
    for path in sorted((Path(folder) / "arrays").rglob(f"{ATTACKS}.npy")):
        yield from unpack(np.load(path, allow_pickle=False))
