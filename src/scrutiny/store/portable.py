"""Portable manifests: sources without secrets and without absolute paths.

An absolute path that has a folder in common with the run is written from the run folder on
(``csv:<run>/../dev.csv``), one below the home folder from there (``~/dev.csv``). Others stay: there
is no folder that they could be relative to.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.secrets import without_secrets

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
