"""Logs of lm-evaluation-harness: ``samples_TASK_DATE.jsonl`` next to ``results_DATE.json``."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.errors import DataError
from scrutiny.run.importing.lm_eval_lines import (
    ItemNames,
    choices_and_text,
    condition_of,
    metrics_of,
    sampled,
    score_of,
)
from scrutiny.run.importing.logs import LogFile, LoggedSample, LoggedTask, Problems, number_of
from scrutiny.store.files import hash_file

_SAMPLES: Final = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+))?")


def is_log(path: Path) -> bool:
    """Whether a path is a file of samples, or a folder that holds some."""
    if path.is_dir():
        return next(path.rglob("samples_*.jsonl"), None) is not None
    return path.suffix == ".jsonl" and path.name.startswith("samples_")


def files_of(path: Path, random: Mapping[str, str]) -> list[LogFile]:
    """Files of samples at a path, each with the results file next to it.

    Raises
    ------
    DataError
        If there is none.
    """
    found = sorted(path.rglob("samples_*.jsonl")) if path.is_dir() else [path]
    if not found:
        raise DataError(
            f"{str(path)!r} holds no samples_*.jsonl: lm-eval writes them with --log_samples, "
            "beside its results_*.json."
        )
    return [_file_of(one, random) for one in found]


def _file_of(path: Path, random: Mapping[str, str]) -> LogFile:
    """One file of samples."""
    match = _SAMPLES.fullmatch(path.stem)
    if path.suffix != ".jsonl" or match is None:
        raise DataError(f"{str(path)!r} is no file of samples: lm-eval names it samples_*.jsonl.")
    date = match["date"] or ""
    results = path.with_name(f"results_{date}.json" if date else "results.json")
    header: dict[str, Any] = {}
    if results.is_file():
        try:
            header = parse_json(results.read_bytes())
            _must_be_results(header, match["task"])
        except (ValueError, TypeError, OverflowError) as error:
            raise DataError(f"{results} cannot be read: {error}") from error
    name = header.get("model_name") or path.parent.name.replace("__", "/") or "model"
    return LogFile(path, str(name), match["task"], date, random, header)


def _must_be_results(header: Any, task: str) -> None:
    """Raise for a results file that does not hold what lm-eval writes of a task."""
    if not isinstance(header, dict):
        raise TypeError("it is no object")
    for name in ("configs", "n-shot", "higher_is_better", "results"):
        held = header.get(name, {})
        if not isinstance(held, dict):
            raise TypeError(f"{name!r} is no object of tasks")
        one = held.get(task, {})
        if name == "n-shot":
            int(one or 0)
        elif not isinstance(one, dict):
            raise TypeError(f"{name!r} of {task} is no object")


def logged(file: LogFile) -> list[LoggedTask]:
    """Model and task of a file."""
    header, task = file.header, file.task
    config = header.get("configs", {}).get(task, {})
    shots = header.get("n-shot", {}).get(task)
    better = header.get("higher_is_better", {}).get(task, {})
    notes = [] if shots in (None, 0) else [f"{task} was asked with {shots} examples in front."]
    if not header:
        notes.append(f"There is no results_*.json beside the samples in {file.path.parent.name}.")
    # Numbers that lm-eval computed over all items, by condition.
    results = header.get("results", {}).get(task, {})
    found = {}
    for key, value in results.items():
        metric, comma, name = key.partition(",")
        number = number_of(value)
        if comma and number is not None and not metric.endswith("_stderr"):
            found[condition_of(metric, name)] = number
    return [
        LoggedTask(
            task=task,
            subject=file.subject,
            random=file.random,
            source=f"lm-eval:{file.subject}@{file.date or 'undated'}#{hash_file(file.path)[:12]}",
            read=partial(_read, file.path, config, int(shots or 0)),
            file=file.path,
            printed=found,
            lower_is_better=frozenset(name for name, is_up in better.items() if is_up is False),
            notes=tuple(notes),
        )
    ]


def _read(
    path: Path, config: Mapping[str, Any], shots: int, problems: Problems
) -> Iterator[LoggedSample]:
    """Samples of a file, line by line."""
    names = ItemNames()
    seen: dict[tuple[str, str], int] = {}
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            place = f"{path.name}:{number}"
            try:
                row = parse_json(line)
                sample = sampled(
                    row, names, place, partial(choices_and_text, config=config, shots=shots)
                )
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                # Description of the problem with a line.
                if isinstance(error, json.JSONDecodeError):
                    words = f"no JSON: {error}"
                elif isinstance(error, KeyError):
                    words = f"it has no {error.args[0]!r}"
                else:
                    words = f"it cannot be read: {error}"
                problems.bad(place, words)
                continue
            key = sample.item, str(row.get("filter", "none"))
            if key in seen:
                problems.bad(place, f"the same item and filter are on line {seen[key]}")
                continue
            seen[key] = number
            for metric in metrics_of(row):
                if score_of(metric, row[metric]) is None:
                    problems.skipped[f"{metric}: no number of a single item"] += 1
            yield sample
