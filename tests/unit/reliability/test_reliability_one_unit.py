"""One unit of resampling: an interval over replicates, or a value without limits; no verdict."""

from dataclasses import replace

import numpy as np
import pytest
import scipy
from made_panels import KEY, claim, panel, side

from scrutiny.core.plan import Resampling
from scrutiny.reliability.estimate import by_replicate, estimate
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.statistics import ACCURACY
from scrutiny.reliability.verdicts.claims import decide
from scrutiny.reliability.verdicts.prerequisites import bounds
from scrutiny.stats.intervals.one_factor import t_over_replicates

FIVE = [0.2, 0.5, 0.4, 0.3, 0.6]


MEAN = metric_of("mean")


def of_one_item(values, *, statistic=MEAN, units=None, **resampling):
    """Estimate of replicates' values (replicate,) on one item, or (replicate, item)."""
    values = np.asarray(values, dtype=float)
    values = values[:, None] if values.ndim == 1 else values
    strata = None if units is None else np.asarray(units)
    over = panel(*values.shape, measures=(statistic.needs[0],), units=units, strata=strata)
    return estimate(
        over,
        {"": side(values)},
        statistic=statistic,
        key=KEY,
        resampling=Resampling(**{"draws": 500, **resampling}),
        seed=0,
    )


def test_three_or_more_replicates_have_a_t_interval_over_replicates():
    found = of_one_item(FIVE).estimate
    expected = t_over_replicates(FIVE)
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.point, expected.low, expected.high)
    )
    assert (found.method, found.reason) == ("t_over_replicates@1", "one_unit")
    assert (found.status, found.n_units, found.n_replicates) == ("ok", 1, 5)
    assert list(found.by_replicate.values()) == FIVE
    assert found.across["sd"] == pytest.approx(np.std(FIVE, ddof=1))


@pytest.mark.parametrize("values", [[0.4], [0.4, 0.6]])
def test_fewer_have_a_value_without_limits(values):
    whole = of_one_item(values)
    found = whole.estimate
    assert found.value == pytest.approx(np.mean(values))
    assert (found.low, found.high, found.status, found.reason) == (None, None, "ok", "one_unit")
    assert found.method == "no_interval@1"
    assert whole.interval is None
    assert bounds(whole.estimate) == f"{np.mean(values):.3f}"


@pytest.mark.parametrize("how", [{"replicates": "fixed"}, {"method": "items"}])
def test_checkpoints_that_are_held_fixed_vary_in_nothing(how):
    found = of_one_item(FIVE, **how).estimate
    assert (found.value, found.low) == (pytest.approx(0.4), None)


def test_limits_stay_in_the_range_of_the_statistic():
    found = of_one_item([0.98, 1.0, 0.9], statistic=ACCURACY).estimate
    assert (found.low < 0.9, found.high) == (True, 1.0)


def test_one_unit_in_every_stratum_is_no_sample_either():
    found = of_one_item([[0.2, 0.4], [0.4, 0.6], [0.3, 0.8]], units=np.array([0, 1])).estimate
    assert (found.method, found.n_units) == ("t_over_replicates@1", 2)
    assert found.value == pytest.approx(0.45)


def test_one_cluster_of_several_rows_is_one_unit():
    found = of_one_item(np.random.default_rng(0).random((4, 30)), units=np.zeros(30, int)).estimate
    assert (found.method, found.n_units, found.counts.n) == ("t_over_replicates@1", 1, 30)


def test_several_units_keep_their_method():
    found = of_one_item(np.random.default_rng(0).random((4, 30))).estimate
    assert found.method == "crossed@1"


def test_no_replicate_has_an_interval_over_items_of_its_own():
    assert by_replicate(of_one_item(FIVE, replicates="each")) == []


@pytest.mark.parametrize("values", [[0.4], [0.4, 0.5], FIVE])
@pytest.mark.parametrize("limit", [0.0, 5.0])
def test_claims_on_one_unit_are_undecided_however_far_the_value_lies(values, limit):
    (found,) = decide([claim(("it", limit))], {"it": of_one_item(values)})
    assert found.verdict == "undecided"
    assert "says nothing of others" in found.reason
    assert found.minimum_detectable_effect is None
    checks = {c.name: (c.outcome, c.detail) for c in found.checks}
    assert checks["items"] == ("not run", "one unit")


@pytest.mark.parametrize(
    ("limit", "verdict"), [(0.1, "supported"), (0.35, "undecided"), (0.9, "not supported")]
)
def test_a_claim_on_these_very_items_is_decided_by_the_spread_of_replicates(limit, verdict):
    of_these = replace(claim(("it", limit)), checks=("seeds",))
    (found,) = decide([of_these], {"it": of_one_item(FIVE)})
    assert (found.verdict, found.scope) == (verdict, "this recipe, on these items")
    expected = t_over_replicates(FIVE)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((expected.low, expected.high))
    p = scipy.stats.ttest_1samp(FIVE, limit, alternative="greater").pvalue
    assert found.p_supported == pytest.approx(p, abs=1e-3)
    assert found.minimum_detectable_effect > 0


@pytest.mark.parametrize("values", [[0.4], [0.4, 0.5]])
def test_fewer_than_three_decide_nothing_on_these_items_either(values):
    (found,) = decide([replace(claim(("it", 0.0)), checks=("seeds",))], {"it": of_one_item(values)})
    assert (found.verdict, found.minimum_detectable_effect) == ("undecided", None)


def test_several_claims_on_these_items_share_the_level():
    both = {name: of_one_item(FIVE) for name in ("one", "other")}
    claims = [replace(claim((name, 0.0), name=name), checks=("seeds",)) for name in both]
    alone = t_over_replicates(FIVE, level=0.95**0.5)  # so that both hold
    for found in decide(claims, both):
        assert found.limits[0].n_rows == 2
        assert found.limits[0].recipe == pytest.approx((alone.low, alone.high), rel=1e-3)


def test_a_family_keeps_its_size():
    items = np.random.default_rng(1).random((5, 200)) + 1
    both = {"one": of_one_item(FIVE), "many": of_one_item(items)}
    claims = [claim((name, 0.0), name=name) for name in both]
    undecided, supported = decide(claims, both)
    assert (undecided.verdict, supported.verdict) == ("undecided", "supported")
    assert supported.limits[0].n_rows == 2
