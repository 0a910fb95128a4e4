"""The inputs on which two runs differ most, for reasons beyond noise."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.canonical import canonical_json
from scrutiny.core.example import Example
from scrutiny.run.comparing.flips import Noise
from scrutiny.run.comparing.marks import order_of
from scrutiny.run.comparing.sides import Answers, Sides
from scrutiny.run.comparing.slices import Change

_LEAST = 0.05  # weight of a difference that noise explains


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
        """What the list is ordered by: distance times the share beyond noise."""
        return self.distance * self.beyond_noise


def find_disagreements(
    sides: Sides,
    *,
    answers: tuple[Answers, Answers] | None = None,
    shown: Sequence[tuple[Change, tuple[bool, ...]]] = (),
    noise: Noise,
    own_choices: bool = False,
) -> list[DifferingInput]:
    """Inputs on which two runs differ, those first that differ most beyond noise.

    Parameters
    ----------
    sides
        The two runs.
    answers
        Their answers, in the order of the sides' replicates and items.
    shown
        Slices whose change is shown, with who belongs to them.
    noise
        The first model against itself.
    own_choices
        Whether every item has choices of its own, so that probabilities are in their order.

    Returns
    -------
    list
        All inputs with any distance. The share beyond noise is one minus the rate of differing
        inputs that noise gives over the rate that is seen among inputs like this one. Where slices
        are shown to have changed, what differs outside of all of them is scattered without a
        pattern, and stands for noise if it is more.
    """
    distance = _distances(sides, answers, own_choices=own_choices)
    beyond, names = _beyond_noise(sides, distance, shown, noise)
    order = np.lexsort((-np.abs(sides.change), -distance * beyond))  # then in the items' order
    return [
        _disagreement(
            sides,
            k,
            answers=answers,
            distance=float(distance[k]),
            beyond=float(beyond[k]),
            slices=names[k],
        )
        for k in order.tolist()
        if distance[k] > 0
    ]


def _distances(
    sides: Sides, answers: tuple[Answers, Answers] | None, *, own_choices: bool
) -> NDArray[np.float64]:
    """Distance of both runs on each item ``(item,)``, of their means over replicates."""
    change = np.abs(sides.change)
    if answers is not None and answers[0].are_spans:
        return (change + _label_distances(answers[0].labels, answers[1].labels)) / 2.0
    if not sides.is_hit:
        largest = float(change.max(initial=0.0))
        return change / largest if largest else change
    if answers is None:
        return change
    one, other = answers
    if not _has_one_order(one, other, own_choices=own_choices):
        labels = _label_distances(one.labels, other.labels)
        found: NDArray[np.float64] = np.maximum(change, labels)
        return found
    assert one.scores is not None  # they have an order
    assert other.scores is not None
    apart = np.abs(one.scores.mean(axis=0) - other.scores.mean(axis=0)).sum(axis=-1) / 2.0
    return np.asarray((apart + change) / 2.0, dtype=np.float64)


def _label_distances(
    first: NDArray[np.object_], second: NDArray[np.object_]
) -> NDArray[np.float64]:
    """Total variation distance of the labels' shares over replicates ``(item,)``."""
    found = []
    for ours, theirs in zip(first.T.tolist(), second.T.tolist(), strict=True):
        shares: dict[str, float] = {}
        for label in ours:
            shares[label] = shares.get(label, 0.0) + 1.0 / len(ours)
        for label in theirs:
            shares[label] = shares.get(label, 0.0) - 1.0 / len(theirs)
        found.append(sum(map(abs, shares.values())) / 2.0)
    return np.array(found)


def _has_one_order(one: Answers, other: Answers, *, own_choices: bool) -> bool:
    """Whether both runs have probabilities, in one order of the labels."""
    if one.scores is None or other.scores is None:
        return False
    if one.scores.shape[-1] != other.scores.shape[-1]:
        return False
    if own_choices:
        return True
    orders = order_of(one), order_of(other)
    shared = set(orders[0]) & set(orders[1])
    return bool(shared) and all(orders[0][k] == orders[1][k] for k in shared)


def _beyond_noise(
    sides: Sides,
    distance: NDArray[np.float64],
    shown: Sequence[tuple[Change, tuple[bool, ...]]],
    noise: Noise,
) -> tuple[NDArray[np.float64], list[tuple[str, ...]]]:
    """Share beyond noise ``(item,)``, and the shown slices of each item."""
    masks = [np.array(inside, dtype=np.bool_) for _, inside in shown]
    moved = _moved(sides)
    rest = ~np.logical_or.reduce(masks) if masks else np.ones(distance.size, dtype=np.bool_)
    outside = float(moved[rest].mean()) if rest.any() else 0.0
    floor = max(noise.share or 0.0, outside if masks else 0.0)
    beyond = np.full(distance.size, _share_beyond(outside, floor))
    names: list[tuple[str, ...]] = [()] * distance.size
    for (change, _), inside in zip(shown, masks, strict=True):
        own = _share_beyond(float(moved[inside].mean()), floor)
        beyond[inside] = np.maximum(beyond[inside], own)
        for k in np.flatnonzero(inside).tolist():
            names[k] = (*names[k], change.name)
    return beyond, names


def _moved(sides: Sides) -> NDArray[np.float64]:
    """Share of pairs of replicates whose level differs ``(item,)``."""
    pairs = sides.pairs()
    apart = [np.abs(sides.first[i] - sides.second[k]) > 1e-9 for i, k in pairs]
    return np.asarray(np.mean(apart, axis=0))


def _share_beyond(rate: float, floor: float) -> float:
    """Share of differences that noise does not explain."""
    return max(_LEAST, 1.0 - floor / rate) if rate > 0 else _LEAST


def _disagreement(
    sides: Sides,
    place: int,
    *,
    answers: tuple[Answers, Answers] | None,
    distance: float,
    beyond: float,
    slices: tuple[str, ...],
) -> DifferingInput:
    """The input at a place."""
    example = sides.examples[place]
    said = [None, None] if answers is None else [_commonest(a.labels[:, place]) for a in answers]
    if answers is not None and answers[0].are_spans:
        said = [None if text is None else spans_in_words(text, example.fields) for text in said]
    return DifferingInput(
        item=example.id,
        source=example.source,
        text=" | ".join(example.fields.values()),
        gold=_gold_in_words(example),
        first=said[0],
        second=said[1],
        before=float(sides.first[:, place].mean()),
        after=float(sides.second[:, place].mean()),
        distance=distance,
        beyond_noise=beyond,
        slices=slices,
    )


def _gold_in_words(example: Example) -> str | None:
    """Gold answer as a text; nothing where there is none."""
    if example.gold is None or isinstance(example.gold, str):
        return example.gold
    return spans_in_words(canonical_json(example.gold), example.fields)


def spans_in_words(text: str, fields: Mapping[str, str]) -> str:
    """Spans as people read them, from their JSON.

    Examples
    --------
    >>> spans_in_words('[["text",0,3,"PER"],["text",8,12,"LOC"]]', {"text": "Ida saw Rome"})
    'Ida (PER), Rome (LOC)'
    >>> spans_in_words("[]", {"text": "Nobody"})
    'nothing'
    """
    spans = sorted(json.loads(text))
    return ", ".join(f"{fields[f][start:end]} ({label})" for f, start, end, label in spans) or (
        "nothing"
    )


def _commonest(labels: NDArray[np.object_]) -> str | None:
    """Answer that most replicates give."""
    return Counter(labels.tolist()).most_common(1)[0][0] if labels.size else None


def commonest_turn(
    answers: tuple[Answers, Answers] | None, members: NDArray[np.bool_]
) -> tuple[str, str, int, int] | None:
    """Answer before and after that items change between most often, how many do, of how many.

    Nothing where answers are not kept, are spans, or none changes.
    """
    if answers is None or answers[0].are_spans:
        return None
    turns: Counter[tuple[str, str]] = Counter()
    for k in np.flatnonzero(members).tolist():
        before, after = (_commonest(found.labels[:, k]) for found in answers)
        if before is not None and after is not None and before != after:
            turns[before, after] += 1
    if not turns:
        return None
    (before, after), count = turns.most_common(1)[0]
    return before, after, count, turns.total()
