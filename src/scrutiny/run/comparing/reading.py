"""Levels of two runs as they are read: sides, answers, noise; many datasets pooled into one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from scrutiny.core.canonical import canonical_json
from scrutiny.core.errors import PlanError
from scrutiny.core.record import Counts
from scrutiny.run.comparing.flips import UNKNOWN, Noise, noise_of_replicates, noise_of_runs
from scrutiny.run.comparing.levels import CompareOptions
from scrutiny.run.comparing.marks import FREE, Choices, Marked, marks_of
from scrutiny.run.comparing.numbers import paired_assignments, same_models
from scrutiny.run.comparing.sides import LEVELS, Answers, Sides, answers_of, sides_of
from scrutiny.run.estimating.contrasts import Meeting
from scrutiny.run.estimating.judging import estimator_of
from scrutiny.run.planning.assignment import Assignment
from scrutiny.stats.resampling.weights import Units
from scrutiny.store.run_folder import RunFolder

#: More datasets than this of one model pair and one score are looked at together.
MOST_APART: Final = 4
_ROLES: Final = ("measured", "baseline")
Pair = tuple[Assignment, Assignment]


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A level of two runs, ready to be tested.

    Parameters
    ----------
    pair
        What is compared; of pooled datasets, the first one's.
    dataset
        Name of the dataset, or how many they are.
    sides, answers
        The two runs on their shared items; answers where both keep them.
    noise
        The first model against itself.
    own_choices
        Whether every item has choices of its own.
    choices
        Choices of each item, or the code of why its answers are no labels; nothing where all items
        share their labels.
    parts
        Items of each dataset that was pooled.
    """

    pair: Pair
    dataset: str
    sides: Sides
    answers: tuple[Answers, Answers] | None
    noise: Noise
    own_choices: bool
    choices: Choices = ()
    parts: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)

    @property
    def marked(self) -> Marked:
        """The answers as numbers."""
        sides = self.sides
        return marks_of(
            self.answers,
            (sides.first, sides.second) if sides.is_hit else None,
            golds=[one.gold for one in sides.examples],
            choices=self.choices,
        )


def read_levels(first: RunFolder, second: RunFolder, options: CompareOptions) -> list[Read]:
    """Levels that two runs share, many datasets pooled."""
    estimators = estimator_of(first), estimator_of(second)
    items, found = first.items(), []
    for pair in _level_pairs(first, second):
        paired = options.paired
        sides = sides_of(
            estimators,
            pair,
            items=items,
            is_paired=same_models(first, second, pair) if paired is None else paired,
            sign=_sign(first, pair[0]),
        )
        found.append(
            Read(
                pair=pair,
                dataset=pair[0].dataset,
                sides=sides,
                answers=_answers((first, second), pair, sides),
                noise=_noise(first, pair[0], sides, options),
                own_choices="imported" in first.manifest,
                choices=_choices((first, second), pair, sides),
            )
        )
    return list(_pooled(found))


def _level_pairs(first: RunFolder, second: RunFolder) -> Iterator[Pair]:
    """The first level of each model pair and dataset: accuracies before means."""
    candidates = [
        (one, other)
        for one, other in paired_assignments(first, second)
        if one.spec.metric in LEVELS
        and one.spec.role in _ROLES
        and one.spec.group == "all"
        and not (one.spec.where or one.spec.at or one.spec.along or one.spec.beside)
        and not (one.spec.metric == "mean@1" and one.measures[0].name != "hit")
    ]
    seen: set[tuple[str, str]] = set()
    for one, other in sorted(candidates, key=lambda pair: LEVELS.index(pair[0].spec.metric)):
        if (one.subject, one.dataset) not in seen:
            seen.add((one.subject, one.dataset))
            yield one, other


def _sign(first: RunFolder, one: Assignment) -> int:
    """-1 where less is better, as the log says."""
    data = first.manifest["data"].get(one.dataset, {})
    return -1 if one.spec.condition.get("metric") in data.get("lower_is_better", ()) else 1


def _answers(
    folders: tuple[RunFolder, RunFolder], pair: Pair, sides: Sides
) -> tuple[Answers, Answers] | None:
    """Answers of both runs, in the order of the sides; nothing where one keeps none."""
    items = [one.id for one in sides.examples]
    found = [
        answers_of(folder, one, items=items, replicates=names)
        for folder, one, names in zip(folders, pair, sides.meeting.names, strict=True)
    ]
    if any((one.labels == None).all() for one in found):  # noqa: E711 - elementwise
        return None
    return found[0], found[1]


def _choices(folders: tuple[RunFolder, RunFolder], pair: Pair, sides: Sides) -> Choices:
    """Choices of each item of logs; labels of a run are those of all its items."""
    logged = ["imported" in folder.manifest for folder in folders]
    if not any(logged):
        return ()
    if not all(logged):
        return "other_choices"  # labels of a run beside choices of a log
    wanted = [one.id for one in sides.examples]
    found = []
    for folder, one in zip(folders, pair, strict=True):
        table = folder.items()
        if "choices" not in table.column_names:
            return FREE
        rows = table.filter(pc.equal(table["dataset"], one.dataset)).to_pylist()
        own = {row["item"]: tuple(json.loads(row["choices"] or "[]")) for row in rows}
        found.append(tuple(own[item] for item in wanted))
    if any(len(own) < 2 for own in found[0]):
        return FREE
    return found[0] if found[0] == found[1] else "other_choices"


def _noise(first: RunFolder, one: Assignment, sides: Sides, options: CompareOptions) -> Noise:
    """The first model against itself, as well as it is known."""
    if not (sides.is_hit or sides.is_share):
        return UNKNOWN
    if len(sides.first) > 1:
        return noise_of_replicates(sides)
    if options.again is None:
        return options.noise.get(one.dataset, UNKNOWN)
    return _noise_of(first, options.again, one)


def _noise_of(first: RunFolder, again: RunFolder, one: Assignment) -> Noise:
    """Flips between the first run and another one of its model."""
    pair = next((p for p in paired_assignments(first, again) if p[0].spec.id == one.spec.id), None)
    if pair is None:
        raise PlanError(f"{again.path} shares no {one.spec.metric} with {first.path}.")
    estimators = estimator_of(first), estimator_of(again)
    return noise_of_runs(sides_of(estimators, pair, items=first.items(), is_paired=False))


def _pooled(found: Sequence[Read]) -> Iterator[Read]:
    """Levels, those of one model pair and score on many datasets as one."""
    groups: dict[tuple[object, ...], list[Read]] = {}
    for one in found:
        spec, sides = one.pair[0].spec, one.sides
        own = canonical_json({**one.pair[0].condition, "metric of": spec.metric})
        key = one.pair[0].subject, own, sides.meeting.names, sides.is_paired, sides.sign
        groups.setdefault(key, []).append(one)
    for several in groups.values():
        if len(several) > MOST_APART:
            yield _as_one(several)
        else:
            yield from several


def _as_one(several: Sequence[Read]) -> Read:
    """One level over the items of several datasets, which are strata."""
    first = several[0]
    sizes = [len(one.sides.examples) for one in several]
    number = np.repeat(np.arange(len(several)), sizes)
    examples = [
        replace(example, id=f"{one.dataset}/{example.id}")
        for one in several
        for example in one.sides.examples
    ]
    meeting = Meeting(
        values=(
            np.concatenate([one.sides.meeting.values[0] for one in several], axis=1),
            np.concatenate([one.sides.meeting.values[1] for one in several], axis=1),
        ),
        names=first.sides.meeting.names,
        counts=_sum([one.sides.meeting.counts for one in several]),
        units=Units.of(len(examples), _units(several), strata=number),
        cells=None,
    )
    sides = replace(first.sides, meeting=meeting, examples=tuple(examples))
    return Read(
        pair=first.pair,
        dataset=f"{len(several)} datasets",
        sides=sides,
        answers=_joined_answers([one.answers for one in several]),
        noise=_joint_noise([one.noise for one in several], sides),
        own_choices=first.own_choices,
        choices=_joined_choices([one.choices for one in several]),
        parts={one.dataset: number == k for k, one in enumerate(several)},
    )


def _units(several: Sequence[Read]) -> list[str]:
    """Unit of each item; no unit is of two datasets."""
    names = []
    for one in several:
        units, n = one.sides.meeting.units, len(one.sides.examples)
        codes = range(n) if units is None else units.code.tolist()
        names += [f"{one.dataset}/{code}" for code in codes]
    return names


def _sum(counts: Sequence[Counts]) -> Counts:
    return Counts(
        n=sum(c.n for c in counts),
        undefined=sum(c.undefined for c in counts),
        failed=sum(c.failed for c in counts),
        skipped=sum(c.skipped for c in counts),
        refused=sum(c.refused for c in counts),
    )


def _joined_answers(
    several: Sequence[tuple[Answers, Answers] | None],
) -> tuple[Answers, Answers] | None:
    """Answers to the items of all datasets; nothing where one of them keeps none."""
    known = [one for one in several if one is not None]
    if len(known) < len(several):
        return None
    one, other = (_beside([pair[side] for pair in known]) for side in (0, 1))
    return one, other


def _joined_choices(several: Sequence[Choices]) -> Choices:
    """Choices of the items of all datasets; labels of several datasets are not one set."""
    lack = next((one for one in several if isinstance(one, str)), None)
    if lack is not None:
        return lack
    if not all(several):
        return "several_datasets"
    return tuple(own for one in several if not isinstance(one, str) for own in one)


def _beside(several: Sequence[Answers]) -> Answers:
    """Answers of one run to the items of several datasets."""
    scores = [one.scores for one in several if one.scores is not None]
    width = max((s.shape[-1] for s in scores), default=0)
    padded = [np.pad(s, ((0, 0), (0, 0), (0, width - s.shape[-1]))) for s in scores]
    return Answers(
        np.concatenate([one.labels for one in several], axis=1),
        np.concatenate(padded, axis=1) if len(scores) == len(several) else None,
        any(one.are_spans for one in several),
        any(one.are_texts for one in several),
    )


def _joint_noise(several: Sequence[Noise], sides: Sides) -> Noise:
    """Noise over the items of all datasets."""
    if (sides.is_hit or sides.is_share) and len(sides.first) > 1:
        return noise_of_replicates(sides)
    total = sum(one.n_items for one in several)
    if any(one.share is None for one in several) or not total:
        return UNKNOWN
    share = sum((one.share or 0.0) * one.n_items for one in several) / total
    return replace(several[0], share=share, n_items=total)
