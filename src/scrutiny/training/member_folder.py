"""Folder of one classifier of a family: written as a whole, identified by a digest."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scrutiny.data.letters import training_hashes
from scrutiny.models.strings.lineage import HASHES
from scrutiny.store.files import storage_errors, write_text
from scrutiny.training.finetuning.parts import DataParts
from scrutiny.training.finetuning.progress_file import locked
from scrutiny.training.finetuning.writing import RECORD


@contextmanager
def held(folder: Path) -> Iterator[Path]:
    """Lock the place of a classifier during training; yields a hidden folder next to it.

    Raises
    ------
    RunIncompleteError
        If another process trains it.
    """
    # a hidden neighbor, so that "seed-{seed}" never finds half a classifier
    working = folder.with_name(f".{folder.name}.part")
    with locked(working):
        try:
            yield working
        finally:
            shutil.rmtree(working, ignore_errors=True)


def write_member(
    folder: Path,
    write: Callable[[Path], None],
    *,
    working: Path,
    record: Mapping[str, Any],
    parts: DataParts,
) -> None:
    """Write a classifier next to its place, and move it into place as a whole.

    Parameters
    ----------
    folder
        Its final folder, which must not exist.
    write
        Writes the classifier itself into a folder that is there.
    working
        Of `held`.
    record
        Training record.
    parts
        Whose training texts are kept as hashes of their letters.
    """
    import numpy as np

    made = working / "made"
    with storage_errors(folder):
        shutil.rmtree(made, ignore_errors=True)  # of a process that was killed
        made.mkdir(parents=True)
        write(made)
        np.save(made / HASHES, training_hashes(e.text for e in parts.train), allow_pickle=False)
        write_text(made / RECORD, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        made.rename(folder)
