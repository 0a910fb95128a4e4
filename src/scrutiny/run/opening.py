"""Identity of a run folder: whether it holds the run of this plan."""

import uuid
from contextlib import suppress
from pathlib import Path

from scrutiny.core.errors import DataError, PlanError
from scrutiny.run.planning.resolved import Resolved
from scrutiny.store.journal import Journal
from scrutiny.store.run_folder import RunFolder


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
