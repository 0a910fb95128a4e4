"""The files of a finished run as they were written, so that damage can be told.

The manifest of a finished run lists them (``files``) with bytes and digest: what was cut off,
lost or flipped is named in one sentence before anything is read from it. The manifest holds the
digest of all else that stands in it (``digest``).
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.canonical import digest
from scrutiny.store.files import hash_file

Seal = Mapping[str, Mapping[str, Any]]

_DIGEST: Final = "digest"
_MARK: Final = "of this manifest: "  # what the digest begins with


def signed(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Manifest, as JSON has it, with the digest of all else that stands in it."""
    read = json.loads(json.dumps(manifest))  # as a reader will see it
    return {**read, _DIGEST: _own_digest(read)}


def is_as_signed(manifest: Mapping[str, Any]) -> bool:
    """Whether a manifest holds what it held when it was signed; early versions signed none.

    A digest under another name shows that the name was damaged.
    """
    signatures = [
        name
        for name, value in manifest.items()
        if name == _DIGEST or (isinstance(value, str) and value.startswith(_MARK))
    ]
    return not signatures or manifest.get(_DIGEST) == _own_digest(manifest)


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
    """What is wrong with the first file that is not as it was written; empty where all are."""
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
            return f"{path} is damaged: its bytes are not those that were written"
    return ""


def _results(folder: Path) -> Iterator[Path]:
    """Files that hold results, in the order of their names."""
    yield from sorted(folder.glob("*.parquet"))
    yield from (p for p in (folder / "findings.json", folder / "published.json") if p.is_file())
    yield from sorted((folder / "arrays").rglob("*.npy"))
