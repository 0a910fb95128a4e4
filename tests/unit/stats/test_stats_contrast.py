import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.contrast import paired_contrast, unpaired_contrast
from scrutiny.stats.intervals.crossed import crossed
from scrutiny.stats.resampling.resample import resample


def mean(sums, weight):
    return sums[..., 0, 0] / sums[..., 0, 1]


def study(n_a=5, n_b=5, items=120, gap=0.1, seed=0):
    g = np.random.default_rng(seed)
    hard = g.random(items)
    a = (g.random((n_a, items)) < np.clip(hard + gap, 0, 1)).astype(float)
    b = (g.random((n_b, items)) < hard).astype(float)
    x = np.concatenate([a, b])
    both = resample(np.stack([x, np.ones_like(x)], -1), mean, rng=g, draws=2000, share=True)
    return both.select(slice(0, n_a)), both.select(slice(n_a, None))


def rng(seed=1):
    return np.random.default_rng(seed)


def test_paired_is_crossed_of_differences():
    a, b = study()
    found = paired_contrast(a, b, rng=rng())
    same = crossed(a.point - b.point, a.draws - b.draws, rng=rng(), n_units=120)
    assert np.array_equal(found.draws, same.draws)


def test_contrasts_change_sign_with_their_sides():
    a, b = study()
    forth, back = paired_contrast(a, b, rng=rng()), paired_contrast(b, a, rng=rng())
    assert forth.point == -back.point
    assert forth.width == pytest.approx(back.width, rel=0.1)


def test_unpaired_has_one_t_a_side_and_shares_items():
    a, b = study(n_a=5, n_b=4)
    found = unpaired_contrast(a, b, rng=rng())
    assert found.method == "crossed_unpaired"
    assert found.point == pytest.approx(a.point.mean() - b.point.mean())
    g = rng()
    noise = a.draws.mean(axis=1) - b.draws.mean(axis=1)
    noise -= noise.mean()
    t = (a.point.var(ddof=1) / 5) ** 0.5 * g.standard_t(4, 2000)
    t -= (b.point.var(ddof=1) / 4) ** 0.5 * g.standard_t(3, 2000)
    np.testing.assert_allclose(found.test_draws, found.point + noise + t, atol=1e-12)
    assert found.decomposition.seeds == pytest.approx(
        a.point.var(ddof=1) / 5 + b.point.var(ddof=1) / 4
    )


def test_a_released_checkpoint_adds_items_only():
    a, b = study(n_a=1, n_b=5)
    found = unpaired_contrast(a, b, rng=rng())
    assert "one_replicate" in found.notes
    assert found.decomposition.seeds == pytest.approx(b.point.var(ddof=1) / 5)


def test_sides_that_were_drawn_apart_are_refused():
    a, _ = study(seed=0)
    _, b = study(seed=9)
    for contrast in (paired_contrast, unpaired_contrast):
        with pytest.raises(StatisticsError, match="only when they share their items"):
            contrast(a, b, rng=rng())


def test_paired_needs_as_many_replicates():
    a, b = study(n_a=5, n_b=4)
    with pytest.raises(StatisticsError, match="Use unpaired_contrast"):
        paired_contrast(a, b, rng=rng())


def test_identical_sides_get_the_floor():
    a, _ = study()
    found = paired_contrast(a, a, rng=rng())
    assert "zero_item_variance" in found.notes
    assert found.low < 0 < found.high


def percent(sums, weight):
    return 100 * mean(sums, weight)


@settings(max_examples=60)
@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=5),
    st.lists(st.floats(0, 1), min_size=1, max_size=5),
    st.integers(2, 30),
    st.booleans(),
    st.integers(0, 99),
)
def test_percentages_differ_by_a_hundred_at_most(shares, others, items, paired, seed):
    """However few the replicates, and however far apart; where nothing is cut, nothing changes."""
    if paired:
        shares, others = zip(*zip(shares, others, strict=False), strict=True)
    g = np.random.default_rng(seed)
    hits = (g.random((len(shares) + len(others), items)) < np.c_[[*shares, *others]]).astype(float)
    both = resample(np.stack([hits, np.ones_like(hits)], -1), percent, rng=g, draws=200)
    a, b = both.select(slice(0, len(shares))), both.select(slice(len(shares), None))
    contrast = paired_contrast if paired else unpaired_contrast
    found = contrast(a, b, rng=rng(seed), scale="percent")
    assert -100 <= found.low <= found.high <= 100
    assert found.draws.min() >= -100 <= found.test_draws.min()
    assert found.draws.max() <= 100 >= found.test_draws.max()
    free = contrast(a, b, rng=rng(seed), scale="points")  # a difference of points: 200 at most
    assert np.array_equal(found.draws, np.clip(free.draws, -100, 100))
    assert found.low >= max(free.low, -100)
    assert found.high <= min(free.high, 100)
    if np.abs(free.draws).max() <= 100:
        assert (found.low, found.high) == (free.low, free.high)
    assert found.point == free.point
    inside = float(np.clip(found.point + 3.0, -99, 99))
    for direction in ("greater", "less"):
        assert found.p_value(inside, direction=direction) == free.p_value(
            inside, direction=direction
        )


def test_two_seeds_a_side_no_longer_speak_of_what_cannot_be():
    both = resample(
        np.array([[[1.0, 1]] * 40, [[0.0, 1]] * 40, [[1.0, 1]] * 40, [[0.0, 1]] * 40]),
        percent,
        rng=rng(),
        draws=500,
    )
    sides = both.select(slice(0, 2)), both.select(slice(2, None))
    found = unpaired_contrast(*sides, rng=rng(), scale="percent")
    assert (found.low, found.high) == (-100, 100)
    bare = unpaired_contrast(*sides, rng=rng())
    assert bare.low < -400 < 400 < bare.high
