"""Two sides' answers as numbers: places of labels, probabilities in one order of the labels."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.run.comparing.sides import Answers

Floats = NDArray[np.float64]
#: Choices of each item, the labels of all items together, or the code of why there are none.
Choices = tuple[tuple[str, ...], ...] | str
#: Answers are no labels of a closed set: taggers' spans, or free text.
FREE: Final = "free_answers"
#: What is not applicable, and so is left out without a word.
NOT_APPLICABLE: Final = (FREE, "no_answers", "no_labels")
_ATOL: Final = 1e-4  # of sums of probabilities: answers are stored as float32


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What one side answered, as far as it can be counted.

    Parameters
    ----------
    said
        ``(replicate, item)`` answers as texts; nothing where some are not kept.
    hits
        ``(replicate, item)`` whether they are right; nothing where items are no hits.
    places
        ``(replicate, item)`` place of the label; nothing where there is no closed set of labels.
    probabilities
        ``(replicate, item, label)``, in the order of both sides; nothing where they are not known.
    """

    said: NDArray[np.object_] | None = None
    hits: Floats | None = None
    places: Floats | None = None
    probabilities: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """Both sides, and what they have in common.

    Parameters
    ----------
    first, second
        The sides.
    n_labels
        ``(item,)`` labels that there are for each item; nothing without a closed set.
    gold
        ``(item,)`` place of the right answer among the probabilities; nothing where some is not
        known.
    has_one_set
        Whether all items have labels of one set, or as many choices: what kappa counts.
    lack
        Why there are no places; "" where there are.
    no_probabilities
        Why there are no probabilities; "" where there are.
    """

    first: Marks
    second: Marks
    n_labels: Floats | None = None
    gold: NDArray[np.int64] | None = None
    has_one_set: bool = False
    lack: str = ""
    no_probabilities: str = ""


class OrderedMarks(NamedTuple):
    """Probabilities of both sides in one order, and the labels of the places that are known."""

    probabilities: tuple[Floats, Floats]
    labels: Mapping[int, str]


def marks_of(
    answers: tuple[Answers, Answers] | None,
    hits: tuple[Floats, Floats] | None,
    *,
    golds: Sequence[object],
    choices: Choices = (),
) -> Marked:
    """Both sides' answers as numbers.

    Parameters
    ----------
    answers
        Of both, ``(replicate, item)``; nothing where they are not kept.
    hits
        Whether they are right, where items are right or wrong.
    golds
        Right answer of each item, or nothing.
    choices
        Choices of each item, in the order of its probabilities; nothing where all items have the
        labels that are seen; or the code of why there are no labels.
    """
    marks = [Marks(hits=None if hits is None else hits[side]) for side in (0, 1)]
    if answers is None or any((one.labels == None).any() for one in answers):  # noqa: E711
        return Marked(marks[0], marks[1], lack="no_answers", no_probabilities="no_answers")
    said = tuple(Marks(one.labels, mark.hits) for one, mark in zip(answers, marks, strict=True))
    why = choices if isinstance(choices, str) else ""
    if any(one.are_spans or one.are_texts for one in answers):
        why = FREE
    if why:
        return Marked(said[0], said[1], lack=why, no_probabilities=why)
    if choices:
        return _of_choices(answers, said, golds=golds, choices=tuple(map(tuple, choices)))
    return _of_labels(answers, said, golds=golds)


def _of_choices(
    answers: tuple[Answers, Answers],
    said: tuple[Marks, ...],
    *,
    golds: Sequence[object],
    choices: Sequence[tuple[str, ...]],
) -> Marked:
    """Answers to items with choices of their own: a label is the place of its choice."""
    places = [
        np.array(
            [[place_of(one, own) for one, own in zip(row, choices, strict=True)] for row in labels],
            dtype=np.float64,
        )
        for labels in (found.labels.tolist() for found in answers)
    ]
    n_labels = np.array([len(own) for own in choices], dtype=np.float64)
    gold = np.array([place_of(g, own) for g, own in zip(golds, choices, strict=True)])
    scores = _distributions(answers)
    has_both = not isinstance(scores, str) and scores[0].shape[-1] == int(n_labels.max())
    return Marked(
        *_with(said, places, scores if has_both and not isinstance(scores, str) else None),
        n_labels=n_labels,
        gold=gold if bool((gold < n_labels).all()) else None,
        has_one_set=np.unique(n_labels).size == 1,
        no_probabilities=scores if isinstance(scores, str) else "" if has_both else "other_choices",
    )


def place_of(answer: object, choices: Sequence[str]) -> int:
    """Place of an answer among choices, by its text or by its letter; behind them for any other.

    Examples
    --------
    >>> place_of("good", ("bad", "good")), place_of("B", ("bad", "good")), place_of("?", ("bad",))
    (1, 1, 1)
    """
    if answer in choices:
        return list(choices).index(str(answer))
    if isinstance(answer, str) and len(answer) == 1 and "A" <= answer <= "Z":
        return min(ord(answer) - ord("A"), len(choices))
    return len(choices)


def _of_labels(
    answers: tuple[Answers, Answers], said: tuple[Marks, ...], *, golds: Sequence[object]
) -> Marked:
    """Answers by labels that all items share: those that either side or the data has."""
    seen = {str(gold) for gold in golds if gold is not None}
    names = sorted(seen.union(*(one.labels.ravel().tolist() for one in answers)))
    number = {name: k for k, name in enumerate(names)}
    places = [np.vectorize(number.__getitem__, otypes=[float])(one.labels) for one in answers]
    scores = _distributions(answers)
    ordered = scores if isinstance(scores, str) else _ordered(answers, scores, names)
    known = {} if isinstance(ordered, str) else {v: k for k, v in ordered.labels.items()}
    count = len(names)
    if not isinstance(ordered, str):
        count = max(count, ordered.probabilities[0].shape[-1])
    has_gold = bool(golds) and all(gold in known for gold in golds)
    return Marked(
        *_with(said, places, None if isinstance(ordered, str) else ordered.probabilities),
        n_labels=np.full(len(golds), float(count)),
        gold=np.array([known[str(gold)] for gold in golds]) if has_gold else None,
        has_one_set=True,
        no_probabilities=ordered if isinstance(ordered, str) else "",
    )


def _with(
    said: tuple[Marks, ...], places: Sequence[Floats], scores: tuple[Floats, Floats] | None
) -> tuple[Marks, Marks]:
    """Both sides with places and probabilities."""
    one, other = (
        Marks(mark.said, mark.hits, places[k], None if scores is None else scores[k])
        for k, mark in enumerate(said)
    )
    return one, other


def _distributions(answers: tuple[Answers, Answers]) -> tuple[Floats, Floats] | str:
    """Probabilities of both sides; the code of why there are none."""
    one, other = (found.scores for found in answers)
    if one is None or other is None:
        return "no_probabilities" if one is other else "one_sided_probabilities"
    if one.shape[-1] != other.shape[-1]:
        return "other_labels"
    for scores in (one, other):
        if (scores < 0).any() or (np.abs(scores.sum(axis=-1) - 1.0) > _ATOL).any():
            return "no_distribution"
    return one, other


def _ordered(
    answers: tuple[Answers, Answers], scores: tuple[Floats, Floats], names: Sequence[str]
) -> OrderedMarks | str:
    """Probabilities with the second side's in the first one's order of labels.

    An output does not say which label stands where: it is the one that is said where the place is
    the likeliest, and of a single label that was never said the place that is left.
    """
    width = scores[0].shape[-1]
    ours, theirs = (_complete(order_of(one), names, width) for one in answers)
    if len(ours) == len(theirs) == width and set(ours.values()) == set(theirs.values()):
        place = {label: k for k, label in theirs.items()}
        turned = scores[1][..., [place[ours[k]] for k in range(width)]]
        return OrderedMarks((scores[0], turned), ours)
    shared = set(ours) & set(theirs)
    merged = {**theirs, **ours}
    is_one_to_one = len(set(merged.values())) == len(merged)
    if shared and is_one_to_one and all(ours[k] == theirs[k] for k in shared):
        return OrderedMarks(scores, _complete(merged, names, width))
    return "other_order"


def order_of(found: Answers) -> dict[int, str]:
    """Label by place of the probabilities, as far as it was ever the likeliest."""
    if found.scores is None:
        return {}
    seen: dict[int, Counter[str]] = {}
    best = found.scores.argmax(axis=-1).ravel().tolist()
    for place, label in zip(best, found.labels.ravel().tolist(), strict=True):
        seen.setdefault(place, Counter())[label] += 1
    return {place: counts.most_common(1)[0][0] for place, counts in seen.items()}


def _complete(known: Mapping[int, str], names: Sequence[str], width: int) -> dict[int, str]:
    """Labels by place, with the last one by what is left."""
    places = [k for k in range(width) if k not in known]
    left = [name for name in names if name not in known.values()]
    if len(places) == len(left) == 1 and len(names) == width:
        return {**known, places[0]: left[0]}
    return dict(known)
