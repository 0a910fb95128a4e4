"""Families of tiny BERTs, several seeds each: where their checkpoints lie, and which there are."""

import json
from pathlib import Path
from typing import Any, Final

__all__ = ["folder", "index"]

_WEIGHTS: Final = "weights"
_INDEX: Final = "index.json"


def folder() -> Path:
    """Folder whose subfolders are the families: ``bert-4x128/seed-1``."""
    return Path(__file__).parent / _WEIGHTS


def index() -> dict[str, Any]:
    """What there is: families with their checkpoints, each with seed, step, files and sha256."""
    found: dict[str, Any] = json.loads((folder() / _INDEX).read_text(encoding="utf-8"))
    return found
