"""Statistics of two models' answers on records, against the same on arrays."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from scrutiny.core.registry import registry
from scrutiny.diagnostics.similarity import outputs_records as s
from scrutiny.reliability.statistics import COMMONEST_LABEL, KAPPA, LABEL_ENTROPY
from scrutiny.stats.agreement.error_consistency import error_consistency
from scrutiny.stats.agreement.kappa import capa, cohen_kappa
from scrutiny.stats.agreement.labels import correctness_flips
from scrutiny.stats.resampling.resample import resample_weighted
from scrutiny.stats.resampling.weights import Units
from scrutiny.testing import check_statistic

NAMES = [
    name
    for name in registry().names("statistic")
    if registry().entry("statistic", name).registration.target.startswith(s.__name__)
] + ["kappa@1", "label_entropy@1", "commonest_label@1"]
G = np.random.default_rng(3)
N, K = 90, 4
GOLD = G.integers(0, K, N)
P, Q = G.dirichlet(np.full(K, 0.7), (2, N))
A, B = P.argmax(axis=1), Q.argmax(axis=1)
HITS = A == GOLD, B == GOLD
OF_GOLD = P[np.arange(N), GOLD], Q[np.arange(N), GOLD]


def value(statistic, *columns):
    """Value of rows (row, column)."""
    components = statistic.components(np.column_stack(columns).astype(float))
    return float(statistic.value(components.sum(axis=0)[None], np.ones(1)))


@pytest.mark.parametrize("name", NAMES)
def test_they_keep_the_promises_of_their_protocol(name):
    check_statistic(registry().load("statistic", name))
    assert len(NAMES) == 18


def test_labels_and_flips_are_those_of_arrays():
    flips = correctness_flips(*HITS)
    assert value(s.AGREEMENT, A == B) == pytest.approx((A == B).mean())
    assert value(s.NFR, *HITS) == pytest.approx(flips.negative)
    assert value(s.PFR, *HITS) == pytest.approx(flips.positive)
    assert value(s.CORRECTNESS_FLIPS, *HITS) == pytest.approx(flips.any)
    assert value(s.ACCURACY_CHANGE, *HITS) == pytest.approx(flips.accuracy_change)
    assert value(s.ACCURACY_GAP, *HITS) == pytest.approx(abs(flips.accuracy_change))


def test_error_consistency_and_capa_are_those_of_arrays():
    assert value(s.ERROR_CONSISTENCY, *HITS) == pytest.approx(error_consistency(*HITS).value)
    choices = np.full(N, K)
    found = value(s.CAPA, (P * Q).sum(axis=1), *OF_GOLD, choices)
    assert found == pytest.approx(capa(P, Q, GOLD).value)
    one_hot = capa(np.eye(K)[A], np.eye(K)[B], GOLD).value
    assert value(s.CAPA_OF_LABELS, A == B, *HITS, choices) == pytest.approx(one_hot)


def test_what_does_not_exist_is_no_number():
    ones = np.ones(5)
    assert np.isnan(value(s.ERROR_CONSISTENCY, ones, ones))
    assert np.isnan(value(s.CAPA, ones, ones, ones, 2 * ones))
    assert value(s.ERROR_CONSISTENCY, ones, np.array([1, 1, 1, 1, 0])) == 0.0


def test_accuracy_change_brings_mcnemars_test():
    rows = np.column_stack(HITS).astype(float)
    (test,) = s.ACCURACY_CHANGE.tests(rows, None, np.random.default_rng(0))
    flips = correctness_flips(*HITS)
    assert test.numbers["lost"] == pytest.approx(flips.negative * N)
    assert test.numbers["gained"] == pytest.approx(flips.positive * N)


def test_means_and_the_change_of_the_right_answer():
    js, kl = G.random(N), G.random(N) * 5
    assert value(s.JSD, js) == value(s.TV, js) == pytest.approx(js.mean())
    assert value(s.KL_AB, kl) == value(s.KL_BA, kl) == pytest.approx(kl.mean())
    change = OF_GOLD[1] - OF_GOLD[0]
    assert value(s.P_GOLD_CHANGE, *OF_GOLD) == pytest.approx(change.mean())
    assert value(s.P_GOLD_RMS, *OF_GOLD) == pytest.approx(np.sqrt((change**2).mean()))


def test_kappa_is_cohens_of_each_resample():
    labels = np.column_stack([A, np.where(G.random(N) < 0.5, A, B)]).astype(float)
    found = KAPPA.weighted(labels, np.ones((1, N)))[0]
    assert found == pytest.approx(cohen_kappa(*labels.T).value)
    weights = G.multinomial(N, np.full(N, 1 / N), 5).astype(float)
    again = [cohen_kappa_score(*np.repeat(labels, w.astype(int), axis=0).T) for w in weights]
    assert KAPPA.weighted(labels, weights) == pytest.approx(np.array(again))
    constant = np.zeros((10, 2))
    assert np.isnan(KAPPA.weighted(constant, np.ones((1, 10)))[0])
    drawn = resample_weighted(labels[None], KAPPA.weighted, rng=np.random.default_rng(0), draws=200)
    assert np.isfinite(drawn.draws).all()


@pytest.mark.parametrize("statistic", [KAPPA, LABEL_ENTROPY, COMMONEST_LABEL])
@pytest.mark.parametrize("in_documents", [False, True])
def test_rows_that_are_alike_are_weighed_together_to_the_last_digit(statistic, in_documents):
    labels = np.random.default_rng(1).integers(0, 3, (2, 90, len(statistic.needs))).astype(float)
    units = Units.of(90, np.arange(90) // 4 if in_documents else None)
    both = [
        resample_weighted(
            labels,
            statistic.weighted,
            rng=np.random.default_rng(2),
            draws=300,
            units=units,
            of_labels=one,
        )
        for one in (False, True)
    ]
    assert statistic.of_labels
    np.testing.assert_array_equal(both[0].draws, both[1].draws)
    np.testing.assert_array_equal(both[0].point, both[1].point)
