"""Chance-corrected agreement of two sides, and the inputs on which they differ beyond noise.

The metrics are those of `similarity.outputs@1`, by their names: a is the first side, b the second.
Replicates are held against each other as for flips; beside each value stands that of the first
model against itself.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.answers.answer import type_of
from scrutiny.core.answers.choices import options_last
from scrutiny.core.answers.label_and_spans import LABEL
from scrutiny.core.arrays import Floats
from scrutiny.core.estimate import Estimate
from scrutiny.core.example import Example
from scrutiny.diagnostics.similarity.outputs_records import divergences, of_right_answer
from scrutiny.diagnostics.similarity.side_by_side.sides import (
    Answers,
    How,
    Noise,
    Replicates,
    Sides,
)
from scrutiny.diagnostics.similarity.side_by_side.sides_answers import (
    NO_ORDER,
    NOT_APPLICABLE,
    Marked,
    marked,
)

AGREEMENT: Final = "agreement@1"
KAPPA: Final = "kappa@1"
CONSISTENCY: Final = "error_consistency@1"
CAPA: Final = "capa@1"
CAPA_OF_LABELS: Final = "capa_of_labels@1"
#: How far probabilities lie apart.
DIVERGENCES: Final = ("jsd@1", "tv@1", "kl_ab@1", "kl_ba@1")
_ALL: Final = (AGREEMENT, KAPPA, CONSISTENCY, CAPA, CAPA_OF_LABELS, *DIVERGENCES)


@dataclass(frozen=True, slots=True)
class Agreed:
    """One measure of agreement of two sides.

    Parameters
    ----------
    measure
        Versioned name of the statistic.
    estimate
        Its value with an interval over items and pairs of replicates; nothing where the answers do
        not allow it.
    reason
        Code of why there is no value; "" where there is one.
    floor
        Value of the first model against itself; nothing where that is not known.
    """

    measure: str
    estimate: Estimate | None
    reason: str = ""
    floor: float | None = None


@dataclass(frozen=True, slots=True)
class SidesAgreement:
    """All measures of agreement of two sides.

    Parameters
    ----------
    rows
        Those that apply to the task, in the order of the page.
    floor_of
        How the first model was held against itself. Where that is not known only CAPA has a floor:
        the same answers twice, which is below 1 for a model that is not certain.
    """

    rows: tuple[Agreed, ...] = ()
    floor_of: How = "unknown"


def agreement_of(
    sides: Sides, marks: Marked, noise: Noise, itself: Sides | None = None
) -> SidesAgreement:
    """Measures of agreement of two sides.

    Parameters
    ----------
    sides
        The two runs.
    marks
        Their answers as numbers.
    noise
        What is known of the first model against itself.
    itself
        The first run beside another one of its model, where there is one.

    **Measures**: the same label (agreement), beyond the frequencies of the labels (kappa); the same
    items wrong beyond both accuracies (error consistency); the same answers beyond both accuracies
    (CAPA); distances of the probabilities.

    **Misleads when**: read without the floor; see
    `scrutiny.diagnostics.similarity.outputs_records`.

    **References**: Cohen (1960); Geirhos, Meding & Wichmann (2020); Goel et al. (2025); Lin (1991).
    """
    numbers = _numbers_of(sides, marks, sides.pairs())
    how, floor = _floor(sides, marks, noise, itself)
    rows = []
    for measure, lack in _wanted(marks, numbers):
        found = None if lack else sides.estimate(measure, numbers)
        reason = lack or ("no_value" if found is None or found.value is None else "")
        rows.append(Agreed(measure, found, reason, floor.get(measure)))
    return SidesAgreement(tuple(rows), how)


def _wanted(marks: Marked, numbers: Mapping[str, Floats]) -> Iterator[tuple[str, str]]:
    """Measures that apply, each with the reason code if it has no value."""
    has_labels = marks.lack not in NOT_APPLICABLE
    if "same" in numbers:
        yield AGREEMENT, ""
    if marks.lack == NO_ORDER:  # one line stands for all that needs it
        yield KAPPA, NO_ORDER
        has_labels = False
    if has_labels:
        yield KAPPA, marks.lack or ("" if marks.has_one_set else "several_sets")
    if "hit_a" in numbers:
        yield CONSISTENCY, ""
        if has_labels:
            yield (CAPA, "") if "pa_gold" in numbers else (CAPA_OF_LABELS, marks.lack)
    if has_labels:
        yield from ((name, marks.no_probabilities) for name in DIVERGENCES)


def _numbers_of(
    sides: Sides, marks: Marked, pairs: Replicates, *, of: tuple[int, int] = (0, 1)
) -> dict[str, Floats]:
    """Measures ``(pair, item)`` by name of pairs of replicates, as far as available.

    ``of`` are the sides that are held against each other: (0, 0) is the first one beside itself.
    """
    rows = [i for i, _ in pairs], [k for _, k in pairs]

    def both(arrays: tuple[Any, Any]) -> list[Any]:
        return [arrays[side][own] for side, own in zip(of, rows, strict=True)]

    found: dict[str, Any] = {}
    if sides.answers is not None and marks.lack != "no_answers":
        one, other = both((sides.answers[0].given, sides.answers[1].given))
        found["same"] = one == other
    if sides.is_hit:
        found["hit_a"], found["hit_b"] = both((sides.first, sides.second))
    if marks.places is not None:
        found["pred_a"], found["pred_b"] = both(marks.places)
    if marks.n_labels is not None and (marks.n_labels > 1).all():
        found["n_classes"] = np.broadcast_to(marks.n_labels, (len(pairs), marks.n_labels.size))
    if marks.probabilities is not None:
        p, q = both(marks.probabilities)
        found |= divergences(p, q)
        if marks.gold is not None:
            found |= of_right_answer(p, q, marks.gold)
    return found


def _floor(
    sides: Sides, marks: Marked, noise: Noise, itself: Sides | None
) -> tuple[How, Mapping[str, float]]:
    """How the first model is compared with itself, and each measure of that."""
    count = len(sides.first)
    if count > 1:
        pairs = list(combinations(range(count), 2))
        return "replicates", _values_of(sides, _numbers_of(sides, marks, pairs, of=(0, 0)))
    if itself is not None:
        again = _numbers_of(itself, marked(itself), itself.pairs())
        return noise.how, _values_of(itself, again)
    same = _values_of(sides, _numbers_of(sides, marks, [(0, 0)], of=(0, 0)))
    if noise.how == "exact":
        return noise.how, same
    return "unknown", {name: value for name, value in same.items() if name == CAPA}


def _values_of(sides: Sides, numbers: Mapping[str, Floats]) -> dict[str, float]:
    """Value of each measure from these numbers ``(pair, item)``, a mean over pairs."""
    found = {name: sides.estimate(name, numbers, is_drawn=False) for name in _ALL}
    return {name: e.value for name, e in found.items() if e is not None and e.value is not None}


_LEAST = 0.05  # weight of a difference that noise explains
#: Slices whose change is shown, with the items ``(item,)`` of each.
Shown = Mapping[str, NDArray[np.bool_]]
_NONE: Final[Shown] = {}


@dataclass(frozen=True, slots=True)
class DifferingInput:
    """An input on which two runs differ.

    Parameters
    ----------
    item, source, text, gold
        The input.
    first, second
        What either run answers most often, where answers are kept.
    before, after
        Level of either run, a mean over replicates.
    distance
        From 0 to 1: the change of the level; where both runs have probabilities, the mean of that
        and their total variation distance; where they have answers alone, the distance of the
        answers' shares over replicates, if it is more; of scores that are no hits, the change as a
        share of the largest; of tagged sentences the mean of the change of their F1 and of the
        distance of the answers' shares.
    beyond_noise
        Estimated share of such differences, among inputs like this one, that two runs of the first
        model would not have.
    slices
        Slices that it belongs to and whose change is shown.
    """

    item: str
    source: str
    text: str
    gold: str | None
    first: str | None
    second: str | None
    before: float
    after: float
    distance: float
    beyond_noise: float
    slices: tuple[str, ...]

    @property
    def rank(self) -> float:
        """Sort key of the list: distance times the share beyond noise."""
        return self.distance * self.beyond_noise


def find_disagreements(
    sides: Sides, marks: Marked, *, shown: Shown = _NONE, noise: Noise
) -> list[DifferingInput]:
    """Inputs on which two runs differ, largest difference beyond noise first.

    Parameters
    ----------
    sides
        The two runs.
    marks
        Their answers as numbers.
    shown
        Slices whose change is shown, with who belongs to them.
    noise
        The first model against itself.

    Returns
    -------
    list
        All inputs with any distance. The share beyond noise is one minus the rate of differing
        inputs that noise gives over the rate that is seen among inputs like this one. Where slices
        are shown to have changed, what differs outside of all of them is scattered without a
        pattern, and stands for noise if it is more.
    """
    distance = _distances(sides, marks)
    beyond, names = _beyond_noise(sides, shown, noise)
    order = np.lexsort((-np.abs(sides.change), -distance * beyond))  # then in the items' order
    levels = [side.mean(axis=0).tolist() for side in (sides.first, sides.second)]
    said = [[None] * distance.size] * 2
    if sides.answers is not None:
        said = [one.commonest() for one in sides.answers]
    return [
        DifferingInput(
            item=example.id,
            source=example.source,
            text=" | ".join(options_last(example.fields).values()),
            gold=_shown(example.gold, example),
            first=_shown(said[0][k], example),
            second=_shown(said[1][k], example),
            before=levels[0][k],
            after=levels[1][k],
            distance=float(distance[k]),
            beyond_noise=float(beyond[k]),
            slices=tuple(names[k]),
        )
        for k in order[distance[order] > 0].tolist()
        for example in [sides.examples[k]]
    ]


def _distances(sides: Sides, marks: Marked) -> Floats:
    """Distance of both runs on each item ``(item,)``, of their means over replicates."""
    change, answers = np.abs(sides.change), sides.answers
    if answers is not None and answers[0].kind is not LABEL:
        return (change + _label_distances(*answers)) / 2.0
    if not sides.is_hit:
        largest = float(change.max(initial=0.0))
        return change / largest if largest else change
    if answers is None:
        return change
    if marks.probabilities is None:
        return np.asarray(np.maximum(change, _label_distances(*answers)))
    p, q = (side.mean(axis=0) for side in marks.probabilities)
    return np.asarray((np.abs(p - q).sum(axis=-1) / 2.0 + change) / 2.0)


def _label_distances(first: Answers, second: Answers) -> Floats:
    """Total variation distance of the labels' shares over replicates ``(item,)``."""
    found = []
    for ours, theirs in zip(first.given.T.tolist(), second.given.T.tolist(), strict=True):
        seen = dict.fromkeys([*ours, *theirs])  # in one order, so that sums are the same each time
        apart = (ours.count(x) / len(ours) - theirs.count(x) / len(theirs) for x in seen)
        found.append(sum(map(abs, apart)) / 2.0)
    return np.array(found)


def _beyond_noise(sides: Sides, shown: Shown, noise: Noise) -> tuple[Floats, list[list[str]]]:
    """Share beyond noise ``(item,)``, and the shown slices of each item."""
    apart = [np.abs(sides.first[i] - sides.second[k]) > 1e-9 for i, k in sides.pairs()]
    moved = np.mean(apart, axis=0)  # share of pairs of replicates whose level differs
    rest = ~np.any([np.zeros(moved.size, dtype=np.bool_), *shown.values()], axis=0)
    outside = float(moved[rest].mean()) if rest.any() else 0.0
    floor = max(noise.share or 0.0, outside if shown else 0.0)
    beyond = np.full(moved.size, _share_beyond(outside, floor))
    names: list[list[str]] = [[] for _ in range(moved.size)]
    for name, inside in shown.items():
        own = _share_beyond(float(moved[inside].mean()), floor)
        beyond[inside] = np.maximum(beyond[inside], own)
        for k in np.flatnonzero(inside).tolist():
            names[k].append(name)
    return beyond, names


def _share_beyond(rate: float, floor: float) -> float:
    """Share of differences that noise does not explain."""
    return max(_LEAST, 1.0 - floor / rate) if rate > 0 else _LEAST


def _shown(answer: Any, example: Example) -> str | None:
    """An answer to an item in words; None if there is none."""
    return None if answer is None else type_of(answer).show(answer, example.fields)
