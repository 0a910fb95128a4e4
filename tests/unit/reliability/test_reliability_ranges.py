"""No interval leaves the range of what it is of: every statistic, and every difference of two."""

import numpy as np
import pytest
from made_panels import drops

from scrutiny.core.plan import Resampling
from scrutiny.reliability.intervals import difference_on_one_unit, interval_of, on_one_unit
from scrutiny.reliability.metrics import metric_of, usual_metrics
from scrutiny.reliability.row_statistics import scale_of
from scrutiny.run.comparing.changed_slices import Gap
from scrutiny.stats.intervals.contrast import paired_contrast, unpaired_contrast
from scrutiny.stats.resampling.resample import Resampled

DROP = metric_of("drop(accuracy)")

#: Differences of what has no stated range (log-probabilities, slopes, distances; ratios below 0).
UNBOUNDED = {
    "beyond(under)@1",
    "beyond(logprob_distance)@1",
    "beyond(likeness(procrustes_distance))@1",
    "beyond(label_compression)@1",
    "beta(distance)@1",
    "removal_drop@1",
    "influence_rank@1",
    "beyond(removal_drop)@1",
    "beyond(influence_rank)@1",
    "erasure_js_slope@1",
    "kappa_inv@1",
    "beta(label)@1",
    "layer_distance(gap)@1",
    "logprob_change@1",
    "selected_label_beta@1",
}
#: Levels without one: the mean of any measure, and a ratio that is a difference.
FREE = {"mean@1", "median@1", "under@1"}
NAMES = usual_metrics()


def statistic_of(name):
    return metric_of(name)


#: Names by the range that their values have: one stands for all that share it.
BY_SCALE = {scale_of(statistic_of(name)): name for name in NAMES}


def at_the_end(scale, *, replicates, upper, items=8):
    """Replicates at an end of the range, or far out where it has none, with draws around them."""
    low, high = max(scale.low, -3.0 * scale.whole), min(scale.high, 3.0 * scale.whole)
    end, inward = (high, low - high) if upper else (low, high - low)
    point = end + 0.02 * inward * np.arange(replicates)
    noise = 0.2 * abs(inward) * np.random.default_rng(0).standard_normal((400, 1))
    return Resampled(point, np.clip(point + noise, low, high), items, items, None, "same")


def assert_inside(found, scale):
    assert scale.low <= found.low <= found.high <= scale.high
    for draws in (found.draws, found.test_draws):
        if draws is not None:
            assert scale.low <= draws.min() <= draws.max() <= scale.high


def test_every_difference_has_an_end():
    without = {
        name
        for name in NAMES
        if statistic_of(name).no_effect == 0.0
        and not np.isfinite(
            [scale_of(statistic_of(name)).low, scale_of(statistic_of(name)).high]
        ).all()
    }
    assert without == UNBOUNDED


def test_every_level_has_an_end_below():
    free = {
        name
        for name in NAMES
        if statistic_of(name).no_effect != 0.0 and np.isinf(scale_of(statistic_of(name)).low)
    }
    assert free == FREE


@pytest.mark.parametrize(("scale", "name"), BY_SCALE.items(), ids=BY_SCALE.values())
@pytest.mark.parametrize("replicates", [1, 2, 5])
def test_no_interval_of_a_statistic_leaves_its_range(scale, name, replicates):
    for upper in (False, True):
        drawn = at_the_end(scale, replicates=replicates, upper=upper)
        found = interval_of(drawn, name=name, scale=scale, resampling=Resampling(), seed=0)
        assert_inside(found, scale)
        if replicates > 2:
            assert_inside(on_one_unit(drawn, scale=scale, resampling=Resampling()), scale)


@pytest.mark.parametrize(("scale", "name"), BY_SCALE.items(), ids=BY_SCALE.values())
@pytest.mark.parametrize("replicates", [1, 2, 5])
def test_no_difference_of_two_runs_leaves_its_range(scale, name, replicates):
    del name
    rng = np.random.default_rng(1)
    low, high = (at_the_end(scale, replicates=replicates, upper=up) for up in (False, True))
    for one, other in ((low, high), (high, low)):
        for contrast in (paired_contrast, unpaired_contrast):
            assert_inside(contrast(one, other, rng=rng, scale=scale), scale.difference)
        if replicates > 2:
            for paired in (False, True):
                made = {"scale": scale, "paired": paired, "resampling": Resampling()}
                assert_inside(difference_on_one_unit(one, other, **made), scale.difference)


@pytest.mark.parametrize("replicates", [1, 3])
def test_who_loses_everything_loses_no_more(replicates):
    before, after = np.ones((replicates, 400)), np.zeros((replicates, 400))
    found = drops(before, after, DROP).estimate
    assert found.value == 1.0
    assert found.low > 0.99
    assert found.high == 1.0
    gained = drops(after, before, DROP).estimate
    assert (gained.value, gained.low) == (-1.0, -1.0)


def test_changes_of_slices_are_cut():
    assert Gap(-0.95, 0.1, 3.0, most=1.0).limits(0.95)[0] == -1.0
    assert Gap(-0.95, 0.1, 3.0).limits(0.95)[0] < -1.0
