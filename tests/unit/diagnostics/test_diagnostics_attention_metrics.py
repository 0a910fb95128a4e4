"""Statistics of heads against their closed forms, scipy, and heads by other names."""

import doctest

import numpy as np
import pytest
from scipy.stats import kendalltau
from sklearn import metrics

from scrutiny.diagnostics.attention import head_counts as head_scores
from scrutiny.diagnostics.attention import head_metrics
from scrutiny.diagnostics.attention import head_metrics as ranks
from scrutiny.diagnostics.attention import head_metrics as s
from scrutiny.diagnostics.attention.encodings import SPAN_BASELINES
from scrutiny.diagnostics.attention.head_counts import KINDS, HeadCounts
from scrutiny.stats.arrays import StatisticsError
from scrutiny.testing import check_statistic

RNG = np.random.default_rng(11)
HEADS, BASELINES, ROWS = 6, 3, 40


def counts(heads, *, gold, rows=ROWS):
    """Counts ``(row, 2 x head)``: right ones and predicted ones."""
    tp = RNG.binomial(gold[:, None], np.linspace(0.1, 0.6, heads))
    return np.column_stack([tp, tp + RNG.integers(0, 4, (rows, heads))])


GOLD = RNG.integers(0, 8, ROWS)
OWN, BASE, LOW = (counts(k, gold=GOLD) for k in (HEADS, HEADS, BASELINES))
HALF = np.arange(ROWS) % 2
SHAPES = {
    ("tp", "predicted", "gold"): np.column_stack([OWN, GOLD]),
    ("baseline_tp", "baseline_predicted", "gold"): np.column_stack([LOW, GOLD]),
    ("tp", "predicted", "baseline_tp", "baseline_predicted", "gold"): np.column_stack(
        [OWN, LOW, GOLD]
    ),
    ("base.tp", "base.predicted", "tp", "predicted", "gold"): np.column_stack([BASE, OWN, GOLD]),
}
RANKS = ranks.HEADS_TAU, ranks.SPLIT_HALF_TAU, ranks.GAIN_TAU, ranks.GAIN_TAU_OTHER_HALF
ALL = [
    *(family.of(kind) for family in (s.MEAN_HEAD, *RANKS) for kind in KINDS),
    s.BEST_HEAD.of("f1"),
    s.SELECTED_HEAD.of("f1"),
    s.SELECTED_BASELINE.of("f1"),
    s.SELECTED_HEAD_OVER_BASELINE.of("f1").of_widths([HEADS, HEADS, BASELINES, BASELINES, 1]),
]
NAMES = [each.id for each in ALL]


def rows_of(statistic):
    return SHAPES[statistic.needs].astype(float)


def value(statistic, rows, cells=None):
    """Value of rows (row, column), in their halves where the statistic keeps cells apart."""
    components = statistic.components(np.asarray(rows, dtype=np.float64))
    if cells is None:
        cells = HALF[: len(components)] if statistic.cells else np.zeros(len(components), int)
    sums = np.stack([components[cells == c].sum(axis=0) for c in np.unique(cells)])
    return float(statistic.value(sums, np.ones(len(sums))))


def scores(table, kind, rows=slice(None)):
    """Scores (head,) of counts, each by itself."""
    heads = table.shape[1] // 2
    tp, predicted = np.split(table[rows].sum(axis=0), [heads])
    found = []
    for right, guesses in zip(tp, predicted, strict=True):
        p = right / guesses if guesses else 0.0
        r = right / GOLD[rows].sum()
        f1 = 2 * p * r / (p + r) if p + r else 0.0
        found.append({"precision": p, "recall": r, "f1": f1}[kind])
    return np.array(found)


def test_a_head_is_held_against_the_best_baseline_of_the_same_rows():
    one = s.F1_OVER_BASELINE.of_widths([1, 1, BASELINES, BASELINES, 1])
    for head in range(HEADS):
        rows = np.column_stack([OWN[:, [head, HEADS + head]], LOW, GOLD])
        wanted = scores(OWN, "f1")[head] - scores(LOW, "f1").max()
        assert value(one, rows) == pytest.approx(wanted)
    assert one.no_effect == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_has_the_scores_of_its_sums(kind):
    one = np.column_stack([OWN[:, [2, HEADS + 2]], GOLD])
    assert value(s.HEAD.of(kind), one) == pytest.approx(scores(OWN, kind)[2])
    assert value(s.MEAN_HEAD.of(kind), one) == value(s.HEAD.of(kind), one)


@pytest.mark.parametrize("kind", KINDS)
def test_the_average_head_is_the_mean_of_their_scores(kind):
    found = value(s.MEAN_HEAD.of(kind), rows_of(s.MEAN_HEAD.of("f1")))
    assert found == pytest.approx(scores(OWN, kind).mean())


def test_a_head_that_predicts_nothing_scores_nothing():
    rows = [[0, 0, 3], [0, 0, 1]]
    assert [value(s.HEAD.of(kind), rows) for kind in KINDS] == [0.0, 0.0, 0.0]


def test_without_any_target_there_is_no_score():
    rows = [[0, 2, 0], [0, 0, 0]]
    assert all(np.isnan(value(s.HEAD.of(kind), rows)) for kind in KINDS)


def test_one_head_is_one():
    with pytest.raises(StatisticsError, match=r"This is of one .* mean_head\(f1\)@1"):
        value(s.HEAD.of("f1"), rows_of(s.MEAN_HEAD.of("f1")))


def test_best_and_selected_heads():
    assert value(s.BEST_HEAD.of("f1"), rows_of(s.BEST_HEAD.of("f1"))) == pytest.approx(
        scores(OWN, "f1").max()
    )
    a, b = (scores(OWN, "f1", HALF == half) for half in (0, 1))
    wanted = (b[a.argmax()] + a[b.argmax()]) / 2
    assert value(s.SELECTED_HEAD.of("f1"), rows_of(s.SELECTED_HEAD.of("f1"))) == pytest.approx(
        wanted
    )
    c, d = (scores(LOW, "f1", HALF == half) for half in (0, 1))
    chosen = (d[c.argmax()] + c[d.argmax()]) / 2
    found = value(s.SELECTED_BASELINE.of("f1"), rows_of(s.SELECTED_BASELINE.of("f1")))
    assert found == pytest.approx(chosen)
    over = ALL[-1]
    assert value(over, rows_of(over)) == pytest.approx(wanted - chosen)


def test_of_all_span_baselines_only_the_offsets_are_chosen_from():
    low = counts(len(SPAN_BASELINES), gold=GOLD)
    places = range(1, 7)
    columns = [*places, *(len(SPAN_BASELINES) + k for k in places)]
    apart = low[:, columns]
    for kind in KINDS:
        of_all, of_six = (np.column_stack([table, GOLD]) for table in (low, apart))
        mean = scores(low, kind)[1:7].mean()
        assert value(head_metrics.MEAN_OFFSET.of(kind), of_all) == pytest.approx(mean)
        assert value(head_metrics.MEAN_OFFSET.of(kind), of_six) == pytest.approx(mean)
        best = scores(apart, kind)[scores(apart, "f1").argmax()]
        assert value(head_metrics.BEST_OFFSET.of(kind), of_all) == pytest.approx(best)
    over, known = head_metrics.SELECTED_HEAD_OVER_OFFSET, s.SELECTED_HEAD_OVER_BASELINE
    found, wanted = (
        value(
            metric.of("f1").of_widths([HEADS, HEADS, width, width, 1]),
            np.column_stack([OWN, table, GOLD]),
        )
        for metric, width, table in ((over, len(SPAN_BASELINES), low), (known, 6, apart))
    )
    assert found == pytest.approx(wanted)


def test_equally_good_heads_are_averaged_so_that_their_order_means_nothing():
    #           tp      predicted  gold: half A ties the first two, half B tells them apart
    rows = [[2, 2, 0, 2, 2, 1, 4], [4, 1, 3, 4, 4, 4, 4]]
    f1_of_b, f1_of_a = np.array([1, 0.25, 0.75]), np.array([2 / 3, 2 / 3, 0])
    wanted = (f1_of_b[:2].mean() + f1_of_a[0]) / 2
    assert value(s.SELECTED_HEAD.of("f1"), rows) == pytest.approx(wanted)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("family", [ranks.HEADS_TAU, ranks.SPLIT_HALF_TAU])
def test_tau_between_cells_is_scipys(family, kind):
    a, b = (scores(OWN, kind, HALF == half) for half in (0, 1))
    found = value(family.of(kind), rows_of(s.MEAN_HEAD.of("f1")), HALF)
    assert found == pytest.approx(kendalltau(a, b).statistic)


def test_several_corpora_have_the_mean_over_their_pairs():
    corpus = np.arange(ROWS) % 3
    each = [scores(OWN, "f1", corpus == c) for c in range(3)]
    wanted = np.mean([kendalltau(each[a], each[b]).statistic for a, b in ((0, 1), (0, 2), (1, 2))])
    tau = ranks.HEADS_TAU.of("f1")
    assert value(tau, rows_of(tau), corpus) == pytest.approx(wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_gain_is_compared_with_the_base_on_the_same_rows_or_on_the_others(kind):
    rows = rows_of(ranks.GAIN_TAU.of("f1"))
    base, tuned = scores(BASE, kind), scores(OWN, kind)
    wanted = kendalltau(base, tuned - base).statistic
    assert value(ranks.GAIN_TAU.of(kind), rows) == pytest.approx(wanted)
    found = []
    for half in (0, 1):
        before = scores(BASE, kind, HALF != half)
        gain = scores(OWN, kind, HALF == half) - scores(BASE, kind, HALF == half)
        found.append(kendalltau(before, gain).statistic)
    assert value(ranks.GAIN_TAU_OTHER_HALF.of(kind), rows) == pytest.approx(np.mean(found))


def test_each_run_is_tested_by_kendall():
    rows = rows_of(ranks.GAIN_TAU.of("f1"))
    found = ranks.GAIN_TAU.of("f1").tests(rows, None, np.random.default_rng(0))[0]
    base, tuned = scores(BASE, "f1"), scores(OWN, "f1")
    theirs = kendalltau(base, tuned - base)
    assert found.metric == "gain_tau_kendall(f1)@1"
    assert found.p_value == pytest.approx(theirs.pvalue)
    assert found.numbers["tau"] == pytest.approx(theirs.statistic)
    assert (found.n_units, found.method) == (HEADS, "kendall exact")


def test_heads_that_do_not_change_have_no_test():
    rows = np.column_stack([BASE, BASE, GOLD]).astype(float)
    assert ranks.GAIN_TAU.of("f1").tests(rows, None, np.random.default_rng(0)) == []


@pytest.mark.parametrize("statistic", ALL, ids=NAMES)
def test_it_keeps_its_promises_with_many_heads(statistic):
    check_statistic(statistic, rows_of(statistic))


@pytest.mark.parametrize("statistic", ALL, ids=NAMES)
def test_the_order_of_rows_does_not_matter(statistic):
    order = RNG.permutation(ROWS)
    rows = rows_of(statistic)
    cells = HALF if statistic.cells else np.zeros(ROWS, int)
    assert value(statistic, rows[order], cells[order]) == pytest.approx(value(statistic, rows))


@pytest.mark.parametrize("statistic", ALL, ids=NAMES)
def test_heads_may_be_renamed_and_halves_exchanged(statistic):
    rows = rows_of(statistic)
    order, columns, start = {}, [], 0
    for need in statistic.needs:
        width = 1 if need == "gold" else BASELINES if need.startswith("baseline") else HEADS
        order.setdefault(width, RNG.permutation(width))
        columns += (start + order[width]).tolist()
        start += width
    wanted = value(statistic, rows)
    assert value(statistic, rows[:, columns]) == pytest.approx(wanted)
    if statistic.cells:
        assert value(statistic, rows, 1 - HALF) == pytest.approx(wanted)


@pytest.mark.parametrize("statistic", ALL, ids=NAMES)
def test_draws_and_replicates_have_values_of_their_own(statistic):
    sums = RNG.integers(1, 9, (4, 3, 2, rows_of(statistic).shape[1])).astype(float)
    together = statistic.value(sums, np.ones((4, 3, 2)))
    assert together.shape == (4, 3)
    alone = statistic.value(sums[2, 1], np.ones(2))
    assert together[2, 1] == pytest.approx(float(alone))


APART = [each for each in ALL if each.cells]


@pytest.mark.parametrize("statistic", APART, ids=[each.id for each in APART])
def test_with_one_half_only_there_is_nothing_to_choose_on(statistic):
    rows = rows_of(statistic)
    assert np.isnan(value(statistic, rows, np.zeros(ROWS, int)))
    sums = np.stack([rows.sum(axis=0), np.zeros(rows.shape[1])])  # a draw that missed a half
    assert np.isnan(statistic.value(sums, np.ones(2)))


def test_sides_of_different_width_must_be_told():
    rows = rows_of(s.SELECTED_HEAD_OVER_BASELINE.of("f1"))
    with pytest.raises(StatisticsError, match="of_widths"):
        s.SELECTED_HEAD_OVER_BASELINE.of("f1").components(rows)
    with pytest.raises(StatisticsError, match="5 needs, not 2"):
        s.SELECTED_HEAD_OVER_BASELINE.of("f1").of_widths([1, 2])
    with pytest.raises(StatisticsError, match="18 columns"):
        s.MEAN_HEAD.of("f1").components(np.ones((2, 18)))
    told = s.MEAN_HEAD.of("f1").of_widths([HEADS, HEADS, 1])
    assert value(told, rows_of(told)) == value(s.MEAN_HEAD.of("f1"), rows_of(told))


def test_a_score_is_that_of_sklearn():
    truth, guess = RNG.integers(0, 2, (2, 50))
    sums = HeadCounts(*np.array([[[(truth & guess).sum()]], [[guess.sum()]], [[truth.sum()]]]))
    for kind in KINDS:
        wanted = getattr(metrics, f"{kind}_score")(truth, guess)
        assert sums.score(kind)[0, 0] == pytest.approx(wanted)


def test_the_example_runs():
    assert doctest.testmod(head_scores).failed == 0
    assert doctest.testmod(head_scores).attempted == 3
