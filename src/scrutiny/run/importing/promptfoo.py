"""Results of promptfoo: the file of ``promptfoo eval --output results.json``, or ``.jsonl``.

A provider is a model; with several prompts, a provider with each is one. Items pair by the
variables of a test, whatever its place in the file.
"""

import re
from collections import Counter
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

_TOOL: Final = "promptfoo"
_ERROR: Final = 2  # what `failureReason` is where the provider or a grader broke
#: What stands for a prompt and an output that were not to be written (PROMPTFOO_STRIP_...).
_NO_PROMPT: Final = "[prompt stripped]"
_NO_OUTPUT: Final = "[output stripped]"
#: Reason of a test without assertions, which passes whatever the model answers.
_UNTESTED: Final = "No assertions"
_VARIABLE: Final = re.compile(r"\{\{-?\s*(\w+)\s*-?\}\}")
_LABEL: Final = 40  # characters of a prompt that are part of a name


def is_log(path: Path) -> bool:
    """Whether a path is a file of results, or a folder that holds some."""
    return (
        holds(path, b'"evalId"', b'"results"')
        or holds(path, b'"promptIdx"', b'"results"')
        or holds(path, b'"promptIdx"', b'"testIdx"', suffix=".jsonl")
    )


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
    results = _results(value, file.path)
    first = next(iter(_subjects(results)))  # whose problems those are that are of no provider

    def rows() -> Iterator[tuple[str, Any]]:
        # tests end in any order, and stand in it: repeats are numbered by the order they began in
        for number, row in sorted(enumerate(results), key=lambda one: _place(one[1])):
            if (_key(row) if isinstance(row, dict) else first) == file.header["key"]:
                yield f"results[{number}]", row

    # How often each test was asked, as options of the configuration or of the command say.
    if not isinstance(value, dict):
        repeats = 1
    else:
        config = part_of(value, "config")
        options = [part_of(config, name) for name in ("evaluateOptions", "commandLineOptions")]
        stated = [one.get("repeat") for one in (*options, part_of(value, "runtimeOptions"))]
        repeats = max([1, *(count for count in stated if isinstance(count, int))])
    return logged_cases(file, _TOOL, rows, _case, repeats=repeats)


def _place(row: Any) -> float:
    """Number of a result's test; those without one come last, in the order of the file."""
    number = row.get("testIdx") if isinstance(row, dict) else None
    return number if isinstance(number, int) else float("inf")


def _summary(value: Any, path: Path) -> Mapping[str, Any]:
    """Summary of an evaluation: the list of results and what stands beside it."""
    if isinstance(value, list) and path.suffix == ".jsonl":
        return {"results": value}
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


def _key(row: Mapping[str, Any]) -> tuple[str, int | str]:
    """Provider and prompt of a result: its number, or its label in files before version 3."""
    named = row.get("provider")
    if isinstance(named, dict):
        named = named.get("label") or named.get("id")
    index = row.get("promptIdx")
    return str(named or ""), index if isinstance(index, int) else _label(row)


def _label(row: Mapping[str, Any]) -> str:
    prompt = part_of(row, "prompt")
    return str(prompt.get("label") or prompt.get("display") or "")


def _subjects(results: list[Any]) -> dict[tuple[str, int | str], str]:
    """Names of models by provider and prompt: the provider's, with the prompt's among several."""
    labels = {_key(row): _label(row) for row in results if isinstance(row, dict)}
    if len(labels) == len({provider for provider, _ in labels}):
        return {key: key[0] for key in labels}
    short = {key: f"{key[0]} ({(label or str(key[1]))[:_LABEL]})" for key, label in labels.items()}
    alike = Counter(short.values())  # prompts that begin alike
    number = {key: n for n, key in enumerate(labels)}
    return {
        key: name if alike[name] == 1 else f"{name.removesuffix(')')}, prompt {number[key] + 1})"
        for key, name in short.items()
    }


def _case(row: Any) -> CaseResult:
    """Result of one test."""
    if not isinstance(row, dict):
        raise TypeError("a result is an object")
    test, graded = part_of(row, "testCase"), part_of(row, "gradingResult")
    given = part_of(row, "vars") or part_of(test, "vars")
    output = part_of(row, "response").get("output")
    is_untested = graded.get("reason") == _UNTESTED
    if isinstance(row.get("failureReason"), int):
        broke = bool(row["failureReason"] == _ERROR)
    else:
        broke = bool(row.get("error") and not graded)
    return CaseResult(
        text=_text(row, given),
        answer=None if output in (None, _NO_OUTPUT) else as_text(output),
        gold=_gold(test, given),
        scores={
            **part_of(row, "namedScores"),
            PASSED: None if is_untested else row["success"],
            "score": None if is_untested else row.get("score"),
        },
        failure="sample_error" if broke else "",
    )


def _text(row: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """What a test asks: its only variable, all of them, or the prompt where it has none."""
    text = as_text(next(iter(given.values()))) if len(given) == 1 else ""
    if text or given:
        return text or as_text(given)
    raw = part_of(row, "prompt")["raw"]
    return f"test {row['testIdx']}" if raw == _NO_PROMPT else as_text(raw)


def _gold(test: Mapping[str, Any], given: Mapping[str, Any]) -> str | None:
    """Value that the only ``equals`` of a test asks for; of a template, its variable's value."""
    stated = test.get("assert")
    asked = [one for one in stated if isinstance(one, dict)] if isinstance(stated, list) else []
    right = [one.get("value") for one in asked if one.get("type") == "equals"]
    if len(right) != 1:
        return None
    text = as_text(right[0])
    variable = _VARIABLE.fullmatch(text.strip())
    if variable is not None:
        return as_text(given[variable[1]]) if variable[1] in given else None
    return None if _VARIABLE.search(text) else text
