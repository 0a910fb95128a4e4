"""Statistics of the likeness of vectors: pseudo-values on records."""

import numpy as np
import pytest

from scrutiny.diagnostics.similarity import likeness_measures as s
from scrutiny.diagnostics.similarity.likeness_measures import MEASURES
from scrutiny.reliability.metrics import metric_of
from scrutiny.stats.resampling.resample import resample
from scrutiny.stats.resampling.weights import Units
from scrutiny.testing import check_statistic

G = np.random.default_rng(0)


def test_every_measure_has_a_statistic_and_one_beyond_exchanged_items():
    assert s.LIKENESS.usual == tuple(MEASURES)
    for measure in MEASURES:
        found = metric_of(f"beyond(likeness({measure}))")
        check_statistic(found)
        assert found.needs == ("value", "influence", "exchanged")
        assert found.says.endswith(", beyond permuted items")
        assert found.conditional_on.endswith("(jackknife), and what permuted items give")
        assert (found.no_effect, found.tests) == (0.0, None)


def measures(value=0.7, exchanged=0.1, count=60):
    influence = G.standard_normal(count)
    influence -= influence.mean()
    return np.column_stack([np.full(count, value), influence, np.full(count, exchanged)])


def of(statistic, rows):
    parts = statistic.components(rows)
    return float(statistic.value(parts.sum(axis=0)[None], np.ones(1)))


def test_the_value_is_the_likeness_and_the_excess_is_beyond_exchanged_items():
    rows = measures()
    assert of(metric_of("likeness(debiased_cka)"), rows[:, :2]) == pytest.approx(0.7)
    assert of(metric_of("beyond(likeness(debiased_cka))"), rows) == pytest.approx(0.6)
    far = metric_of("beyond(likeness(procrustes_distance))")
    assert of(far, measures(0.2, 1.1)) == pytest.approx(-0.9)


def test_resampling_moves_the_influence_alone():
    rows = measures(count=200)[:, :2]
    rsa = s.LIKENESS.of("rsa")
    drawn = resample(
        rsa.components(rows)[None],
        rsa.value,
        rng=G,
        draws=4000,
        units=Units.of(200),
    )
    assert drawn.point[0] == pytest.approx(0.7)
    assert drawn.draws.std() == pytest.approx(rows[:, 1].std() / 200**0.5, rel=0.05)


@pytest.mark.parametrize(
    ("statistic", "scale"),
    [
        (metric_of("likeness(debiased_cka)"), "coefficient"),
        (metric_of("likeness(linear_cka)"), "share"),
        (metric_of("likeness(procrustes_distance)"), "amount"),
        (metric_of("beyond(likeness(rsa))"), "excess"),
        (metric_of("beyond(likeness(linear_cka))"), "coefficient"),
        (metric_of("beyond(likeness(procrustes_distance))"), "identity"),
    ],
)
def test_intervals_are_cut_where_no_value_can_lie(statistic, scale):
    assert statistic.scale == scale
