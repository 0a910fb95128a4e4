"""Inputs on which two runs differ most beyond noise."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.answers.answer import type_of
from scrutiny.core.answers.label import LABEL
from scrutiny.core.arrays import Floats
from scrutiny.core.example import Example
from scrutiny.diagnostics.similarity.side_by_side.flips import Noise
from scrutiny.diagnostics.similarity.side_by_side.marks import Marked
from scrutiny.diagnostics.similarity.side_by_side.sides import Answers, Sides

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
    return [
        _disagreement(sides, k, float(distance[k]), float(beyond[k]), tuple(names[k]))
        for k in order.tolist()
        if distance[k] > 0
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


def _disagreement(
    sides: Sides, place: int, distance: float, beyond: float, slices: tuple[str, ...]
) -> DifferingInput:
    """The input at an index."""
    example = sides.examples[place]
    said: list[str | None] = [None, None]
    if sides.answers is not None:
        said = [_shown(one.commonest(place), example) for one in sides.answers]
    return DifferingInput(
        item=example.id,
        source=example.source,
        text=" | ".join(example.fields.values()),
        gold=_shown(example.gold, example),
        first=said[0],
        second=said[1],
        before=float(sides.first[:, place].mean()),
        after=float(sides.second[:, place].mean()),
        distance=distance,
        beyond_noise=beyond,
        slices=slices,
    )


def _shown(answer: Any, example: Example) -> str | None:
    """An answer to an item in words; None if there is none."""
    return None if answer is None else type_of(answer).show(answer, example.fields)
