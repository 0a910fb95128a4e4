"""Logs in the format of Every Eval Ever: ``..._samples.jsonl``, a row a sample and score.

The aggregate ``.json`` beside it says what metrics are called and which way is better. Its numbers
alone have no items, so that nothing can be paired. Samples pair by their id; several rows of one
sample and score are replicates.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from scrutiny.core.answers.texts import Text
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.errors import DataError
from scrutiny.core.task import Prediction
from scrutiny.run.importing.case_files import as_text, holds, part_of, value_of
from scrutiny.run.importing.logs import (
    LogFile,
    LoggedSample,
    LoggedTask,
    Problems,
    number_of,
    short_columns,
)

_TOOL: Final = "every-eval-ever"
_SAMPLES: Final = "_samples"
_REPEATED: Final = "answers of one model, given again (rows of one sample)"
_LINES, _BAD = "lines", "bad"  # keys of a file's header
#: Number of a line, and its object.
Line = tuple[int, dict[str, Any]]
_UNREADABLE: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class EeeMetric:
    """A result of the aggregate: its name, its number, and which way is better."""

    name: str
    printed: float | None = None
    is_lower_better: bool = False


def is_log(path: Path) -> bool:
    """Whether a path is a file of samples or an aggregate, or a folder that holds some."""
    if path.is_dir():
        return any(_holds(one) for one in sorted(path.rglob("*.json*")))
    return _holds(path)


def _holds(path: Path) -> bool:
    is_samples = holds(path, b'"evaluation_id"', b'"interaction_type"', suffix=".jsonl")
    return is_samples or holds(path, b'"evaluation_id"', b'"eval_library"')


def files_of(path: Path, random: Mapping[str, str]) -> list[LogFile]:
    """Models and evaluations of files of samples.

    Raises
    ------
    DataError
        If there are none, or a file has aggregates alone.
    """
    found = []
    for one in _samples_at(path):
        date = str(_aggregate(one).get("evaluation_timestamp") or "")
        parts: dict[tuple[str, str], list[Line]] = {}
        bad = []
        for line, row in enumerate(value_of(one, _TOOL), 1):
            if isinstance(row, dict) and row.get("model_id") and row.get("evaluation_name"):
                key = str(row["model_id"]), str(row["evaluation_name"])
                parts.setdefault(key, []).append((line, row))
            else:
                bad.append(line)
        for key, rows in parts.items():
            found.append(LogFile(one, *key, date, random, {_LINES: rows, _BAD: bad}))
            bad = []
    if not found:
        raise DataError(f"{str(path)!r} holds no sample of {_TOOL} that names a model.")
    return found


def _samples_at(path: Path) -> list[Path]:
    """Files of samples: the path, those of a folder, or the one of an aggregate.

    Raises
    ------
    DataError
        If there is none.
    """
    if path.is_dir():
        places = sorted(one for one in path.rglob("*.jsonl") if _holds(one))
    elif path.suffix == ".jsonl":
        places = [path]
    else:
        beside = [path.with_name(f"{path.stem}{_SAMPLES}.jsonl"), path.with_suffix(".jsonl")]
        places = [one for one in beside if one.is_file()][:1]
    if not places:
        raise DataError(
            f"{str(path)!r} holds aggregates of Every Eval Ever alone: one number for all items, "
            f"so that nothing can be paired. The file of samples ({path.stem}{_SAMPLES}.jsonl) has "
            "the scores of single items: put it beside, or give it."
        )
    return places


def _aggregate(samples: Path) -> Mapping[str, Any]:
    """Aggregate beside a file of samples; an empty object without any."""
    beside = samples.with_name(f"{samples.stem.removesuffix(_SAMPLES)}.json")
    value = value_of(beside, _TOOL) if beside.is_file() else {}
    return value if isinstance(value, dict) else {}


def _metrics(file: LogFile) -> dict[str, EeeMetric]:
    """Results of the aggregate for an evaluation, by the identity that samples refer to."""
    results = _aggregate(file.path).get("evaluation_results")
    found: dict[str, EeeMetric] = {}
    for one in results if isinstance(results, list) else ():
        if not isinstance(one, dict) or one.get("evaluation_name") != file.task:
            continue
        config, key = part_of(one, "metric_config"), str(one.get("evaluation_result_id") or "")
        name = str(config.get("metric_name") or config.get("metric_id") or key or "score")
        printed = number_of(part_of(one, "score_details").get("score"))
        is_share = config.get("metric_unit") != "percent"
        is_lower = config.get("lower_is_better") is True
        found[key] = EeeMetric(name, printed if is_share else None, is_lower)
    names = Counter(one.name for one in found.values())
    return {k: replace(m, name=k) if names[m.name] > 1 and k else m for k, m in found.items()}


def logged(file: LogFile) -> list[LoggedTask]:
    """Samples of a model on an evaluation, each repeat separately."""
    rows: list[Line] = file.header[_LINES]
    metrics, bare = _metrics(file), replace(file, header={})
    counts: Counter[tuple[str, str]] = Counter()
    for _, row in rows:
        counts[str(row.get("sample_id")), str(row.get("evaluation_result_id") or "")] += 1
    repeats = max(counts.values(), default=1)
    read = partial(_read, file, metrics)
    made = bare.logged(_TOOL, partial(read, 0))
    made = replace(
        made,
        printed={
            canonical_json({"metric": one.name}): one.printed
            for one in metrics.values()
            if one.printed is not None
        },
        lower_is_better=frozenset(one.name for one in metrics.values() if one.is_lower_better),
    )
    if repeats == 1:
        return [made]
    return [
        replace(
            made,
            file=replace(bare, random={**file.random, "repeat": str(number + 1)}),
            source=f"{made.source}/repeat-{number + 1}",
            read=partial(read, number),
            replicates_of="" if file.random else _REPEATED,
        )
        for number in range(repeats)
    ]


def _read(
    file: LogFile, metrics: Mapping[str, EeeMetric], number: int, problems: Problems
) -> Iterator[LoggedSample]:
    """Samples of one repeat; the rows of a sample, one a score, are one."""
    seen: Counter[tuple[str, str]] = Counter()
    found: dict[str, LoggedSample] = {}
    for line in file.header[_BAD] if number == 0 else ():
        problems.bad(f"{file.path.name}:{line}", "it is no object that names model and evaluation")
    for line, row in file.header[_LINES]:
        place = f"{file.path.name}:{line}"
        try:
            key = str(row.get("evaluation_result_id") or "")
            sample = _sample(row, place, metrics[key].name if key in metrics else key or "score")
        except _UNREADABLE as error:
            if number == 0:
                problems.bad(place, f"it cannot be read: {error!r}")
            continue
        nth = seen[sample.item, key]
        seen[sample.item, key] += 1
        if nth == number:
            known = found.get(sample.item, sample)
            scores = {**known.scores, **sample.scores}
            failure = known.failure if known.failure == sample.failure else ""
            found[sample.item] = replace(known, scores=scores, failure=failure)
    yield from found.values()


def _sample(row: Mapping[str, Any], place: str, metric: str) -> LoggedSample:
    """Sample with one score, from its row."""
    asked, choices = row["input"], tuple(map(str, row["input"].get("choices") or ()))
    said, answer = _said(row), _extracted(row)
    if choices and answer in choices:
        given = Prediction(answer, said=said)
    else:
        given = Prediction(Text(said if said is not None else answer or ""))
    is_failed = bool(row.get("error"))
    score = None if is_failed else number_of(row["evaluation"].get("score"))
    is_asked = said is not None or answer is not None
    return LoggedSample(
        item=str(row["sample_id"]),
        source=place,
        text=as_text(asked["raw"]),
        gold=" | ".join(map(str, asked.get("reference") or ())) or None,
        scores={} if is_failed else {canonical_json({"metric": metric}): score},
        answers={"{}": given} if is_asked and not is_failed else {},
        choices=choices,
        columns=short_columns(part_of(row, "metadata")),
        failure="sample_error" if is_failed else "",
    )


def _said(row: Mapping[str, Any]) -> str | None:
    """What the model wrote: its output, or its last message."""
    raw = part_of(row, "output").get("raw")
    if isinstance(raw, list) and raw:
        return as_text(raw[0])
    spoken = [m for m in row.get("messages") or () if m.get("role") == "assistant"]
    content = spoken[-1].get("content") if spoken else None
    return content if isinstance(content, str) else None


def _extracted(row: Mapping[str, Any]) -> str | None:
    """Answer that was taken from the output."""
    taken = [one for one in row.get("answer_attribution") or () if one.get("is_terminal")]
    return as_text(taken[-1]["extracted_value"]) if taken else None
