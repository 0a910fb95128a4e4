"""Likeliest stretch of a text, from the scores of where an answer starts and ends."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Longest answer in tokens, as in the published scripts for SQuAD.
LONGEST: Final = 30


class Stretch(NamedTuple):
    """Stretch of a text in code points, end excluded, and its score."""

    score: float
    start: int
    end: int


def likeliest(
    starts: NDArray[np.floating], ends: NDArray[np.floating], places: Sequence[tuple[int, int]]
) -> Stretch | None:
    """Stretch of at most `LONGEST` tokens whose two scores sum to the most; None in an empty text.

    Parameters
    ----------
    starts, ends
        Score of each token ``(token,)``.
    places
        Borders of each token in the text, empty for those that are not of it.

    Examples
    --------
    >>> scores = np.array([9.0, 2, 1, 0]), np.array([9.0, 0, 1, 2])
    >>> likeliest(*scores, [(0, 0), (0, 3), (4, 6), (7, 9)])
    Stretch(score=4.0, start=0, end=9)
    """
    own = [i for i, (start, end) in enumerate(places) if start < end]
    if not own:
        return None
    n = len(own)
    sums = starts[own][:, None] + ends[own][None, :]  # (start, end)
    fits = np.triu(np.tril(np.ones((n, n), dtype=bool), LONGEST - 1))
    first, last = divmod(int(np.where(fits, sums, -np.inf).argmax()), n)
    return Stretch(float(sums[first, last]), places[own[first]][0], places[own[last]][1])
