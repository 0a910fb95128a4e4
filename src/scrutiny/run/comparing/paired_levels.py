"""Levels of two runs, paired item by item; many datasets of one score are one level."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

import numpy as np

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.diagnostics.similarity.side_by_side.sides import (
    UNKNOWN,
    Answers,
    ItemLabels,
    Noise,
    Sides,
    noise_of_replicates,
    noise_of_rerun,
)
from scrutiny.diagnostics.similarity.side_by_side.sides_answers import (
    FREE,
    ModelOfRun,
    in_order,
    labels_of,
    sides_of_models,
    told_by,
)
from scrutiny.models.answers.compared_answers import LabelPair
from scrutiny.reliability.assignment import Assignment
from scrutiny.reliability.joining import Meeting, shared_items
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.panel import Joined, Panel
from scrutiny.reliability.row_statistics import item_scores
from scrutiny.run.comparing.comparison_results import CompareOptions
from scrutiny.run.comparing.paired_numbers import Pair, paired_assignments, same_models
from scrutiny.run.estimating.estimator import Estimator, estimator_of
from scrutiny.stats.resampling.weights import Units
from scrutiny.store.item_tables import examples_of
from scrutiny.store.run_folder import RunFolder
from scrutiny.tasks.tasks import base_name, every_task

#: Statistics whose value is the mean of one measure of an item.
_MEANS: Final = ("accuracy@1", "mean@1")
#: More datasets than this of one model pair and one score are looked at together.
MOST_APART: Final = 4
_ROLES: Final = ("measured", "baseline")
#: Place of an item's dataset among those that are pooled, and the item's own identity.
Key = tuple[int, str]


@dataclass(frozen=True, slots=True, eq=False)
class PairedLevel:
    """Level of two runs, ready for tests.

    Parameters
    ----------
    pair
        What is compared; of pooled datasets, the first one's.
    dataset
        Name of the dataset, or how many they are.
    meeting
        Values of both, as differences are estimated from.
    sides
        The two runs on their shared items.
    noise
        The first model against itself.
    itself
        The first run beside another one of its model, where it was run once.
    """

    pair: Pair
    dataset: str
    meeting: Meeting
    sides: Sides
    noise: Noise
    itself: Sides | None


def read_levels(
    first: RunFolder,
    second: RunFolder,
    options: CompareOptions,
    estimators: tuple[Estimator, Estimator] | None = None,
) -> Iterator[PairedLevel]:
    """Levels that two runs share, many datasets of one score as one."""
    reader = _LevelReader(first, second, paired=options.paired, estimators=estimators)
    groups: dict[object, list[Pair]] = {}
    for pair in _level_pairs(first, second):
        groups.setdefault(reader.kind_of(pair), []).append(pair)
    for several in groups.values():
        for pairs in [several] if len(several) > MOST_APART else [[one] for one in several]:
            meeting, sides = reader.both(pairs)
            itself = _itself(first, [one for one, _ in pairs], sides, options)
            noise = _noise([one.dataset for one, _ in pairs], sides, itself, options)
            name = pairs[0][0].dataset if len(pairs) == 1 else f"{len(pairs)} datasets"
            yield PairedLevel(pairs[0], name, meeting, sides, noise, itself)


def _level_pairs(first: RunFolder, second: RunFolder) -> Iterator[Pair]:
    """Level of each model pair and dataset: that of its task, an accuracy, a mean, or any score."""
    scores = {base_name(t): t.scored_by.level for t in every_task() if t.scored_by is not None}
    levels = [*dict.fromkeys([*_MEANS, *scores.values()])]
    tasks = {name: data.get("task", "") for name, data in first.manifest["data"].items()}
    candidates = [
        (one, other)
        for one, other in paired_assignments(first, second)
        if one.metric in levels
        and one.role in _ROLES
        and one.group == "all"
        and not (one.where or one.at or one.along or one.beside)
        and not (one.metric == "mean@1" and one.measures[0].name != "hit")
    ]
    seen: set[tuple[str, str]] = set()

    def place(pair: Pair) -> tuple[bool, int]:
        one = pair[0]  # a ranking has accuracy at rank 1 as well: its level comes first
        own = scores.get(tasks.get(one.dataset, "").partition("@")[0])
        return one.metric != own, levels.index(one.metric)

    for one, other in sorted(candidates, key=place):
        if (one.subject, one.dataset) not in seen:
            seen.add((one.subject, one.dataset))
            yield one, other


class _LevelReader:
    """Two runs with their estimators."""

    def __init__(
        self,
        first: RunFolder,
        second: RunFolder,
        *,
        paired: bool | None,
        estimators: tuple[Estimator, Estimator] | None = None,
    ) -> None:
        self.folders = first, second
        self.estimators = estimators or (estimator_of(first), estimator_of(second))
        self.items = first.items(), second.items()
        self.paired = paired

    def kind_of(self, pair: Pair) -> object:
        """Key that levels of several datasets must share to be pooled."""
        both = zip(pair, self.estimators, strict=True)
        own = [(a.kind, a.measures, one.joined(a)[0].replicates) for a, one in both]
        of = pair[0].subject, pair[0].metric, canonical_json(pair[0].whole_condition)
        return (*own, *of, self._is_paired(pair), self._sign(pair))

    def _is_paired(self, pair: Pair) -> bool:
        return same_models(*self.folders, pair) if self.paired is None else self.paired

    def _sign(self, pair: Pair) -> int:
        """-1 if lower is better according to the log, else 1."""
        data = self.folders[0].manifest["data"].get(pair[0].dataset, {})
        condition = pair[0].condition
        return -1 if condition.get("metric") in data.get("lower_is_better", ()) else 1

    def both(self, pairs: Sequence[Pair]) -> tuple[Meeting, Sides]:
        """Both runs on the items that they share in these datasets."""
        known = self._items(pairs)
        (first, mine), (second, yours) = (self._joined(pairs, side) for side in (0, 1))
        meeting = shared_items((first, mine), (second, yours))
        there = {second.items[i] for i in yours.rows.tolist()}
        kept = [known[name] for i in mine.rows.tolist() if (name := first.items[i]) in there]
        metric = pairs[0][0].metric
        statistic = None if metric in _MEANS else metric_of(metric)
        if isinstance(statistic, AdditiveStatistic) and not statistic.is_mean:
            one, other = (item_scores(statistic, values) for values in meeting.values)
            meeting, metric = replace(meeting, values=(one[..., None], other[..., None])), "mean@1"
        keys = [key for key, _ in kept]
        parts = {
            pair[0].dataset: np.array([k == place for k, _ in keys])
            for place, pair in enumerate(pairs)
            if len(pairs) > 1
        }
        return meeting, Sides(
            first=meeting.values[0][..., 0],
            second=meeting.values[1][..., 0],
            names=meeting.names,
            units=meeting.units or Units.of(len(kept)),
            examples=tuple(example for _, example in kept),
            metric=metric,
            is_paired=self._is_paired(pairs[0]),
            resampling=self.estimators[0].resampling,
            seed=self.estimators[0].seed,
            sign=self._sign(pairs[0]),
            answers=self._answers(pairs, keys, meeting),
            labels=self._labels(pairs, keys),
            parts=parts,
        )

    def _items(self, pairs: Sequence[Pair]) -> dict[str, tuple[Key, Example]]:
        """Items of the datasets by their names in the panel."""
        found = {}
        for place, (one, _) in enumerate(pairs):
            for item, example in examples_of(self.items[0], one.dataset).items():
                if len(pairs) == 1:
                    found[item] = (place, item), example
                    continue
                name = f"{one.dataset}/{item}"
                found[name] = (place, item), replace(example, id=name)
        return found

    def _joined(self, pairs: Sequence[Pair], side: int) -> tuple[Panel, Joined]:
        """Values of one run on the datasets, under the first run's names."""
        one, *others = (pair[side] for pair in pairs)
        whole = replace(one, beside=tuple(other.dataset for other in others))
        panel, joined = self.estimators[side].joined(whole)
        for pair in pairs:
            ours, theirs = (f"{a.dataset}/" for a in pair)
            if others and side and ours != theirs:
                names = (
                    n.replace(theirs, ours, 1) if n.startswith(theirs) else n for n in panel.items
                )
                panel = replace(panel, items=tuple(names))
        return panel, joined

    def _answers(
        self, pairs: Sequence[Pair], keys: Sequence[Key], meeting: Meeting
    ) -> tuple[Answers, Answers] | None:
        """Answers of both runs, in the order of the sides; ``None`` if one stores none."""
        one, other = (
            in_order(
                told_by(asked),
                set(chain.from_iterable(_answered(pair[side]) for pair in pairs)),
                items=[(pairs[place][side].dataset, item) for place, item in keys],
                replicates=meeting.names[side],
            )
            for side, asked in enumerate(self._asked(pairs[0]))
        )
        is_kept = all((found.given != None).any() for found in (one, other))  # noqa: E711
        return (one, other) if is_kept else None

    def _asked(self, pair: Pair) -> tuple[ModelOfRun, ModelOfRun]:
        """Both runs with the models whose answers are compared."""
        return (self.folders[0], pair[0].subject), (self.folders[1], pair[1].subject)

    def _labels(self, pairs: Sequence[Pair], keys: Sequence[Key]) -> ItemLabels:
        """Labels of a run's model, or choices of a log's items, in order of the probabilities."""
        logged = ["imported" in folder.manifest for folder in self.folders]
        if not any(logged) and len(pairs) == 1:
            ((one, other),) = pairs
            return labels_of(self._asked(pairs[0]), (one.dataset, other.dataset), len(keys))
        if not all(logged):  # labels of a run beside choices of a log
            return "other_choices" if any(logged) else "several_datasets"
        found = []
        for side, table in enumerate(self.items):
            if "choices" not in table.column_names:
                return FREE
            place = {pair[side].dataset: k for k, pair in enumerate(pairs)}
            rows = table.select(["dataset", "item", "choices"]).to_pylist()
            own = {(place.get(row["dataset"]), row["item"]): row["choices"] for row in rows}
            found.append([tuple(json.loads(own[key] or "[]")) for key in keys])
        if any(len(own) < 2 for own in found[0]):
            return FREE
        if found[0] != found[1]:
            return "other_choices"
        return tuple(LabelPair(own, own) for own in found[0])


def _answered(one: Assignment) -> Iterator[tuple[str, str]]:
    """Datasets and conditions of the stored answers to an assignment's items."""
    # a logged score's own name is none of the filter that its answers stand under
    own = {k: v for k, v in one.whole_condition.items() if k != "metric"}
    yield from ((one.dataset, canonical_json(c)) for c in (own, dict(one.within)))


def _itself(
    first: RunFolder, several: Sequence[Assignment], sides: Sides, options: CompareOptions
) -> Sides | None:
    """First run against a rerun of the same model, if there is one.

    Raises
    ------
    PlanError
        If the other run has not measured the same.
    """
    if len(sides.first) > 1 or not (sides.is_hit or sides.is_share):
        return None
    rerun = options.baseline_rerun
    if rerun is not None:
        known = {pair[0].id: pair for pair in paired_assignments(first, rerun)}
        if not known.keys() >= {one.id for one in several}:
            raise PlanError(f"{rerun.path} shares no {several[0].metric} with {first.path}.")
        pairs = [known[one.id] for one in several]
        return _LevelReader(first, rerun, paired=False).both(pairs)[1]
    if options.asked_again is None:
        return None
    subject = several[0].subject
    both = (first, subject), (options.asked_again, subject)
    return sides_of_models(both, [one.dataset for one in several])


def _noise(
    datasets: Sequence[str], sides: Sides, itself: Sides | None, options: CompareOptions
) -> Noise:
    """Noise of the first model against itself, as far as known."""
    if not (sides.is_hit or sides.is_share):
        return UNKNOWN
    if len(sides.first) > 1:
        return noise_of_replicates(sides)
    if itself is not None:
        is_rerun = options.baseline_rerun is not None
        return noise_of_rerun(itself, "another run" if is_rerun else "asked again")
    promised = [options.noise[name] for name in datasets if name in options.noise]
    if len(promised) < len(datasets):
        return UNKNOWN
    return replace(promised[0], n_items=sum(one.n_items for one in promised))
