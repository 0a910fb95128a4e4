"""Which gold labels are doubtful: those that the model confidently disagrees with."""

from typing import Any, Final

import numpy as np

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
