"""What a checkpoint's own folder says of its training: its texts, and the data that chose it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from scrutiny.models.adapters import as_checkpoint
from scrutiny.models.source import parse
from scrutiny.run.resolved import Resolved

_HASHES: Final = "training_hashes.npy"
_RECORD: Final = "training.json"


def kept_hashes(source: str) -> Path | None:
    """File with the hashes of the texts that a model was trained on, where its folder has one."""
    folder = _folder(source)
    path = None if folder is None else folder / _HASHES
    return path if path is not None and path.is_file() else None


def read_hashes(path: Path) -> Any:
    """Sorted ``uint64`` hashes of a file."""
    import numpy as np

    return np.load(path, allow_pickle=False)


def chosen_by(resolved: Resolved) -> Iterator[str]:
    """A sentence for each family that was trained on, or chosen by, data that it is measured on."""
    for family, name in resolved.pairings:
        fingerprint = resolved.datasets[name].fingerprint
        members = resolved.families[family].replicates
        count = sum(fingerprint in _fingerprints(member.source) for member in members)
        if count:
            yield (
                f"{count} of {len(members)} replicates of {family} were trained on {name}, or "
                "their epoch was chosen by it: their scores on it are too good to be reported."
            )


def _fingerprints(source: str) -> list[str]:
    """Fingerprints of the data that a checkpoint's record names."""
    folder = _folder(source)
    try:
        record = json.loads(((folder or Path()) / _RECORD).read_text(encoding="utf-8"))
        found = record["data"]["fingerprints"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return found if folder is not None and isinstance(found, list) else []


def _folder(source: str) -> Path | None:
    """Folder of a checkpoint on this disk, or nothing."""
    parsed = parse(source)
    found = as_checkpoint(parsed)
    folder = None if found is None else Path(found.target).expanduser()
    return folder if folder is not None and folder.is_dir() else None
