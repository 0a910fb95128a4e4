"""Logs of other tools, whatever the tool: files, the tasks they hold, and samples of these.

Of several runs of one task one is chosen; patterns with captures name many files at once.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.core.record import grouped
from scrutiny.core.task import Prediction
from scrutiny.data.doubts import BadRow
from scrutiny.data.reading import OnBadRow
from scrutiny.models.strings.model_families import describe_place, match_paths
from scrutiny.models.strings.model_strings import captures, fill_captures
from scrutiny.store.files import hash_file

_TRUTHS: Final[Mapping[str, float]] = {"True": 1.0, "False": 0.0}
_LONGEST: Final = 40  # letters of a word that could group items


@dataclass(frozen=True, slots=True)
class LoggedSample:
    """Result of one item, from one line of a log.

    Parameters
    ----------
    item
        Identity that pairs it with the same item in other logs.
    source
        ``file:line`` it stands at.
    text
        What the model was asked, without examples and instructions where they can be told apart.
    gold
        The right answer, in words.
    scores
        Numbers by condition (canonical JSON of metric and filter); None if there is none.
    answers
        Answer of the model, by condition (canonical JSON of the filter).
    choices
        Answers it could choose from.
    columns
        Other values of the item in the log, as text.
    failure
        Short code of why there is no score at all, or empty.
    """

    item: str
    source: str
    text: str
    gold: str | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    answers: Mapping[str, Prediction] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    failure: str = ""


@dataclass(slots=True)
class Problems:
    """Counts of unreadable lines; each is reported.

    Parameters
    ----------
    on_bad_row
        Whether a bad line is left out and listed, or ends the reading.
    bad_rows
        Lines that were left out.
    skipped
        What else was left out, with how often.
    """

    on_bad_row: OnBadRow = "skip"
    bad_rows: list[BadRow] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    def bad(self, source: str, reason: str) -> None:
        """Leave out a line.

        Raises
        ------
        DataError
            If bad lines end the reading.
        """
        if self.on_bad_row == "fail":
            raise DataError(f"{source}: {reason}. Without --on-bad-row fail it is left out.")
        self.bad_rows.append(BadRow(source, reason))


@dataclass(frozen=True, slots=True)
class LoggedTask:
    """One model on one task, from one log.

    Parameters
    ----------
    file
        The log; several epochs are of one, told apart by their random factors.
    source
        What it is a log of: model, date and digest; the same for the same file only.
    read
        Samples, one at a time; problems are told.
    printed
        Numbers that the tool computed over all items of the file, by condition.
    lower_is_better
        Metrics of which less is better.
    notes
        Sentences on how the model was queried.
    replicates_of
        What several of them are replicates of, where the log says.
    read_as
        What was read as what, in a sentence, where that was guessed; else empty.
    """

    file: "LogFile"
    source: str
    read: Callable[[Problems], Iterator[LoggedSample]]
    printed: Mapping[str, float] = field(default_factory=dict)
    lower_is_better: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    replicates_of: str = ""
    read_as: str = ""


def number_of(value: Any, words: Mapping[str, float] = _TRUTHS) -> float | None:
    """Number of a JSON value or text; ``None`` if it is not a finite number.

    Examples
    --------
    >>> number_of("True"), number_of("-1.5"), number_of(float("nan")), number_of([1, 2])
    (1.0, -1.5, None, None)
    """
    if isinstance(value, str):
        try:
            value = words[value] if value in words else float(value)
        except ValueError:
            return None
    if not isinstance(value, (bool, int, float)) or not math.isfinite(value):
        return None
    return float(value)


def short_columns(values: Mapping[str, Any]) -> dict[str, str]:
    """Columns of a logged sample that could group items: short words and whole numbers.

    Examples
    --------
    >>> short_columns({"topic": "food", "year": 1999, "score": 0.5, "tags": ["a"], "is_long": True})
    {'topic': 'food', 'year': '1999', 'is_long': 'yes'}
    """
    found = {}
    for name, value in values.items():
        if isinstance(value, bool):
            found[name] = "yes" if value else "no"
        elif isinstance(value, int) or (isinstance(value, str) and 0 < len(value) <= _LONGEST):
            found[name] = str(value)
    return found


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
        Factors that tell it from replicates of the same model: captures of the path that it was
        found by, epoch, date.
    header
        Header that the tool wrote about the whole run.
    """

    path: Path
    subject: str
    task: str
    date: str
    random: Mapping[str, str] = field(default_factory=dict)
    header: Mapping[str, Any] = field(default_factory=dict)

    def logged(
        self, tool: str, read: Callable[[Problems], Iterator[LoggedSample]], **more: Any
    ) -> LoggedTask:
        """What the log of a tool holds; ``more`` are further members of it."""
        source = f"{tool}:{self.subject}@{self.date}#{hash_file(self.path)[:12]}"
        return LoggedTask(self, source, read, **more)


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
    if not captures(pattern):
        return list(files)
    # a dataset that is called as its file is one for all files of the pattern
    name = Path(pattern).name.partition(".")[0]
    files = [replace(f, task=name) if f.task == f.path.name.partition(".")[0] else f for f in files]
    if len({f.subject for f in files}) == 1:
        return files
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
