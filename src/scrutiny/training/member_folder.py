"""The folder of one classifier of a family: written as a whole, known again by its identity."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scrutiny.core.errors import PlanError
from scrutiny.data.letters import training_hashes
from scrutiny.models.strings.lineage import HASHES
from scrutiny.store.files import storage_errors, write_text
from scrutiny.training.finetuning.parts import DataParts
from scrutiny.training.finetuning.progress_file import locked
from scrutiny.training.finetuning.writing import RECORD


def check_seeds(seeds: Sequence[int]) -> None:
    """Raise unless the seeds are different whole numbers from 0 on.

    Raises
    ------
    PlanError
        If they are not, or there are none.
    """
    if not seeds or len(set(seeds)) < len(seeds) or min(seeds) < 0:
        raise PlanError(f"seeds are different whole numbers from 0 on, not {tuple(seeds)}.")


def of_data(parts: DataParts) -> dict[str, Any]:
    """What a record says of the data."""
    return {
        "train": {"source": parts.sources[0], "n": len(parts.train)},
        "dev": {"source": parts.sources[1] or "split off", "n": len(parts.dev)},
        "digest": parts.digest,
        "fingerprints": list(parts.fingerprints),
        "notes": list(parts.notes),
    }


def read_record(folder: Path, identity: str) -> dict[str, Any]:
    """Record of a folder that is there.

    Raises
    ------
    PlanError
        If it holds something else.
    """
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        record = {}
    if not isinstance(record, dict) or record.get("identity") != identity:
        raise PlanError(
            f"{str(folder)!r} holds something else (another recipe, seed or other data). Choose "
            "another folder, or remove it to train anew."
        )
    return record


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
