"""Accuracies of heads are F1 under another name; UAS is a share."""

import numpy as np
import pytest

from scrutiny.diagnostics.attention import head_metrics as s
from scrutiny.tasks.scores import UAS
from scrutiny.testing import check_statistic

RNG = np.random.default_rng(3)
HEADS, BASELINES, ROWS = 5, 2, 30
GOLD = RNG.integers(1, 9, ROWS)
FAMILIES = [
    *(s.HEAD, s.BASELINE, s.MEAN_HEAD, s.BEST_HEAD),
    *(s.SELECTED_HEAD, s.SELECTED_BASELINE, s.SELECTED_HEAD_OVER_BASELINE),
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


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.id)
def test_they_are_f1_under_the_name_that_people_use(family):
    accuracy, f1 = family.of("accuracy"), family.of("f1")
    assert accuracy.says == f1.says.replace("F1", "accuracy")
    assert (accuracy.needs, accuracy.cells) == (f1.needs, f1.cells)
    heads = 1 if family in (s.HEAD, s.BASELINE) else HEADS
    widths = [BASELINES if need.startswith("base") and heads > 1 else heads for need in f1.needs]
    sides = [OWN[:, [*range(n), *range(HEADS, HEADS + n)]] for n in widths[:-1:2]]
    table = np.column_stack([*sides, GOLD])
    told = [one.of_widths([*widths[:-1], 1]) for one in (accuracy, f1)]
    assert value(told[0], table) == value(told[1], table)
    check_statistic(accuracy)


def test_every_word_being_a_prediction_f1_is_accuracy():
    one = np.column_stack([OWN[:, [1, HEADS + 1]], GOLD])
    assert value(s.HEAD.of("accuracy"), one) == pytest.approx(OWN[:, 1].sum() / GOLD.sum())
    table = np.column_stack([OWN, GOLD])
    shares = OWN[:, :HEADS].sum(axis=0) / GOLD.sum()
    assert value(s.MEAN_HEAD.of("accuracy"), table) == pytest.approx(shares.mean())
    assert value(s.BEST_HEAD.of("accuracy"), table) == pytest.approx(shares.max())


def test_what_is_chosen_on_a_half_is_scored_on_the_other():
    halves = np.arange(ROWS) % 2

    def chosen(table, heads):
        found = []
        for half in (0, 1):
            best = table[halves != half, :heads].sum(axis=0).argmax()
            found.append(table[halves == half, best].sum() / GOLD[halves == half].sum())
        return np.mean(found)

    both = np.column_stack([OWN, LOW, GOLD])
    over = s.SELECTED_HEAD_OVER_BASELINE.of("accuracy")
    told = over.of_widths([HEADS, HEADS, BASELINES, BASELINES, 1])
    assert value(told, both) == pytest.approx(chosen(OWN, HEADS) - chosen(LOW, BASELINES))
    own = np.column_stack([OWN, GOLD])
    assert value(s.SELECTED_HEAD.of("accuracy"), own) == pytest.approx(chosen(OWN, HEADS))


def test_a_baseline_is_read_like_a_head():
    baseline = s.BASELINE.of("accuracy")
    assert baseline.needs == ("baseline_tp", "baseline_predicted", "gold")
    one = np.column_stack([LOW[:, [0, BASELINES]], GOLD])
    assert value(baseline, one) == pytest.approx(LOW[:, 0].sum() / GOLD.sum())


def test_uas_is_over_words_and_not_over_sentences():
    rows = np.array([[1.0, 1.0], [0.0, 3.0]])
    assert float(UAS.value(rows.sum(axis=0)[None, None], np.ones((1, 1)))[0]) == 0.25
    check_statistic(UAS)
