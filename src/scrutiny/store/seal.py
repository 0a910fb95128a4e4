"""Digests of a finished run's files, to detect damage.

The manifest of a finished run lists its files (``files``) with size and digest: a file that was cut
off, lost or changed is named in one sentence before anything is read from it. The manifest holds a
digest of its own content (``digest``), too.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.canonical import digest
from scrutiny.store.files import hash_file

Seal = Mapping[str, Mapping[str, Any]]

_DIGEST: Final = "digest"
_MARK: Final = "of this manifest: "  # prefix of the digest


def signed(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Manifest, as JSON reads it, with the digest of its other entries."""
    read = json.loads(json.dumps(manifest))  # as a reader will see it
    return {**read, _DIGEST: _own_digest(read)}


def is_as_signed(manifest: Mapping[str, Any]) -> bool:
    """Whether a manifest holds its digest, and matches it; one without has lost it."""
    return bool(manifest.get(_DIGEST) == _own_digest(manifest))


def _own_digest(manifest: Mapping[str, Any]) -> str:
    kept = {name: value for name, value in manifest.items() if name != _DIGEST}
    return _MARK + digest(json.dumps(kept, sort_keys=True))


def seal_of(folder: Path) -> dict[str, dict[str, Any]]:
    """Size and digest of each file that holds results, by its name within the folder."""
    return {
        path.relative_to(folder).as_posix(): {
            "bytes": path.stat().st_size,
            "digest": hash_file(path),
        }
        for path in _results(folder)
    }


def damage(folder: Path, seal: Seal) -> str:
    """Description of the first file that was changed or lost; empty if all are intact."""
    for name, kept in seal.items():
        path = folder / name
        if not path.is_file():
            return f"{path} is missing, so the run is not finished"
        size = path.stat().st_size
        if size != kept["bytes"]:
            return (
                f"{path} is damaged: it has {size:,} bytes and was written with {kept['bytes']:,}"
            )
        if hash_file(path) != kept["digest"]:
            return f"{path} is damaged: its content was changed after it was written"
    return ""


def _results(folder: Path) -> Iterator[Path]:
    """Result files, sorted by name."""
    yield from sorted(folder.glob("*.parquet"))
    yield from (p for p in (folder / "findings.json", folder / "published.json") if p.is_file())
    yield from sorted((folder / "arrays").rglob("*.npy"))
