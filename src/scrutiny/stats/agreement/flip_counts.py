"""Number of replicates in which an item flips, with two expected distributions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

COIN: Final = "coin flip"
MARGIN: Final = "margin"
_MOST_BINS: Final = 10
_ITEMS_PER_BIN: Final = 20


@dataclass(frozen=True, slots=True)
class FlipCounts:
    """Number of items that changed their answer in exactly 0, 1, ... replicates.

    Parameters
    ----------
    observed
        Items by number of replicates with a changed answer  # (replicates + 1,)
    baselines
        Expected counts under simpler stories, by name ("coin flip", "margin"), same length.
    """

    observed: tuple[int, ...]
    baselines: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


def count_flips(
    flipped: np.ndarray[Any, Any], margins: np.ndarray[Any, Any] | None = None
) -> FlipCounts:
    """Observed and expected counts of items by the number of replicates that flipped.

    **Measures**: whether it is the same items that flip whatever the seed. "Coin flip" throws
    each replicate's flips at random over the items; "margin" throws them by how close the item
    was to the border in that replicate (tenths of the margin), and by nothing else.

    **Misleads when**: there are few items in a tenth, or the replicates share their training
    data order.

    **References**: D'Amour et al. (2022), Underspecification presents challenges for
    credibility in modern machine learning.

    Parameters
    ----------
    flipped
        Whether the answer changed  # (item, replicate)
    margins
        Best score minus second best before the change  # (item, replicate)

    Examples
    --------
    >>> import numpy as np
    >>> counts = count_flips(np.array([[True, True], [False, False]]))
    >>> counts.observed, counts.baselines["coin flip"]
    ((1, 0, 1), (0.5, 1.0, 0.5))
    """
    flipped = np.asarray(flipped, dtype=bool)
    n_replicates = flipped.shape[1]
    times = flipped.sum(axis=1)
    observed = np.bincount(times, minlength=n_replicates + 1)
    baselines = {COIN: _expected(np.broadcast_to(flipped.mean(axis=0), flipped.shape))}
    if margins is not None:
        baselines[MARGIN] = _expected(_by_margin(flipped, np.asarray(margins)))
    return FlipCounts(tuple(int(c) for c in observed), baselines)


def _by_margin(
    flipped: np.ndarray[Any, Any], margins: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Share of flips among the items of like margin, in each replicate  # (item, replicate)."""
    n = flipped.shape[0]
    bins = max(1, min(_MOST_BINS, n // _ITEMS_PER_BIN))
    shares = np.zeros(flipped.shape)
    for r in range(flipped.shape[1]):
        rank = np.argsort(np.argsort(margins[:, r], kind="stable"), kind="stable")
        place = rank * bins // n
        rates = np.bincount(place, weights=flipped[:, r], minlength=bins)
        shares[:, r] = (rates / np.bincount(place, minlength=bins))[place]
    return shares


def _expected(shares: np.ndarray[Any, Any]) -> tuple[float, ...]:
    """Expected items by number of flips if replicates flipped independently.

    The distribution of a sum of unequal coins, item by item, added up.
    """
    from scrutiny.stats.significance.binomial import poisson_binomial

    return tuple(round(float(c), 6) for c in poisson_binomial(shares.T).sum(axis=0))
