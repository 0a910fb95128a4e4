"""Permutation tests: of pairs, whose signs are flipped by unit; of groups, whose units move."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import FloatArray, StatisticsError, finite, one_of
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.exact_tests import (
    ALTERNATIVES,
    Alternative,
    ExactTest,
    exact_test,
    tails_among,
)

_CHUNK = 8192


def sign_flip_test(
    differences: ArrayLike,
    *,
    rng: np.random.Generator,
    units: Units | None = None,
    permutations: int = 100_000,
    alternative: Alternative = "two-sided",
) -> ExactTest:
    """Sign-flip test of whether paired differences are centered at 0.

    Parameters
    ----------
    differences
        ``(row,)``.
    rng
        Source of sampled flips.
    units
        Rows that flip together.
    permutations
        All ``2 ** n_units`` patterns are enumerated where there are no more than this.
    alternative
        "greater": the mean difference is positive.

    **Measures**: the share of sign patterns that give a mean as extreme as the observed one.

    **Misleads when**: there are five pairs: the smallest two-sided p is .0625. The differences are
    not symmetric around 0 under the null.

    **References**: Fisher (1935), The Design of Experiments; Good (2005).

    Examples
    --------
    >>> sign_flip_test([0.3, 0.1, 0.4, 0.2, 0.5], rng=np.random.default_rng(0)).p_value
    0.0625
    """
    one_of(alternative, "alternative", ALTERNATIVES)
    d = finite(differences, "differences", ndim=1)
    grouping = Units.of(d.size) if units is None else units
    if grouping.n_rows != d.size:
        raise StatisticsError(f"units describe {grouping.n_rows} rows, there are {d.size}.")
    by_unit = np.bincount(grouping.code, weights=d, minlength=grouping.n_units)
    exact = grouping.n_units < 60 and 2**grouping.n_units <= permutations
    if exact:
        drawn = np.concatenate([s @ by_unit for s in _all_signs(grouping.n_units)])
    else:
        sizes = [min(_CHUNK, permutations - s) for s in range(0, permutations, _CHUNK)]
        drawn = np.concatenate([_signs(rng, k, by_unit.size) @ by_unit for k in sizes])
    found = _compared(
        float(by_unit.sum()), drawn, exact=exact, n=grouping.n_units, side=alternative
    )
    return replace(found, statistic=found.statistic / d.size)


def between_groups(
    values: ArrayLike, groups: ArrayLike, *, rng: np.random.Generator, permutations: int = 10_000
) -> ExactTest:
    """Test of whether units of several groups differ by group: units are exchanged among groups.

    Parameters
    ----------
    values
        ``(unit,)``.
    groups
        ``(unit,)`` the group of each, numbers or names.
    rng, permutations
        Source of the exchanges and how many.

    Returns
    -------
    ExactTest
        Statistic: the part of the variance over units that lies between groups.

    **Measures**: the share of exchanges that set groups as far apart as they are.

    **Misleads when**: groups differ in spread and in size; units of one group are not independent
    (models on one dataset are one unit).

    **References**: Fisher (1935), The Design of Experiments; Anderson (2001), A new method for
    non-parametric multivariate analysis of variance.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = between_groups([1, 2, 1, 9, 8, 9], list("aaabbb"), rng=rng)
    >>> round(found.statistic, 3), 0.09 < found.p_value < 0.11  # 2 of the 20 ways
    (0.984, True)
    """
    units = finite(values, "values", ndim=1)
    names, codes = np.unique(np.asarray(groups), return_inverse=True)
    if codes.size != units.size or names.size < 2:
        raise StatisticsError("each unit is of one of at least two groups.")
    centered = units - units.mean()
    whole = float(centered @ centered)
    if whole <= 0:
        return ExactTest(0.0, 1.0, 1.0, units.size, "exact", "greater")
    members = np.eye(names.size)[codes.ravel()]
    sizes = members.sum(axis=0)

    def between(placed: FloatArray) -> FloatArray:
        return np.asarray(((placed @ members) ** 2 / sizes).sum(axis=-1) / whole)

    observed = float(between(centered))
    drawn = between(rng.permuted(np.tile(centered, (permutations, 1)), axis=1))
    return _compared(observed, drawn, exact=False, n=units.size, side="greater")


def _signs(rng: np.random.Generator, draws: int, n: int) -> FloatArray:
    """Random signs ``(draw, n)``."""
    signs = rng.integers(0, 2, size=(draws, n)).astype(np.float64)
    signs *= 2.0
    signs -= 1.0
    return signs


def _all_signs(n: int) -> Iterator[FloatArray]:
    for start in range(0, 2**n, _CHUNK):
        codes = np.arange(start, min(start + _CHUNK, 2**n))
        yield 2.0 * ((codes[:, None] >> np.arange(n)) & 1).astype(np.float64) - 1.0


def _compared(
    observed: float, drawn: FloatArray, *, exact: bool, n: int, side: Alternative
) -> ExactTest:
    tails, ends = tails_among(observed, drawn, is_exact=exact)
    method = "exact" if exact else "sampled"
    return exact_test(observed, tails, ends, n=n, method=method, side=side)
