"""Agreement of replicates, conditions and diagnostics: by hand, by theory, with planted truth."""

import numpy as np
import pytest
from scipy import stats

from scrutiny.stats.agreement.flips import hit_counts
from scrutiny.stats.agreement.kappa import mean_kappa
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association.correlation import rank_agreement, seed_correlation


def test_counts_by_hand():
    found = hit_counts([[1, 0, 1, 1], [1, 0, 0, 1], [1, 1, 0, 1]])
    assert found.observed == (0, 2, 0, 2)
    assert found.coin == pytest.approx([4 / 8, 12 / 8, 12 / 8, 4 / 8])
    assert found.margin is None
    assert found.flips.any_share == pytest.approx(0.5)


def test_baselines_add_up_to_the_items():
    rng = np.random.default_rng(0)
    margins = rng.normal(size=(5, 300))
    found = hit_counts((margins > 0).astype(float), margins=margins)
    for counts in (found.observed, found.coin, found.margin):
        assert sum(counts) == pytest.approx(300, abs=1e-3)


def test_coins_look_like_coins_and_move_by_flips_alone():
    rng = np.random.default_rng(1)
    found = [hit_counts(rng.integers(0, 2, (5, 4000))) for _ in range(60)]
    share = np.mean([f.observed for f in found], axis=0) / 4000
    assert share == pytest.approx(stats.binom.pmf(range(6), 5, 0.5), abs=0.004)
    ratios = np.array([f.flips.sd_ratio for f in found])
    assert np.sqrt((ratios**2).mean()) == pytest.approx(1.0, abs=0.2)


def test_margin_baseline_explains_items_that_differ():
    rng = np.random.default_rng(2)
    own = rng.normal(scale=2.0, size=(1, 4000))
    margins = own + rng.normal(scale=0.7, size=(5, 4000))
    found = hit_counts((margins > 0).astype(float), margins=margins)
    observed = np.array(found.observed)
    assert found.margin is not None
    far = np.abs(observed - np.array(found.coin)).sum()
    near = np.abs(observed - np.array(found.margin)).sum()
    assert near < 0.1 * far


def test_common_shifts_of_checkpoints_show_in_the_ratio():
    rng = np.random.default_rng(3)
    own = rng.normal(size=(1, 2000))
    shift = np.array([[-0.4], [-0.2], [0.0], [0.2], [0.4]])
    still = (own + rng.normal(scale=0.3, size=(5, 2000)) > 0).astype(float)
    moved = (own + shift + rng.normal(scale=0.3, size=(5, 2000)) > 0).astype(float)
    assert hit_counts(moved).flips.sd_ratio > 8
    assert hit_counts(still).flips.sd_ratio < 3


def test_one_replicate_has_no_spread():
    found = hit_counts([[1, 0, 1]], margins=[[1.0, -1.0, 2.0]])
    assert (found.flips.observed_sd, found.flips.sd_ratio, found.margin) == (None, None, None)


def test_margins_without_noise_are_certain():
    found = hit_counts([[1, 0], [1, 0]], margins=[[2.0, -1.0], [2.0, -1.0]])
    assert found.margin == pytest.approx([1.0, 0.0, 1.0])


def test_order_of_items_and_replicates_does_not_matter():
    rng = np.random.default_rng(4)
    margins = rng.normal(size=(4, 50))
    hits = (margins > 0).astype(float)
    rows, columns = rng.permutation(4), rng.permutation(50)
    a = hit_counts(hits, margins=margins)
    b = hit_counts(hits[rows][:, columns], margins=margins[rows][:, columns])
    assert a.observed == b.observed
    assert a.margin == pytest.approx(b.margin, abs=1e-5)
    assert a.flips.observed_sd == pytest.approx(b.flips.observed_sd)


@pytest.mark.parametrize("wrong", [[[0.5, 1.0]], [[2.0, 1.0]]])
def test_hits_are_zero_or_one(wrong):
    with pytest.raises(StatisticsError, match="0 or 1"):
        hit_counts(wrong)
    with pytest.raises(StatisticsError, match="margins have shape"):
        hit_counts([[1, 0], [1, 1]], margins=[[1.0, 2.0]])


def test_correlation_equals_scipy():
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=8), rng.normal(size=8)
    found, other = seed_correlation(a, b), stats.pearsonr(a, b)
    bounds = other.confidence_interval(0.95)
    assert found.value == pytest.approx(other.statistic)
    assert (found.low, found.high) == pytest.approx((bounds.low, bounds.high))


def test_correlation_of_few_seeds_is_honest():
    assert seed_correlation([1, 2, 3], [1, 3, 2]).low is None
    assert seed_correlation([1, 1, 1, 1], [1, 2, 3, 4]).value is None
    five = seed_correlation([1, 2, 3, 4, 5], [3, 1, 4, 2, 3])
    assert five.high - five.low > 1.5
    perfect = seed_correlation([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    assert (perfect.value, perfect.low) == (pytest.approx(1.0), None)
    with pytest.raises(StatisticsError, match="3 and 2 replicates"):
        seed_correlation([1, 2, 3], [1, 2])


def test_ranks():
    assert rank_agreement([1, 2, 3, 4, 5], [5, 4, 3, 2, 1]).spearman == -1.0
    assert rank_agreement([1, 1, 1], [1, 2, 3]).kendall is None
    assert rank_agreement([0.1], [0.2]).n == 1
    with pytest.raises(StatisticsError, match="groups"):
        rank_agreement([1, 2], [1])


def test_kappa_is_averaged_over_replicates_and_never_pooled():
    a = np.array([[1, 0, 1, 0], [1, 1, 0, 0]], dtype=float)
    b = np.array([[1, 0, 1, 0], [0, 0, 1, 1]], dtype=float)
    assert mean_kappa(a, b) == (0.0, 4)  # one agrees fully, one disagrees fully
    a[0, 3] = np.nan
    assert mean_kappa(a, b)[1] == 3
    assert mean_kappa([[1.0, 1.0]], [[1.0, 1.0]]) == (None, 2)
    assert mean_kappa([[np.nan]], [[1.0]]) == (None, 0)
