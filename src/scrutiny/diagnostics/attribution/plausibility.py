"""How near rationales are: words, spans and scores beside those of people, as ERASER counts them.

Spans are pairs of a first word and the one behind the last. All numbers are of one text.

References
----------
J. DeYoung, S. Jain, N. F. Rajani, E. Lehman, C. Xiong, R. Socher, B. C. Wallace (2020). ERASER: a
benchmark to evaluate rationalized NLP models. ACL.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

import numpy as np

from scrutiny.core.arrays import Floats

WordSpan = tuple[int, int]
#: Overlap from which on a span counts as found.
LEAST_OVERLAP = 0.5


def spans_in(words: Collection[int]) -> list[WordSpan]:
    """Runs of neighboring words.

    Examples
    --------
    >>> spans_in({2, 3, 4, 8})
    [(2, 5), (8, 9)]
    """
    runs = groupby(enumerate(sorted(words)), lambda pair: pair[1] - pair[0])
    own = ([word for _, word in run] for _, run in runs)
    return [(run[0], run[-1] + 1) for run in own]


def words_in(spans: Iterable[WordSpan]) -> set[int]:
    """Words of some spans."""
    return {word for start, end in spans for word in range(start, end)}


def overlap(one: WordSpan, other: WordSpan) -> float:
    """Intersection over union of two spans.

    Examples
    --------
    >>> overlap((2, 5), (3, 6)), overlap((0, 2), (2, 4))
    (0.5, 0.0)
    """
    both = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    return both / (one[1] - one[0] + other[1] - other[0] - both)


def f1(precision: float, recall: float) -> float:
    """Harmonic mean; 0 where both are."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def token_scores(gold: Collection[int], found: Collection[int]) -> tuple[float, float, float]:
    """Precision, recall and F1 of words.

    Examples
    --------
    >>> [round(x, 3) for x in token_scores({2, 3, 4, 8, 9}, {3, 4, 5, 8})]
    [0.75, 0.6, 0.667]
    """
    both = len({*gold} & {*found})
    precision = both / len(found) if found else 0.0
    recall = both / len(gold) if gold else 0.0
    return precision, recall, f1(precision, recall)


def span_hits(
    gold: Sequence[WordSpan], found: Sequence[WordSpan], least: float = LEAST_OVERLAP
) -> tuple[int, int]:
    """Found spans that overlap enough with a gold one, and gold ones that a found one does.

    The released scorer divides the first by the number of gold spans, too, and calls it recall:
    two halves of one span then have a recall of 2.

    Examples
    --------
    >>> span_hits([(0, 4)], [(0, 2), (2, 4)])
    (2, 1)
    """
    return (
        sum(any(overlap(one, other) >= least for other in gold) for one in found),
        sum(any(overlap(one, other) >= least for other in found) for one in gold),
    )


def span_f1(gold: Sequence[WordSpan], found: Sequence[WordSpan]) -> float:
    """F1 of spans, each of which counts once on its own side."""
    own, met = span_hits(gold, found)
    return f1(own / len(found) if found else 0.0, met / len(gold) if gold else 0.0)


def area_under_precision(gold: Sequence[bool] | Floats, scores: Floats) -> float:
    """Area under precision by recall, by trapezoids as in the released scorer; 0 without gold.

    Examples
    --------
    >>> round(area_under_precision([True, False, True, False], np.array([0.9, 0.8, 0.7, 0.1])), 4)
    0.7917
    """
    is_gold = np.asarray(gold, dtype=np.float64)
    if not is_gold.any():
        return 0.0
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(is_gold[order])
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)  # of equal scores
    precision = np.concatenate([[1.0], hits[last] / (last + 1)])
    recall = np.concatenate([[0.0], hits[last] / hits[-1]])
    return float(np.trapezoid(precision, recall))
