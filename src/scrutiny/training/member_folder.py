"""The folder of one classifier of a family: written as a whole, known again by its identity."""

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
    """Hold the place of a classifier while it is trained; gives a hidden folder beside it.

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
    """Write a classifier beside its place and move it there as a whole.

    Parameters
    ----------
    folder
        Its place, where nothing is yet.
    write
        Writes the classifier itself into a folder that is there.
    working
        Of `held`.
    record
        What made it.
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
