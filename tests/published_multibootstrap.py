"""The Multi-Bootstrap as published, which `method = "multi-bootstrap"` is held against."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, IntArray, StatisticsError, finite
from scrutiny.stats.intervals.interval import Decomposition, Direction, Interval, quantile_limits
from scrutiny.stats.resampling.weights import CHUNK_BYTES, Units, draw_weights

Score = Callable[[FloatArray, IntArray], FloatArray]
FEW_SEEDS = 10  # below, the percentiles under-cover by about (R - 1) / R of the seeds' variance


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Scores or predictions of several runs.

    Parameters
    ----------
    values
        ``(run, example)``.
    seeds
        ``(run,)`` seed of each run; runs of one seed are averaged first. None: each run its own.
    """

    values: FloatArray
    seeds: IntArray

    @classmethod
    def of(cls, values: ArrayLike, seeds: ArrayLike | None = None) -> "Runs":
        """Runs from ``(run, example)`` and optional seeds ``(run,)``, whole numbers."""
        array = finite(values, "values", ndim=2)
        ids = np.arange(array.shape[0]) if seeds is None else np.asarray(seeds)
        if ids.shape != (array.shape[0],) or ids.dtype.kind not in "iu":
            raise StatisticsError(f"seeds must be {array.shape[0]} whole numbers, one a run.")
        return cls(array, ids.astype(np.int64))

    @property
    def names(self) -> IntArray:
        """Distinct seeds, sorted."""
        return np.unique(self.seeds)


@dataclass(frozen=True, slots=True)
class Scheme:
    """Sampling scheme of the Multi-Bootstrap: pairing, factors, number of draws.

    Parameters
    ----------
    paired
        Both sides share their seeds: one draw of the seeds common to both.
    sample_seeds, sample_examples
        False holds that factor fixed (over-confident; for the decomposition).
    nboot
        Draws; the papers use 1000.
    """

    paired: bool = True
    sample_seeds: bool = True
    sample_examples: bool = True
    nboot: int = 1000


@dataclass(frozen=True, slots=True)
class MultiBootstrap:
    """Result of a Multi-Bootstrap: base, experiment and their difference.

    Parameters
    ----------
    base, expt, delta
        Intervals with draws; ``expt`` and ``delta`` are None for one side alone.
    p_value
        One-sided: share of differences on the wrong side of 0, at least ``1 / nboot``.
    n_seeds
        Seeds drawn from, a side.
    """

    base: Interval
    expt: Interval | None
    delta: Interval | None
    p_value: float | None
    n_seeds: tuple[int, ...]


def multibootstrap(
    base: Runs,
    expt: Runs | None = None,
    *,
    rng: np.random.Generator,
    scheme: Scheme | None = None,
    score: Score | None = None,
    level: float = 0.95,
    direction: Direction = "greater",
) -> MultiBootstrap:
    """Multi-Bootstrap of the mean over seeds; examples are drawn for all runs.

    Parameters
    ----------
    base, expt
        Sides on the same examples; one seed on a side (a released checkpoint) is allowed when
        unpaired: that side then varies by examples only.
    rng
        Source of the draws.
    scheme
        Sampling scheme; None: paired, seeds and examples, 1000 draws.
    score
        Maps values of the drawn examples ``(run, drawn example)`` and their indices
        ``(drawn example,)`` (to look up labels) to scores ``(run,)``. None: the mean of the values.
    level
        Nominal coverage of the percentile intervals.
    direction
        Expected sign of expt minus base, for the one-sided p.

    **Measures**: the expected score of the training procedure on the population of examples.

    **Misleads when**: there are fewer than 10 seeds: resampling R seeds understates their variance
    by (R - 1)/R and the percentiles cover 89-92 % instead of 95 % (noted "few_seeds"); use
    `crossed`. Only one factor is drawn: both one-factor p-values are over-confident.

    **References**: Sellam et al. (2022), The MultiBERTs: BERT Reproductions for Robustness
    Analysis, ICLR.

    Examples
    --------
    >>> base, expt = Runs.of([[0, 1, 1, 0], [0, 1, 0, 0]]), Runs.of([[1, 1, 1, 0], [1, 1, 1, 1]])
    >>> found = multibootstrap(base, expt, rng=np.random.default_rng(0))
    >>> found.delta.point
    0.5
    """
    plan = scheme or Scheme()
    sides = _common((base,) if expt is None else (base, expt), paired=plan.paired)
    seeds = [_seed_weights(len(s.names), plan, rng) for s in sides]
    if plan.paired:
        seeds = [seeds[0]] * len(sides)
    drawn = _score_draws(sides, seeds, rng, scheme=plan, score=score)
    every = np.arange(base.values.shape[1])
    points = [float(_by_seed(s, _scores(s, every, score)).mean()) for s in sides]
    low = min(len(s.names) for s in sides) < FEW_SEEDS and plan.sample_seeds
    notes = ("few_seeds",) if low else ()
    found = [
        _percentile(p, d, level=level, notes=notes) for p, d in zip(points, drawn, strict=True)
    ]
    sizes = tuple(len(s.names) for s in sides)
    if len(found) == 1:
        return MultiBootstrap(found[0], None, None, None, sizes)
    delta = drawn[1] - drawn[0]
    wrong = delta <= 0 if direction == "greater" else delta >= 0
    return MultiBootstrap(
        base=found[0],
        expt=found[1],
        delta=_percentile(points[1] - points[0], delta, level=level, notes=notes),
        p_value=max(float(wrong.mean()), 1.0 / plan.nboot),
        n_seeds=sizes,
    )


def multibootstrap_decomposition(
    base: Runs,
    expt: Runs | None = None,
    *,
    rng: np.random.Generator,
    paired: bool = True,
    nboot: int = 1000,
    score: Score | None = None,
) -> Decomposition:
    """Variance with only seeds, only examples, or both resampled.

    Parameters
    ----------
    base, expt, score
        As in `multibootstrap`; with two sides the variances are those of the difference.
    rng
        Source of the draws of all three.
    paired, nboot
        As in `Scheme`.

    **Measures**: whether more seeds or more examples would narrow the interval.

    **Misleads when**: read as shares of one whole: the three are separate resamplings, and item
    noise of single runs shows in both one-factor variances.

    **References**: Sellam et al. (2022), The MultiBERTs, section 4.

    Examples
    --------
    >>> runs = Runs.of([[0, 1, 1, 0], [0, 1, 0, 0]])
    >>> found = multibootstrap_decomposition(runs, rng=np.random.default_rng(0))
    >>> found.both > max(found.seeds, found.items) > 0
    True
    """
    variances = []
    for sample_seeds, sample_examples in ((True, False), (False, True), (True, True)):
        found = multibootstrap(
            base,
            expt,
            rng=rng,
            scheme=Scheme(paired, sample_seeds, sample_examples, nboot),
            score=score,
        )
        variances.append((found.delta or found.base).se ** 2)
    seeds, items, both = variances
    return Decomposition(seeds, items, max(0.0, seeds + items - both), both)


def _common(sides: tuple[Runs, ...], *, paired: bool) -> list[Runs]:
    if len({s.values.shape[1] for s in sides}) > 1:
        raise StatisticsError("both sides need the same examples, in the same order.")
    if not paired:
        return list(sides)
    names = sides[0].names
    for side in sides[1:]:
        names = np.intersect1d(names, side.names)
    if names.size == 0:
        raise StatisticsError("the sides have no seed in common; use Scheme(paired=False).")
    kept = [(s, np.isin(s.seeds, names)) for s in sides]
    return [Runs(s.values[k], s.seeds[k]) for s, k in kept]


def _seed_weights(n: int, scheme: Scheme, rng: np.random.Generator) -> FloatArray:
    """Shares of the drawn seeds ``(draw, seed)``."""
    if not scheme.sample_seeds:
        return np.full((scheme.nboot, n), 1.0 / n)
    return rng.multinomial(n, np.full(n, 1.0 / n), size=scheme.nboot) / n


def _example_weights(n: int, scheme: Scheme, rng: np.random.Generator) -> Iterator[FloatArray]:
    if scheme.sample_examples:
        yield from draw_weights(Units.of(n), draws=scheme.nboot, rng=rng)
        return
    step = max(1, CHUNK_BYTES // (8 * n))
    for start in range(0, scheme.nboot, step):
        yield np.ones((min(step, scheme.nboot - start), n))


def _score_draws(
    sides: list[Runs],
    seeds: list[FloatArray],
    rng: np.random.Generator,
    *,
    scheme: Scheme,
    score: Score | None,
) -> list[FloatArray]:
    """Score of each side on each draw of examples: mean over drawn seeds, ``(draw,)``."""
    n = sides[0].values.shape[1]
    out = [np.empty(scheme.nboot) for _ in sides]
    means = [_by_seed(s, s.values) for s in sides]  # (seed, example)
    start = 0
    for weights in _example_weights(n, scheme, rng):
        rows = slice(start, start + weights.shape[0])
        for k, side in enumerate(sides):
            if score is None:
                each = weights @ means[k].T / n  # (draw, seed)
            else:
                indices = (np.repeat(np.arange(n), w.astype(np.int64)) for w in weights)
                each = np.array([_by_seed(side, _scores(side, i, score)) for i in indices])
            out[k][rows] = (each * seeds[k][rows]).sum(axis=1)
        start += weights.shape[0]
    return out


def _scores(side: Runs, index: IntArray, score: Score | None) -> FloatArray:
    picked = side.values[:, index]
    found = picked.mean(axis=1) if score is None else np.asarray(score(picked, index))
    if found.shape != (side.values.shape[0],):
        raise StatisticsError(f"score() answered shape {found.shape}; one score a run needed.")
    return found


def _by_seed(side: Runs, values: FloatArray) -> FloatArray:
    """Mean over the runs of each seed, along the first axis."""
    if side.names.size == side.seeds.size:
        return values[np.argsort(side.seeds)]
    return np.stack([values[side.seeds == s].mean(axis=0) for s in side.names])


def _percentile(
    point: float, draws: FloatArray, *, level: float, notes: tuple[str, ...]
) -> Interval:
    low, high = quantile_limits(draws, level)
    se = float(draws.std(ddof=1))
    return Interval(point, low, high, level, "multibootstrap", se, draws=draws, notes=notes)
