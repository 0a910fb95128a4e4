"""Identity check of replicates that a resumed run will not query again.

Whoever is asked once more is looked at then. The others, all of them where a finished run is issued
again, would be believed: so those without a fingerprint are asked some questions again, and those
with one are loaded for it where their files are not as they were.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from scrutiny.core.grouping import grouped
from scrutiny.models.strings.source import parse
from scrutiny.run.asking.sameness import memo_name
from scrutiny.run.asking.stores import TaskStore
from scrutiny.run.executing.task_runner import TaskRunner
from scrutiny.run.planning.resolved import Resolved
from scrutiny.run.planning.tasks import TaskSpec

_OBJECTS: Final = "python"  # what these read cannot be known from where they stand

Asked = tuple[str, int, str]  # family, position of the replicate, dataset


def note_places(resolved: Resolved, store: TaskStore) -> None:
    """Store size and time of all replicates' files, unless already stored."""
    for family, position, dataset in _replicates(resolved):
        key, files = _place(resolved, (family, position, dataset))
        if files and not store.memo(key)[0]:
            store.set_memo(key, files)


def see_again(
    resolved: Resolved, store: TaskStore, runner: TaskRunner, todo: Iterable[TaskSpec]
) -> None:
    """Raise if a replicate without remaining tasks has changed since it was queried.

    Raises
    ------
    ModelError
        If one has.
    """
    asked = set(_asked_by(todo))
    for one in _replicates(resolved):
        family, position, dataset = one
        replicate = resolved.families[family].replicates[position]
        known, _ = store.memo(f"fingerprint/{memo_name(family, replicate.source, dataset)}")
        if not known or one in asked or _is_known(resolved, store, one):
            continue
        runner.ask_again(family, dataset, position)
        key, files = _place(resolved, one)
        if files:
            store.set_memo(key, files)


def _replicates(resolved: Resolved) -> Iterable[Asked]:
    for family, datasets in grouped(
        resolved.pairings
    ).items():  # each is loaded once for all of its data
        for position in range(len(resolved.families[family].replicates)):
            for dataset in datasets:
                yield family, position, dataset


def _asked_by(todo: Iterable[TaskSpec]) -> Iterable[Asked]:
    for task in todo:
        if task.family:
            yield task.family, task.replicate, task.dataset
        if task.reference:
            yield *task.reference, task.dataset


def _is_known(resolved: Resolved, store: TaskStore, one: Asked) -> bool:
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


def _place(resolved: Resolved, one: Asked) -> tuple[str, list[Any]]:
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
