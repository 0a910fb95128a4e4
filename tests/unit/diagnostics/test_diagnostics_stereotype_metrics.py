"""Statistics of stereotype tests against their closed forms."""

import numpy as np
import pytest

from scrutiny.diagnostics.stereotypes import stereotype_scores as s
from scrutiny.reliability.metrics import metric_of
from scrutiny.stats.resampling.resample import resample
from scrutiny.stats.resampling.weights import Units


def value(statistic, rows, cells=None):
    """Value of rows (row, need), in these cells."""
    components = statistic.components(np.asarray(rows, dtype=np.float64))
    cells = np.zeros(len(components), int) if cells is None else np.asarray(cells)
    sums = np.stack([components[cells == c].sum(axis=0) for c in np.unique(cells)])
    return float(statistic.value(sums, np.ones(len(sums))))


def test_ties_stay_in_the_denominator_of_the_score_and_leave_the_other():
    rows = [[1, 0], [1, 0], [0, 0], [0, 1]]
    assert value(s.STEREOTYPE_SCORE, [row[:1] for row in rows]) == 50.0
    assert value(s.DECIDED_SCORE, rows) == pytest.approx(200 / 3)
    assert value(metric_of("share(neutral)"), [[row[1]] for row in rows]) == 0.25


def test_only_ties_leave_nothing_to_decide():
    assert np.isnan(value(s.DECIDED_SCORE, [[0, 1], [0, 1]]))


def test_scores_by_the_number_of_pieces():
    rows = [[1, 1], [0, 1], [1, 0]]
    assert value(metric_of("length_score(same)"), rows) == 50.0
    assert value(metric_of("length_score(other)"), rows) == 100.0


def test_margins_are_averaged():
    assert value(metric_of("mean(margin)"), [[2.0], [-1.0]]) == 0.5


TERMS = [0, 0, 0, 1]
WINS = [[1, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0]]  # both wins, hit


def test_each_term_counts_alike():
    lms = (100 * 3 / 6 + 100) / 2
    ss = (100 * 2 / 3 + 0) / 2
    assert value(s.LMS, [row[:2] for row in WINS], TERMS) == pytest.approx(lms)
    assert value(s.SS, [row[2:] for row in WINS], TERMS) == pytest.approx(ss)
    assert value(s.ICAT, WINS, TERMS) == pytest.approx(lms * min(ss, 100 - ss) / 50)


def test_icat_is_of_the_averaged_scores_and_no_mean_of_icats():
    rows = [[1, 1, 1], [1, 1, 0]]  # each term by itself has icat 0; together ss is 50
    assert value(s.ICAT, rows, [0, 1]) == 100.0


def test_the_best_and_the_worst():
    assert value(s.ICAT, [[1, 1, 1], [1, 1, 0]]) == 100.0
    assert value(s.ICAT, [[1, 1, 1], [1, 1, 1]]) == 0.0


def test_a_term_counts_as_often_as_it_is_drawn():
    """Terms resampled as a whole: the mean over drawn terms, not over distinct ones."""
    components = s.SS.components(np.array([[[1.0], [0.0], [1.0]]]))  # three terms, one item each
    cells = np.arange(3)
    found = resample(
        components,
        s.SS.value,
        rng=np.random.default_rng(0),
        draws=4000,
        units=Units.of(3, cells),
        cells=cells,
    )
    possible = {0.0, 100 / 3, 200 / 3, 100.0}
    assert {round(float(v), 6) for v in np.unique(found.draws)} == {round(v, 6) for v in possible}
    assert found.draws.mean() == pytest.approx(200 / 3, abs=2)


def test_controls_are_compared_on_the_pairs_that_have_them():
    rows = [[1, 0], [0, 1], [1, 0], [1, 0], [0, 0], [1, 1]]  # hit, control code
    pairs = [0, 0, 1, 2, 3, 3]  # pairs 1 and 2 have no control, so they do not count
    assert value(s.ORIGINAL_MINUS.of("negated"), rows, pairs) == pytest.approx((100 + -100) / 2)
    assert np.isnan(value(s.ORIGINAL_MINUS.of("swapped"), rows, pairs))


def test_controls_of_several_kinds_do_not_mix():
    rows = [[1, 0], [0, 1], [1, 2], [0, 3]]
    cells = [0, 0, 0, 0]
    assert value(s.ORIGINAL_MINUS.of("negated"), rows, cells) == 100.0
    assert value(s.ORIGINAL_MINUS.of("antistereotype"), rows, cells) == 0.0
    assert value(s.ORIGINAL_MINUS.of("swapped"), rows, cells) == 100.0
