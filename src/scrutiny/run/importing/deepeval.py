"""Results of DeepEval: the JSON file of a test run, as it writes them to its results folder.

``DEEPEVAL_RESULTS_FOLDER`` makes it write one for each run; ``.deepeval/.latest_test_run.json``
is the newest. The model is what the hyperparameters call so, else the file's name. Items pair by
their input.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.run.importing.case_files import (
    PASSED,
    Case,
    as_text,
    files_at,
    holds,
    logged_cases,
    value_of,
)
from scrutiny.run.importing.log_files import LogFile
from scrutiny.run.importing.samples import LoggedTask

_TOOL: Final = "deepeval"
_LATEST: Final = "testRunData"  # key of the run within the file of the latest


def is_log(path: Path) -> bool:
    """Whether a path is the file of a test run, or a folder that holds some."""
    return holds(path, b'"testCases"', b'"metricsData"')


def files_of(path: Path, random: Mapping[str, str]) -> list[LogFile]:
    """Test runs at a path.

    Raises
    ------
    DataError
        If there are none, or one cannot be read.
    """
    return [
        LogFile(one, _model(run) or one.stem, str(run.get("testFile") or one.stem), "", random)
        for one, value in files_at(path, _TOOL, is_log)
        for run in [_run(value, one)]
    ]


def logged(file: LogFile) -> list[LoggedTask]:
    """Cases of a test run."""
    run = _run(value_of(file.path, _TOOL), file.path)

    def rows() -> Iterator[tuple[str, Any]]:
        for number, row in enumerate(run["testCases"]):
            yield f"testCases[{number}]", row

    return logged_cases(file, _TOOL, rows, _case)


def _run(value: Any, path: Path) -> Mapping[str, Any]:
    """Test run in the value of a file."""
    run = value.get(_LATEST, value) if isinstance(value, dict) else None
    if not isinstance(run, dict) or not isinstance(run.get("testCases"), list):
        raise DataError(f"{str(path)!r} holds no test run of deepeval: it has no list testCases.")
    if not run["testCases"] and run.get("conversationalTestCases"):
        raise DataError(
            f"{str(path)!r} holds conversations only (conversationalTestCases), which are not read "
            "yet: single turns are (testCases)."
        )
    return run


def _model(run: Mapping[str, Any]) -> str:
    """Name of the model among the hyperparameters of a run; empty if it says none."""
    stated = run.get("hyperparameters")
    named = stated.get("model") if isinstance(stated, dict) else None
    return named if isinstance(named, str) else ""


def _case(row: Mapping[str, Any]) -> Case:
    """Result of one test case."""
    metrics = row.get("metricsData") or ()
    scores = {str(one["name"]): None if one.get("error") else one.get("score") for one in metrics}
    failed = any(one.get("success") is False and not one.get("error") for one in metrics)
    is_known = failed or not any(one.get("error") for one in metrics)
    passed = row.get("success") if is_known else None  # an error counts as a failure there
    right = row.get("expectedOutput")
    answer = row.get("actualOutput")
    return Case(
        text=as_text(row["input"]),
        answer=None if answer is None else as_text(answer),
        gold=None if right is None else as_text(right),
        scores={PASSED: passed, **scores},
    )
