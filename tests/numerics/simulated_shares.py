"""Shares of right and wrong: how often their limits are wrong, by enumeration, and in units.

Of independent items every count has a probability that is known: the rates of one model are sums,
without an error. Items in units that fail together, and several seeds, are simulated.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import special, stats
from simulated_families import Design, _ease, _sizes

from scrutiny.stats.arrays import FloatArray
from scrutiny.stats.intervals.interval import Scale
from scrutiny.stats.intervals.rows import FamilyRow, row_of
from scrutiny.stats.intervals.simultaneous import simultaneous
from scrutiny.stats.resampling.resample import Resampled, resample
from scrutiny.stats.resampling.weights import Units

SHARES = (0.002, 0.005, 0.01, 0.02, 0.05, 0.08, 0.1, 0.2)
LOGIT = Scale.of("logit")
DRAWS = 4000


def counted(count: int, n: int, rng: np.random.Generator) -> Resampled:
    """The share of ``count`` in n items of one model, with its draws."""
    draws = rng.binomial(n, count / n, (DRAWS, 1)) / n
    return Resampled(np.array([count / n]), draws, n, n, None, "shares")


@cache
def rows_of_counts(counts: tuple[int, ...], n: int) -> list[FamilyRow]:
    """Row of each count, which stand in families of any size."""
    rng = np.random.default_rng(0)
    return [row_of(counted(count, n, rng), LOGIT, step=1 / n) for count in counts]


def limits_of_counts(counts, n: int, rows: int) -> FloatArray:
    """Low and high ``(count, 2)`` in a family of so many rows, as a run makes them."""
    made = rows_of_counts(tuple(counts.tolist()), n)
    return np.array([one.widest for one in simultaneous(made, n_rows=rows)])


def enumerated(n: int, rows: int, shares=SHARES) -> FloatArray:
    """Share of families ``(share, 2)`` with any lower limit above the truth, any upper below it."""
    most = int(stats.binom.ppf(1 - 1e-9, n, max(shares)))
    counts = np.arange(most + 1)
    low, high = limits_of_counts(counts, n, rows).T
    mass = np.array([stats.binom.pmf(counts, n, p) for p in shares])
    wrong = np.array(
        [[(m * (low > p)).sum(), (m * (high < p)).sum()] for m, p in zip(mass, shares, strict=True)]
    )
    return 1 - (1 - wrong) ** rows


@dataclass(frozen=True)
class Shared:
    """A share whose items stand in units, or which several seeds have.

    ``share`` is the recipe's; ``design`` has the items, units, likeness, seeds and rows.
    """

    share: float
    design: Design


def simulated(made: Shared, *, studies: int, seed: int = 0) -> tuple[float, float, float]:
    """Share of families that are wrong on each side, and the median of half-widths."""
    rng = np.random.default_rng(seed)
    found = [_study(made, rng) for _ in range(studies)]
    low, high = np.array([(low, high) for low, high, _ in found]).mean(axis=0)
    return float(low), float(high), float(np.median([half for *_, half in found]))


def _study(made: Shared, rng: np.random.Generator) -> tuple[bool, bool, float]:
    design, sizes = made.design, _sizes(rng, made.design)
    moved = design.seed_sd * rng.standard_normal((design.rows, design.replicates, 1))
    each = np.clip(made.share + moved * (design.replicates > 1), 1e-6, 1 - 1e-6)
    failed = _ease(rng, design, sizes)[:, :, 0] < special.ndtri(each)
    units = Units.of(design.items, np.repeat(np.arange(sizes.size), sizes.astype(int)))
    drawn, size = _drawn(failed.reshape(-1, design.items), units, rng), design.replicates
    each = [drawn.select(slice(k, k + size)) for k in range(0, len(drawn.point), size)]
    rows = [row_of(one, LOGIT, step=1 / design.items) for one in each]
    ends = np.array([one.widest for one in simultaneous(rows, n_rows=design.rows)])
    half = float(np.median(ends[:, 1] - ends[:, 0])) / 2
    return bool((ends[:, 0] > made.share).any()), bool((ends[:, 1] < made.share).any()), half


def _drawn(failed, units: Units, rng: np.random.Generator) -> Resampled:
    """Shares ``(replicate,)`` of failures ``(replicate, item)``, on draws of units."""
    X = np.stack([failed, np.ones_like(failed)], axis=-1).astype(float)
    return resample(X, lambda s, _: s[..., 0, 0] / s[..., 0, 1], rng=rng, draws=800, units=units)
