"""Short distinct names of rows, and metrics in words."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from scrutiny.core.estimate import EstimateKey
from scrutiny.core.expressions import expression_in_words
from scrutiny.core.plugin_base import unversioned
from scrutiny.core.record import Measure
from scrutiny.reliability.statistics import measures_of

GAP: Final = "\N{HORIZONTAL ELLIPSIS}"
_DIGITS: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_FEWEST_SHARED: Final = 2


def one_line(text: str) -> str:
    """Wording on one line: text without control characters and with single spaces.

    Examples
    --------
    >>> one_line(f"two  words{chr(27)}")
    'two words'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def capitalized(text: str) -> str:
    """Text with a capital at its start; capitals within it stay, and so do names such as chrF.

    Examples
    --------
    >>> capitalized("mid-p of McNemar"), capitalized("chrF drop"), capitalized("")
    ('Mid-p of McNemar', 'chrF drop', '')
    """
    first, _, _ = text.partition(" ")
    return text if first != first.lower() else text[:1].upper() + text[1:]


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Short name of each model or dataset; the full names if two would be equal.

    Examples
    --------
    >>> short_names(["builtin:reviews", "csv:/data/may/sms.csv"])
    {'builtin:reviews': 'reviews', 'csv:/data/may/sms.csv': 'sms.csv'}
    >>> short_names(["http://localhost:8000/v1"])
    {'http://localhost:8000/v1': 'localhost:8000/v1'}
    >>> short_names(["runs/minilm/seed-{seed}", "a/x.csv", "b/x.csv"])["a/x.csv"]
    'a/x.csv'
    """
    found = {name: _short(name) for name in names}
    return found if len(set(found.values())) == len(found) else {name: name for name in names}


def _short(name: str) -> str:
    """Name after the scheme and the folders, without parts that vary by seed; URLs are whole."""
    if "://" in name:
        return name.partition("://")[2]
    pieces = [p for p in re.split(r"[:/\\]", name) if p and "{" not in p and p != "."]
    return pieces[-1] if pieces else name


def shared_words(sentences: Sequence[str]) -> tuple[str, list[str]]:
    """Wording that sentences of claims share, and the words by which each differs: its label.

    The words that all sentences share at both ends are said once. Sentences that share fewer than
    two words, or of which one would be left empty, are handed back whole under an empty frame. A
    colon behind every gap belongs to the frame.

    Examples
    --------
    >>> shared_words(["typos hurt m a lot", "new tense hurt m a lot"])
    ('… hurt m a lot', ['typos', 'new tense'])
    """
    if len(sentences) < 2:
        return "", list(sentences)
    words = [sentence.split() for sentence in sentences]
    shortest = min(len(w) for w in words)
    head = _shared(words, shortest)
    tail = _shared([w[::-1] for w in words], shortest - head)
    if head + tail < _FEWEST_SHARED or any(len(w) <= head + tail for w in words):
        return "", list(sentences)
    first = words[0]
    labels = [" ".join(w[head : len(w) - tail]) for w in words]
    mark = ":" if all(label.endswith(":") and label != ":" for label in labels) else ""
    frame = [*first[:head], GAP + mark, *first[len(first) - tail :]]
    return " ".join(frame), [label.removesuffix(mark) for label in labels]


def _shared(words: Sequence[Sequence[str]], most: int) -> int:
    """Number of common leading words."""
    shared = 0
    while shared < most and len({w[shared] for w in words}) == 1:
        shared += 1
    return shared


def replicate_words(replicate: str | None) -> str:
    """Replicate in words: ``{"seed":3}`` is "seed 3".

    Examples
    --------
    >>> replicate_words('{"seed":3}'), replicate_words("{}"), replicate_words(None)
    ('seed 3', 'single model', 'single model')
    """
    if replicate in (None, "{}"):
        return "single model"
    try:
        factors = json.loads(replicate)
    except ValueError:
        return replicate
    if not isinstance(factors, dict):
        return replicate
    return ", ".join(f"{name} {value}" for name, value in factors.items())


def key_parts(key: EstimateKey) -> dict[str, str]:
    """Wording of an estimate's key, part by part and condition by condition."""
    parts = {
        "diagnostic": key.diagnostic,
        "metric": key.metric_name,
        "subject": key.subject,
        "reference": key.reference or "",
        "dataset": key.dataset,
        "replicate": "" if key.replicate is None else replicate_words(key.replicate),
        "role": key.role,
        "group": key.group,
    }
    for name, value in sorted(key.condition.items()):
        said = value if isinstance(value, str) else ""
        if not isinstance(value, str):
            said = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
        # a number is shown with its name
        parts[f"condition.{name}"] = f"{name} {said}" if _counts(value) else unversioned(said)
    return parts


def distinct_labels(keys: Sequence[EstimateKey], *, without: frozenset[str]) -> list[str]:
    """Label of each key: the parts that vary among all of them, in a fixed order.

    Conditions come first, because they are what a reader looks for, and among them texts before
    numbers. ``without`` names parts that are shown elsewhere.
    """
    parts = [key_parts(key) for key in keys]
    numbered = {f"condition.{k}" for key in keys for k, v in key.condition.items() if _counts(v)}
    names = sorted({name for p in parts for name in p}, key=lambda n: (n in numbered, n))
    names.sort(key=_rank)
    varying = [
        name for name in names if name not in without and len({p.get(name, "") for p in parts}) > 1
    ]
    if not varying:
        varying = ["subject"]
    return [" · ".join(p[name] for name in varying if p.get(name)) or "all" for p in parts]


def numbered(labels: Iterable[str], form: str = "{} ({})") -> list[str]:
    """Distinct labels: one that was there before gets its number.

    Examples
    --------
    >>> numbered(["age", "all", "age"])
    ['age', 'all', 'age (2)']
    """
    seen: Counter[str] = Counter()
    found = []
    for label in labels:
        seen[label] += 1
        found.append(label if seen[label] == 1 else form.format(label, seen[label]))
    return found


def constant_parts(keys: Sequence[EstimateKey]) -> dict[str, str]:
    """Non-empty parts that are the same in all keys."""
    parts = [key_parts(key) for key in keys]
    names = {name for p in parts for name in p}
    shared = {name: parts[0].get(name, "") for name in sorted(sorted(names), key=_rank)}
    return {
        name.removeprefix("condition."): value.removeprefix(name.removeprefix("condition.") + " ")
        for name, value in shared.items()
        if value and all(p.get(name, "") == value for p in parts)
    }


def _rank(name: str) -> tuple[int, str]:
    order = ("metric", "subject", "reference", "dataset", "group", "role", "replicate")
    if name.startswith("condition."):
        return (0, "")
    return (1 + order.index(name) if name in order else 99, name)


def _counts(value: object) -> bool:
    return not isinstance(value, str) or _DIGITS.fullmatch(value) is not None


def estimate_words(key: EstimateKey) -> str:
    """Wording of an estimate's metric."""
    return metric_words(key.metric, key.diagnostic)


@cache
def metric_words(metric: str, diagnostic: str = "") -> str:
    """Wording of a metric of a diagnostic; for a mean, the description of its measure."""
    return metric_in_words(metric, measures_of(diagnostic) if "(" in metric else ())


def metric_in_words(metric: str, measures: Sequence[Measure]) -> str:
    """Wording of a metric; means are worded as their measures."""
    return expression_in_words(
        metric, {measure.name: measure.says for measure in measures if measure.says}
    )


def row_labels(keys: Sequence[EstimateKey]) -> list[str]:
    """Label of each key among neighbors of one metric; duplicates are numbered."""
    labels = distinct_labels(keys, without=frozenset({"diagnostic", "metric", "role"}))
    return numbered([keys[0].group] if len(keys) == 1 else _with_roles(keys, labels))


def full_labels(keys: Sequence[EstimateKey]) -> list[str]:
    """Label of each key among neighbors of any diagnostic and metric."""
    several = len({key.diagnostic_name for key in keys}) > 1
    labels = distinct_labels(keys, without=frozenset({"diagnostic", "role"}))
    labels = [estimate_words(keys[0])] if len(keys) == 1 else _with_roles(keys, labels)
    heads = [f"{key.diagnostic_name}: " if several else "" for key in keys]
    return numbered([head + label for head, label in zip(heads, labels, strict=True)])


def _with_roles(keys: Sequence[EstimateKey], labels: Sequence[str]) -> list[str]:
    """Labels with the role if it is not the usual one."""
    several = len({key.role for key in keys}) > 1
    return [
        f"{label} \N{MIDDLE DOT} {key.role}" if several and key.role != "measured" else label
        for key, label in zip(keys, labels, strict=True)
    ]
