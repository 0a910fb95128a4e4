"""Logs of lm-evaluation-harness: ``samples_TASK_DATE.jsonl`` next to ``results_DATE.json``.

A line is one item under one filter, with its scores and answer. Items pair by ``doc_hash``, the
hash of the item as the task made it, which does not depend on the prompt; logs without it pair by
``doc_id``.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from scrutiny.core.answers.texts import Text
from scrutiny.core.boundary.json_text import canonical_json, parse_json
from scrutiny.core.errors import DataError
from scrutiny.core.task import Prediction
from scrutiny.run.importing.logs import (
    LogFile,
    LoggedSample,
    LoggedTask,
    Problems,
    number_of,
    short_columns,
)

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
            found[_condition_of(metric, name)] = number
    return [
        replace(file, date=file.date or "undated").logged(
            "lm-eval",
            partial(_read, file.path, config, int(shots or 0)),
            printed=found,
            lower_is_better=frozenset(name for name, is_up in better.items() if is_up is False),
            notes=tuple(notes),
        )
    ]


def _read(
    path: Path, config: Mapping[str, Any], shots: int, problems: Problems
) -> Iterator[LoggedSample]:
    """Samples of a file, line by line."""
    names = _ItemNames()
    seen: dict[tuple[str, str], int] = {}
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            place = f"{path.name}:{number}"
            try:
                row = parse_json(line)
                sample = _sample(row, names, place, config=config, shots=shots)
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
            for metric in _metrics_of(row):
                if score_of(metric, row[metric]) is None:
                    problems.skipped[f"{metric}: no number of a single item"] += 1
            yield sample


_OWN: Final = frozenset(
    """doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash
    target_hash""".split()
)


def _condition_of(metric: str, name: str) -> str:
    """Condition of a metric with a filter."""
    return canonical_json({"metric": metric, **_filter(name)})


def _filter(name: str) -> dict[str, str]:
    """Condition of a filter; "none" is lm-eval's name for no filter."""
    return {} if name in ("", "none") else {"filter": name}


class _ItemNames:
    """Names of items: their hash, with ``-k`` for the k-th other item of the same content."""

    def __init__(self) -> None:
        self._of_id: dict[str, str] = {}
        self._count: dict[str, int] = {}

    def name(self, row: Mapping[str, Any]) -> str:
        """Name of a line's item."""
        own = str(row["doc_id"])
        if own not in self._of_id:
            base = str(row.get("doc_hash") or f"doc-{own}")[:16]
            count = self._count.get(base, 0)
            self._count[base] = count + 1
            self._of_id[own] = f"{base}-{count}" if count else base
        return self._of_id[own]


def _metrics_of(row: Mapping[str, Any]) -> list[str]:
    """Metrics of a line: those it names, or all keys that are not lm-eval's own."""
    named = row.get("metrics")
    names = named if isinstance(named, list) else [name for name in row if name not in _OWN]
    return [name for name in names if name in row]


def _sample(
    row: Mapping[str, Any],
    names: _ItemNames,
    place: str,
    *,
    config: Mapping[str, Any],
    shots: int,
) -> LoggedSample:
    """Sample from one line."""
    arguments, name = _arguments(row["arguments"]), str(row.get("filter", "none"))
    document = row["doc"] if isinstance(row["doc"], dict) else {}
    choices, text = _choices_and_text(arguments, document, config=config, shots=shots)
    target = row.get("target")
    gold = None if target is None else _gold(str(target), choices)
    scores = {}
    for metric in _metrics_of(row):
        found = score_of(metric, row[metric])
        if found is not None:
            scores[_condition_of(found[0], name)] = found[1]
    is_generated = any(isinstance(part, dict) for one in arguments for part in one[1:])
    answer = _answer(row, choices) if choices or is_generated else None
    label = canonical_json(_filter(name))
    columns = {k: v for k, v in short_columns(document).items() if v not in (gold, text)}
    prompt = {"prompt": str(row["prompt_hash"])[:12]} if row.get("prompt_hash") else {}
    return LoggedSample(
        item=names.name(row),
        source=place,
        text=text,
        gold=gold,
        scores=scores,
        answers={} if answer is None else {label: answer},
        choices=choices,
        columns={**columns, **prompt},
        failure="" if scores else "no_score",
    )


def _arguments(logged_as: Any) -> list[list[Any]]:
    """Arguments of each request: ``{"gen_args_0": {"arg_0": ...}}``, or lists in older logs."""
    if isinstance(logged_as, dict):
        return [list(one.values()) for one in logged_as.values()]
    return [list(one) if isinstance(one, (list, tuple)) else [one] for one in logged_as]


def _choices_and_text(
    arguments: Sequence[Sequence[Any]],
    document: Mapping[str, Any],
    *,
    config: Mapping[str, Any],
    shots: int,
) -> tuple[tuple[str, ...], str]:
    """Choices of an item, and its text without instructions and examples in front."""
    contexts = [str(one[0]) for one in arguments]
    continuations = [one[1] for one in arguments if len(one) > 1 and isinstance(one[1], str)]
    if len(arguments) % 2 == 0 and not any(contexts[len(contexts) // 2 :]) and contexts[0]:
        half = len(arguments) // 2  # the second half asks for the choices alone
        contexts, continuations = contexts[:half], continuations[:half]
    is_choice = len(contexts) > 1 and len(continuations) == len(contexts)
    in_contexts = is_choice and len(set(contexts)) == len(contexts)
    choices = distinct(contexts if in_contexts else continuations) if is_choice else ()
    text = contexts[0] if contexts else ""
    if in_contexts or not text.strip():
        strings = [v for v in document.values() if isinstance(v, str) and v.strip()]
        return choices, strings[0] if strings else (choices[0] if choices else text)
    text = text.removeprefix(str(config.get("description") or ""))
    if shots:
        text = text.rpartition(str(config.get("fewshot_delimiter") or "\n\n"))[2]
    return choices, text


def _gold(target: str, choices: Sequence[str]) -> str:
    """Right answer as text: a choice by its number, or the logged target."""
    if choices and target.isdigit() and int(target) < len(choices):
        return choices[int(target)]
    return next((choice for choice in choices if choice == target.strip()), target)


def _answer(row: Mapping[str, Any], choices: Sequence[str]) -> Prediction | None:
    """Model's answer: the most likely choice, or a text and its filtered form."""
    filtered, raw = row.get("filtered_resps"), row.get("resps")
    if choices and isinstance(filtered, list):
        return choice_of(filtered, choices)
    first, text = _first_text(filtered), _first_text(raw)
    if first is None and text is None:
        return None
    return Prediction(Text(text)) if first is None else Prediction(first, said=text)


def _first_text(value: Any) -> str | None:
    """First text in nested lists."""
    while isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, str) else None


_PER_UNIT: Final = {
    "word_perplexity": "loglik_per_word",
    "byte_perplexity": "loglik_per_byte",
    "bits_per_byte": "loglik_per_byte",
}
_NUMBER: Final = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?")


def score_of(metric: str, value: Any) -> tuple[str, float | None] | None:
    """Name and number of a logged metric; ``None`` if it is not about a single item.

    What lm-eval keeps for a perplexity is a log-likelihood and how many words or bytes it is of:
    the number is their quotient, under a name that says so. A Brier score is computed from the
    probabilities that it is kept as. Pairs of gold and prediction, which become an F1 over all
    items, are no number of one item.

    Examples
    --------
    >>> score_of("acc", 1.0), score_of("word_perplexity", [-28.0, 8])
    (('acc', 1.0), ('loglik_per_word', -3.5))
    >>> score_of("f1", [1, 0]) is None
    True
    """
    if isinstance(value, (list, tuple)):
        if metric in _PER_UNIT and len(value) == 2:
            total, count = number_of(value[0]), number_of(value[1])
            return _PER_UNIT[metric], None if total is None or not count else total / count
        if metric == "brier_score" and len(value) == 2:
            return metric, _brier(*value)
        return None
    if isinstance(value, dict):
        return None
    return ("loglik" if metric == "perplexity" else metric), number_of(value)


def _brier(gold: Any, probabilities: Any) -> float | None:
    """Squared distance of the probabilities from the one-hot right answer."""
    if isinstance(probabilities, str):  # numpy's own words: "[0.2 0.8]"
        if "..." in probabilities:
            return None
        probabilities = _NUMBER.findall(probabilities)
    found = [number_of(p) for p in probabilities]
    if not isinstance(gold, int) or not 0 <= gold < len(found) or None in found:
        return None
    return sum((p - (k == gold)) ** 2 for k, p in enumerate(found) if p is not None)


def choice_of(responses: Any, choices: Sequence[str]) -> Prediction | None:
    """Choice of the highest likelihood, with likelihoods normalized over the choices.

    Parameters
    ----------
    responses
        ``[log-likelihood, is greedy]`` of each choice, as numbers or as text.
    choices
        The choices, in the order of the responses.

    Examples
    --------
    >>> found = choice_of([["-2.0", "False"], ["-0.5", "True"]], ["bad", "good"])
    >>> found.label, [round(p, 3) for p in found.scores]
    ('good', [0.182, 0.818])
    """
    found = [_likelihood(r) for r in responses[: len(choices)]]
    top = max((p for p in found if p is not None), default=-math.inf)
    if len(found) != len(choices) or None in found or top == -math.inf:
        return None
    weights = [math.exp(p - top) for p in found if p is not None]
    label = choices[max(range(len(weights)), key=weights.__getitem__)]
    return Prediction(label, scores=tuple(w / sum(weights) for w in weights))


def _likelihood(response: Any) -> float | None:
    """Log-likelihood of one response; minus infinity is one."""
    if not isinstance(response, (list, tuple)) or not response:
        return None
    try:
        value = float(response[0])
    except (TypeError, ValueError):
        return None
    return None if math.isnan(value) or value == math.inf else value


def distinct(choices: Sequence[str]) -> tuple[str, ...]:
    """Choices without surrounding space, numbered where two are alike.

    Examples
    --------
    >>> distinct([" yes", " no", " yes"])
    ('1: yes', '2: no', '3: yes')
    """
    stripped = [choice.strip() for choice in choices]
    if len(set(stripped)) == len(stripped):
        return tuple(stripped)
    return tuple(f"{k}: {choice}" for k, choice in enumerate(stripped, start=1))
