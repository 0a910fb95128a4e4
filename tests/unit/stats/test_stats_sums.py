import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.resampling.sums import collapse, component_table
from scrutiny.stats.resampling.weights import Units, draw_weights


def sums_by_hand(X, weights, code, cell):
    out = np.zeros((len(weights), X.shape[0], cell.max() + 1, X.shape[2]))
    for b, w in enumerate(weights):
        for row in range(X.shape[1]):
            out[b, :, cell[row], :] += w[code[row]] * X[:, row, :]
    return out


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("design", ["rows", "clusters", "crossing", "nested"])
def test_weighted_sums_equal_the_loop(whole, design):
    rng = np.random.default_rng(2)
    X = rng.integers(0, 3, (2, 12, 3)).astype(float)
    X = X if whole else X + 1e6 + rng.random(X.shape)
    code = np.arange(12) if design == "rows" else np.arange(12) // 3
    cell = {
        "rows": np.arange(12) % 3,
        "clusters": np.zeros(12, dtype=int),
        "crossing": np.arange(12) % 3,
        "nested": np.repeat([0, 1, 2, 3], 3),
    }[design]
    units = Units.of(12, code)
    weights = rng.integers(0, 3, (5, units.n_units)).astype(float)
    table = component_table(X, units, cell)
    sums, times = table.weighted(weights)
    assert table.is_nested == (design == "nested")
    np.testing.assert_allclose(sums, sums_by_hand(X, weights, code, cell), rtol=1e-12)
    expected = weights[:, None, :] if design == "nested" else 1.0
    assert np.array_equal(times, np.broadcast_to(expected, times.shape))


def test_whole_numbers_are_summed_exactly():
    X = np.array([[[1.0], [0.0], [1.0]]])
    table = component_table(X, Units.of(3))
    assert table.center.tolist() == [0.0]
    assert table.weighted(np.array([[2.0, 5.0, 1.0]]))[0].ravel().tolist() == [3.0]


@pytest.mark.parametrize("cells", [[0, 2, 2], [0.0, 1.0, 1.0], [-1, 0, 1], [0, 1]])
def test_cells_are_numbered_without_gaps(cells):
    with pytest.raises(StatisticsError, match="cell"):
        component_table(np.ones((1, 3, 1)), Units.of(3), np.array(cells))


def test_collapse_counts_equal_units_by_stratum_and_cell():
    X = np.tile([[0.0], [1.0]], (100, 1))[None]
    strata, cell = np.repeat([0, 1], 100), np.arange(200) // 4 % 2
    units = Units.of(200, strata=strata)
    patterns = collapse(component_table(X, units, cell), units)
    assert patterns.sizes.tolist() == [26, 26, 24, 24, 24, 24, 26, 26]
    drawn = patterns.draw(40, np.random.default_rng(0))
    assert (drawn[:, patterns.members[0]].sum(axis=1) == 100).all()
    once, _ = patterns.table.weighted(patterns.sizes[None].astype(float))
    full, _ = component_table(X, units, cell).weighted(np.ones((1, 200)))
    assert np.array_equal(once, full)


def test_nothing_collapses_where_rows_differ_or_cells_are_nested():
    X = np.arange(200.0).reshape(1, 200, 1)
    assert collapse(component_table(X, Units.of(200)), Units.of(200)) is None
    units = Units.of(200, np.arange(200) // 2)
    assert collapse(component_table(X * 0, units, np.arange(200) // 2), units) is None


@pytest.mark.parametrize(("largest", "is_short"), [(1.0, True), (20_000.0, True), (2.0**20, False)])
def test_whole_numbers_are_the_same_in_single_precision(largest, is_short):
    rng = np.random.default_rng(4)
    X = np.rint(largest * rng.uniform(-1, 1, size=(3, 500, 2)))
    table = component_table(X, Units.of(500))
    assert table.is_short is is_short
    (counts,) = draw_weights(Units.of(500), draws=400, rng=rng)
    expected, _ = table.weighted(counts)
    found, times = table.weighted(counts.astype(table.dtype))
    assert np.array_equal(found, expected)
    assert found.dtype == times.dtype == np.float64


def test_numbers_that_are_not_whole_stay_in_double_precision():
    table = component_table(np.full((1, 4, 1), 0.5), Units.of(4))
    assert table.dtype == np.float64
