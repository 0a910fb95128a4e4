"""Manifests as they are handed on: sealed with digests of the run's files, and portable.

The manifest of a finished run lists its files (``files``) with size and digest: a file that was cut
off, lost or changed is named in one sentence before anything is read from it. The manifest holds a
digest of its own content (``digest``), too.

It has no secrets and no absolute paths: one that has a folder in common with the run is written
from the run folder on (``csv:<run>/../dev.csv``), one below the home folder from there
(``~/dev.csv``). Others stay: there is no folder that they could be relative to.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.boundary.secrets import without_secrets
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


RUN: Final = "<run>"
_PLACE: Final = re.compile(
    r"^(?P<scheme>(?:[a-z][a-z0-9-]*:)*)(?P<path>/[^#,]*)(?P<rest>.*)$", re.S
)


def portable(manifest: Mapping[str, Any], run: Path) -> dict[str, Any]:
    """Manifest without secrets, and with relative paths in ``source`` entries where possible."""
    found: dict[str, Any] = without_secrets(manifest)
    placed: dict[str, Any] = _placed(found, run.resolve())
    return placed


def located(source: str, run: Path) -> str:
    """Source in a manifest, with its path resolved: the inverse of `portable`."""
    if f"{RUN}/" not in source:
        return source
    head, _, rest = source.partition(f"{RUN}/")
    path, mark, tail = rest.partition("#")
    return f"{head}{os.path.normpath(run.resolve() / path)}{mark}{tail}"


def _placed(value: Any, run: Path) -> Any:
    if isinstance(value, Mapping):
        return {
            name: _near(part, run)
            if name == "source" and isinstance(part, str)
            else _placed(part, run)
            for name, part in value.items()
        }
    return [_placed(part, run) for part in value] if isinstance(value, list) else value


def _near(source: str, run: Path) -> str:
    """Source with its path relative to the run or to the home folder, where possible."""
    match = _PLACE.match(source)
    if match is None:
        return source
    path, home = match["path"], str(Path.home())
    if os.path.commonpath([path, run]) != os.sep:
        near = f"{RUN}/{os.path.relpath(path, run)}"
    elif path.startswith(f"{home}{os.sep}") and home != os.sep:
        near = f"~{path.removeprefix(home)}"
    else:
        return source
    return f"{match['scheme']}{near}{match['rest']}"
