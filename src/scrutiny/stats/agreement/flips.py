"""Disagreement item by item: of replicates, and of two conditions."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.core.arrays import Floats
from scrutiny.stats.arrays import FloatArray, IntArray, finite
from scrutiny.stats.errors import StatisticsError

_MOST_DRAWS: Final = 20


@dataclass(frozen=True, slots=True, eq=False)
class Flips:
    """Disagreement of replicates with the majority, item by item.

    Parameters
    ----------
    share
        ``(d,)`` share of items on which ``d`` replicates are outside the most frequent answer, 0 to
        ``R // 2``.
    observed_sd, flip_sd
        Standard deviation over replicates of the share of answer 1, and what it would be if only
        independent flips made it; None with one replicate.
    """

    share: FloatArray
    observed_sd: float | None
    flip_sd: float | None

    @property
    def any_share(self) -> float:
        """Share of items on which not all replicates agree."""
        return float(1.0 - self.share[0])

    @property
    def sd_ratio(self) -> float | None:
        """``observed_sd / flip_sd``; above 1, replicates shift as a whole, not item by item."""
        if self.observed_sd is None or not self.flip_sd:
            return None
        return self.observed_sd / self.flip_sd


def flips(predictions: ArrayLike) -> Flips:
    """Disagreement of replicates item by item.

    Parameters
    ----------
    predictions
        ``(replicate, item)`` answers, 0 or 1.

    Returns
    -------
    Flips
        Shares, and the spread of replicates beside that of independent flips.

    **Measures**: how many single predictions depend on the seed, where the average may not.

    **Misleads when**: R is small: with five replicates coin flips agree fully on 6 % of items, and
    d cannot exceed 2. ``sd_ratio`` has R - 1 degrees of freedom.

    **References**: Sellam et al. (2022), The MultiBERTs.

    Examples
    --------
    >>> found = flips([[1, 0, 1], [1, 0, 0], [1, 1, 1]])
    >>> found.share.round(2).tolist()
    [0.33, 0.67]
    """
    answers = finite(predictions, "predictions", ndim=2)
    if not np.isin(answers, (0.0, 1.0)).all():
        raise StatisticsError("predictions must be 0 or 1 (replicate, item).")
    replicates, items = answers.shape
    ones = answers.sum(axis=0).astype(np.int64)
    dissent = np.minimum(ones, replicates - ones)
    observed, flip = _spreads(answers, ones)
    return Flips(
        share=np.bincount(dissent, minlength=replicates // 2 + 1) / items,
        observed_sd=observed,
        flip_sd=flip,
    )


def _spreads(answers: FloatArray, ones: IntArray) -> tuple[float | None, float | None]:
    replicates, items = answers.shape
    if replicates < 2:
        return None, None
    share = ones / replicates
    # p(1 - p) R/(R - 1): unbiased for the variance of one toss
    variance = float((share * (1.0 - share)).sum()) * replicates / (replicates - 1.0)
    return float(answers.mean(axis=1).std(ddof=1)), variance**0.5 / items


def counted_flips(differences: Floats) -> tuple[float, float] | None:
    """Disagreement: rows that one side alone has right, from differences ``(replicate, row)``.

    A row whose answer is the mean of several draws flips in part. None unless differences are
    shares of a few draws.
    """
    size = np.abs(differences)
    draws = round(1.0 / size[size > 0].min(initial=1.0))
    if draws > _MOST_DRAWS or not np.allclose(differences * draws, np.round(differences * draws)):
        return None
    one, other = (np.maximum(sign * differences, 0.0).sum() for sign in (1.0, -1.0))
    return float(one) / len(differences), float(other) / len(differences)
