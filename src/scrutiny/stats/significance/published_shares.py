"""Two shares that were published without their items: what they show, and what pairs would show.

Of a model that was right on 910 of 1,000 items and, once these were changed, on 880, a table says
both numbers and not which items they were. As if of different items, the two shares have a test
and limits. As pairs they would have a sharper test, which depends on how many items flipped: at
least 30, and at most 210. So the table itself says whether a paired test could have decided.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, StatisticsError, finite, proper_level
from scrutiny.stats.significance.exact_tests import mcnemar_mid_p

_HALVINGS: Final = 40  # of the range of flips: exact up to 10^12 items


@dataclass(frozen=True, slots=True)
class PublishedShares:
    """Differences of two shares of as many items; all arrays ``(row,)``.

    Parameters
    ----------
    difference, low, high
        Share after less share before, with limits as if of different items.
    p_value
        Of no difference, as if of different items.
    fewest_flips, most_flips
        Items that are right in one of both alone: how many there can be, as far as the two shares
        and the number of items say.
    """

    difference: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    fewest_flips: FloatArray
    most_flips: FloatArray


def published_shares(
    before: ArrayLike, after: ArrayLike, n: ArrayLike, *, level: float = 0.95
) -> PublishedShares:
    """Differences of published shares, unpaired as they are.

    Parameters
    ----------
    before, after
        ``(row,)`` shares of right answers, 0 to 1, each of the same ``n`` items.
    n
        ``(row,)`` items, at least 1.
    level
        Nominal coverage of the limits.

    Raises
    ------
    StatisticsError
        For shares outside of [0, 1], no items, or sizes that differ.

    **Measures**: whether two shares differ by more than other items would make them, by Fisher's
    test with mid-p, and limits that join two Wilson limits.

    **Misleads when**: the items are the same in both, as in most tables: answers to the same item
    go together, so that limits are too wide and p-values too large; a row that is not shown may
    be shown by its pairs. Items of one document, several changes of one item, or a share of words
    in place of items make them too narrow.

    **References**: Newcombe (1998), Interval estimation for the difference between independent
    proportions, method 10; Lancaster (1961), Significance tests in discrete distributions.

    Examples
    --------
    >>> found = published_shares([0.91], [0.88], [1000])
    >>> found.low.round(3).item(), found.high.round(3).item(), found.p_value.round(3).item()
    (-0.057, -0.003, 0.029)
    >>> found.fewest_flips.item(), found.most_flips.item()
    (30.0, 210.0)
    """
    was, now, items = (finite(one, "shares and items", ndim=1) for one in (before, after, n))
    if not was.size == now.size == items.size:
        raise StatisticsError(f"{was.size} shares before, {now.size} after, {items.size} counts.")
    if min(was.min(), now.min()) < 0 or max(was.max(), now.max()) > 1 or items.min() < 1:
        raise StatisticsError("shares lie in [0, 1], of at least one item.")
    z = float(scipy.special.ndtri(0.5 + proper_level(level) / 2))
    (was_low, was_high), (now_low, now_high) = (_wilson(one, items, z) for one in (was, now))
    apart = now - was
    low = apart - np.hypot(now - now_low, was_high - was)
    high = apart + np.hypot(now_high - now, was - was_low)
    right, still = np.rint(was * items), np.rint(now * items)
    fewest = np.abs(still - right)
    most = np.minimum(right + still, 2 * items - right - still)
    return PublishedShares(apart, low, high, _fisher(right, still, items), fewest, most)


def _wilson(share: FloatArray, n: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    """Wilson's limits of a share."""
    center = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2) / (1 + z**2 / n)
    return np.minimum(center - half, share), np.maximum(center + half, share)


def _fisher(before: FloatArray, after: FloatArray, n: FloatArray) -> FloatArray:
    """Two-sided mid-p of counts of as many items each, given how many are right in all."""
    of = (after, 2 * n, before + after, n)
    half = 0.5 * scipy.stats.hypergeom.pmf(*of)
    lower, upper = scipy.stats.hypergeom.cdf(*of) - half, scipy.stats.hypergeom.sf(*of) + half
    return np.asarray(np.clip(2 * np.minimum(lower, upper), 0.0, 1.0))


def flips_that_show(
    difference: ArrayLike, most: ArrayLike, *, alpha: ArrayLike = 0.05
) -> FloatArray:
    """Largest number of flips with which a paired test still shows a difference ``(row,)``.

    Parameters
    ----------
    difference
        ``(row,)`` items gained less items lost; the sign does not matter.
    most
        ``(row,)`` largest number of flips that can be.
    alpha
        Largest p-value that shows it, of each row or of all.

    Returns
    -------
    FloatArray
        As many as ``most`` allows where every pairing shows it; -1 where none does.

    **Measures**: what a table of two shares withholds: with so many items that flip, or fewer,
    McNemar's test (mid-p) would show the difference.

    **Misleads when**: it is read as if so few flips were likely. Changes of spelling flip many.

    **References**: McNemar (1947); Fagerland, Lydersen & Laake (2013), The McNemar test for binary
    matched-pairs data.

    Examples
    --------
    >>> flips_that_show([30, 0, 3], [210, 40, 60]).tolist()
    [210.0, -1.0, -1.0]
    """
    net = np.abs(finite(difference, "difference", ndim=1))
    top = finite(most, "most", ndim=1)
    level = np.broadcast_to(np.asarray(alpha, dtype=np.float64), net.shape)
    reach = np.floor((top - net) / 2)
    low, high = np.full(net.shape, -1.0), np.maximum(reach, 0.0) + 1  # shown at low, not at high
    for _ in range(_HALVINGS):
        middle = np.floor((low + high) / 2)
        is_shown = (middle <= reach) & (
            mcnemar_mid_p(np.maximum(middle, 0.0), net + 2 * np.maximum(middle, 0.0)) <= level
        )
        is_open = high - low > 1
        low, high = (
            np.where(is_open & is_shown, middle, low),
            np.where(is_open & ~is_shown, middle, high),
        )
    return np.where(low < 0, -1.0, net + 2 * low)
