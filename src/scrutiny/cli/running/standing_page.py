"""Pages of finished runs, which are not written again without a change.

The journal keeps what the last page was made of (the run's manifest, which lists its files with
their digests, and this version's code) and the digest of the page. A page that is missing, was
changed, or would be made of something else is made and written.
"""

import json
from collections.abc import Callable
from contextlib import closing, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

from scrutiny.core.errors import StorageError
from scrutiny.parts.run.view import RunView
from scrutiny.store.files import hash_file, save_text
from scrutiny.store.journal import Journal

_KEY: Final = "page"
_PACKAGE: Final = Path(__file__).parents[2]


def write_page(
    path: Path, view: RunView, folder: Path, *, render: Callable[[RunView], str]
) -> bool:
    """Write the page of a finished run unless it is current; return whether it was written.

    Parameters
    ----------
    path
        Where the page goes.
    view
        The run.
    folder
        Its folder, whose journal remembers the page.
    render
        Makes the text of the page.

    Raises
    ------
    PlanError
        If the path is a folder.
    StorageError
        If the disk refuses.
    """
    made_of = _made_of(view)
    if path.is_file() and _kept(folder) == [made_of, hash_file(path)]:
        return False
    save_text(path, render(view))
    if path.is_file():
        _keep(folder, [made_of, hash_file(path)])
    return True


def _made_of(view: RunView) -> str:
    """Digest of everything that determines a page: the run, its results, and the code."""
    files = json.dumps(view.manifest, sort_keys=True)
    parts = [view.facts.path, str(view.has_texts), files, *_code()]
    return blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def _code() -> list[str]:
    """Files of this package with their sizes and times, to notice edited code."""
    found = []
    for path in sorted(_PACKAGE.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            stat = path.stat()
            found.append(f"{path.relative_to(_PACKAGE)} {stat.st_size} {stat.st_mtime_ns}")
    return found


def _kept(folder: Path) -> object:
    """Note about the last page in the journal; `None` if there is no valid one."""
    with suppress(ValueError), closing(Journal(folder / "journal.sqlite")) as journal:
        return json.loads(journal.meta(_KEY) or "null")
    return None


def _keep(folder: Path, said: list[str]) -> None:
    """Store a note about a page in the journal; without it the page is written again."""
    with suppress(StorageError), closing(Journal(folder / "journal.sqlite")) as journal:
        journal.set_meta(_KEY, json.dumps(said))
