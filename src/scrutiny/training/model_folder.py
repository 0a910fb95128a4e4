"""Folder of one trained model: written as a whole, identified by a digest."""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import PlanError
from scrutiny.data.hashes import training_hashes
from scrutiny.models.strings.lineage import HASHES
from scrutiny.store.files import storage_errors, write_text
from scrutiny.store.lock import only_one

#: Training record of a model.
RECORD: Final = "training.json"


@contextmanager
def held(folder: Path) -> Iterator[Path]:
    """Lock the place of a model during training; yields a hidden folder next to it.

    Raises
    ------
    StorageError
        If another process trains it, or the disk refuses.
    """
    # a hidden neighbor, so that "seed-{seed}" never finds half a model
    working = folder.with_name(f".{folder.name}.part")
    with storage_errors(working):
        working.mkdir(parents=True, exist_ok=True)
    with only_one(working):
        yield working
    with suppress(OSError):
        working.rmdir()  # where nothing was kept in it


def write_model(
    folder: Path,
    write: Callable[[Path], None],
    *,
    working: Path,
    record: Mapping[str, Any],
    texts: Iterable[str],
) -> None:
    """Write a model next to its place, move it into place as a whole, delete the working folder.

    Parameters
    ----------
    folder
        Its final folder, which must not exist.
    write
        Writes the model itself into a folder that is there.
    working
        Of `held`.
    record
        Training record.
    texts
        Of the training: kept as hashes of their letters.
    """
    made = working / "made"
    with storage_errors(folder):
        shutil.rmtree(made, ignore_errors=True)  # of a process that was killed
        made.mkdir()
        write(made)
        keep_training_texts(made, texts)
        write_text(made / RECORD, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        made.rename(folder)
        shutil.rmtree(working, ignore_errors=True)


def keep_training_texts(folder: Path, texts: Iterable[str]) -> Path:
    """Write what a trained model's folder keeps of its training texts, their hashes, to a file."""
    import numpy as np

    np.save(folder / HASHES, training_hashes(texts), allow_pickle=False)
    return folder / HASHES


def read_record(folder: Path, identity: str) -> dict[str, Any]:
    """Record of an existing folder.

    Raises
    ------
    PlanError
        If the folder holds something else.
    """
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        record = {}
    if not isinstance(record, dict) or record.get("identity") != identity:
        raise PlanError(
            f"{str(folder)!r} holds something else (another base, recipe, seed or other data). "
            "Choose another folder, or remove it to train anew."
        )
    return record
