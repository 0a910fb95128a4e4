"""The files of a finished run as they were written, so that damage can be told.

The manifest of a finished run lists them (``files``) with bytes and digest: what was cut off,
lost or flipped is named in one sentence before anything is read from it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scrutiny.store.file_digest import hash_file

Seal = Mapping[str, Mapping[str, Any]]


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
