"""Resuming: whose run a folder holds, how far it is, and whether its models are the same.

A command that is issued again where the same plan is done, and every file is as the run left it,
computes and writes nothing. Where a file was damaged or taken away since, the run makes its tables
and numbers anew.

Who is asked once more is looked at then. The other replicates, all of them where a finished run is
issued again, would be believed: so those without a fingerprint are asked some questions again, and
those with one are loaded for it where their files are not as they were.
"""

import json
import logging
import uuid
from collections.abc import Collection, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import DataError, PlanError, StorageError
from scrutiny.core.long_runs import SILENT, Progress
from scrutiny.core.record import grouped
from scrutiny.models.strings.model_strings import parse
from scrutiny.run.asking.answer_store import TaskStore
from scrutiny.run.asking.identity_check import memo_name, must_be_the_same
from scrutiny.run.executing.task_runner import TaskRunner
from scrutiny.run.planning.resolved import STAGES, Resolved
from scrutiny.store.database import Journal
from scrutiny.store.files import make_private_folder, storage_errors
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.sealed_manifests import damage


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


def must_be_same_models(store: TaskStore, resolved: Resolved) -> None:
    """Raise if a family's first replicate has changed, as far as can be read."""
    for (family, data), pairing in resolved.pairings.items():
        if pairing.reading is not None:
            source = resolved.families[family].replicates[0].source
            name = memo_name(family, source, data)
            must_be_the_same(store, name, source, pairing.reading.digest, keep=False)


def see_all_again(
    resolved: Resolved, store: TaskStore, runner: TaskRunner, *, done: Collection[str]
) -> None:
    """Raise if a replicate has changed since it was queried, even if no query is left.

    Size and time of the files of each replicate are kept, unless they are already.

    Raises
    ------
    ModelError
        If one has.
    """
    asked: set[AskedReplicate] = set()
    for task in (task for stage in STAGES for task in resolved.shards(stage)):
        if task.id not in done:
            own = [(task.family, task.replicate)] if task.family else []
            several = [*own, task.reference] if task.reference else own
            asked |= {(*one, task.dataset) for one in several}
    for family, datasets in grouped(resolved.pairings).items():
        for position, replicate in enumerate(resolved.families[family].replicates):
            for dataset in datasets:  # each is loaded once for all of its data
                one = family, position, dataset
                name = memo_name(family, replicate.source, dataset)
                was_asked = bool(done) and store.memo(f"fingerprint/{name}")[0]
                is_seen = was_asked and one not in asked and not _is_known(resolved, store, one)
                if is_seen:
                    runner.ask_again(family, dataset, position)
                key, files = _place(resolved, one)
                if files and (is_seen or not store.memo(key)[0]):
                    store.set_memo(key, files)


_OBJECTS: Final = "python"  # what these read cannot be known from where they stand
AskedReplicate = tuple[str, int, str]  # family, position of the replicate, dataset


def _is_known(resolved: Resolved, store: TaskStore, one: AskedReplicate) -> bool:
    """Whether a replicate is known to be the same without loading it."""
    family, position, dataset = one
    pairing = resolved.pairings[family, dataset]
    if pairing.reading is not None:
        return pairing.reading.is_whole and position == 0
    if position == 0:
        return True  # its fingerprint is a part of the run's identity
    if parse(resolved.families[family].replicates[position].source).scheme == _OBJECTS:
        return False
    key, files = _place(resolved, one)
    return not files or store.memo(key) == (True, files)


def _place(resolved: Resolved, one: AskedReplicate) -> tuple[str, list[Any]]:
    """Key of a replicate's files, and their names, sizes and times; empty without files."""
    family, position, dataset = one
    source = resolved.families[family].replicates[position].source
    return f"place/{memo_name(family, source, dataset)}", _files(parse(source).target)


def _files(target: str) -> list[Any]:
    path = Path(target).expanduser()
    if path.is_file():
        found = [path]
    elif path.is_dir():
        found = sorted(part for part in path.iterdir() if part.is_file())
    else:
        return []
    stats = [(part, part.stat()) for part in found]
    return [[part.name, stat.st_size, stat.st_mtime_ns] for part, stat in stats]
