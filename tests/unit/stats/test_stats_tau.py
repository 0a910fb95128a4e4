"""Kendall's tau-b against scipy, its bounds, and what it does without ranks."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association import rank_correlation
from scrutiny.stats.association.rank_correlation import kendall_test, tau_b

VALUES = st.one_of(
    st.integers(-2, 2).map(float),  # ties
    st.floats(allow_nan=False, width=64),
    st.just(float("nan")),
)


@st.composite
def pairs(draw):
    n = draw(st.integers(0, 9))
    elements = draw(st.sampled_from([VALUES, st.integers(-1, 1).map(float)]))
    shape = (2, draw(st.integers(1, 4)), n)
    return draw(arrays.arrays(np.float64, shape, elements=elements))


@settings(max_examples=150)
@given(pairs())
def test_it_is_scipy_row_by_row(both):
    ours = tau_b(*both)
    for row, (a, b) in enumerate(zip(*both, strict=True)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scipy warns of too few values
            theirs = stats.kendalltau(a, b).statistic
        np.testing.assert_equal(ours[row], theirs)


def test_chunks_leave_every_row_as_it_is(monkeypatch):
    g = np.random.default_rng(0)
    a, b = g.integers(0, 9, (2, 57, 12)).astype(float)
    whole = tau_b(a, b)
    monkeypatch.setattr(rank_correlation, "_CHUNK_BYTES", 8 * 12 * 5)
    assert np.array_equal(tau_b(a, b), whole)


def test_leading_axes_broadcast():
    g = np.random.default_rng(1)
    a, b = g.random((4, 1, 6)), g.random((3, 6))
    found = tau_b(a, b)
    assert found.shape == (4, 3)
    assert found[2, 1] == tau_b(a[2, 0], b[1])
    assert tau_b(a[0, 0], b[0]).shape == ()


def test_only_the_order_counts_and_heads_may_be_renamed():
    g = np.random.default_rng(2)
    a, b = g.random((2, 5, 20))
    order = g.permutation(20)
    assert np.array_equal(tau_b(a, b), tau_b(np.exp(a), b**3))
    assert np.array_equal(tau_b(a, b), tau_b(a[:, order], b[:, order]))
    assert np.array_equal(tau_b(a, b), -tau_b(-a, b))
    assert np.array_equal(tau_b(a, b), tau_b(b, a))


@pytest.mark.parametrize("side", [[1.0, 1.0, 1.0], [1.0, np.nan, 2.0]])
def test_without_ranks_there_is_no_tau(side):
    assert np.isnan(tau_b(side, [1.0, 2.0, 3.0]))
    assert np.isnan(tau_b([1.0, 2.0, 3.0], side))


def test_infinities_tie_among_themselves():
    assert tau_b([np.inf, np.inf, 0.0], [3.0, 2.0, 1.0]) == pytest.approx(2 / np.sqrt(6))


@pytest.mark.parametrize(("a", "b"), [([1.0, 2], [1.0, 2, 3]), (1.0, [1.0, 2])])
def test_sides_of_different_size_are_refused(a, b):
    with pytest.raises(StatisticsError, match="in pairs"):
        tau_b(a, b)


RANKS = np.arange(144.0)
SWAPPED = RANKS.copy()
SWAPPED[[4, 5]] = SWAPPED[[5, 4]]


@pytest.mark.parametrize("n", [5, 20, 33, 34, 144])
@pytest.mark.parametrize("levels", [3, 10**6])
@pytest.mark.parametrize("slope", [0.0, 1.0])
def test_p_is_what_scipy_chooses(n, levels, slope):
    g = np.random.default_rng(n)
    a = g.integers(0, levels, n).astype(float)
    b = a * slope + g.integers(0, levels, n)
    theirs = stats.kendalltau(a, b)
    found = kendall_test(a, b)
    assert (found.statistic, found.p_value) == (theirs.statistic, theirs.pvalue)
    assert found.method == ("exact" if levels > n and n <= 33 else "normal")
    assert (found.smallest_p > 0) == (found.method == "exact")


@pytest.mark.parametrize("other", [RANKS, SWAPPED, -RANKS, -SWAPPED])
def test_many_ranks_are_exact_where_at_most_one_pair_is_out_of_order(other):
    theirs = stats.kendalltau(RANKS, other)
    found = kendall_test(RANKS, other)
    assert (found.statistic, found.p_value) == (theirs.statistic, theirs.pvalue)
    assert found.method == "exact"


def test_the_least_p_of_a_few_ranks_is_that_of_one_order_and_its_reverse():
    assert kendall_test([1, 2, 3], [3, 1, 2]).smallest_p == pytest.approx(2 / 6)
    assert kendall_test([1, 2], [2, 1]).p_value == 1.0
    assert kendall_test([1, 2, 3], [1, 2, 3]).p_value == pytest.approx(2 / 6)
    assert kendall_test([1, 2, 3], [1, 2, 3]).smallest_p > 0.05


@pytest.mark.parametrize(("a", "b"), [([1.0, 1], [1.0, 2]), ([1.0, 2, 3], [1.0, 2])])
def test_a_test_needs_ranks(a, b):
    with pytest.raises(StatisticsError):
        kendall_test(a, b)
