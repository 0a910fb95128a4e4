"""Permutation tests of exchangeable units, within strata; sign-flip tests of pairs."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import BoolArray, FloatArray, IntArray, StatisticsError, finite, one_of
from scrutiny.stats.resampling.sums import Value, cell_codes
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.exact_tests import (
    ALTERNATIVES,
    Alternative,
    ExactTest,
    exact_test,
    tails_among,
)

LARGEST_IMBALANCE = 2.0  # units per label, and rows per unit, may differ by this factor
_CHUNK = 8192


def permutation_test(
    X: ArrayLike,
    labels: ArrayLike,
    value: Value,
    *,
    rng: np.random.Generator,
    units: Units | None = None,
    permutations: int = 100_000,
    alternative: Alternative = "two-sided",
) -> ExactTest:
    """Permutation test of the effect of labels, which are exchanged between units.

    Parameters
    ----------
    X
        Additive components ``(row, component)`` or ``(replicate, row, component)``; the value is
        averaged over replicates, which all see the same exchange.
    labels
        ``(row,)`` 0 to ``n_labels - 1``, the same on all rows of a unit.
    value
        Maps sums ``(..., label, component)`` and weights ``(..., label)`` to values ``(...)``.
    rng
        Source of sampled exchanges.
    units
        The exchangeable units and their strata: words, not their sentences.
    permutations
        All exchanges are enumerated where there are no more than this (two labels); otherwise this
        many are sampled and the observed one is added to them.
    alternative
        "greater": the value is larger than exchanged labels would give.

    Returns
    -------
    ExactTest
        ``n`` counts units.

    Raises
    ------
    StatisticsError
        A unit carries two labels, a stratum holds one label only (label and stratum cannot be told
        apart), or the labels differ more than twofold in units or in rows per unit.

    **Measures**: the share of exchanges that give a value as extreme as the observed one.

    **Misleads when**: rows are exchanged that belong together: permuting sentences of 8 words has
    a type-I error of .24 at .05. Groups of unequal spread and size.

    **References**: Fisher (1935), The Design of Experiments; Good (2005), Permutation,
    Parametric and Bootstrap Tests of Hypotheses; Phipson & Smyth (2010) for the added one.

    Examples
    --------
    >>> X = np.array([[1.0, 1], [2, 1], [3, 1], [7, 1], [8, 1], [9, 1]])
    >>> gap = lambda s, w: s[..., 1, 0] / s[..., 1, 1] - s[..., 0, 0] / s[..., 0, 1]
    >>> rng = np.random.default_rng(0)
    >>> permutation_test(X, [0, 0, 0, 1, 1, 1], gap, rng=rng).p_value
    0.1
    """
    one_of(alternative, "alternative", ALTERNATIVES)
    components = finite(X, "X")
    components = components[None] if components.ndim == 2 else finite(X, "X", ndim=3)
    grouping = Units.of(components.shape[1]) if units is None else units
    label = _unit_labels(labels, grouping)
    sums = np.zeros((components.shape[0], grouping.n_units, components.shape[2]))
    for r, each in enumerate(components):
        np.add.at(sums[r], grouping.code, each)
    n_labels = int(label.max()) + 1
    observed = float(_values(sums, label[None], value, n_labels=n_labels)[0])
    total = 1  # ways to exchange labels within strata
    for members in grouping.members:
        left = members.size
        for count in np.bincount(label[members]).tolist():
            total *= comb(left, count)
            left -= count
    exact = total <= permutations and n_labels == 2
    exchanged = (
        _all_exchanges(label, grouping, total)
        if exact
        else _some_exchanges(label, grouping, permutations, rng)
    )
    drawn = np.concatenate([_values(sums, e, value, n_labels=n_labels) for e in exchanged])
    return _compared(observed, drawn, exact=exact, n=grouping.n_units, side=alternative)


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


def _unit_labels(labels: ArrayLike, units: Units) -> IntArray:
    """Label of each unit ``(unit,)``; raises if the design cannot be permuted."""
    by_row = cell_codes(labels, units.n_rows)
    n_labels = int(by_row.max()) + 1
    if n_labels < 2:
        raise StatisticsError("there is one label only; a permutation test needs two or more.")
    label = np.zeros(units.n_units, dtype=np.int64)
    label[units.code] = by_row
    if (label[units.code] != by_row).any():
        raise StatisticsError(
            "a unit carries two labels; the exchangeable unit must lie inside one label."
        )
    for s, members in enumerate(units.members):
        if np.unique(label[members]).size < n_labels:
            raise StatisticsError(
                f"stratum {s} does not hold every label; label and stratum cannot be told apart."
                " Drop the stratum or merge it with a like one."
            )
    n_units = np.bincount(label, minlength=n_labels)
    rows_a_unit = np.bincount(by_row, minlength=n_labels) / n_units
    for what, ratio in (
        ("units", n_units.max() / n_units.min()),
        ("rows per unit", rows_a_unit.max() / rows_a_unit.min()),
    ):
        if ratio > LARGEST_IMBALANCE:
            raise StatisticsError(
                f"the labels differ {ratio:.1f}-fold in {what}; at most {LARGEST_IMBALANCE:g}-fold"
                " is exchangeable enough. Subsample the larger label."
            )
    return label


def _values(sums: FloatArray, labels: IntArray, value: Value, *, n_labels: int) -> FloatArray:
    """Statistic ``(exchange,)``: mean over replicates under labels ``(exchange, unit)``."""
    by_label = [
        np.einsum("eu,ruc->erc", (labels == k).astype(np.float64), sums, optimize=True)
        for k in range(n_labels)
    ]
    stacked = np.stack(by_label, axis=2)  # (exchange, replicate, label, component)
    found = np.asarray(value(stacked, np.ones(stacked.shape[:3])), dtype=np.float64)
    if found.shape != stacked.shape[:2]:
        raise StatisticsError(f"value() answered {found.shape}; {stacked.shape[:2]} needed.")
    if not np.isfinite(found).all():
        raise StatisticsError("the statistic does not exist under some exchange of labels.")
    return np.asarray(found.mean(axis=1), dtype=np.float64)


@lru_cache(maxsize=16)
def _choices(n: int, k: int) -> BoolArray:
    """All ways to choose k of n ``(way, n)``; cached, since tests repeat sizes."""
    table = np.zeros((comb(n, k), n), dtype=np.bool_)
    picked = np.array(list(combinations(range(n), k)), dtype=np.int64).reshape(-1, k)
    table[np.arange(table.shape[0])[:, None], picked] = True
    table.flags.writeable = False
    return table


def _all_exchanges(label: IntArray, units: Units, total: int) -> Iterator[IntArray]:
    tables = [_choices(m.size, int(label[m].sum())) for m in units.members]
    sizes = tuple(t.shape[0] for t in tables)
    for start in range(0, total, _CHUNK):
        which = np.unravel_index(np.arange(start, min(start + _CHUNK, total)), sizes)
        exchanged = np.empty((which[0].size, label.size), dtype=np.int64)
        for members, table, rows in zip(units.members, tables, which, strict=True):
            exchanged[:, members] = table[rows]
        yield exchanged


def _some_exchanges(
    label: IntArray, units: Units, permutations: int, rng: np.random.Generator
) -> Iterator[IntArray]:
    for start in range(0, permutations, _CHUNK):
        rows = min(_CHUNK, permutations - start)
        exchanged = np.empty((rows, label.size), dtype=np.int64)
        for members in units.members:
            exchanged[:, members] = rng.permuted(np.tile(label[members], (rows, 1)), axis=1)
        yield exchanged


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
