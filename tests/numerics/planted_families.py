"""Families of replicates with a known truth, and how often an interval holds it."""

import numpy as np
from scipy import special

from scrutiny.core.plan import Resampling
from scrutiny.reliability.estimate import resample_any
from scrutiny.reliability.intervals import interval_of
from scrutiny.stats.resampling.weights import Units


def preferred(rng, share, items, *, seed_sd=0.028, replicates=5, shift=None):
    """Verdicts 0 and 1 ``(replicate, item)`` whose expectation is ``share``, by item or not.

    Half of a margin's variance is the item's. ``shift`` of the seeds ``(replicate, 1)``: drawn,
    where nothing is said.
    """
    if shift is None:
        shift = seed_sd * rng.standard_normal((replicates, 1))
    share = np.broadcast_to(share, items) + shift
    own = 0.5**0.5 * rng.standard_normal((share.shape[0], items))
    margin = 0.5**0.5 * rng.standard_normal(items) + own
    return (margin + special.ndtri(np.clip(share, 1e-6, 1 - 1e-6)) > 0).astype(float)


def interval(statistic, values, study, *, draws=400, unit=None, strata=None, cells=None):
    """Interval of measures ``(replicate, item, need)`` as a run makes it."""
    drawn = resample_any(
        statistic,
        values,
        units=Units.of(values.shape[1], unit, strata=strata),
        draws=draws,
        rng=np.random.default_rng([study, 1]),
        cells=cells,
    )
    return interval_of(
        drawn,
        name=statistic.id,
        scale=statistic.scale,
        resampling=Resampling(draws=draws),
        seed=study,
    )


def coverage(make, truth, *, studies, seed=7):
    """Share of studies ``make(rng, study)`` whose interval holds the truth."""
    rng = np.random.default_rng(seed)
    return 1 - sum(make(rng, study).excludes(truth) for study in range(studies)) / studies


def error(share, studies):
    """Monte Carlo standard error of a share."""
    return (share * (1 - share) / studies) ** 0.5


def associations(rng, *, words, sentences=8, gap=0.0, replicates=1, seed_sd=0.0):
    """Associations and sides ``(replicate, row, need)``; a word's part and a sentence's have sd 1.

    Replicates share words and sentences; each has its own gap around ``gap``.
    """
    side = np.repeat([1.0, 0.0], words * sentences)
    word = np.repeat(np.arange(2 * words), sentences)
    shared = rng.standard_normal(2 * words)[word] + rng.standard_normal(side.size)
    gaps = gap + seed_sd * rng.standard_normal((replicates, 1))
    values = shared + gaps * (side - 0.5)
    return np.stack([values, np.broadcast_to(side, values.shape)], axis=-1)


def population_effect(gap, seed_sd=0.0):
    """Expected d of infinitely many words: its spread holds words, sentences, and half the gap."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    gaps = gap + seed_sd * nodes
    each = gaps / (2.0 + gaps**2 / 4) ** 0.5
    return float((weights * each).sum() / weights.sum())
