"""Accuracies of heads are the F1 statistics under another name; UAS is a share."""

import numpy as np
import pytest

from scrutiny.diagnostics.attention.metrics import arcs as a
from scrutiny.diagnostics.attention.metrics import heads as s
from scrutiny.testing import check_statistic

RNG = np.random.default_rng(3)
HEADS, BASELINES, ROWS = 5, 2, 30
GOLD = RNG.integers(1, 9, ROWS)
PAIRS = [
    (a.HEAD_ACCURACY, s.F1),
    (a.MEAN_HEAD_ACCURACY, s.MEAN_HEAD_F1),
    (a.BEST_HEAD_ACCURACY, s.BEST_HEAD_F1),
    (a.SELECTED_HEAD_ACCURACY, s.SELECTED_HEAD_F1),
    (a.SELECTED_BASELINE_ACCURACY, s.SELECTED_BASELINE_F1),
    (a.SELECTED_ACCURACY_OVER_BASELINE, s.SELECTED_HEAD_OVER_BASELINE),
]


def counts(heads):
    """Right words and scored words of heads whose accuracy rises."""
    tp = RNG.binomial(GOLD[:, None], np.linspace(0.2, 0.7, heads))
    return np.column_stack([tp, np.tile(GOLD[:, None], heads)])


OWN, LOW = counts(HEADS), counts(BASELINES)


def value(statistic, table):
    cells = np.arange(ROWS) % 2 if statistic.cells else np.zeros(ROWS, int)
    sums = np.stack([table[cells == c].sum(axis=0) for c in np.unique(cells)]).astype(float)
    return float(statistic.value(sums, np.ones(len(sums))))


@pytest.mark.parametrize(("accuracy", "f1"), PAIRS, ids=[pair[0].id for pair in PAIRS])
def test_they_are_f1_under_the_name_that_people_use(accuracy, f1):
    assert accuracy.id != f1.id
    assert "accuracy" in accuracy.says
    assert "F1" not in accuracy.says
    assert (accuracy.needs, accuracy.cells, accuracy.combine) == (f1.needs, f1.cells, f1.combine)
    check_statistic(accuracy)


def test_every_word_being_a_prediction_f1_is_accuracy():
    one = np.column_stack([OWN[:, [1, HEADS + 1]], GOLD])
    assert value(a.HEAD_ACCURACY, one) == pytest.approx(OWN[:, 1].sum() / GOLD.sum())
    table = np.column_stack([OWN, GOLD])
    shares = OWN[:, :HEADS].sum(axis=0) / GOLD.sum()
    assert value(a.MEAN_HEAD_ACCURACY, table) == pytest.approx(shares.mean())
    assert value(a.BEST_HEAD_ACCURACY, table) == pytest.approx(shares.max())


def test_what_is_chosen_on_a_half_is_scored_on_the_other():
    halves = np.arange(ROWS) % 2

    def chosen(table, heads):
        found = []
        for half in (0, 1):
            best = table[halves != half, :heads].sum(axis=0).argmax()
            found.append(table[halves == half, best].sum() / GOLD[halves == half].sum())
        return np.mean(found)

    both = np.column_stack([OWN, LOW, GOLD])
    told = a.SELECTED_ACCURACY_OVER_BASELINE.of_widths([HEADS, HEADS, BASELINES, BASELINES, 1])
    assert value(told, both) == pytest.approx(chosen(OWN, HEADS) - chosen(LOW, BASELINES))
    own = np.column_stack([OWN, GOLD])
    assert value(a.SELECTED_HEAD_ACCURACY, own) == pytest.approx(chosen(OWN, HEADS))


def test_a_baseline_is_read_like_a_head():
    assert a.BASELINE_ACCURACY.needs == ("baseline_tp", "baseline_predicted", "gold")
    one = np.column_stack([LOW[:, [0, BASELINES]], GOLD])
    assert value(a.BASELINE_ACCURACY, one) == pytest.approx(LOW[:, 0].sum() / GOLD.sum())


def test_uas_is_over_words_and_not_over_sentences():
    rows = np.array([[1.0, 1.0], [0.0, 3.0]])
    assert float(a.UAS.value(rows.sum(axis=0)[None, None], np.ones((1, 1)))[0]) == 0.25
    check_statistic(a.UAS)
