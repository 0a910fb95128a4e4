"""Two sides' answers as numbers: places of labels, probabilities in one order of the labels."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.run.comparing.sides import Answers, Choices, Floats

#: Answers are no labels of a closed set: taggers' spans, or free text.
FREE: Final = "free_answers"
#: What is not applicable, and so is left out without a word.
NOT_APPLICABLE: Final = (FREE, "no_answers", "no_labels")
_ATOL: Final = 1e-4  # of sums of probabilities: answers are stored as float32
Both = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """Answers of two sides as far as they can be counted, and what they have in common.

    Parameters
    ----------
    places
        ``(replicate, item)`` of each side, place of the label; nothing where there is no closed
        set of labels.
    probabilities
        ``(replicate, item, label)`` of each side, in one order; nothing where they are not known.
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

    places: Both | None = None
    probabilities: Both | None = None
    n_labels: Floats | None = None
    gold: NDArray[np.int64] | None = None
    has_one_set: bool = False
    lack: str = ""
    no_probabilities: str = ""


def marks_of(
    answers: tuple[Answers, Answers] | None, *, golds: Sequence[object], choices: Choices = ()
) -> Marked:
    """Both sides' answers as numbers.

    Parameters
    ----------
    answers
        Of both, ``(replicate, item)``; nothing where they are not kept.
    golds
        Right answer of each item, or nothing.
    choices
        Choices of each item, in the order of its probabilities; nothing where all items have the
        labels that are seen; or the code of why there are no labels.
    """
    why = choices if isinstance(choices, str) else ""
    if answers is None or any((one.labels == None).any() for one in answers):  # noqa: E711
        why = "no_answers"
    elif any(one.are_spans or one.are_texts for one in answers):
        why = FREE
    if why or answers is None or isinstance(choices, str):
        return Marked(lack=why, no_probabilities=why)
    scores = _distributions(answers)
    if choices:
        own, labels = list(choices), None
        width = max(map(len, own))
        if not isinstance(scores, str) and scores[0].shape[-1] != width:
            scores = "other_choices"
    else:
        seen = {str(gold) for gold in golds if gold is not None}
        names = sorted(seen.union(*(one.labels.ravel().tolist() for one in answers)))
        scores, labels = _ordered(answers, scores, names)
        own = [tuple(names)] * len(golds)
        width = len(names) if isinstance(scores, str) else max(len(names), scores[0].shape[-1])
    n_labels = np.array([len(one) if choices else width for one in own], dtype=np.float64)
    if labels is None:
        gold = _places([golds], own)[0]
    else:
        gold = np.array([labels.index(str(g)) if g in labels else width for g in golds])
    one, other = (_places(found.labels.tolist(), own) for found in answers)
    return Marked(
        places=(one, other),
        probabilities=None if isinstance(scores, str) else scores,
        n_labels=n_labels,
        gold=gold.astype(np.int64) if len(golds) and (gold < n_labels).all() else None,
        has_one_set=np.unique(n_labels).size == 1,
        no_probabilities=scores if isinstance(scores, str) else "",
    )


def _places(rows: Sequence[Sequence[object]], own: Sequence[Sequence[str]]) -> Floats:
    """Place of each answer among the choices of its item, ``(replicate, item)``."""
    found = [[place_of(one, many) for one, many in zip(row, own, strict=True)] for row in rows]
    return np.array(found, dtype=np.float64)


def place_of(answer: object, choices: Sequence[str]) -> int:
    """Place of an answer among choices, by its text or by its letter; behind them for any other.

    Examples
    --------
    >>> place_of("good", ("bad", "good")), place_of("B", ("bad", "good")), place_of("?", ("bad",))
    (1, 1, 1)
    """
    if answer in choices:
        return choices.index(str(answer))
    if isinstance(answer, str) and len(answer) == 1 and "A" <= answer <= "Z":
        return min(ord(answer) - ord("A"), len(choices))
    return len(choices)


def _distributions(answers: tuple[Answers, Answers]) -> Both | str:
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
    answers: tuple[Answers, Answers], scores: Both | str, names: Sequence[str]
) -> tuple[Both | str, list[str]]:
    """Probabilities with the second side's in the first one's order, and the labels by place.

    An output does not say which label stands where: it is the one that is said where the place is
    the likeliest, and of a single label that was never said the place that is left. A place that
    is not known has the label "".
    """
    if isinstance(scores, str):
        return scores, []
    width = scores[0].shape[-1]
    ours, theirs = (_complete(order_of(one), names, width) for one in answers)
    if len(ours) == len(theirs) == width and set(ours.values()) == set(theirs.values()):
        place = {label: k for k, label in theirs.items()}
        scores = scores[0], scores[1][..., [place[ours[k]] for k in range(width)]]
        return scores, [ours[k] for k in range(width)]
    merged = {**theirs, **ours}
    shared = set(ours) & set(theirs)
    is_one_to_one = len(set(merged.values())) == len(merged)
    if shared and is_one_to_one and all(ours[k] == theirs[k] for k in shared):
        merged = _complete(merged, names, width)
        return scores, [merged.get(k, "") for k in range(width)]
    return "other_order", []


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
