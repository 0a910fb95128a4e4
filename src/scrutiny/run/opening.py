"""Opening run folders: identity of the run, whether it is in use, whether it is finished.

A command that is issued again where the same plan is done, and every file is as the run left it,
computes and writes nothing. Where a file was damaged or taken away since, the run makes its tables
and numbers anew.
"""

import json
import logging
import uuid
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import DataError, PlanError, StorageError
from scrutiny.core.progress import SILENT, Progress
from scrutiny.run.planning.resolved import Resolved
from scrutiny.store.files import storage_errors
from scrutiny.store.journal import Journal
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.seal import damage

_LOG: Final = logging.getLogger("scrutiny")
_STATE: Final = "state"  # of the process that works on a run: running or ended
_KEY: Final = "settled"
#: What a manifest says of the state of a run, or that its identity holds: not of what is computed.
_LEFT_OUT: Final = frozenset({"status", "warnings", "models"})


def settle(journal: Journal, started: Mapping[str, Any]) -> None:
    """Record the initial manifest of a run that is finished now."""
    journal.set_meta(_KEY, _digest(started))


def is_settled(folder: RunFolder, journal: Journal, started: Mapping[str, Any]) -> bool:
    """Whether a folder holds the finished run of a manifest, with all of its files."""
    if journal.meta(_KEY) != _digest(started):
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
        out.mkdir(parents=True, exist_ok=True)
    return RunFolder(out)


def same_run(journal: Journal, resolved: Resolved, out: Path) -> str:
    """Identity of this run; raises if the folder holds another plan's records."""
    known = journal.meta("identity") or _identity_without_journal(out)
    if known is not None and known != resolved.identity:
        raise PlanError(
            f"{str(out)!r} holds a run of another plan (other data, models, seed or parameters). "
            "Choose another --out, or remove the folder to start anew."
        )
    if journal.meta("identity") is None:
        journal.set_meta("run_id", uuid.uuid4().hex)
        journal.set_meta("identity", resolved.identity)
    return journal.meta("run_id") or ""


def _identity_without_journal(out: Path) -> str | None:
    """Identity in the manifest of a run without journal; ``None`` if there is none.

    Raises
    ------
    PlanError
        If files of these names stand there that are of no run: they would be overwritten.
    """
    if (out / "manifest.json").is_file():
        with suppress(DataError):
            return str(RunFolder(out).manifest.get("identity", "of no run"))
        return None
    foreign = next((path for path in sorted(out.glob("*.parquet"))), None)
    if foreign is not None:
        raise PlanError(
            f"{str(out)!r} holds no run, but a file {foreign.name!r}, which a run could overwrite. "
            "Choose another --out."
        )
    return None


def begin(journal: Journal, out: Path, progress: Progress) -> None:
    """Record that a process works on this run; report if the last one ended abruptly."""
    if journal.meta(_STATE) == "running":
        said = (
            f"{str(out)!r} holds an unfinished run whose process ended without a word: it was "
            "killed, or its model ended it (os._exit). What was done is kept, and it goes on."
        )
        if progress is SILENT:  # from Python, where nobody else would say it
            _LOG.warning(said)
        progress.note(said)
    journal.set_meta(_STATE, "running")


def end(journal: Journal) -> None:
    """Record that this process has ended, if the disk allows it."""
    with suppress(StorageError):  # a disk that refuses has been said
        journal.set_meta(_STATE, "ended")
