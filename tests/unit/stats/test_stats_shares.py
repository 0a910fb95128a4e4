"""Limits of shares: exact ones, monotone in the count, of as many items as a share is worth."""

import numpy as np
import pytest
from scipy import stats

from scrutiny.stats.intervals.interval import Scale
from scrutiny.stats.intervals.rows import row_of
from scrutiny.stats.intervals.share_limits import (
    effect_of_few,
    exact_limits,
    family_effects,
    is_independent,
)
from scrutiny.stats.intervals.simultaneous import simultaneous
from scrutiny.stats.resampling.resample import resample
from scrutiny.stats.resampling.weights import Units

LOGIT = Scale.of("logit")


def share(failed, *, units=None, scale=LOGIT, step=None, draws=1000):
    """Row of a share of failures ``(replicate, item)``."""
    failed = np.atleast_2d(np.asarray(failed, dtype=float))
    drawn = resample(
        np.stack([failed, np.ones_like(failed)], axis=-1),
        lambda sums, _: scale.whole * sums[..., 0, 0] / sums[..., 0, 1],
        rng=np.random.default_rng(1),
        draws=draws,
        units=None if units is None else Units.of(failed.shape[1], units),
    )
    return row_of(drawn, scale, step=step or 1 / failed.shape[1])


def first(count, n):
    return np.arange(n) < count


def ends(*rows, n_rows=None, **how):
    found = simultaneous(rows, n_rows=n_rows or len(rows), **how)
    return np.array([one.widest for one in found])


def of_counts(n, n_rows):
    return ends(*(share(first(count, n)) for count in range(n + 1)), n_rows=n_rows)


@pytest.mark.parametrize("n_rows", [1, 2, 5, 15])
@pytest.mark.parametrize("n", [2, 5, 20, 100])
def test_one_more_case_never_tightens_a_limit_and_none_is_tighter_than_exact(n, n_rows):
    found = of_counts(n, n_rows)
    assert np.all(np.diff(found, axis=0) >= -1e-12)
    level = 0.95 ** (1 / n_rows)
    exact = np.array([stats.binomtest(c, n).proportion_ci(level) for c in range(n + 1)])
    assert np.all(found[:, 0] <= exact[:, 0] + 1e-7)
    assert np.all(found[:, 1] >= exact[:, 1] - 1e-7)
    assert found == pytest.approx(exact, abs=1e-6)
    assert found[::-1] == pytest.approx(1 - found[:, ::-1], abs=1e-7)


@pytest.mark.parametrize(("wrong", "low"), [(0, 0.98172), (1, 0.97246), (2, 0.96432)])
def test_one_wrong_answer_of_two_hundred_says_less_than_none(wrong, low):
    assert ends(share(~first(wrong, 200)))[0, 0] == pytest.approx(low, abs=1e-4)


def test_exact_limits_take_fractions_and_arrays():
    low, high = exact_limits([0.0, 0.05, 1.0], [10.0, 20.5, 10.0], tail=0.025)
    assert (low[0], high[2]) == (0.0, 1.0)
    assert np.all(low <= [0.0, 0.05, 1.0])
    assert np.all(high >= [0.0, 0.05, 1.0])
    assert high[0] == pytest.approx(1 - 0.025 ** (1 / 10))


@pytest.mark.parametrize("scale", [Scale.of("share"), Scale("identity", 0.0, 1.0), LOGIT])
def test_every_scale_of_a_share_has_the_same_limits(scale):
    found = ends(share(first(3, 50), scale=scale))[0]
    assert found == pytest.approx(stats.binomtest(3, 50).proportion_ci(), abs=1e-6)


def test_a_percentage_has_a_hundred_times_the_limits():
    found = ends(share(first(3, 50), scale=Scale.of("percent")))
    assert found == pytest.approx(100 * ends(share(first(3, 50))))


def test_items_that_fail_together_count_as_their_units():
    whole = np.repeat(first(2, 20), 5)
    apart = ends(share(whole))[0]
    together = ends(share(whole, units=np.repeat(np.arange(20), 5)))[0]
    exact = stats.binomtest(2, 20).proportion_ci()
    assert together[0] <= exact.low < apart[0]
    assert together[1] >= exact.high > apart[1]


def test_no_case_in_documents_is_none_of_so_many_documents():
    found = ends(share(np.zeros(100), units=np.repeat(np.arange(20), 5)))[0]
    assert found == pytest.approx(stats.binomtest(0, 20).proportion_ci())


def test_of_documents_of_which_few_items_count_no_more_fail_together_than_count():
    """100 attacked texts of 900 in 90 documents are not worth nine."""
    counts = np.arange(900) % 9 == 0
    for k in (0, 3):
        failed = counts & (np.cumsum(counts) <= k)
        drawn = resample(
            np.stack([failed, counts], axis=-1)[None].astype(float),
            lambda sums, _: sums[..., 0, 0] / sums[..., 0, 1],
            rng=np.random.default_rng(1),
            draws=1000,
            units=Units.of(900, np.repeat(np.arange(90), 10)),
        )
        found = ends(row_of(drawn, LOGIT, step=1 / 100))[0]
        exact = stats.binomtest(k, 100).proportion_ci()
        assert exact.high - 1e-6 <= found[1] < exact.high + 0.02


def test_units_that_fail_item_by_item_are_worth_more_than_those_that_fail_whole():
    units = np.repeat(np.arange(40), 5)
    spread, whole = np.arange(200) % 5 == 0, np.repeat(np.arange(40) % 5 == 0, 5)
    (near,), (far,) = (ends(share(failed, units=units)) for failed in (spread, whole))
    assert near[1] - near[0] < far[1] - far[0]


@pytest.mark.parametrize("sizes", [[100, 1], [98, 1, 1]])
def test_one_document_with_nearly_all_items_says_hardly_anything(sizes):
    failed = first(5, sum(sizes))
    (found,) = ends(share(failed, units=np.repeat(np.arange(len(sizes)), sizes)))
    assert found[0] < 0.01
    assert found[1] > 0.9


def test_answers_of_several_seeds_are_worth_more_than_those_of_one_and_at_most_all():
    rng = np.random.default_rng(0)
    failed = rng.random((3, 400)) < 0.1
    several = ends(share(failed), is_fixed=True)[0]
    p = failed.mean()
    one, every = (np.diff(exact_limits(p, n, tail=0.025), axis=0) for n in (400, 1200))
    assert every < several[1] - several[0] < one


@pytest.mark.parametrize("seeds", [2, 3, 10])
def test_one_more_case_of_one_seed_never_tightens_the_limit_of_all(seeds):
    failed = np.zeros((4 * seeds + 2, seeds, 60))
    for count in range(4 * seeds + 1):
        failed[count + 1 :, count % seeds, count] = 1.0  # each on a new item
    found = np.array([ends(share(x), is_fixed=True)[0] for x in failed])
    assert np.all(np.diff(found, axis=0) >= -1e-9)
    assert found[0, 1] == pytest.approx(stats.binomtest(0, 60).proportion_ci().high)


@pytest.mark.parametrize("size", [2, 5, 10])
@pytest.mark.parametrize("is_whole", [True, False])
def test_one_more_case_or_whole_document_never_tightens_a_limit(size, is_whole):
    item = np.arange(40 * size)
    rank = item // size if is_whole else item % size * 40 + item // size
    found = np.array([ends(share(rank < k, units=item // size))[0] for k in range(9)])
    assert np.all(np.diff(found[:, 1]) >= -1e-9)
    assert found[0, 1] == pytest.approx(stats.binomtest(0, 40).proportion_ci().high)
    assert np.all(np.diff(found[:, 0]) >= -1e-9)


def test_the_recipe_is_at_least_as_wide_as_these_checkpoints():
    rng = np.random.default_rng(1)
    rows = [share(rng.random((3, 200)) < p) for p in (0.0, 0.02, 0.3, 0.98)]
    for one in simultaneous(rows, n_rows=4):
        (low, high), (least, most) = one.recipe, one.checkpoints
        assert low <= least < most <= high


def test_seeds_that_differ_widen_a_share():
    rng = np.random.default_rng(2)
    alike, apart = (
        rng.random((3, 400)) < np.reshape(p, (3, 1)) for p in ([0.2] * 3, [0.1, 0.2, 0.3])
    )
    (near,), (far,) = ends(share(alike)), ends(share(apart))
    assert far[1] - far[0] > 2 * (near[1] - near[0])


def test_a_share_of_things_is_one_of_so_many():
    """An F1 of which one flip moves 1 / 30 stands on thirty things, whatever the rows."""
    found = ends(share(first(0, 100), step=1 / 30))[0]
    assert found == pytest.approx(stats.binomtest(0, 30).proportion_ci(), abs=1e-6)


@pytest.mark.parametrize("seen", [0, 3, 12])
def test_so_many_items_as_are_planned_tell_two_shares_apart(seen):
    """A share of 5 % from one of 2.5 %, in 80 % of studies."""
    (found,) = simultaneous([share(first(seen, 200))], n_rows=1, losses=[0.025])
    n = int(found.items_needed)
    counts = np.arange(n + 1)
    low, _ = exact_limits(counts / n, n, tail=0.025)
    power = stats.binom.pmf(counts, n, 0.05)[low > 0.025].sum()
    assert 0.75 <= power <= 0.95
    assert found.detectable == pytest.approx(1.43 * np.ptp(found.checkpoints) / 2, rel=0.01)


@pytest.mark.parametrize("crowding", [1.0, 12.0])
def test_an_effect_of_few_cases_is_the_largest_and_of_many_the_one_that_was_seen(crowding):
    found = [effect_of_few(1.0, cases, crowding) for cases in (0, 3, 30, 1e9)]
    assert found[0] == crowding
    assert found == sorted(found, reverse=True)
    assert found[-1] == pytest.approx(1.0)


def test_draws_tell_a_design_effect_within_their_error():
    assert is_independent(0.93, 1.0, 2000)
    assert not is_independent(0.8, 1.0, 2000)
    assert not is_independent(0.0, 3.0, 2000)


def test_a_change_that_missed_the_difficult_documents_has_the_effect_of_the_others():
    usual = np.array([1.0, 1.0, 2.0, 0.0])
    found = family_effects(np.array([1.0, 6.0, 10.0, 0.0]), usual, np.array([20, 20, 40, 0]), 10.0)
    assert found[1:].tolist() == [6.0, 5.0, 10.0]
    assert 17 / 4 <= found[0] < 5.0
    assert family_effects(np.zeros(2), np.zeros(2), np.zeros(2), 10.0).tolist() == [10.0, 10.0]
