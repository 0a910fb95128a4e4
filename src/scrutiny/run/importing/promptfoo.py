"""Results of promptfoo: the JSON file of ``promptfoo eval --output results.json``.

A provider is a model; with several prompts, a provider with each is one. Items pair by the
variables of a test, whatever its place in the file.
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

_TOOL: Final = "promptfoo"
_ERROR: Final = 2  # what `failureReason` is where the provider or a grader broke


def is_log(path: Path) -> bool:
    """Whether a path is a file of results, or a folder that holds some."""
    return holds(path, b'"evalId"', b'"results"') or holds(path, b'"promptIdx"', b'"results"')


def files_of(path: Path, random: Mapping[str, str]) -> list[LogFile]:
    """Results at a path, one entry for each provider and prompt.

    Raises
    ------
    DataError
        If there are none, or they cannot be read.
    """
    return [
        LogFile(one, subject, one.stem, date, random, {"key": key})
        for one, value in files_at(path, _TOOL, is_log)
        for date in [str(_summary(value, one).get("timestamp", ""))]
        for key, subject in _subjects(_results(value, one)).items()
    ]


def logged(file: LogFile) -> list[LoggedTask]:
    """Results of one provider with one prompt; repeats are replicates."""
    value = value_of(file.path, _TOOL)
    config = _part(value, "config")
    repeats = max(
        _whole(_part(config, name).get("repeat"))
        for name in ("evaluateOptions", "commandLineOptions")
    )

    results = _results(value, file.path)
    first = next(iter(_subjects(results)))  # whose problems those are that are of no provider

    def rows() -> Iterator[tuple[str, Any]]:
        for number, row in enumerate(results):
            if (_key(row) if isinstance(row, dict) else first) == file.header["key"]:
                yield f"results[{number}]", row

    return logged_cases(file, _TOOL, rows, _case, repeats=repeats)


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Object under a name; an empty one where something else stands there."""
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and value > 1 else 1


def _summary(value: Any, path: Path) -> Mapping[str, Any]:
    """Summary of an evaluation: the list of results and what stands beside it."""
    found = value.get("results") if isinstance(value, dict) else None
    if isinstance(found, list):  # what the summary itself is, as the node package returns it
        return dict(value)
    if not isinstance(found, dict) or not isinstance(found.get("results"), list):
        raise DataError(f"{str(path)!r} holds no results of promptfoo: it has no results.results.")
    return found


def _results(value: Any, path: Path) -> list[Any]:
    found = list(_summary(value, path)["results"])
    if not any(isinstance(row, dict) for row in found):
        raise DataError(f"{str(path)!r} holds no results of promptfoo: results.results is empty.")
    return found


def _key(row: Mapping[str, Any]) -> tuple[str, int]:
    """Provider and number of the prompt of a result."""
    named = row.get("provider")
    if isinstance(named, dict):
        named = named.get("label") or named.get("id")
    index = row.get("promptIdx")
    return str(named or ""), index if isinstance(index, int) else 0


def _subjects(results: list[Any]) -> dict[tuple[str, int], str]:
    """Names of models by provider and prompt: the provider's, with the prompt's among several."""
    prompts = {_key(row): _part(row, "prompt") for row in results if isinstance(row, dict)}
    several = len(prompts) > len({provider for provider, _ in prompts})
    labels = {key: str(prompt.get("label") or key[1]) for key, prompt in prompts.items()}
    return {key: f"{key[0]} ({labels[key][:40]})" if several else key[0] for key in prompts}


def _case(row: Mapping[str, Any]) -> Case:
    """Result of one test."""
    given = row.get("vars") or (row.get("testCase") or {}).get("vars") or {}
    text = as_text(next(iter(given.values()))) if len(given) == 1 else ""
    text = text or (as_text(given) if given else as_text((row.get("prompt") or {})["raw"]))
    output = (row.get("response") or {}).get("output")
    graded = row.get("gradingResult") or {}
    broke = row.get("failureReason") == _ERROR or bool(row.get("error") and not graded)
    tests = (row.get("testCase") or {}).get("assert") or ()
    named = row.get("namedScores") or {}
    right = [t.get("value") for t in tests if t.get("type") == "equals"]
    return Case(
        text=text,
        answer=None if output is None else as_text(output),
        gold=as_text(right[0]) if len(right) == 1 else None,
        scores={PASSED: row["success"], "score": row.get("score"), **named},
        failure="sample_error" if broke else "",
    )
