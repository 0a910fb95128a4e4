"""Results of DeepEval: the JSON file of a test run, as it writes them to its results folder.

``DEEPEVAL_RESULTS_FOLDER`` makes it write one for each run, without an ending in older versions;
``.deepeval/.latest_test_run.json`` and ``.latest_run_full.json`` are the newest. What ``evaluate``
returns, as JSON, is read as well. The model is what the hyperparameters call so, else the file's
name. Items pair by their input.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.run.importing.case_files import (
    PASSED,
    CaseResult,
    as_text,
    files_at,
    holds,
    logged_cases,
    part_of,
    value_of,
)
from scrutiny.run.importing.logs import LogFile, LoggedTask

_TOOL: Final = "deepeval"
_LATEST: Final = "testRunData"  # key of the run within the file of the latest
_LINK: Final = "testRunLink"
#: Names of one thing: in the files, in what `evaluate` returns, in versions before 1.0.
_CASES: Final = ("testCases", "test_results")
_METRICS: Final = ("metricsData", "metrics_data", "metricsMetadata")
_OUTPUT: Final = ("actualOutput", "actual_output")
_EXPECTED: Final = ("expectedOutput", "expected_output")
#: Time at the end of a file's name: ``test_run_20261129_111203``.
_DATED: Final = re.compile(r"_?(\d{8}_\d{6})$")


def is_log(path: Path) -> bool:
    """Whether a path is the file of a test run, or a folder that holds some."""
    return any(
        holds(path, f'"{cases}"'.encode(), f'"{metrics}"'.encode(), suffix=suffix)
        for cases in _CASES
        for metrics in _METRICS
        for suffix in (".json", "")
    )


def files_of(path: Path, random: Mapping[str, str]) -> list[LogFile]:
    """Test runs at a path; a run of which a folder has two copies is one.

    Raises
    ------
    DataError
        If there are none, or one cannot be read.
    """
    found: dict[str, LogFile] = {}
    for one, value in files_at(path, _TOOL, is_log):
        run = _run(value, one)
        # the name of a file is its time, which is no dataset: runs of one folder are of one task
        at_end = _DATED.search(one.stem)
        name, date = (one.stem[: at_end.start()], at_end[1]) if at_end else (one.stem, "")
        task = str(run.get("testFile") or name or one.stem)
        file = LogFile(one, _model(run) or one.stem, task, date, random)
        found.setdefault(json.dumps(_measured(run), sort_keys=True), file)  # scores may be NaN
    return list(found.values())


def logged(file: LogFile) -> list[LoggedTask]:
    """Cases of a test run."""
    cases = _cases(_run(value_of(file.path, _TOOL), file.path))

    def rows() -> Iterator[tuple[str, Any]]:
        for number, row in enumerate(cases):
            yield f"testCases[{number}]", row

    return logged_cases(file, _TOOL, rows, _case)


def _run(value: Any, path: Path) -> Mapping[str, Any]:
    """Test run in the value of a file."""
    run = value.get(_LATEST, value) if isinstance(value, dict) else None
    if isinstance(run, dict) and _LINK in run and not _of(run, _CASES):
        raise DataError(
            f"{str(path)!r}: this test run was uploaded, and only its link is kept. The file of "
            "DEEPEVAL_RESULTS_FOLDER, or .latest_run_full.json beside it, has its cases."
        )
    if not isinstance(run, dict) or not isinstance(_of(run, _CASES), list):
        raise DataError(f"{str(path)!r} holds no test run of deepeval: it has no list testCases.")
    if not _cases(run) and run.get("conversationalTestCases"):
        raise DataError(
            f"{str(path)!r} holds conversations only (conversationalTestCases), which are not read "
            "yet: single turns are (testCases)."
        )
    return run


def _cases(run: Mapping[str, Any]) -> list[Any]:
    return list(_of(run, _CASES))


def _measured(run: Mapping[str, Any]) -> list[Any]:
    """What a run has measured, whatever else a copy of it holds."""
    return [
        [row.get("input"), _of(row, _OUTPUT), _of(row, _METRICS)] if isinstance(row, dict) else row
        for row in _cases(run)
    ]


def _of(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Value under the first of these names that is there."""
    return next((value[name] for name in names if value.get(name) is not None), None)


def _model(run: Mapping[str, Any]) -> str:
    """Name of the model among the hyperparameters of a run; empty if it says none."""
    named = part_of(run, "hyperparameters").get("model")
    return named if isinstance(named, str) else ""


def _case(row: Any) -> CaseResult:
    """Result of one test case."""
    if not isinstance(row, dict):
        raise TypeError("a test case is an object")
    metrics = _of(row, _METRICS) or ()
    scores = {str(one["name"] if "name" in one else one["metric"]): _score(one) for one in metrics}
    deciding = [one for one in metrics if not one.get("flaky")]  # the others never fail a case
    failed = any(one.get("success") is False and not one.get("error") for one in deciding)
    is_known = failed or not any(one.get("error") for one in deciding)
    passed = row.get("success") if is_known else None  # an error counts as a failure there
    right, answer = _of(row, _EXPECTED), _of(row, _OUTPUT)
    return CaseResult(
        text=as_text(row["input"]),
        answer=None if answer is None else as_text(answer),
        gold=None if right is None else as_text(right),
        scores={**scores, PASSED: passed},
    )


def _score(metric: Mapping[str, Any]) -> Any:
    """Score of a metric; None of one that ended with an error."""
    return None if metric.get("error") else metric.get("score")
