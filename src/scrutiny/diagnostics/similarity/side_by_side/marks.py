"""Two sides' answers as numbers: label indices, probabilities in a common order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.answers.answer import label_in
from scrutiny.core.answers.label import LABEL
from scrutiny.core.arrays import Floats
from scrutiny.diagnostics.similarity.side_by_side.sides import Answers, ItemLabels
from scrutiny.models.answers.label_pair import Labels

#: Answers are no labels of a closed set: taggers' spans, or free text.
FREE: Final = "free_answers"
#: A run has not kept the order of its model's labels.
NO_ORDER: Final = "no_label_order"
#: What is not applicable, and so is left out without a word.
NOT_APPLICABLE: Final = (FREE, "no_answers", "no_labels")
_ATOL: Final = 1e-4  # of sums of probabilities: answers are stored as float32
Both = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """Answers of two sides as numbers, and their common labels.

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
    answers: tuple[Answers, Answers] | None, labels: ItemLabels, *, golds: Sequence[object]
) -> Marked:
    """Both sides' answers as numbers.

    Parameters
    ----------
    answers
        Of both, ``(replicate, item)``; nothing where they are not kept.
    labels
        Labels or choices of each item, in the order of either side's probabilities; or the code of
        why there are none.
    golds
        Right answer of each item, or nothing.
    """
    why = labels if isinstance(labels, str) else ""
    if answers is None or any((one.given == None).any() for one in answers):  # noqa: E711
        why = "no_answers"
    elif any(one.kind is not LABEL for one in answers):
        why = FREE
    if why or answers is None or isinstance(labels, str):
        return Marked(lack=why, no_probabilities=why)
    known = [one.known for one in labels]
    n_labels = np.array(list(map(len, known)), dtype=np.float64)
    one, other = (_places(found.given.tolist(), known) for found in answers)
    gold = _places([golds], [one.reference for one in labels])[0].astype(np.int64)
    has_gold = (gold < [len(one.reference) for one in labels]).all()
    scores = _distributions(answers, labels)
    return Marked(
        places=(one, other),
        probabilities=None if isinstance(scores, str) else scores,
        n_labels=n_labels,
        gold=gold if has_gold and not isinstance(scores, str) else None,
        has_one_set=np.unique(n_labels).size == 1,
        no_probabilities=scores if isinstance(scores, str) else "",
    )


def _places(rows: Sequence[Sequence[object]], own: Sequence[Sequence[str]]) -> Floats:
    """Index of each answer among the choices of its item, ``(replicate, item)``."""
    found = [[place_of(one, many) for one, many in zip(row, own, strict=True)] for row in rows]
    return np.array(found, dtype=np.float64)


def place_of(answer: object, choices: Sequence[str]) -> int:
    """Index of a side's answer among choices, by its text or letter; the next index for any other.

    Examples
    --------
    >>> place_of("good", ("bad", "good")), place_of("B", ("bad", "good")), place_of("?", ("bad",))
    (1, 1, 1)
    """
    if answer in choices:
        return choices.index(str(answer))
    letter = label_in(answer) or ""
    is_letter = len(letter) == 1 and "A" <= letter <= "Z"
    return min(ord(letter) - ord("A"), len(choices)) if is_letter else len(choices)


def _distributions(answers: tuple[Answers, Answers], labels: Sequence[Labels]) -> Both | str:
    """Probabilities of both sides in the first one's order; the reason code if there are none."""
    one, other = (found.scores for found in answers)
    if one is None or other is None:
        return "no_probabilities" if one is other else "one_sided_probabilities"
    orders = [both.order for both in labels if both.order is not None]
    if one.shape[-1] != other.shape[-1] or len(orders) < len(labels):
        return "other_labels"
    width = one.shape[-1]
    if max(map(len, orders)) != width:
        return "other_choices"
    for scores in (one, other):
        if (scores < 0).any() or (np.abs(scores.sum(axis=-1) - 1.0) > _ATOL).any():
            return "no_distribution"
    places = np.array([[*order, *range(len(order), width)] for order in orders])
    return one, np.take_along_axis(other, places[None], axis=-1)
