"""Runs that are settled: the same plan is done, and every file is as the run left it.

A command that is issued again then computes and writes nothing. Where a file was damaged or taken
away since, the run makes its tables and numbers anew.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.store.journal import Journal
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.seal import damage

_KEY: Final = "settled"
#: What a manifest says of the state of a run, or that its identity holds: not of what is computed.
_LEFT_OUT: Final = frozenset({"status", "warnings", "models"})


def settle(journal: Journal, started: Mapping[str, Any]) -> None:
    """Keep what a run that is finished now was of: the manifest that it began with."""
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
