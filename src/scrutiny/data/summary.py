"""Summary of a dataset: sizes, labels, lengths, duplicates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scrutiny.core.answers.answer import labels_in
from scrutiny.core.example import Example
from scrutiny.data.dataset import Dataset
from scrutiny.data.doubts import BadRow, group_counts
from scrutiny.data.hashes import content_hash
from scrutiny.tasks.tasks import load_task
from scrutiny.text.tokens import token_spans

_SHOWN = 3
_MOST_VALUES = 20


class Quantiles(NamedTuple):
    """Quantiles of counts: minimum, 5 %, quartiles, 95 % and maximum."""

    least: int
    p5: int
    p25: int
    median: int
    p75: int
    p95: int
    most: int


class FieldSummary(NamedTuple):
    """Lengths of one text field."""

    name: str
    words: Quantiles
    characters: Quantiles


class LabelCount(NamedTuple):
    """Gold label (or type of entity), its count, and its share of all."""

    label: str
    n: int
    share: float


@dataclass(frozen=True, slots=True)
class DataSummary:
    """Summary of a dataset.

    Parameters
    ----------
    name, source, task, fingerprint, bad_rows, columns, notes
        Of the data set.
    n
        Rows that read.
    fields
        Lengths of each text field.
    labels
        Gold labels, commonest first; types of entities for tagging.
    is_labeled
        Whether the task has gold answers.
    chance
        Score without skill; None without gold.
    duplicates
        Items whose texts have the same letters, numbers and symbols as those of an earlier item.
    conflicts
        Items among them whose gold is not that of the earlier item.
    languages
        Items by language, stated or found; the commonest first.
    units, groups
        How many different values each unit (``u_*``) and group (``a_*``) has.
    members
        Items by value of each group that has at most twenty values, commonest first.
    examples
        The first three.
    data_string
        The data string to use, with all that was guessed stated.
    """

    name: str
    source: str
    task: str
    n: int
    bad_rows: tuple[BadRow, ...]
    fields: tuple[FieldSummary, ...]
    labels: tuple[LabelCount, ...]
    is_labeled: bool
    chance: float | None
    duplicates: int
    conflicts: int
    languages: Mapping[str, int]
    units: Mapping[str, int]
    groups: Mapping[str, int]
    members: Mapping[str, Mapping[str, int]]
    examples: tuple[Example, ...]
    fingerprint: str
    columns: Mapping[str, str]
    notes: tuple[str, ...]
    data_string: str


def summarize(data: Dataset) -> DataSummary:
    """Summarize a dataset: sizes, labels, lengths, duplicates, and its data string.

    Examples
    --------
    >>> from scrutiny.data.dataset import load_dataset
    >>> summary = summarize(load_dataset("builtin:reviews"))
    >>> summary.n, summary.chance, summary.groups
    (640, 0.5, {'topic': 19})
    """
    examples = data.examples
    task = load_task(data.task)
    golds = [gold for gold in data.golds if gold is not None]
    # numbers of items that repeat an earlier one, and of those with another gold
    first: dict[tuple[int, ...], Example] = {}
    repeated = conflicting = 0
    for one in examples:
        key = tuple(content_hash(text) for text in one.fields.values())
        if not any(key):
            continue
        earlier = first.setdefault(key, one)
        if earlier is not one:
            repeated += 1
            conflicting += _answers(earlier) != _answers(one)
    counts = Counter(label for example in examples for label in labels_in(example.gold))
    labels = _commonest_first(counts)
    fields = dict.fromkeys(name for example in examples for name in example.fields)
    return DataSummary(
        name=data.name,
        source=data.source,
        task=data.task,
        n=len(examples),
        bad_rows=data.bad_rows,
        fields=tuple(_field(name, examples) for name in fields),
        labels=tuple(LabelCount(label, n, n / counts.total()) for label, n in labels),
        is_labeled=task.scored_by is not None,
        chance=task.chance([e for e in examples if e.gold is not None]) if golds else None,
        duplicates=repeated,
        conflicts=conflicting,
        languages=data.language_counts,
        units=_distinct(examples, "u_"),
        groups=_distinct(examples, "a_"),
        members={
            name: dict(_commonest_first(found))
            for name, found in sorted(group_counts(examples, most=_MOST_VALUES).items())
        },
        examples=examples[:_SHOWN],
        fingerprint=data.fingerprint,
        columns=data.columns,
        notes=(*data.notes, *data.warnings, *data.doubts),
        data_string=data.data_string,
    )


def _field(name: str, examples: Sequence[Example]) -> FieldSummary:
    texts = [example.fields[name] for example in examples if name in example.fields]
    words = [len(token_spans(text)) for text in texts]
    return FieldSummary(name, quantiles(words), quantiles([len(text) for text in texts]))


def quantiles(counts: Sequence[int]) -> Quantiles:
    """Quantiles of counts; each is one of the counts.

    Examples
    --------
    >>> quantiles([1, 2, 3, 10]).median
    2
    """
    wanted = [0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0]
    return Quantiles(*np.quantile(counts, wanted, method="inverted_cdf").tolist())


def _answers(example: Example) -> object:
    """Gold in a form that does not depend on spacing: the label, or the types in order."""
    return labels_in(example.gold) or example.gold


def _distinct(examples: Sequence[Example], prefix: str) -> dict[str, int]:
    values: dict[str, set[str | float]] = {}
    for example in examples:
        for name, value in example.attributes.items():
            if name.startswith(prefix):
                values.setdefault(name.removeprefix(prefix), set()).add(value)
    return {name: len(found) for name, found in sorted(values.items())}


def _commonest_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
