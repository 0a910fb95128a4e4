"""Samples of an import in memory: texts once for each item, numbers for each model."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.grouping import grouped
from scrutiny.core.task import Prediction
from scrutiny.run.importing.samples import LoggedSample, LoggedTask, Problems


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
        return canonical_json(dict(self.log.random)) if self.log.random else None

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


def collect(logs: Iterable[LoggedTask], problems: Mapping[str, Any]) -> dict[str, Logged]:
    """Tasks by name; a task without any readable sample has no sides.

    Parameters
    ----------
    logs
        One for each model, replicate and task.
    problems
        Settings of `Problems`.
    """
    found: dict[str, Logged] = {}
    for log in logs:
        task = found.setdefault(log.task, Logged(log.task, problems=Problems(**problems)))
        side = ReplicateOnTask(log)
        for sample in log.read(task.problems):
            task.add(side, sample)
        if side.items:
            task.sides.setdefault(log.subject, []).append(side)
    return found


def printed_beside(task: Logged) -> list[tuple[str, str, float, float]]:
    """Subject, condition, the tool's number and the mean of what was read, if both exist."""
    found = []
    for subject, sides in task.sides.items():
        for several in grouped((side.log.file, side) for side in sides).values():
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
