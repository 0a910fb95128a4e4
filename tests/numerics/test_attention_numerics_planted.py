"""Simulated heads: what is selected, what is biased, and what regression to the mean does.

Bounds are what was measured with more studies, and two or more Monte Carlo standard errors.
"""

import numpy as np
import pytest
from planted_families import coverage, error, interval
from planted_heads import attending, baselines, frames, sums

from scrutiny.diagnostics.attention import head_metrics as ranks
from scrutiny.diagnostics.attention import head_metrics as s
from scrutiny.stats.resampling.resample import resample
from scrutiny.stats.resampling.weights import Units

OVER = s.SELECTED_HEAD_OVER_BASELINE.of("f1").of_widths([144, 144, 3, 3, 1])


def studies(number, *, seed):
    return (np.random.default_rng([seed, k]) for k in range(number))


def halves(n):
    return np.arange(n) % 2


def with_gold(*parts):
    return np.column_stack(parts).astype(float)


def chosen_on_a(table, gold):
    """Head with the best F1 on half A."""
    half = halves(gold.size) == 0
    tp, predicted = np.split(table[half].sum(axis=0), 2)
    return int((tp / (predicted + gold[half].sum())).argmax())


def test_a_wired_head_is_found_on_one_half_and_beats_the_baselines_on_the_other():
    fidelity = np.zeros(144)
    fidelity[100] = 0.7
    found = better = 0
    for rng in studies(100, seed=1):
        gold = frames(rng, 80)
        heads = attending(rng, gold, fidelity)
        found += chosen_on_a(heads, gold) == 100
        low = baselines(rng, gold)
        better += sums(OVER, with_gold(heads, low, gold), halves(80)) > 0
    assert found >= 95
    assert better >= 95


def test_noise_heads_never_beat_the_baselines():
    """What the test above would show if there were nothing."""
    better = 0
    for rng in studies(100, seed=2):
        gold = frames(rng, 80)
        table = with_gold(attending(rng, gold, np.zeros(144)), baselines(rng, gold), gold)
        better += sums(OVER, table, halves(80)) > 0
    assert better <= 5


def test_the_interval_of_the_wired_head_excludes_the_baseline():
    fidelity = np.zeros(144)
    fidelity[3] = 0.7
    claimed = 0
    for k, rng in enumerate(studies(20, seed=3)):
        gold = frames(rng, 200)
        table = with_gold(attending(rng, gold, fidelity), baselines(rng, gold), gold)
        cells = halves(200)
        claimed += interval(OVER, table[None], k, draws=200, strata=cells, cells=cells).low > 0
    assert claimed >= 19


def test_the_best_of_equal_heads_looks_better_than_it_is_and_the_selected_one_does_not():
    best, selected = [], []
    for rng in studies(300, seed=4):
        gold = frames(rng, 100)
        table = with_gold(attending(rng, gold, np.full(144, 0.3)), gold)
        truth = sums(s.MEAN_HEAD.of("f1"), table)
        best.append(sums(s.BEST_HEAD.of("f1"), table) - truth)
        selected.append(sums(s.SELECTED_HEAD.of("f1"), table, halves(100)) - truth)
    assert abs(np.mean(selected)) < 3 * np.std(selected) / 300**0.5 < 0.005
    assert np.mean(best) > 0.03


def change(rng, *, tuned, most=0.3, n=120):
    """Base and tuned counts of heads whose worth differs; noise of both is their own."""
    fidelity = np.linspace(0, most, 144)
    gold = frames(rng, n)
    parts = (attending(rng, gold, f) for f in (fidelity, fidelity * tuned))
    return with_gold(*parts, gold)


def test_without_any_change_good_heads_seem_to_lose_unless_they_are_told_by_the_other_half():
    published, ours = [], []
    for rng in studies(80, seed=5):
        table = change(rng, tuned=1.0, most=0.1, n=60)
        published.append(sums(ranks.GAIN_TAU.of("f1"), table))
        ours.append(sums(ranks.GAIN_TAU_OTHER_HALF.of("f1"), table, halves(len(table))))
    assert np.mean(published) < -0.15
    assert abs(np.mean(ours)) < 3 * np.std(ours) / 80**0.5 < 0.03


@pytest.mark.parametrize(("tuned", "sign"), [(1.5, 1), (0.6, -1)])
def test_what_good_heads_gain_is_seen_from_the_other_half(tuned, sign):
    found = [
        sums(ranks.GAIN_TAU_OTHER_HALF.of("f1"), table, halves(len(table)))
        for table in (change(rng, tuned=tuned) for rng in studies(20, seed=6))
    ]
    assert min(sign * np.array(found)) > 0.1


def test_tau_between_corpora_is_that_of_the_heads_and_falls_with_noise():
    fidelity = np.linspace(0, 0.3, 144)
    found = {}
    for n in (30, 300):
        taus = []
        for rng in studies(20, seed=7):
            both = [(gold := frames(rng, n), attending(rng, gold, fidelity)) for _ in range(2)]
            table = np.concatenate([with_gold(heads, gold) for gold, heads in both])
            taus.append(sums(ranks.HEADS_TAU.of("f1"), table, np.repeat([0, 1], n)))
        found[n] = np.mean(taus)
    assert 0.4 < found[30] < found[300] - 0.1 < 0.9


def test_heads_that_share_nothing_have_no_tau():
    found = []
    for rng in studies(60, seed=8):
        gold = frames(rng, 100)
        table = with_gold(attending(rng, gold, np.full(144, 0.1)), gold)
        found.append(sums(ranks.SPLIT_HALF_TAU.of("f1"), table, halves(100)))
    assert abs(np.mean(found)) < 3 * np.std(found) / 60**0.5 < 0.05


@pytest.mark.slow
def test_the_average_head_is_covered():
    fidelity = np.linspace(0, 0.3, 24)
    big = np.random.default_rng(9)
    gold = frames(big, 200_000)
    truth = sums(s.MEAN_HEAD.of("f1"), with_gold(attending(big, gold, fidelity), gold))

    def make(rng, study):
        gold = frames(rng, 150)
        table = with_gold(attending(rng, gold, fidelity), gold)
        return interval(s.MEAN_HEAD.of("f1"), table[None], study, draws=300)

    found = coverage(make, truth, studies=250)
    assert 0.93 - 2 * error(0.95, 250) < found < 0.97 + 2 * error(0.95, 250)


def test_a_draw_is_the_value_of_its_repeated_frames():
    rng = np.random.default_rng(10)
    gold = frames(rng, 30)
    table = with_gold(attending(rng, gold, np.linspace(0, 0.5, 12)), gold)
    half = halves(30)
    strata = Units.of(30, strata=half)
    drawn = resample(
        table[None], s.SELECTED_HEAD.of("f1").value, rng=rng, draws=50, units=strata, cells=half
    )
    values = {round(v, 12) for v in drawn.draws[:, 0]}
    assert len(values) > 30  # chosen and scored anew on every draw
    assert drawn.point[0] == pytest.approx(sums(s.SELECTED_HEAD.of("f1"), table, half))


CORPORA = (
    np.linspace(0, 0.3, 72),
    np.clip(np.linspace(0, 0.3, 72) + 0.1 * np.random.default_rng(1).standard_normal(72), 0, 1),
)


@pytest.mark.slow
def test_tau_covers_what_corpora_of_this_size_give_and_not_what_endless_ones_would():
    cells, found, points = np.repeat([0, 1], 60), [], []
    for k, rng in enumerate(studies(150, seed=11)):
        both = [(gold := frames(rng, 60), attending(rng, gold, f)) for f in CORPORA]
        table = np.concatenate([with_gold(heads, gold) for gold, heads in both])
        found.append(
            interval(ranks.HEADS_TAU.of("f1"), table[None], k, draws=200, strata=cells, cells=cells)
        )
        points.append(found[-1].point)
    endless = 0.520  # tau of 100,000 frames of each
    held = [np.mean([not i.excludes(truth) for i in found]) for truth in (np.mean(points), endless)]
    assert held[0] > 0.94 - 2 * error(0.94, 150)
    assert held[1] < 0.85
