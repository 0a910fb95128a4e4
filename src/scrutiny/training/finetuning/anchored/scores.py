"""Scores of labeled pieces, as sums of counts over frames."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrutiny.core.arrays import Floats


@dataclass(frozen=True, slots=True)
class PieceFrame:
    """Word pieces of one frame, without special tokens and markers.

    Parameters
    ----------
    places
        Position of each in what the network reads; -1 where it was cut off.
    truth, own
        Label of each by the annotation, and in the task that is learned.
    types
        Type of each.
    sentence
        Text of the sentence, which all its frames share.
    """

    places: tuple[int, ...]
    truth: tuple[int, ...]
    own: tuple[int, ...]
    types: tuple[str, ...]
    sentence: str

    def answers(self, row: Sequence[int]) -> list[int]:
        """Predicted label of each piece; -1 for pieces that were cut off."""
        return [row[place] if place >= 0 else -1 for place in self.places]


def target_counts(frames: Sequence[PieceFrame], rows: Sequence[Sequence[int]]) -> Floats:
    """Counts ``(frame, 4)`` of targets by the annotation: right, predicted, gold, all pieces."""
    counts = np.zeros((len(frames), 4))
    for i, (frame, row) in enumerate(zip(frames, rows, strict=True)):
        answers = frame.answers(row)
        right = sum(a == 1 == t for a, t in zip(answers, frame.truth, strict=True))
        counts[i] = right, sum(a == 1 for a in answers), sum(frame.truth), len(answers)
    return counts


def label_counts(
    frames: Sequence[PieceFrame],
    rows: Sequence[Sequence[int]],
    *,
    types: frozenset[str] | None,
) -> Floats:
    """Counts ``(frame, 3)`` of the learned labels: right, of the most frequent label, all pieces.

    Parameters
    ----------
    frames, rows
        Frames, and the answers at all their positions.
    types
        Types that are counted; None for all.
    """
    commonest = _commonest_label(frames, types)
    counts = np.zeros((len(frames), 3))
    for i, (frame, row) in enumerate(zip(frames, rows, strict=True)):
        for answer, label, kind in zip(frame.answers(row), frame.own, frame.types, strict=True):
            if types is None or kind in types:
                counts[i] += answer == label, label == commonest, 1
    return counts


def _commonest_label(frames: Sequence[PieceFrame], types: frozenset[str] | None) -> int:
    """Most frequent label of pieces of these types; ties go to the first."""
    counts = Counter(
        label
        for frame in frames
        for label, kind in zip(frame.own, frame.types, strict=True)
        if types is None or kind in types
    )
    return max(sorted(counts), key=counts.__getitem__, default=0)


def target_f1(sums: Any, weight: Any = None) -> Any:
    """F1 of an anchored target from summed `target_counts` ``(..., 4)``; NaN without targets.

    Examples
    --------
    >>> import numpy as np
    >>> float(target_f1(np.array([3.0, 4.0, 6.0, 20.0])))
    0.6
    """
    right, predicted, gold = sums[..., 0], sums[..., 1], sums[..., 2]
    with np.errstate(invalid="ignore"):
        return 2 * right / (predicted + gold)


def f1_of_all(sums: Any) -> Any:
    """F1 of predicting every piece as a target."""
    gold, pieces = sums[..., 2], sums[..., 3]
    with np.errstate(invalid="ignore"):
        return 2 * gold / (pieces + gold)


def accuracy(sums: Any, weight: Any = None) -> Any:
    """Accuracy of the labels of pieces, from summed `label_counts` ``(..., 3)``."""
    with np.errstate(invalid="ignore"):
        return sums[..., 0] / sums[..., 2]


def accuracy_of_commonest(sums: Any) -> Any:
    """Share of the pieces with the most frequent label."""
    with np.errstate(invalid="ignore"):
        return sums[..., 1] / sums[..., 2]
