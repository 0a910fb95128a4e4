"""Words that are no cue and are asked as if they were: the null of every finding about cues."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

#: How far a pseudo-cue may stand from the cue, as a share of the sentence.
NEAR: Final = 0.25


def pseudo_cue(
    anchors: Sequence[int],
    n_words: int,
    *,
    pieces: Mapping[int, int],
    rng: np.random.Generator,
) -> tuple[int, ...]:
    """Words in a row, as many as the cue spans, that hold no word of it.

    Those with as many pieces as the cue and near its place are drawn from; where there are none,
    those as near in both as there are. Empty where the sentence has no room.

    Parameters
    ----------
    anchors
        Words of the cue.
    n_words
        Words of the sentence.
    pieces
        Pieces of each word; a word without any is no candidate.
    rng
        Which of the candidates is taken.

    **Measures**: what a head would score if any word of this place and length were the cue.

    **Misleads when**: the sentence is short: the only candidate may stand in the scope's middle.

    **References**: control tasks and selectivity: Hewitt & Liang (2019).
    """
    length = len(anchors)
    if not length:
        return ()
    taken = set(anchors)
    is_free = [word not in taken and bool(pieces.get(word)) for word in range(n_words)]
    starts = [
        start for start in range(n_words - length + 1) if all(is_free[start : start + length])
    ]
    if not starts:
        return ()
    own = sum(pieces.get(word, 0) for word in anchors)
    off = [abs(sum(pieces[start + k] for k in range(length)) - own) for start in starts]
    least = min(off)
    fits = [start for start, error in zip(starts, off, strict=True) if error == least]
    away = [abs(start - anchors[0]) / max(1, n_words) for start in fits]
    limit = max(NEAR, min(away))
    near = [start for start, share in zip(fits, away, strict=True) if share <= limit]
    start = near[int(rng.integers(len(near)))]
    return tuple(range(start, start + length))
