"""Log files: expansion of patterns, and choice among several runs of one task."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scrutiny.core.errors import DataError
from scrutiny.core.grouping import grouped
from scrutiny.models.strings.matching import describe_place, match_paths
from scrutiny.models.strings.source import captures, fill_captures


@dataclass(frozen=True, slots=True)
class LogFile:
    """Log of one model on one task.

    Parameters
    ----------
    path
        Where it is.
    subject, task, date
        Model, task and date of the log; dates sort as text.
    random
        Captures of the path that it was found by.
    header
        Header that the tool wrote about the whole run.
    """

    path: Path
    subject: str
    task: str
    date: str
    random: Mapping[str, str] = field(default_factory=dict)
    header: Mapping[str, Any] = field(default_factory=dict)


def matching_logs(pattern: str) -> list[tuple[Path, dict[str, str]]]:
    """Logs that a pattern with captures names: their paths, with the captured values.

    Raises
    ------
    DataError
        If there is no such path.

    Examples
    --------
    >>> matching_logs(".")[0][1]
    {}
    """
    if not captures(pattern):
        path = Path(pattern).expanduser()
        if not path.exists():
            raise DataError(f"There is no {pattern!r}. {describe_place(f'{pattern}{{x}}')}")
        return [(path, {})]
    found = match_paths(pattern)
    if not found:
        raise DataError(f"Nothing matches {pattern!r}. {describe_place(pattern)}")
    return [(Path(fill_captures(pattern, values)).expanduser(), values) for values in found]


def under_one_name(files: Sequence[LogFile], pattern: str) -> list[LogFile]:
    """Files of a pattern with captures, as replicates of their model or of the pattern.

    Raises
    ------
    DataError
        If some of them hold several models, so that it cannot be told which replicate is whose.
    """
    if not captures(pattern) or len({f.subject for f in files}) == 1:
        return list(files)
    members: dict[tuple[tuple[str, str], ...], set[str]] = {}
    for file in files:
        members.setdefault(tuple(sorted(file.random.items())), set()).add(file.subject)
    crowded = next((found for found in members.values() if len(found) > 1), None)
    if crowded is not None:
        raise DataError(
            f"{pattern!r} matches folders with several models each ({', '.join(sorted(crowded))}): "
            "write the pattern down to one model's folder."
        )
    return [replace(file, subject=pattern) for file in files]


def chosen(files: Iterable[LogFile], *, each_date: bool) -> tuple[list[LogFile], list[str]]:
    """Files that are used, and sentences about those that are not.

    Of several runs of one model on one task the newest counts, unless all are wanted: then they
    are replicates.
    """
    groups = grouped(((f.subject, f.task, tuple(sorted(f.random.items()))), f) for f in files)
    kept, notes = [], []
    for members in groups.values():
        ordered = sorted(members, key=lambda f: (f.date, str(f.path)))
        if len(ordered) == 1:
            kept += ordered
        elif each_date:
            kept += [replace(f, random={**f.random, "date": f.date}) for f in ordered]
        else:
            kept.append(ordered[-1])
            left = ", ".join(f.path.name for f in ordered[:-1])
            notes.append(
                f"{ordered[-1].subject} on {ordered[-1].task}: the newest of {len(ordered)} runs "
                f"counts; left out: {left} (--each-date takes all, as replicates)."
            )
    return kept, notes
