"""Edges at which rounding passed for a result."""

import numpy as np
import pytest

from scrutiny.diagnostics.invariance.scope_metrics import KAPPA_INV, MEAN_DISTANCE
from scrutiny.diagnostics.similarity.outputs_records import ACCURACY_GAP, KL_AB, KL_BA, P_GOLD_RMS
from scrutiny.reliability.metrics import metric_of
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.distributions.output_distances import matching_temperature
from scrutiny.stats.intervals.crossed import crossed
from scrutiny.stats.representations.item_distances import rsa

G = np.random.default_rng(4)
X = G.standard_normal((16, 8))


@pytest.mark.parametrize(("constant", "features"), [(0.1, 3), (0.3, 7), (1e6 / 3, 3), (0.0, 3)])
def test_a_constant_vector_has_no_correlation_whatever_its_mean_rounds_to(constant, features):
    Y = G.standard_normal((16, features))
    Y[3] = constant
    with pytest.raises(StatisticsError, match="item without direction"):
        rsa(Y, X)
    assert abs(rsa(Y, X, distance="euclidean")) < 1


@pytest.mark.parametrize("distance", ["correlation", "cosine", "euclidean"])
def test_equal_distances_stay_equal_when_the_scale_changes(distance):
    """Presence of eight things: many distances are equal, and 0.1 cannot be written exactly."""
    grid = np.array([[(i >> k) & 1 for k in range(8)] for i in range(1, 120, 3)], dtype=float)
    assert rsa(grid, 0.1 * grid, distance=distance) == pytest.approx(1.0, abs=1e-12)


def test_equal_distances_stay_equal_after_a_rotation_and_a_simplex_has_no_order():
    turn = np.linalg.qr(G.standard_normal((8, 8)))[0]
    grid = G.integers(0, 2, (20, 8)).astype(float)
    assert rsa(grid, grid @ turn, distance="euclidean") == pytest.approx(1.0, abs=1e-12)
    with pytest.raises(StatisticsError, match="equally far apart"):
        rsa(np.eye(8) @ turn, X[:8], distance="euclidean")


@pytest.mark.parametrize("rows", [[[0.5, 0.5]], [[1.0, 0.0]], [[0.3, 0.7], [0.1, 0.9]]])
def test_a_model_that_is_as_sure_already_keeps_its_temperature(rows):
    assert matching_temperature(rows, rows) == 1.0
    assert matching_temperature([r[::-1] for r in rows], rows) == 1.0


def test_the_interval_of_a_kappa_ends_at_1_and_has_no_lower_end():
    drawn = 0.9 + 0.4 * G.standard_normal((2000, 1))
    found = crossed(np.array([0.9]), np.minimum(drawn, 1.0), rng=G, scale=KAPPA_INV.scale)
    assert found.high == 1.0
    far = crossed(np.array([-1.5]), drawn - 2.4, rng=G, scale=KAPPA_INV.scale)
    assert far.low < -2.0


@pytest.mark.parametrize(
    "statistic",
    [
        ACCURACY_GAP,
        KL_AB,
        KL_BA,
        P_GOLD_RMS,
        MEAN_DISTANCE,
        metric_of("likeness(procrustes_distance)"),
    ],
)
def test_no_distance_has_an_interval_below_0(statistic):
    """Of a model with itself nothing moves, and the floor of few flips goes both ways."""
    none = np.zeros((2000, 1))
    found = crossed(np.zeros(1), none, rng=G, scale=statistic.scale, n_units=60)
    assert (found.low, found.point) == (0.0, 0.0)
    assert found.high > 0.0


def test_the_lift_of_stir_takes_value_and_influence_of_random_changes_away():
    rows = np.array([[0.9, 0.1, 0.6, 0.3], [0.9, -0.1, 0.6, -0.3]])
    components = metric_of("beyond(stir)").components(rows)
    assert float(
        metric_of("beyond(stir)").value(components.sum(axis=0)[None], np.ones(1))
    ) == pytest.approx(0.3)
    assert components[0, 0] == pytest.approx(0.1)
    assert components[1, 0] == pytest.approx(0.5)
