"""Tables of an import: items, records, outputs."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Final

import pyarrow as pa

from scrutiny.core.boundary.canonical import canonical_json, length_prefixed, value_digest
from scrutiny.core.diagnostic import Cell
from scrutiny.core.example import Example
from scrutiny.core.record import Measure, Row
from scrutiny.data.languages import with_languages
from scrutiny.run.importing.collecting import Logged, ReplicateOnTask
from scrutiny.store.blocks import outputs_table, records_table

#: What a record of a logged score holds: whether it is full marks, and the score itself.
MEASURES: Final = (Measure("hit", unit="items"), Measure("value", unit="score"))
KIND: Final = f"scores@1#{value_digest({})}"  # nothing can be set

_MOST_GROUPS: Final = 20
_FEWEST_ITEMS: Final = 5  # of a group, on average
_NOT_A_NAME: Final = re.compile(r"\W+")


def examples_of(task: Logged) -> list[Example]:
    """Examples of a task, with their languages; grouping columns become attributes ``a_NAME``."""
    groups = _grouping_columns(task)
    examples = [
        Example(
            id=name,
            fields={"text": sample.text},
            gold=sample.gold,
            source=sample.source,
            attributes={
                **{groups[k]: v for k, v in sample.columns.items() if k in groups},
                **({"prompt": sample.columns["prompt"]} if "prompt" in sample.columns else {}),
                **({"choices": canonical_json(sample.choices)} if sample.choices else {}),
            },
        )
        for name, sample in task.items.items()
    ]
    return with_languages(examples)


def _grouping_columns(task: Logged) -> dict[str, str]:
    """Columns of the log that group items, with their new names.

    A column groups where it has from 2 to 20 values, five items each on average, and is not the
    gold answer in other words.
    """
    counts: dict[str, Counter[str]] = {}
    golds: dict[str, set[tuple[str, str | None]]] = {}
    for sample in task.items.values():
        for name, value in sample.columns.items():
            counts.setdefault(name, Counter())[value] += 1
            golds.setdefault(name, set()).add((value, sample.gold))
    found = {}
    for name, values in counts.items():
        is_grouping = 2 <= len(values) <= _MOST_GROUPS
        is_large = values.total() >= _FEWEST_ITEMS * len(values)
        if name != "prompt" and is_grouping and is_large and len(golds[name]) > len(values):
            found[name] = f"a_{_NOT_A_NAME.sub('_', name).strip('_')}"
    return found


def log_fingerprint(examples: list[Example]) -> str:
    """Digest of an imported log's items: identities, texts and gold answers, in order."""
    state = blake2b(digest_size=16, person=b"scrutiny.logs.1")
    for one in examples:
        state.update(length_prefixed(one.id, one.text, "" if one.gold is None else str(one.gold)))
    return state.hexdigest()


def record_tables(tasks: Mapping[str, Logged]) -> Iterator[pa.Table]:
    """Records, by task, subject, replicate, item and condition."""
    for task in tasks.values():
        for subject, sides in task.sides.items():
            planned = task.planned(subject)
            for side in sides:
                cell = Cell(subject, side.replicate, task.name)
                rows = [row for item in planned for row in _rows(task, side, item)]
                yield records_table(KIND, cell, rows, width=len(MEASURES))


def _rows(task: Logged, side: ReplicateOnTask, item: str) -> Iterator[Row]:
    """One row for each condition; conditions that only other replicates have are skipped."""
    for condition in task.conditions:
        if condition not in side.scores and item in side.items and item not in side.failures:
            continue  # a filter or metric that this log does not have at all
        number = side.scores.get(condition, {}).get(item)
        if number is not None:
            values = (float(number == 1.0), number)
            yield Row(item, None, "measured", condition, "ok", None, values)
            continue
        status, reason = "undefined", "no_number"
        if item not in side.items:
            status, reason = "skipped", "not_in_log"
        elif item in side.failures:
            status = "failed" if side.failures[item] == "sample_error" else "undefined"
            reason = side.failures[item]
        yield Row(item, None, "measured", condition, status, reason, None)


def output_tables(tasks: Mapping[str, Logged]) -> Iterator[pa.Table]:
    """Tables of the models' answers, by task, subject, replicate and filter."""
    for task in tasks.values():
        for side in task.replicates:
            for condition, answers in side.answers.items():
                within = json.loads(condition)
                cell = Cell(side.log.subject, side.replicate, task.name, condition=within)
                yield outputs_table(cell, {(item, None): a for item, a in answers.items()})
