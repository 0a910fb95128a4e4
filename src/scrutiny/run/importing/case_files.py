"""Files of tools that test prompts: a JSON object, or a line, with a result for each test case."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from scrutiny.core.answers.texts import Text
from scrutiny.core.boundary.json_text import canonical_json, parse_json
from scrutiny.core.errors import DataError
from scrutiny.core.task import Prediction
from scrutiny.run.importing.logs import LogFile, LoggedSample, LoggedTask, Problems, number_of

#: Whether a case passed, under one name for all tools, so that their files can be compared.
PASSED: Final = "passed"
_PEEKED: Final = 1 << 16
_UNREADABLE: Final = (ValueError, KeyError, TypeError, AttributeError, IndexError)


class CaseResult(NamedTuple):
    """Result of one test case, of any tool.

    ``scores`` are by metric; None is a score that the tool could not give. ``failure`` is a short
    code of why there are none at all.
    """

    text: str
    answer: str | None
    gold: str | None
    scores: Mapping[str, Any]
    failure: str = ""


def holds(path: Path, *words: bytes, suffix: str = ".json") -> bool:
    """Whether a path is a file of this kind, or a folder with one, that begins with these words.

    Parameters
    ----------
    path
        File or folder.
    words
        Words, all of which the beginning has.
    suffix
        End of the file's name; empty for a name without any.
    """
    if path.is_dir():
        files = sorted(one for one in path.iterdir() if one.is_file())
        return any(holds(one, *words, suffix=suffix) for one in files)
    if path.suffix != suffix or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_PEEKED)
    return all(word in head for word in words)


def files_at(path: Path, tool: str, is_log: Callable[[Path], bool]) -> list[tuple[Path, Any]]:
    """Files of a tool at a path, each with its JSON value.

    Raises
    ------
    DataError
        If there is none, or one is no JSON.
    """
    inside = sorted(path.iterdir()) if path.is_dir() else []
    paths = [p for p in inside if p.is_file() and is_log(p)] if path.is_dir() else [path]
    if not paths:
        raise DataError(f"{str(path)!r} holds no results of {tool}: JSON files (.json).")
    return [(one, value_of(one, tool)) for one in paths]


def value_of(path: Path, tool: str) -> Any:
    """JSON value of a file of a tool; of JSON lines, the list of their values.

    A line that is no JSON is its own text, which no case can be read from.

    Raises
    ------
    DataError
        If it is no JSON.
    """
    try:
        text = path.read_bytes()
        return (
            [_of_line(one) for one in text.splitlines()]
            if path.suffix == ".jsonl"
            else parse_json(text)
        )
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{str(path)!r} is no file of {tool}: {error}.") from error


def _of_line(line: bytes) -> Any:
    try:
        return parse_json(line)
    except (json.JSONDecodeError, UnicodeDecodeError):
        return line.decode(errors="replace")


def part_of(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Object under a name; an empty one where something else stands there."""
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def logged_cases(
    file: LogFile,
    tool: str,
    rows: Callable[[], Iterable[tuple[str, Any]]],
    case_of: Callable[[Any], CaseResult],
    *,
    repeats: int = 1,
) -> list[LoggedTask]:
    """Logs of the cases of one model, one for each time that they were asked.

    Parameters
    ----------
    file
        The file, with the model's name.
    tool
        Name of the tool.
    rows
        Makes the results with their places in the file, in order.
    case_of
        Reads one.
    repeats
        How often each case was asked: the k-th result of the same input is of replicate k.
    """

    def read(number: int, problems: Problems) -> Iterator[LoggedSample]:
        seen: Counter[str] = Counter()
        for place, row in rows():
            source = f"{file.path.name}:{place}"
            try:
                case = case_of(row)
                key = blake2b(case.text.encode(), digest_size=8).hexdigest()
            except _UNREADABLE as error:
                if number == 0:
                    problems.bad(source, f"it cannot be read: {error!r}")
                continue
            nth = seen[key]
            seen[key] += 1
            if nth % repeats == number:
                again = nth // repeats
                yield _sample(case, f"{key}-{again}" if again else key, source)

    made = file.logged(tool, partial(read, 0))
    if repeats == 1:
        return [made]
    return [
        replace(
            made,
            file=replace(file, random={**file.random, "repeat": str(number + 1)}),
            source=f"{made.source}/repeat-{number + 1}",
            read=partial(read, number),
            replicates_of="" if file.random else "answers of one model, given again",
        )
        for number in range(repeats)
    ]


def _sample(case: CaseResult, item: str, source: str) -> LoggedSample:
    """Sample from a case."""
    numbers = {canonical_json({"metric": k}): number_of(v) for k, v in case.scores.items()}
    return LoggedSample(
        item=item,
        source=source,
        text=case.text,
        gold=case.gold,
        scores={} if case.failure else numbers,
        answers={} if case.answer is None else {"{}": Prediction(Text(case.answer))},
        failure=case.failure or ("" if numbers else "no_score"),
    )


def as_text(value: Any) -> str:
    """Text as it is; any other JSON value in canonical JSON."""
    return value if isinstance(value, str) else canonical_json(value)
