"""Tables of scores: a row for each case, or for each case, trial and model, of any tool.

A file that a reader of rows knows: CSV, TSV, JSON, JSON lines, Parquet, Arrow, Excel. Options
behind ``#`` state the columns (``scores.csv#case=id,score=correct``); what was guessed is said.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from scrutiny.core.answers.texts import Text
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.boundary.printable import with_dots
from scrutiny.core.errors import DataError
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.data.columns import cell_of
from scrutiny.data.doubts import BadRow
from scrutiny.data.source import DataSource, parse_source, reading_options
from scrutiny.data.table import Table
from scrutiny.run.importing.logs import (
    LogFile,
    LoggedSample,
    LoggedTask,
    Problems,
    short_columns,
)
from scrutiny.run.importing.score_columns import (
    ScoreColumns,
    cell_text,
    find_columns,
    is_empty,
    score_of,
    sentence,
    stated_columns,
)

_TOOL: Final = "table"
_SUFFIXES: Final = frozenset(
    ".csv .tsv .jsonl .ndjson .json .parquet .arrow .feather .xlsx".split()
)
_PACKED: Final = (".gz", ".bz2", ".xz")
_READ: Final = "read"  # key of a file's header
_REPEATED: Final = "answers of one model, given again (trials of one table)"
#: Names of columns whose trials may be models of their own.
_SEEDS: Final = ("seed", "replicate", "run", "run_id")
_FEW: Final = 10  # one text in so many may occur twice and still be the identity of a case
_MOST_LABELS, _LONGEST_LABEL = 20, 40
#: Line, and cells by column.
FileRow = tuple[int, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """Row of a table, with the case and trial that it is of."""

    line: int
    values: Mapping[str, Any]
    case: str
    trial: str


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Rows of one model on one dataset, of a table.

    ``trials`` are those that are replicates, in order; ``bad`` rows were left out, and are told
    with the first of the models, as is what was ``read_as`` what.
    """

    columns: ScoreColumns
    rows: tuple[ScoredRow, ...]
    trials: tuple[str, ...]
    has_labels: bool
    bad: tuple[BadRow, ...] = ()
    notes: tuple[str, ...] = ()
    read_as: str = ""


def is_log(path: Path) -> bool:
    """Whether a path is a file of rows."""
    inner = path.with_suffix("") if path.suffix in _PACKED else path
    return inner.suffix.lower() in _SUFFIXES and path.is_file()


def files_of(path: Path, random: Mapping[str, str], options: str = "") -> list[LogFile]:
    """Models of a table, on each of its datasets.

    Parameters
    ----------
    path
        The file.
    random
        Random factors that all of it shares.
    options
        What stands behind ``#``.

    Raises
    ------
    DataError
        If the file cannot be read, or it cannot be told which rows are of one case.
    """
    table, stated = _opened(path, options)
    rows, bad = [], []
    for row in table.rows:
        if row.problem:
            bad.append(BadRow(f"{path.name}:{row.line}", row.problem))
        else:
            rows.append((row.line, row.values))
    if not rows:
        first = (
            f" The first row that cannot be read is {bad[0].source}: {bad[0].reason}."
            if bad
            else ""
        )
        raise DataError(f"{str(path)!r} holds no rows that can be read.{first}")
    columns = find_columns(table.columns, [values for _, values in rows], stated, path.name)
    parts = _parts(path, columns, rows, bad)
    if "trial" not in stated and not any(_is_repeated(columns, some) for some in parts.values()):
        columns = replace(columns, trial="")
    found = {key: _numbered(path.name, columns, some) for key, some in parts.items()}
    trials = [Counter(row.case for row in some) for some in found.values()]
    counts = {f"{n}/{case}": k for n, some in enumerate(trials) for case, k in some.items()}
    models = list(dict.fromkeys(model for model, _ in found))
    told = sentence(columns, path.name, trials=counts, models=models)
    labels = _has_labels(columns, rows)
    files: list[LogFile] = []
    for (model, dataset), some in found.items():
        kept, notes = _trials(some)
        own = ScoreTable(columns, tuple(some), kept, labels, notes=notes)
        if not files:
            own = replace(own, bad=tuple(bad), read_as=told)
        files.append(LogFile(path, model, dataset, "", random, {_READ: own}))
    return files


def _opened(path: Path, options: str) -> tuple[Table, dict[str, str]]:
    """Table of a file, and the options that state its columns."""
    scheme = parse_source(path.name).scheme
    where = f"{path.name}#{options}"
    stated, reading = stated_columns(options, where=where, reading=reading_options(scheme))
    return registry().load("reader", scheme)(DataSource(scheme, str(path), reading)), stated


def _parts(
    path: Path, columns: ScoreColumns, rows: Sequence[FileRow], bad: list[BadRow]
) -> dict[tuple[str, str], list[FileRow]]:
    """Rows by model and dataset; those of no case go to the bad ones."""
    stem = path.name.partition(".")[0]
    parts: dict[tuple[str, str], list[FileRow]] = {}
    for line, values in rows:
        model = columns.only if columns.is_wide else _text(values, columns.model)
        if columns.only and model != columns.only:
            continue
        name = columns.case or columns.text
        if name and not _text(values, name):
            bad.append(BadRow(f"{path.name}:{line}", f"it names no case: {name} is empty"))
            continue
        key = (model or stem, _text(values, columns.dataset) or stem)
        parts.setdefault(key, []).append((line, values))
    if not parts:
        raise DataError(f"{path.name}: no row can be read; {bad[0].source}: {bad[0].reason}.")
    return parts


def _text(values: Mapping[str, Any], name: str) -> str:
    """Cell of a row as text; empty where there is no column or no value."""
    if not name:
        return ""
    value = _value(values, name)
    return "" if is_empty(value) else cell_text(value)


def _identity(columns: ScoreColumns, values: Mapping[str, Any], line: int) -> str:
    """What pairs a case: its id, the digest of its text, or the number of its row."""
    if columns.case:
        return _text(values, columns.case)
    if columns.text:  # the same digest as of cases of other tools
        return blake2b(_text(values, columns.text).encode(), digest_size=8).hexdigest()
    return str(line)


def _is_repeated(columns: ScoreColumns, rows: Sequence[FileRow]) -> bool:
    """Whether some case has several rows."""
    return len({_identity(columns, v, line) for line, v in rows}) < len(rows)


def _numbered(place: str, columns: ScoreColumns, rows: Sequence[FileRow]) -> list[ScoredRow]:
    """Rows of one model on one dataset, each with its case and trial.

    Raises
    ------
    DataError
        If several rows of a case are neither told apart nor as many for every case.
    """
    if columns.trial:
        found = [
            ScoredRow(line, v, _identity(columns, v, line), _text(v, columns.trial) or "-")
            for line, v in rows
        ]
        twice = Counter((row.case, row.trial) for row in found).most_common(1)[0]
        if twice[1] > 1:
            raise DataError(
                f"{place} has {twice[1]} rows of {_named(columns, found, twice[0][0])} with "
                f"{columns.trial} {twice[0][1]!r}. Trials of a case are told apart by one column, "
                "and models by another: name them, as in "
                f"{place}#trial=NAME,model=NAME, or leave rows out."
            )
        return found
    seen: Counter[str] = Counter()
    found = []
    for number, (line, values) in enumerate(rows, 1):
        case = _identity(columns, values, number)
        seen[case] += 1
        found.append(ScoredRow(line, values, case, str(seen[case])))
    low, high = min(seen.values()), max(seen.values())
    if low == high:
        return found
    n_repeated = sum(count > 1 for count in seen.values())
    if not columns.case and _FEW * n_repeated <= len(seen):  # a text or two occur again
        return [
            replace(
                row,
                case=row.case if row.trial == "1" else f"{row.case}-{int(row.trial) - 1}",
                trial="1",
            )
            for row in found
        ]
    case, count = seen.most_common(1)[0]
    raise DataError(
        f"{place} has {count} rows of {_named(columns, found, case)}, and {low} of others, and no "
        "column tells them apart. If they are trials, name the column that numbers them "
        f"({place}#trial=NAME); if they are of several models, that of the models "
        f"({place}#model=NAME); if they are cases of their own, a column of ids "
        f"({place}#case=NAME)."
    )


def _named(columns: ScoreColumns, rows: Sequence[ScoredRow], case: str) -> str:
    """Case as the file has it."""
    row = next(one for one in rows if one.case == case)
    name = columns.case or columns.text
    return f"{name} {_text(row.values, name):.60}" if name else f"row {case}"


def _trials(rows: Sequence[ScoredRow]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Trials that are replicates, and a sentence on others.

    A trial that fewer than half of the cases have would leave few items that all trials have.
    """
    counts = Counter(row.trial for row in rows)
    n_cases = len({row.case for row in rows})
    kept = tuple(trial for trial in counts if 2 * counts[trial] >= n_cases)
    if not kept:
        kept = (counts.most_common(1)[0][0],)
    left = [trial for trial in counts if trial not in kept]
    if not left:
        return kept, ()
    n_left = sum(counts[trial] for trial in left)
    return kept, (
        f"{n_left:,} rows were left out: their trials ({with_dots(left, 3)}) are of fewer than "
        "half of the cases.",
    )


def _has_labels(columns: ScoreColumns, rows: Sequence[FileRow]) -> bool:
    """Whether answers are labels: few short words, of which gold answers are some."""
    if not columns.answer or not columns.gold:
        return False
    said = {_text(values, columns.answer) for _, values in rows}
    golds = {_text(values, columns.gold) for _, values in rows}
    is_short = all(len(word) <= _LONGEST_LABEL for word in said | golds)
    return is_short and 1 < len(golds) and len(said | golds) <= min(_MOST_LABELS, len(rows) / 2)


def logged(file: LogFile) -> list[LoggedTask]:
    """Trials of one model on one dataset, each separately."""
    table: ScoreTable = file.header[_READ]
    columns = table.columns
    name = columns.trial or "trial"
    bare, metrics = replace(file, header={}), _metrics(columns)
    read = partial(_read, table, file.path.name)
    made = bare.logged(_TOOL, partial(read, table.trials[0]))
    lower = frozenset(metrics[score] for score in columns.lower if score in metrics)
    made = replace(made, lower_is_better=lower, notes=table.notes, read_as=table.read_as)
    if len(table.trials) == 1:
        return [made]
    return [
        replace(
            made,
            file=replace(bare, random={**file.random, name: trial}),
            source=f"{made.source}/{name}-{trial}",
            read=partial(read, trial),
            replicates_of="" if file.random or name.casefold() in _SEEDS else _REPEATED,
            notes=() if number else table.notes,
            read_as="" if number else table.read_as,
        )
        for number, trial in enumerate(table.trials)
    ]


def _metrics(columns: ScoreColumns) -> dict[str, str]:
    """Names of scores by column: of one that is named after its model, "score"."""
    if columns.is_wide:
        return dict.fromkeys(columns.scores, "score")
    short = {name: name.rpartition(".")[2] or name for name in columns.scores}
    return short if len({*short.values()}) == len(short) else {name: name for name in short}


def _read(table: ScoreTable, place: str, trial: str, problems: Problems) -> Iterator[LoggedSample]:
    """Samples of one trial; bad rows are told with the first."""
    if trial == table.trials[0]:
        for bad in table.bad:
            problems.bad(bad.source, bad.reason)
    columns, named = table.columns, table.columns.named
    conditions = {n: canonical_json({"metric": m}) for n, m in _metrics(columns).items()}
    for row in table.rows:
        if row.trial != trial:
            continue
        scores = {}
        for name, condition in conditions.items():
            value = _value(row.values, name)
            number = score_of(value)
            if number is None and not is_empty(value):
                problems.skipped[f"{name} is no number, such as {str(value)[:30]!r}"] += 1
            scores[condition] = number
        answer = _text(row.values, columns.answer)
        said = Prediction(answer if table.has_labels else Text(answer))
        beside = columns.groups or [name for name in row.values if name not in named]
        yield LoggedSample(
            item=row.case,
            source=f"{place}:{row.line}",
            text=_text(row.values, columns.text),
            gold=_text(row.values, columns.gold) or None,
            scores=scores,
            answers={"{}": said} if columns.answer else {},
            columns=short_columns({name: _value(row.values, name) for name in beside}),
            failure="" if any(n is not None for n in scores.values()) else "no_score",
        )


def _value(values: Mapping[str, Any], name: str) -> Any:
    """Cell of a row; None where there is none."""
    try:
        return cell_of(values, name)
    except KeyError:
        return None
