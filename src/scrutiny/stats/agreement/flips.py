"""Disagreement of replicates item by item, compared with what coin flips would give."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, IntArray, finite
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.significance import binomial


@dataclass(frozen=True, slots=True, eq=False)
class Flips:
    """Disagreement of replicates with the majority, item by item.

    Parameters
    ----------
    dissent
        ``(item,)`` replicates outside the most frequent answer; for two answers
        ``d = min(k, R - k)``.
    share
        ``(d,)`` share of items with each d, 0 to ``R // 2`` (or ``R - 1`` for many answers).
    coin
        ``(d,)`` expected if every replicate tossed a fair coin on every item; None with more than
        two answers.
    expected
        ``(d,)`` expected if replicates answered independently, each item with its own probability
        (given, or its smoothed frequency); None with more than two answers.
    observed_sd, flip_sd
        Standard deviation over replicates of the share of answer 1, and what it would be if only
        independent flips made it; None with more than two answers or one replicate.
    """

    dissent: IntArray
    share: FloatArray
    coin: FloatArray | None
    expected: FloatArray | None
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


def flips(predictions: ArrayLike, *, probabilities: ArrayLike | None = None) -> Flips:
    """Disagreement of replicates item by item, against two baselines.

    Parameters
    ----------
    predictions
        ``(replicate, item)`` whole-number answers; 0 and 1 for verdicts.
    probabilities
        Probability of answer 1, from margins: ``(item,)``, or ``(replicate, item)`` (the
        distribution is then Poisson-binomial). None: each item's frequency ``k / R``, smoothed to
        ``(k + 1/2) / (R + 1)``.

    Returns
    -------
    Flips
        Shares and baselines. The coin is the worst case: items that nobody knows. The baseline by
        probability keeps what is known of each item and asks whether replicates flip
        independently; from smoothed frequencies it is fitted to the same answers, so it shows a
        shape, not a test.

    **Measures**: how many single predictions depend on the seed, where the average may not.

    **Misleads when**: R is small: with five replicates coin flips agree fully on 6 % of items, and
    d cannot exceed 2. ``sd_ratio`` has R - 1 degrees of freedom.

    **References**: Sellam et al. (2022), The MultiBERTs; Poisson-binomial: Wang (1993).

    Examples
    --------
    >>> found = flips([[1, 0, 1], [1, 0, 0], [1, 1, 1]])
    >>> found.dissent.tolist(), found.coin.round(2).tolist()
    ([0, 1, 1], [0.25, 0.75])
    """
    answers = finite(predictions, "predictions", ndim=2)
    if (answers != np.rint(answers)).any():
        raise StatisticsError("predictions must be whole-number answers (replicate, item).")
    replicates, items = answers.shape
    if not np.isin(answers, (0.0, 1.0)).all():
        if probabilities is not None:
            raise StatisticsError("probabilities need answers 0 and 1.")
        return _many_answers(answers)
    ones = answers.sum(axis=0).astype(np.int64)
    dissent = np.minimum(ones, replicates - ones)
    fair = binomial.pmf(np.arange(replicates + 1), replicates, 0.5)
    chance = _chances(ones, replicates, probabilities)
    by_item = poisson_binomial(chance)  # (item, k)
    observed, flip = _spreads(answers, ones)
    return Flips(
        dissent=dissent,
        share=np.bincount(dissent, minlength=replicates // 2 + 1) / items,
        coin=_folded(fair[None])[0],
        expected=_folded(by_item).mean(axis=0),
        observed_sd=observed,
        flip_sd=flip,
    )


def poisson_binomial(probabilities: ArrayLike) -> FloatArray:
    """Distribution of the number of successes, ``(item, k)``, of independent trials.

    Parameters
    ----------
    probabilities
        ``(trial, item)``.

    **Measures**: how many of R replicates give answer 1, each with its own probability.

    **Misleads when**: trials are dependent.

    **References**: Wang (1993), On the number of successes in independent trials.

    Examples
    --------
    >>> poisson_binomial([[0.5], [0.5]]).tolist()
    [[0.25, 0.5, 0.25]]
    """
    chance = finite(probabilities, "probabilities", ndim=2)
    if (chance < 0).any() or (chance > 1).any():
        raise StatisticsError("probabilities must lie in [0, 1].")
    out = np.zeros((chance.shape[1], chance.shape[0] + 1))
    out[:, 0] = 1.0
    for p in chance:
        hit = out[:, :-1] * p[:, None]
        out *= (1.0 - p)[:, None]
        out[:, 1:] += hit
    return out


def _chances(ones: IntArray, replicates: int, probabilities: ArrayLike | None) -> FloatArray:
    """Probability of answer 1, ``(replicate, item)``."""
    if probabilities is None:
        return np.tile((ones + 0.5) / (replicates + 1.0), (replicates, 1))
    given = finite(probabilities, "probabilities")
    given = np.tile(given, (replicates, 1)) if given.ndim == 1 else given
    if given.shape != (replicates, ones.size):
        raise StatisticsError(
            f"probabilities have shape {given.shape}; ({ones.size},) or"
            f" ({replicates}, {ones.size}) needed."
        )
    return given


def _folded(by_count: FloatArray) -> FloatArray:
    """Distribution of ``min(k, R - k)`` ``(item, d)`` from that of k ``(item, k)``."""
    replicates = by_count.shape[1] - 1
    out = np.zeros((by_count.shape[0], replicates // 2 + 1))
    for k in range(replicates + 1):
        out[:, min(k, replicates - k)] += by_count[:, k]
    return out


def _spreads(answers: FloatArray, ones: IntArray) -> tuple[float | None, float | None]:
    replicates, items = answers.shape
    if replicates < 2:
        return None, None
    share = ones / replicates
    # p(1 - p) R/(R - 1): unbiased for the variance of one toss
    variance = float((share * (1.0 - share)).sum()) * replicates / (replicates - 1.0)
    return float(answers.mean(axis=1).std(ddof=1)), variance**0.5 / items


def _many_answers(answers: FloatArray) -> Flips:
    replicates, items = answers.shape
    names, code = np.unique(answers, return_inverse=True)
    table = np.zeros((items, names.size), dtype=np.int64)
    np.add.at(table, (np.tile(np.arange(items), replicates), code.reshape(-1)), 1)
    dissent = replicates - table.max(axis=1)
    share = np.bincount(dissent, minlength=max(1, replicates)) / items
    return Flips(dissent, share, None, None, None, None)
