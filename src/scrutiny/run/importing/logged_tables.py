"""Samples of an import, collected by task, and their tables: items, records, outputs.

Texts are kept once for each item, numbers for each model.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

import pyarrow as pa

from scrutiny.core.boundary.json_text import canonical_json, length_prefixed, value_digest
from scrutiny.core.diagnostic import Cell
from scrutiny.core.example import Example
from scrutiny.core.record import Measure, Row, grouped
from scrutiny.core.task import Prediction
from scrutiny.data.item_languages import with_languages
from scrutiny.data.reading import OnBadRow
from scrutiny.run.importing.logs import LoggedSample, LoggedTask, Problems
from scrutiny.store.run_tables import outputs_table, records_table


@dataclass(slots=True)
class ReplicateOnTask:
    """Results of one replicate of a model on one task.

    ``scores`` and ``answers`` are by condition, then by item; ``failures`` by item.
    """

    log: LoggedTask
    scores: dict[str, dict[str, float | None]] = field(default_factory=dict)
    answers: dict[str, dict[str, Prediction]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    items: dict[str, None] = field(default_factory=dict)

    @property
    def replicate(self) -> str | None:
        """Canonical JSON of its random factors; None for a single run."""
        return canonical_json(dict(self.log.file.random)) if self.log.file.random else None

    def add(self, sample: LoggedSample) -> None:
        """Add the results of a line."""
        self.items.setdefault(sample.item)
        for condition, number in sample.scores.items():
            self.scores.setdefault(condition, {})[sample.item] = number
        for condition, answer in sample.answers.items():
            self.answers.setdefault(condition, {})[sample.item] = answer
        if sample.failure:
            self.failures[sample.item] = sample.failure


@dataclass(slots=True)
class Logged:
    """One task of an import.

    Parameters
    ----------
    name
        Of the task.
    items
        Every item that some log has, by its identity, in the order of appearance.
    sides
        Replicates by subject.
    problems
        What was left out.
    n_other_texts
        Items that two logs show with different texts.
    """

    name: str
    items: dict[str, LoggedSample] = field(default_factory=dict)
    sides: dict[str, list[ReplicateOnTask]] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)
    n_other_texts: int = 0

    @property
    def replicates(self) -> list[ReplicateOnTask]:
        """Replicates of all subjects."""
        return [side for several in self.sides.values() for side in several]

    @property
    def conditions(self) -> list[str]:
        """Conditions for which some replicate has numbers, by first appearance."""
        return list(dict.fromkeys(c for side in self.replicates for c in side.scores))

    @property
    def chance(self) -> float | None:
        """Score of random or majority answers; ``None`` without choices."""
        samples = list(self.items.values())
        if any(len(s.choices) < 2 or s.gold not in s.choices for s in samples):
            return None
        blind = sum(1 / len(s.choices) for s in samples) / len(samples)
        commonest = Counter(s.gold for s in samples).most_common(1)[0][1]
        return max(blind, commonest / len(samples))

    def is_hit(self, condition: str) -> bool:
        """Whether all numbers of a condition are 0 or 1."""
        return all(
            number in (None, 0.0, 1.0)
            for side in self.replicates
            for number in side.scores.get(condition, {}).values()
        )

    def planned(self, subject: str) -> list[str]:
        """Items that some replicate of a subject has, by first appearance."""
        own = {item for side in self.sides[subject] for item in side.items}
        return [item for item in self.items if item in own]

    def add(self, side: ReplicateOnTask, sample: LoggedSample) -> None:
        """Add the results of a line of one replicate."""
        known = self.items.setdefault(sample.item, sample)
        if sample.text != known.text and sample.item not in side.items:
            self.n_other_texts += 1
        side.add(sample)


def collect(logs: Iterable[LoggedTask], on_bad_row: OnBadRow) -> dict[str, Logged]:
    """Tasks by name; a task without any readable sample has no sides.

    Parameters
    ----------
    logs
        One for each model, replicate and task.
    on_bad_row
        As `Problems` has it.
    """
    found: dict[str, Logged] = {}
    for log in logs:
        task = found.setdefault(log.file.task, Logged(log.file.task, problems=Problems(on_bad_row)))
        side = ReplicateOnTask(log)
        for sample in log.read(task.problems):
            task.add(side, sample)
        if side.items:
            task.sides.setdefault(log.file.subject, []).append(side)
    return found


def printed_beside(task: Logged) -> list[tuple[str, str, float, float]]:
    """Subject, condition, the tool's number and the mean of what was read, if both exist."""
    found = []
    for subject, sides in task.sides.items():
        for several in grouped((side.log.file.path, side) for side in sides).values():
            for condition, printed in several[0].log.printed.items():
                means = [_mean(side.scores.get(condition, {}).values()) for side in several]
                known = [mean for mean in means if mean is not None]
                if known:
                    found.append((subject, condition, printed, sum(known) / len(known)))
    return found


def _mean(numbers: Iterable[float | None]) -> float | None:
    """Mean of the available numbers."""
    known = [number for number in numbers if number is not None]
    return sum(known) / len(known) if known else None


#: What a record of a logged score holds: whether it is full marks, and the score itself.
MEASURES: Final = (Measure("hit", unit="items"), Measure("value", unit="score"))
KIND: Final = f"scores@1#{value_digest({})}"  # nothing can be set
_MOST_GROUPS: Final = 20
_FEWEST_ITEMS: Final = 5  # of a group, on average
_NOT_A_NAME: Final = re.compile(r"\W+")


def examples_of(task: Logged) -> list[Example]:
    """Examples of a task, with their languages; grouping columns become attributes ``a_NAME``."""
    # Columns of the log that group items, with their new names. A column groups where it has from 2
    # to 20 values, five items each on average, and is not the gold answer in other words.
    counts: dict[str, Counter[str]] = {}
    golds: dict[str, set[tuple[str, str | None]]] = {}
    for sample in task.items.values():
        for name, value in sample.columns.items():
            counts.setdefault(name, Counter())[value] += 1
            golds.setdefault(name, set()).add((value, sample.gold))
    groups = {}
    has_gold = any(sample.gold is not None for sample in task.items.values())
    for name, values in counts.items():
        is_grouping = 2 <= len(values) <= _MOST_GROUPS
        is_large = values.total() >= _FEWEST_ITEMS * len(values)
        is_gold = len(golds[name]) <= len(values) and has_gold
        if name != "prompt" and is_grouping and is_large and not is_gold:
            groups[name] = f"a_{_NOT_A_NAME.sub('_', name).strip('_')}"
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
                cell = Cell(side.log.file.subject, side.replicate, task.name, condition=within)
                yield outputs_table(cell, {(item, None): a for item, a in answers.items()})
