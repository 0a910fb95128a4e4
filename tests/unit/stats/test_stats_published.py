"""Published shares: closed forms, brute force, edges; intervals over two crossings."""

import numpy as np
import pytest
import scipy

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.two_way import two_way
from scrutiny.stats.significance.exact_tests import mcnemar
from scrutiny.stats.significance.permutation_tests import between_groups
from scrutiny.stats.significance.published_shares import flips_that_show, published_shares


def test_limits_are_newcombes():
    # his Table II: 9 of 10 against 3 of 10, method 10
    found = published_shares([0.3], [0.9], [10])
    assert found.low.item() == pytest.approx(0.1705, abs=5e-5)
    assert found.high.item() == pytest.approx(0.8090, abs=5e-5)


def test_exchanging_before_and_after_turns_the_sign():
    one, other = published_shares([0.7], [0.4], [30]), published_shares([0.4], [0.7], [30])
    assert one.low.item() == pytest.approx(-other.high.item())
    assert one.p_value.item() == pytest.approx(other.p_value.item())
    assert one.most_flips.item() == other.most_flips.item()


@pytest.mark.parametrize(("before", "after"), [(9, 3), (0, 2), (10, 10), (5, 6), (0, 0)])
def test_p_is_fishers_with_half_of_what_was_seen(before, after):
    chances = [
        scipy.special.comb(10, k) * scipy.special.comb(10, before + after - k)
        for k in range(max(0, before + after - 10), min(10, before + after) + 1)
    ]
    ks = np.arange(max(0, before + after - 10), max(0, before + after - 10) + len(chances))
    chance = np.array(chances) / sum(chances)
    half = 0.5 * chance[ks == after].sum()
    expected = 2 * min(chance[ks < after].sum() + half, chance[ks > after].sum() + half)
    found = published_shares([before / 10], [after / 10], [10])
    assert found.p_value.item() == pytest.approx(min(1.0, expected))


@pytest.mark.parametrize(("before", "after", "n"), [(7, 4, 10), (10, 0, 10), (0, 0, 5), (6, 6, 6)])
def test_flips_are_as_few_and_as_many_as_pairs_allow(before, after, n):
    possible = [
        lost + lost - (before - after)
        for lost in range(n + 1)
        if 0 <= lost - (before - after) and lost <= before and lost - (before - after) <= n - before
    ]
    found = published_shares([before / n], [after / n], [n])
    assert (found.fewest_flips.item(), found.most_flips.item()) == (min(possible), max(possible))


@pytest.mark.parametrize("net", [0, 1, 4, 5, 6, 12, 30])
@pytest.mark.parametrize("most", [30, 61, 200])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_flips_that_show_are_those_of_mcnemars_test(net, most, alpha):
    ways = [
        k
        for k in range(net, most + 1, 2)
        if mcnemar((k + net) // 2, (k - net) // 2).p_value <= alpha
    ]
    found = flips_that_show([-net], [most], alpha=alpha)
    assert found.item() == max(ways, default=-1)


@pytest.mark.parametrize(
    "given",
    [([1.1], [0.5], [9]), ([0.5], [0.5], [0]), ([0.5], [0.5, 0.6], [9]), ([np.nan], [0], [1])],
)
def test_what_is_no_share_of_items_is_refused(given):
    with pytest.raises(StatisticsError):
        published_shares(*given)


def test_a_row_counts_as_often_as_its_clusters():
    models, data = np.repeat(np.arange(8), 5), np.tile(np.arange(5), 8)
    rng = np.random.default_rng(0)
    found = two_way((models < 4) * 1.0, [models, data], rng=rng, statistic="share", draws=2000)
    # datasets do not matter: the spread is that of eight models, each all or nothing
    assert found.se == pytest.approx(np.sqrt(0.25 / 8), rel=0.05)
    assert found.point == 0.5


def test_a_share_of_all_is_as_sure_as_its_clusters():
    models, data = np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6)
    found = two_way(np.ones(24), [models, data], rng=np.random.default_rng(0), statistic="share")
    assert (found.low, found.high) == (pytest.approx(0.025 ** (1 / 4)), 1.0)


def test_too_few_clusters_are_not_drawn():
    rng = np.random.default_rng(0)
    both = two_way([1.0, 2.0, 3.0, 4.0], [[0, 0, 1, 1], [0, 1, 0, 1]], rng=rng)
    assert both.method == "none"
    assert np.isnan(both.low)
    one = two_way(np.arange(8.0), [np.repeat(range(4), 2), np.tile(range(2), 4)], rng=rng)
    assert one.notes == ("few_clusters",)
    assert one.low <= one.point <= one.high


def test_pieces_of_the_draws_are_the_whole(monkeypatch):
    given = np.arange(40.0), [np.repeat(range(8), 5), np.tile(range(5), 8)]
    whole = two_way(*given, rng=np.random.default_rng(3), draws=50)
    monkeypatch.setattr("scrutiny.stats.intervals.two_way._MOST_CELLS", 100)
    pieces = two_way(*given, rng=np.random.default_rng(3), draws=50)
    assert (whole.draws == pieces.draws).all()


def test_medians_are_those_of_repeated_rows():
    values, models = np.array([3.0, 1.0, 2.0, 9.0]), np.arange(4)
    found = two_way(values, [models], rng=np.random.default_rng(5), draws=30)
    counts = np.random.default_rng(5).multinomial(4, np.full(4, 0.25), size=30)
    expected = [np.median(np.repeat(values, k)) for k in counts]
    assert found.draws == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "clusters", "statistic"),
    [([0.5], [[0]], "share"), ([1.0, 0.0], [[0]], "median"), ([1.0], [[0]], "mode")],
)
def test_what_has_no_limits_is_refused(values, clusters, statistic):
    with pytest.raises(StatisticsError):
        two_way(values, clusters, rng=np.random.default_rng(0), statistic=statistic)


def test_groups_are_exchanged_as_analysis_of_variance_says():
    rng = np.random.default_rng(0)
    values, groups = rng.normal(size=24), np.repeat(range(4), 6)
    found = between_groups(values, groups, rng=rng, permutations=20_000)
    theory = scipy.stats.f_oneway(*values.reshape(4, 6))
    assert found.p_value == pytest.approx(theory.pvalue, abs=0.02)
    share = theory.statistic * 3 / (theory.statistic * 3 + 20)
    assert found.statistic == pytest.approx(share)


def test_equal_units_do_not_differ_by_group():
    assert between_groups([2, 2, 2], list("abc"), rng=np.random.default_rng(0)).p_value == 1.0
    with pytest.raises(StatisticsError, match="at least two groups"):
        between_groups([1, 2], ["a", "a"], rng=np.random.default_rng(0))
