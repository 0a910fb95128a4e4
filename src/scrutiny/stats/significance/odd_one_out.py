"""Sequential test of whether answers have changed since a reference was asked, day after day.

An item has a reference answer, and is asked again. Where the new answer differs it is asked once
more: of the three answers, one may be the odd one out. If nothing has changed, the three can be
exchanged, so that the reference is the odd one no more often than the first new answer. A bet on
the reference is an e-value of that item, and the product of the bets of all items and days is one
of the whole history (Ville's inequality: it ever exceeds 1 / level with a chance of at most level).

An item counts until its answer first differs. A bet on every item every day would be none: one
whose kept answer was a rare one would pay each day. Before it differs, the reference was confirmed,
which only makes it more typical. A noise floor that is estimated once and tested every day was left
aside, since its error would be used every day; so was a test of each day, whose level needs the
number of days.
"""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.core.randomness import Rng
from scrutiny.stats.arrays import FloatArray, StatisticsError, proper_level

#: How sure the bets are that the reference is the odd one; a half is no bet.
_BETS: Final[FloatArray] = np.array([0.5, 0.75, 0.9, 0.99])
_PRIOR: Final[FloatArray] = np.array([0.04, 0.04, 0.08, 0.84])
#: Capital that is laid out anew after each outcome, so that a late change is found, too.
_SHARE: Final = 0.01
NONE: Final = -1  # an outcome that is none
_LOOKS, _STEP = 500, 0.002  # simulated looks, and exactness of the share that they find


def odd_evidence(outcomes: ArrayLike) -> FloatArray:
    """Evidence of a change after each outcome, ``(..., outcome)``.

    Parameters
    ----------
    outcomes
        ``(..., outcome)``: 1 where the reference was the odd one of three answers, 0 where the
        first new answer was, -1 for none (histories of different lengths). An item counts once:
        from its first differing answer on, it is used no more.

    Returns
    -------
    FloatArray
        ``(..., outcome)`` of at least 0; 1 says nothing. Whoever calls it a change where it is ever
        at least ``1 / level`` is wrong with a chance of at most ``level``, over all outcomes
        however many, and whatever the noise of the items is.

    **Measures**: evidence that answers differ from the reference's by more than from one another.

    **Misleads when**: answers of one day have a cause in common that is no change (a cache that
    repeats the first new answer, one overloaded server), or a difference is read as a loss.

    **References**: Shafer (2021), Testing by betting; Ramdas, Grunwald, Vovk & Shafer (2023),
    Game-theoretic statistics and safe anytime-valid inference; Herbster & Warmuth (1998), Tracking
    the best expert (how bets are mixed).

    Examples
    --------
    >>> odd_evidence([1] * 7).round(1).tolist()
    [1.9, 3.7, 7.2, 14.0, 27.4, 53.7, 105.6]
    """
    given = np.asarray(outcomes)
    if given.ndim < 1 or not np.isin(given, (NONE, 0, 1)).all():
        raise StatisticsError("outcomes must be 0, 1, or -1 for none, at least (outcome,).")
    capital = np.ones(given.shape[:-1])
    weights = np.broadcast_to(_PRIOR, (*given.shape[:-1], _PRIOR.size)).copy()
    found = np.ones(given.shape)
    for place in range(given.shape[-1]):
        outcome = given[..., place, None]
        pays = np.where(outcome == 1, 2 * _BETS, np.where(outcome == 0, 2 * (1 - _BETS), 1.0))
        paid = (weights * pays).sum(axis=-1)
        capital = capital * paid
        after = (1 - _SHARE) * weights * pays / paid[..., None] + _SHARE * _PRIOR
        weights = np.where(outcome == NONE, weights, after)
        found[..., place] = capital
    return found


def odd_needed(outcomes: ArrayLike, level: float, *, most: int = 1000) -> int | None:
    """Outcomes in a row that would show a change, after those that there are; None if none would.

    Parameters
    ----------
    outcomes
        ``(outcome,)`` so far, may be empty.
    level
        Chance of a false alarm.
    most
        Outcomes that are left.

    Examples
    --------
    >>> odd_needed([], 0.01), odd_needed([0, 0], 0.01), odd_needed([], 0.01, most=6)
    (7, 16, None)
    """
    proper_level(1 - level)
    before = np.asarray(outcomes, dtype=np.int64).reshape(-1)
    evidence = odd_evidence([*before.tolist(), *[1] * most])[before.size :]
    reached = np.flatnonzero(evidence >= 1.0 / level)
    return int(reached[0]) + 1 if reached.size else None


def share_found(
    outcomes: ArrayLike,
    level: float,
    *,
    items: int,
    noise: float,
    rng: Rng,
    power: float = 0.8,
) -> float | None:
    """Smallest share of changed items that the next look shows with this power; None if none.

    Simulated by the rule itself: outcomes of noise cost evidence, so that a few of them need many
    more changed items than a count of outcomes in a row says (`odd_needed`).

    Parameters
    ----------
    outcomes
        ``(outcome,)`` so far, may be empty.
    level
        Chance of a false alarm.
    items
        Items that count in the next look.
    noise
        Share of unchanged items whose answer differs from the reference's. A changed item is as
        noisy as the others: of two answers, it now usually gives the other one.
    rng
        Of 500 simulated looks.
    power
        Share of the looks that have to show it.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> [round(share_found([], 0.01, items=190, noise=x, rng=rng), 2) for x in (0, 0.02, 0.1)]
    [0.05, 0.09, 0.2]
    """
    proper_level(1 - level)
    before = np.asarray(outcomes, dtype=np.int64).reshape(-1)
    is_changed, drawn = rng.random((2, _LOOKS, items))
    past = np.broadcast_to(before, (_LOOKS, before.size))

    def is_found(share: float) -> bool:
        came_again = np.where(is_changed < share, 1 - noise, noise)
        now = np.where(drawn < noise / 2, 0, np.where(drawn < came_again, 1, NONE))
        path = odd_evidence(np.concatenate([past, now], axis=1))[:, before.size :]
        return bool((path >= 1.0 / level).any(axis=1).mean() >= power)

    if not is_found(1.0):
        return None
    low, high = 0.0, 1.0
    while high - low > _STEP:
        middle = (low + high) / 2
        low, high = (low, middle) if is_found(middle) else (middle, high)
    return high
