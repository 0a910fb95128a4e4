"""State of a run: a process works on it, has ended, or has finished it.

A command that is issued again where the same plan is done, and every file is as the run left it,
computes and writes nothing. Where a file was damaged or taken away since, the run makes its tables
and numbers anew.
"""

import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import DataError, PlanError, StorageError
from scrutiny.core.progress import SILENT, Progress
from scrutiny.store.files import make_private_folder, storage_errors
from scrutiny.store.journal import Journal
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.seal import damage

_LOG: Final = logging.getLogger("scrutiny")
_STATE: Final = "state"  # of the process that works on a run: running or ended
_FINISHED: Final = "settled"
#: What a manifest says of the state of a run, or that its identity holds: not of what is computed.
_LEFT_OUT: Final = frozenset({"status", "warnings", "models"})


def mark_running(journal: Journal, out: Path, progress: Progress) -> None:
    """Record in the journal that a process works on this run; report if the last ended abruptly."""
    if journal.meta(_STATE) == "running":
        said = (
            f"{str(out)!r} holds an unfinished run whose process ended without a word: it was "
            "killed, or its model ended it (os._exit). What was done is kept, and it goes on."
        )
        if progress is SILENT:  # from Python, where nobody else would say it
            _LOG.warning(said)
        progress.note(said)
    journal.set_meta(_STATE, "running")


def mark_ended(journal: Journal) -> None:
    """Record that this process has ended, if the disk allows it."""
    with suppress(StorageError):  # a disk that refuses has been said
        journal.set_meta(_STATE, "ended")


def mark_finished(journal: Journal, started: Mapping[str, Any]) -> None:
    """Record in the journal the initial manifest of a run that is finished now."""
    journal.set_meta(_FINISHED, _digest(started))


def is_finished(folder: RunFolder, journal: Journal, started: Mapping[str, Any]) -> bool:
    """Whether a folder holds the finished run of a manifest, with all of its files."""
    if journal.meta(_FINISHED) != _digest(started):
        return False
    try:
        known = folder.manifest
    except DataError:
        return False
    files = known.get("files") or {}
    return bool(files) and known.get("status") == "done" and not damage(folder.path, files)


def _digest(manifest: Mapping[str, Any]) -> str:
    kept = {name: value for name, value in manifest.items() if name not in _LEFT_OUT}
    return blake2b(json.dumps(kept, sort_keys=True).encode(), digest_size=16).hexdigest()


def open_folder(out: Path) -> RunFolder:
    """Writable folder, created if necessary.

    Raises
    ------
    PlanError
        If it cannot be one.
    """
    if out.exists() and not out.is_dir():
        raise PlanError(f"--out {str(out)!r} is a file; give a folder.")
    link = next((p for p in (out, *out.parents) if p.is_symlink() and not p.exists()), None)
    if link is not None:
        raise PlanError(
            f"--out {str(out)!r} cannot be made: {str(link)!r} is a link that leads nowhere. "
            "Remove it, or give another folder."
        )
    file = next((parent for parent in out.parents if parent.is_file()), None)
    if file is not None:
        raise PlanError(
            f"--out {str(out)!r} cannot be made: {str(file)!r} is a file, and a run needs a folder."
        )
    with storage_errors(out / "journal.sqlite"):
        make_private_folder(out)
    return RunFolder(out)
