"""Families of replicates with a known truth, and how often an interval holds it."""

import numpy as np
from scipy import special

from scrutiny.core.plan import Resampling
from scrutiny.reliability.intervals import interval_of, step_of
from scrutiny.reliability.row_statistics import resample_any
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


def intervals(statistic, worlds, first, *, draws=400, unit=None, strata=None, cells=None):
    """Intervals of worlds of measures ``(world, replicate, item, need)`` as a run makes them.

    Worlds share the drawn items, which takes less than half of the time: the error of so few draws
    is then theirs together, and small over the blocks of worlds of a simulation.
    """
    worlds = np.asarray(worlds)
    size = worlds.shape[1]
    drawn = resample_any(
        statistic,
        worlds.reshape(-1, *worlds.shape[2:]),
        units=Units.of(worlds.shape[2], unit, strata=strata),
        draws=draws,
        rng=np.random.default_rng([first, 1]),
        cells=cells,
    )
    return [
        interval_of(
            drawn.select(slice(size * k, size * (k + 1))),
            name=statistic.id,
            scale=statistic.scale,
            resampling=Resampling(draws=draws),
            seed=first + k,
            step=step_of(statistic, worlds[k]),
        )
        for k in range(len(worlds))
    ]


def interval(statistic, values, study, **how):
    """Interval of measures ``(replicate, item, need)`` as a run makes it."""
    (found,) = intervals(statistic, values[None], study, **how)
    return found


def covered(statistic, make, truth, *, studies, seed=7, **how):
    """Share of worlds ``make(rng)`` whose interval holds the truth; ten are made at a time."""
    rng = np.random.default_rng(seed)
    found = [
        each.excludes(truth)
        for first in range(0, studies, 10)
        for each in intervals(statistic, [make(rng) for _ in range(10)], first, **how)
    ]
    return 1 - np.mean(found)


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
