"""Differences between two sides, paired or not; the largest between two replicates."""

import numpy as np
import scipy

from scrutiny.stats.arrays import StatisticsError, finite
from scrutiny.stats.intervals.components import (
    IntervalParts,
    checked,
    decompose,
    has_enough,
    interval_of,
    item_noise,
    replicate_notes,
    shrink,
    side_of,
    t_draws,
)
from scrutiny.stats.intervals.crossed import crossed
from scrutiny.stats.intervals.interval import Interval, Scale
from scrutiny.stats.resampling.resample import Resampled


def paired_contrast(
    a: Resampled,
    b: Resampled,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    scale: str | Scale = "identity",
) -> Interval:
    """Interval of a minus b, paired on items and on replicates.

    Parameters
    ----------
    a, b
        Sides with the same draws of items; replicate r of a belongs to replicate r of b.
    rng, level
        As in `crossed`.
    scale
        Scale of the sides. A difference is taken as it is; the scale says how large one can be
        (100 points, of percentages), and how large one whole is.

    Returns
    -------
    Interval
        `crossed` of the differences, replicate by replicate.

    **Measures**: the expected difference between two conditions of one recipe.

    **Misleads when**: equal seeds do not make runs alike; then pairing neither gains nor loses
    but the degrees of freedom of the second side.

    **References**: as `crossed`.

    Examples
    --------
    >>> from scrutiny.stats.resampling.resample import resample
    >>> share = lambda s, w: s[..., 0, 0] / 4
    >>> hits = np.array([[[1.0], [0], [1], [1]], [[1.0], [1], [1], [1]]])
    >>> both = resample(hits, share, rng=np.random.default_rng(0), draws=50)
    >>> a, b = both.select([0]), both.select([1])
    >>> paired_contrast(a, b, rng=np.random.default_rng(1)).point
    -0.25
    """
    _same_items(a, b)
    if a.point.size != b.point.size:
        raise StatisticsError(
            f"a has {a.point.size} replicates, b has {b.point.size}; a paired contrast needs the"
            " same replicates on both sides. Use unpaired_contrast."
        )
    return crossed(
        a.point - b.point,
        a.draws - b.draws,
        rng=rng,
        level=level,
        scale=Scale.of(scale).difference,
        n_units=a.n_units,
        n_strata=a.n_strata,
    )


def unpaired_contrast(
    a: Resampled,
    b: Resampled,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    scale: str | Scale = "identity",
) -> Interval:
    """Interval of a minus b with independent replicates on the two sides.

    Parameters
    ----------
    a, b
        Sides with the same draws of items.
    rng, level, scale
        As in `paired_contrast`.

    Returns
    -------
    Interval
        One t term a side. A side with one replicate adds items only: the claim then names this
        checkpoint.

    **Measures**: the expected difference between two recipes.

    **Misleads when**: the sides share seeds or initializations; then pair them.

    **References**: as `crossed`; Welch (1947) for two t terms.

    Examples
    --------
    >>> from scrutiny.stats.resampling.resample import resample
    >>> share = lambda s, w: s[..., 0, 0] / 4
    >>> hits = np.array([[[1.0], [0], [1], [1]], [[1.0], [1], [1], [1]]])
    >>> both = resample(hits, share, rng=np.random.default_rng(0), draws=50)
    >>> a, b = both.select([0]), both.select([1])
    >>> unpaired_contrast(a, b, rng=np.random.default_rng(1)).point
    -0.25
    """
    _same_items(a, b)
    where = Scale.of(scale).difference
    each_a, drawn_a, _ = checked(a.point, a.draws, keep=True)
    each_b, drawn_b, _ = checked(b.point, b.draws, keep=True)
    fine = has_enough(np.hstack([drawn_a, drawn_b]))
    notes: tuple[str, ...] = () if fine.all() else ("undefined_draws",)
    sides = [
        side_of(e, d[fine], center=float(e.mean()))
        for e, d in ((each_a, drawn_a), (each_b, drawn_b))
    ]
    center = sides[0].center - sides[1].center
    noise, item_notes = item_noise(
        sides[0].noise - sides[1].noise,
        rng,
        n_units=a.n_units,
        n_strata=a.n_strata,
        flip=where.whole,
    )
    t = t_draws(sides[0], noise.size, rng) - t_draws(sides[1], noise.size, rng)
    interaction = sides[0].interaction + sides[1].interaction
    joint = IntervalParts(center, sides[0].seeds + sides[1].seeds, interaction, noise, 0)
    notes += item_notes + tuple(dict.fromkeys(n for s in sides for n in replicate_notes(s)))
    items = float(noise.var(ddof=1))
    kept = center + noise * shrink(items, interaction) + t
    # a t of few degrees goes far beyond what two percentages can differ by: it is cut there, which
    # takes nothing from the coverage, because no true difference lies beyond
    return interval_of(
        center,
        kept,
        center + noise + t,
        level=level,
        bounds=(where.low, where.high),
        label="crossed_unpaired",
        extra=(decompose(joint, items), notes),
    )


def _same_items(a: Resampled, b: Resampled) -> None:
    if a.resample_id != b.resample_id:
        raise StatisticsError(
            f"the sides were drawn differently ({a.resample_id}, {b.resample_id}); draws may be"
            " subtracted only when they share their items. Resample both sides in one call."
        )


def largest_difference(resampled: Resampled, *, level: float = 0.95) -> Interval:
    """Interval of the largest difference between two replicates, on other items.

    Parameters
    ----------
    resampled
        A statistic of each replicate, on the same draws of items.
    level
        Nominal coverage.

    Returns
    -------
    Interval
        The upper limit lies below a margin where two one-sided tests (`tost`) show each pair
        equivalent within it: all pairs have to pass, so nothing is corrected. The lower limit lies
        above a value where some pair differs by more, with Bonferroni's correction over the pairs.

    Raises
    ------
    StatisticsError
        With fewer than two replicates, one unit, or without a value of each on two draws.

    **Measures**: whether these replicates do equally well within a margin, or not equally well.

    **Misleads when**: read as about other seeds: the largest of more pairs is larger. With few
    items even equal replicates lie several errors apart: see `workable_margin`.

    **References**: Schuirmann (1987), A comparison of the two one-sided tests procedure; Berger
    (1982), Multiparameter hypothesis testing and acceptance sampling.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> one = rng.normal(size=(1000, 1)) + rng.normal(0, 0.01, (1000, 2))
    >>> found = largest_difference(Resampled(np.array([0.8, 0.83]), one, 100, 100, None, ""))
    >>> round(found.point, 3), round(found.low, 3), round(found.high, 3)
    (0.03, 0.0, 0.059)
    """
    values = finite(resampled.point, "point", ndim=1)
    draws = resampled.defined_draws
    if values.size < 2 or resampled.degrees < 1 or len(draws) < 2:
        raise StatisticsError("two replicates, two units and draws of both are the least.")
    one, other = np.triu_indices(values.size, 1)
    size = np.abs(values[one] - values[other])
    errors = np.std(draws[:, one] - draws[:, other], axis=0, ddof=1)

    def ends(level: float) -> tuple[float, float]:
        tail = (1.0 - level) / 2.0
        some, every = scipy.special.stdtrit(
            resampled.degrees, [1.0 - tail / (2 * size.size), 1.0 - tail]
        )
        return max(0.0, float((size - some * errors).max())), float((size + every * errors).max())

    return Interval.of_ends(float(size.max()), ends, level=level, method="items of pairs")
