"""Whether a cell follows a feature of a text: correlation, beside the feature moved along it.

Moving keeps how long a feature lasts and how often it comes; what is left of the correlation is
chance. The best of many cells is compared with the best of as many.
"""

from typing import NamedTuple

import numpy as np
import scipy

from scrutiny.core.arrays import Floats, Integers
from scrutiny.stats.arrays import StatisticsError, finite


class FollowedFeature(NamedTuple):
    """The cell that follows a feature best, with its chance.

    Parameters
    ----------
    cell
        Index of the cell.
    r
        Correlation with the feature.
    auc
        Chance that the cell is farther on its side where the feature is present than where it is
        not; NaN for a feature of more than two values.
    p_value
        Share of the moves by which some cell correlates as much, the feature in place among them.
    passing
        Cells with a correlation beyond that of the best cell in 95 of 100 moves.
    """

    cell: int
    r: float
    auc: float
    p_value: float
    passing: Integers


def correlations(states: Floats, feature: Floats) -> Floats:
    """Correlation ``(cell,)`` of each cell's states ``(position, cell)`` with a feature.

    0 where a cell or the feature does not change.
    """
    x, y = states - states.mean(axis=0), feature - feature.mean()
    below = np.sqrt(np.square(x).sum(axis=0) * np.square(y).sum())
    return np.asarray(np.divide(x.T @ y, below, out=np.zeros(len(below)), where=below > 0))


def followed_feature(
    states: Floats, feature: Floats, *, rng: np.random.Generator, moves: int = 199
) -> FollowedFeature:
    """The cell that follows a feature best, beside the feature moved along the text.

    Parameters
    ----------
    states
        ``(position, cell)``.
    feature
        ``(position,)``.
    rng, moves
        Draws of the offsets, and how many; at most one for each position.

    Raises
    ------
    StatisticsError
        For fewer than 20 positions, or lengths that differ.

    **Measures**: whether some cell follows the feature more than the best of all cells follows it
    elsewhere.

    **Misleads when**: the feature follows from the piece that is just read, which untrained cells
    see as well: compare them; the text repeats itself, so that a move finds the feature again.

    **References**: Karpathy, Johnson & Fei-Fei (2016), Visualizing and understanding recurrent
    networks (by eye); Westfall & Young (1993), Resampling-based multiple testing (the maximum);
    Harris (2020), A shift test for independence in generic time series.
    """
    states, feature = finite(states, "states", ndim=2), finite(feature, "feature", ndim=1)
    if len(states) != len(feature) or len(feature) < 20:
        raise StatisticsError(
            f"{len(states)} positions of cells and {len(feature)} of the feature: as many are "
            "needed, and 20 at least."
        )
    own = correlations(states, feature)
    best = int(np.abs(own).argmax())
    offsets = rng.permutation(len(feature) - 1)[:moves] + 1
    highest = np.array(
        [np.abs(correlations(states, np.roll(feature, k))).max() for k in offsets.tolist()]
    )
    p = float((1 + (highest >= abs(own[best]) - 1e-12).sum()) / (1 + len(highest)))
    limit = float(np.quantile(highest, 0.95))
    auc = _auc(states[:, best] * np.sign(own[best] or 1.0), feature)
    return FollowedFeature(best, float(own[best]), auc, p, np.flatnonzero(np.abs(own) > limit))


def _auc(state: Floats, feature: Floats) -> float:
    """Area under the curve of a cell for a feature of two values; NaN for others."""
    values = np.unique(feature)
    if len(values) != 2:
        return float("nan")
    is_there = feature == values[1]
    ranks = scipy.stats.rankdata(state)
    count = int(is_there.sum())
    above = ranks[is_there].sum() - count * (count + 1) / 2
    return float(above / (count * (len(feature) - count)))
