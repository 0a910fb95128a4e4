"""Permutation tests of pairs: the signs of their differences are flipped, unit by unit."""

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
        drawn = np.concatenate(
            [(2.0 * rng.integers(0, 2, size=(k, by_unit.size)) - 1.0) @ by_unit for k in sizes]
        )
    found = _compared(
        float(by_unit.sum()), drawn, exact=exact, n=grouping.n_units, side=alternative
    )
    return replace(found, statistic=found.statistic / d.size)


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
