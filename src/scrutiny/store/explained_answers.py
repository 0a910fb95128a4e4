"""Explained answers of a run, in a file of its folder: words that answers to its cases hang on."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.store.files import save_text

#: File of a run folder.
EXPLAINED_FILE: Final = "explained.json"
#: Answers by the identity of their cases: what `Explained.kept` gives, or ``why`` there is nothing.
KeptExplanations = Mapping[str, Mapping[str, Any]]


def case_key(model: str, dataset: str, item: str, edits: Iterable[Sequence[Any]]) -> str:
    """Identity of a model's answer to a changed text.

    Examples
    --------
    >>> key = case_key("m", "d", "1", [("text", 0, 1, "a")])
    >>> key == case_key("m", "d", "1", [["text", 0, 1, "a", ()]]), len(key)
    (True, 16)
    """
    changes = sorted([list(edit[:4]) for edit in edits])
    return digest(model, dataset, item, canonical_json(changes), size=8)


def read_explained(folder: Path) -> dict[str, dict[str, Any]]:
    """What was explained of a run; nothing where there is no file, or a damaged one."""
    try:
        found = json.loads((folder / EXPLAINED_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_explained(folder: Path, known: KeptExplanations) -> None:
    """Keep what was explained.

    Raises
    ------
    StorageError
        If the disk refuses.
    """
    save_text(folder / EXPLAINED_FILE, canonical_json(known))
