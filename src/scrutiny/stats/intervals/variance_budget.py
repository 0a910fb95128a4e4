"""Variance budget of a score: what items, wordings, seeds and repeats add to its error.

A crossed layout of random factors: every seed answers every item in every wording, each as often.
The components are those of the analysis of variance (method of moments); the standard error that
follows from them is that of the mean over other items, other wordings and other seeds of the same
kinds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, StatisticsError, finite

#: Crossed factors, in the order of the axes; answers to one question stand on a fourth.
FACTORS: Final = ("seeds", "items", "wordings")
#: What the same question asked again adds.
REPEATS: Final = "repeats"
#: Between the names of an interaction.
BY: Final = " x "
_ALL: Final = frozenset(range(3))
_ITEMS: Final = 1
_HALF: Final = 0.25  # of the squared standard error


@dataclass(frozen=True, slots=True)
class VarianceBudget:
    """What each source adds to the variance of one answer, and to that of the mean.

    Parameters
    ----------
    sizes
        Levels of each factor, and of ``repeats``.
    of_one
        Variance of one answer by source, in squared units of the score: factors with more than one
        level, their interactions ("items x wordings"), and ``repeats``. Estimates below 0 are 0.
        With one repeat the highest interaction holds what repeats add.
    of_mean
        The same, of the mean of all answers.
    """

    sizes: Mapping[str, int]
    of_one: Mapping[str, float]
    of_mean: Mapping[str, float]

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return float(np.sqrt(sum(self.of_mean.values())))

    @property
    def shares(self) -> Mapping[str, float]:
        """Share of each source in the squared error of the mean; nothing where that is 0."""
        total = sum(self.of_mean.values())
        return {name: own / total for name, own in self.of_mean.items()} if total > 0 else {}

    @property
    def largest(self) -> str:
        """Source of the largest share; empty where the mean has no error."""
        return max(self.shares, key=lambda name: self.shares[name], default="")

    def error_with(self, factor: str, times: float) -> float:
        """Standard error of the mean with so many times as many levels of a factor."""
        parts = ((own, factor in _within(name)) for name, own in self.of_mean.items())
        return float(np.sqrt(sum(own / times if is_its else own for own, is_its in parts)))

    def halved_by(self, factor: str) -> int | None:
        """Levels of a factor with which the error is half of what it is; None if none suffice."""
        gained = sum(own for name, own in self.of_mean.items() if factor in _within(name))
        fixed = sum(self.of_mean.values()) - gained
        left = _HALF * (fixed + gained) - fixed
        if gained <= 0 or left <= 0:
            return None
        return int(np.ceil(self.sizes[factor] * gained / left - 1e-9))


def _within(source: str) -> Sequence[str]:
    """Factors of which more levels lower what a source adds to the mean."""
    return (*FACTORS, REPEATS) if source == REPEATS else source.split(BY)


def variance_budget(answers: ArrayLike) -> VarianceBudget:
    """Components of variance of a balanced crossed layout, by the method of moments.

    Factors with one level are left out: what they add cannot be told from one. The expected mean
    square of an effect is the sum, over all effects that contain it, of their variance times the
    number of answers to each of their cells.

    Parameters
    ----------
    answers
        ``(seed, item, wording, repeat)``, scores without gaps.

    Raises
    ------
    StatisticsError
        If there are gaps, or no answer.

    References
    ----------
    Searle, Casella & McCulloch (1992), Variance components, chapter 4.
    """
    values = finite(answers, "answers", ndim=4)
    if not values.size:
        raise StatisticsError("a variance budget needs at least one answer.")
    return _budget(values)


def _budget(values: FloatArray) -> VarianceBudget:
    """Budget of checked answers."""
    return _of_squares(_mean_squares(values), values.shape)


def _mean_squares(values: FloatArray) -> dict[frozenset[int], float]:
    """Mean square of each effect in units of its own cells' means, the larger effects first.

    That of no factor is the variance of answers to the same question; 0 with one repeat.
    """
    axes = [axis for axis in range(3) if values.shape[axis] > 1]
    effects = [frozenset(one) for n in range(len(axes), 0, -1) for one in combinations(axes, n)]
    means = values.mean(axis=3)
    within = float(values.var(axis=3, ddof=1).mean()) if values.shape[3] > 1 else 0.0
    return {**{one: _mean_square(means, one) for one in effects}, frozenset(): within}


def _of_squares(squares: Mapping[frozenset[int], float], shape: Sequence[int]) -> VarianceBudget:
    """Budget of mean squares, which are read from the largest effect on."""
    within = squares[frozenset()]
    found: dict[frozenset[int], float] = {}
    for effect, square in squares.items():
        if effect:
            above = sum(
                own / _cells(shape, other - effect)
                for other, own in found.items()
                if effect < other
            )
            noise = within / (shape[3] * _cells(shape, _ALL - effect))
            found[effect] = square - above - noise
    own = {effect: max(0.0, found[effect]) for effect in sorted(found, key=_order)}
    of_one = {_name(effect): value for effect, value in own.items()}
    of_mean = {_name(effect): value / _cells(shape, effect) for effect, value in own.items()}
    if shape[3] > 1:
        of_one[REPEATS] = within
        of_mean[REPEATS] = within / (shape[3] * _cells(shape, _ALL))
    sizes = dict(zip((*FACTORS, REPEATS), shape, strict=True))
    return VarianceBudget(sizes, of_one, of_mean)


def _order(effect: frozenset[int]) -> tuple[int, list[int]]:
    return len(effect), sorted(effect)


def _name(effect: frozenset[int]) -> str:
    return BY.join(FACTORS[axis] for axis in sorted(effect))


def _cells(shape: Sequence[int], axes: frozenset[int]) -> int:
    """Number of cells along some axes."""
    return int(np.prod([shape[axis] for axis in axes], dtype=np.int64))


def _mean_square(means: FloatArray, effect: frozenset[int]) -> float:
    """Mean square of an effect, in units of its own cells' means."""
    others = tuple(axis for axis in range(3) if axis not in effect)
    own = means.mean(axis=others, keepdims=True)
    for axis in effect:
        own = own - own.mean(axis=axis, keepdims=True)
    return float((own**2).sum() / _degrees(means.shape, effect))


def _degrees(shape: Sequence[int], effect: frozenset[int]) -> int:
    """Degrees of freedom of an effect."""
    return int(np.prod([shape[axis] - 1 for axis in effect], dtype=np.int64))


def budget_ranges(
    answers: ArrayLike, rng: np.random.Generator, *, draws: int = 400, level: float = 0.95
) -> Mapping[str, tuple[float, float]]:
    """Range of the share of each source in the squared error of the mean.

    Items are drawn with replacement, with all answers to them; so answers need not be normal. There
    are too few wordings and seeds for that: the mean squares of effects without items are divided
    by draws of a chi-square over its degrees of freedom (a generalized pivot), as if these effects
    were normal.

    Parameters
    ----------
    answers
        As `variance_budget` takes them.
    rng
        Source of the draws.
    draws
        How many.
    level
        Share of the draws inside each range.

    References
    ----------
    Weerahandi (1995), Exact statistical methods for data analysis, chapter 8.
    """
    values = finite(answers, "answers", ndim=4)
    point = variance_budget(values)
    whole = _mean_squares(values)
    n_items = values.shape[_ITEMS]
    found: dict[str, list[float]] = {name: [] for name in point.of_mean}
    for _ in range(draws):
        items = rng.integers(n_items, size=n_items)
        squares = _mean_squares(values[:, items]) if n_items > 1 else dict(whole)
        for effect in squares:
            if effect and _ITEMS not in effect:
                degrees = _degrees(values.shape, effect)
                squares[effect] = whole[effect] * degrees / rng.chisquare(degrees)
        shares = _of_squares(squares, values.shape).shares
        for name, own in found.items():
            own.append(shares.get(name, 0.0))
    ends = [(1 - level) / 2, (1 + level) / 2]
    return {
        name: (float(low), float(high))
        for name, own in found.items()
        for low, high in [np.quantile(own, ends)]
    }
