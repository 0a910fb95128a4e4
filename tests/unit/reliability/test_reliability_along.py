"""Place by place along axes: the same as one estimate at a time, on the same draws."""

import numpy as np
import pytest
from made_panels import panel, side

from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Measure
from scrutiny.reliability.along_axes import estimate_along, places_along
from scrutiny.reliability.joining import join
from scrutiny.reliability.panel import columns_of
from scrutiny.reliability.row_statistics import Additive, divide

HEADS = (Measure("tp", (("layer", 2), ("head", 3))), Measure("gold"))
KEY = EstimateKey("d@1#x", "recall@1", "m", "data", condition={"preset": "x"})
RECALL = Additive(
    "recall@1", "", ("tp", "gold"), lambda m: m, lambda sums: divide(sums[..., 0], sums[..., 1])
)


def made(replicates=3, items=30, seed=0):
    """Panel of counts of six heads, and of gold."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(1, 5, size=(1, items, 1)).repeat(replicates, axis=0)
    tp = rng.binomial(gold, 0.5, size=(replicates, items, 6))
    values = np.concatenate([tp, gold], axis=-1).astype(float)
    return panel(replicates, items, measures=HEADS), {"": side(values)}


def test_columns_are_found_by_place_counted_from_one():
    assert columns_of(HEADS, "tp", {"layer": 2, "head": 1}) == (3,)
    assert columns_of(HEADS, "tp", {"layer": 1}) == (0, 1, 2)
    assert columns_of(HEADS, "tp", {"head": 3}) == (2, 5)
    assert columns_of(HEADS, "gold", {"layer": 1}) == (6,)
    assert columns_of(HEADS, "fp", {}) is None


def test_lengths_of_zero_are_the_models():
    measure = Measure("tp", (("layer", 0), ("head", 0), ("count", 2)))
    assert measure.sized({"layer": 4, "head": 8}).size == 64
    assert Measure.of({"name": "tp", "axes": [["layer", 4]], "unit": ""}).size == 4


def test_places_run_over_the_last_axis_first():
    found = list(places_along(HEADS, ("layer", "head")))
    assert found[:2] == [{"layer": 1, "head": 1}, {"layer": 1, "head": 2}]
    assert len(found) == 6
    assert list(places_along(HEADS, ())) == [{}]


def test_a_join_at_a_place_has_that_places_numbers_beside_those_without_axes():
    over, sides = made()
    joined = join(over, sides, needs=("tp", "gold"), at={"layer": 2, "head": 2})
    assert joined.values.shape == (3, 30, 2)
    np.testing.assert_array_equal(joined.values, sides[""].values[..., [4, 6]])
    whole = join(over, sides, needs=("tp", "gold"))
    np.testing.assert_array_equal(whole.values, sides[""].values)


@pytest.mark.parametrize("replicates", [1, 3])
def test_every_place_is_what_it_would_be_alone(replicates):
    over, sides = made(replicates)
    places = list(places_along(HEADS, ("layer", "head")))
    common = {"statistic": RECALL, "key": KEY, "resampling": Resampling(draws=400), "seed": 3}
    together = estimate_along(over, sides, places=places, **common)
    for place, found in zip(places, together, strict=True):
        (alone,) = estimate_along(over, sides, places=[place], **common)
        assert found.estimate.key.condition == {"preset": "x", **place}
        column = columns_of(HEADS, "tp", place)[0]
        values = sides[""].values
        by_hand = (values[..., column].sum(axis=1) / values[..., 6].sum(axis=1)).mean()
        assert found.estimate.value == pytest.approx(by_hand)
        assert found.estimate.low == pytest.approx(alone.estimate.low, abs=0.03)
        assert found.estimate.n_replicates == replicates


def test_places_share_their_draws_so_that_they_may_be_subtracted():
    over, sides = made()
    places = list(places_along(HEADS, ("layer", "head")))
    common = {"statistic": RECALL, "key": KEY, "resampling": Resampling(draws=50), "seed": 3}
    ids = {one.estimate.resample_id for one in estimate_along(over, sides, places=places, **common)}
    assert len(ids) == 1


def test_without_items_every_place_says_so():
    over, sides = made(1, 3)
    failed = {"": side(sides[""].values, np.full((1, 3), 4))}
    common = {"statistic": RECALL, "key": KEY, "resampling": Resampling(draws=50), "seed": 3}
    found = estimate_along(over, failed, places=[{"layer": 1, "head": 1}], **common)
    assert [(one.estimate.status, one.estimate.reason) for one in found] == [
        ("undefined", "no_items")
    ]
