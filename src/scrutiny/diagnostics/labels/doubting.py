"""Which gold labels are doubtful: the model confidently disagrees, or a near duplicate does."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from scrutiny.core.example import Example
from scrutiny.data.near_duplicates import near_pairs

Array = np.ndarray[Any, Any]

#: No probabilities, or no gold label.
UNKNOWN: Final = -1


def confident_disagreements(scores: Array, golds: Array) -> Array:
    """Whether the model is confident of another label than the gold one ``(item,)``.

    Its answer is another label, whose probability is at least the mean probability that the model
    gives this label on the items that have it: the confident joint of Northcutt et al. (2021),
    restricted to the model's answers.

    Parameters
    ----------
    scores
        Probabilities ``(item, label)``.
    golds
        Index of each item's gold label ``(item,)``.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.85, 0.15]])
    >>> confident_disagreements(scores, np.array([0, 0, 1, 1])).tolist()
    [False, False, False, True]
    """
    answers = scores.argmax(axis=1)
    own = golds[:, None] == np.arange(scores.shape[1])  # (item, label)
    counts = own.sum(axis=0)
    sums = np.where(own, scores, 0.0).sum(axis=0)
    # nobody has the label: no probability is enough
    least = np.where(counts > 0, sums / np.maximum(counts, 1), np.inf)
    confidence = scores[np.arange(len(scores)), answers]
    return np.asarray((answers != golds) & (confidence >= least[answers]))


def conflicting_labels(examples: Sequence[Example], *, least: float) -> dict[int, int]:
    """Items whose gold label is doubted, with the first near duplicate that has another one.

    Of items of several texts, every text has to be near.

    Parameters
    ----------
    examples
        The items.
    least
        Smallest Jaccard index of word pairs of near duplicates.
    """
    fields = list(zip(*(example.fields.values() for example in examples), strict=True))
    near: set[tuple[int, int]] | None = None
    for texts in fields:
        found = {(a, b) for a, b, _ in near_pairs(texts, texts, least=least) if a != b}
        near = found if near is None else near & found
    golds = [example.gold for example in examples]
    first: dict[int, int] = {}
    for a, b in sorted(near or ()):
        if None not in (golds[a], golds[b]) and golds[a] != golds[b]:
            first.setdefault(a, b)
    return first
