"""The numbers of Zhao & Bethard (2020) from the scores that they released.

Their scores are quotients of whole numbers whose denominators are known: the counts come back
exactly, and everything else is what our statistics make of counts.
"""

import numpy as np
import pytest

from scrutiny.diagnostics.attention import head_metrics as ranks
from scrutiny.diagnostics.attention import head_metrics as s
from scrutiny.diagnostics.attention.head_counts import KINDS

pytestmark = pytest.mark.data("negation")
GOLD = {"story": (6382,), "review": (18_481, 18_472, 18_893)}


@pytest.fixture(scope="module")
def released():
    return {}


@pytest.fixture
def tables(shared_data, released):
    """Counts ``(run, column)`` by name, gold last."""
    path = shared_data("negation/zhao2020_head_scores/head_scores.npz")
    if not released:
        with np.load(path) as scores:
            released.update({name: counts(scores[name], name) for name in scores.files})
    return released


def counts(scores, name):
    """Counts of scores ``([run,] layer, head, 3)``, checked to be whole."""
    precision, recall, _ = np.moveaxis(scores.reshape(-1, *scores.shape[-3:]), -1, 0)
    for gold in GOLD[name.partition("_")[0]]:
        tp = recall * gold
        if np.abs(tp - np.rint(tp)).max() < 1e-6:
            break
    else:
        raise AssertionError(name)
    tp = np.rint(tp)
    predicted = np.divide(tp, precision, out=np.zeros_like(tp), where=precision > 0)
    assert np.abs(predicted - np.rint(predicted)).max() < 1e-6
    runs = len(tp)
    flat = [part.reshape(runs, -1) for part in (tp, np.rint(predicted))]
    return np.column_stack([*flat, np.full(runs, gold)])


def values(statistic, *tables):
    """Value of each run, of tables that are cells, or sides with one gold."""
    return statistic.value(np.stack(tables, axis=-2), np.ones(len(tables)))


def percent(statistic, table):
    found = 100 * values(statistic, table)
    return round(float(found.mean()), 1), round(float(found.std()), 1)  # ddof 0, as theirs


def each_kind(family):
    return [family.of(kind) for kind in KINDS]


AVERAGE = {
    "story_pretrained_bert_base": (49.45, 5.19, 9.02, 53.8),
    "story_pretrained_bert_large": (45.4, 3.3, 5.9, 41.0),
    "story_pretrained_roberta_base": (56.0, 6.9, 12.1, 31.1),
    "story_pretrained_roberta_large": (50.2, 5.3, 9.4, 32.3),
}


@pytest.mark.reproduces
@pytest.mark.parametrize("name", AVERAGE)
def test_average_and_best_heads_of_pretrained_models(tables, name):
    wanted = (*each_kind(s.MEAN_HEAD), s.BEST_HEAD.of("f1"))
    found = [100 * float(values(statistic, tables[name])[0]) for statistic in wanted]
    for ours, printed in zip(found, AVERAGE[name], strict=True):
        digits = len(str(printed).partition(".")[2])
        assert round(ours, digits) == printed


@pytest.mark.reproduces
@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("story_neg_bert_base", [(52.2, 2.2), (6.6, 0.8), (11.1, 1.2)]),
        ("story_control_bert_base", [(48.6, 1.7), (5.3, 0.2), (9.0, 0.4)]),
    ],
)
def test_average_heads_of_tuned_models(tables, name, printed):
    assert [percent(each, tables[name]) for each in each_kind(s.MEAN_HEAD)] == printed


TAU = {
    "bert_base": (0.4398, 0.4176, 0.4151),
    "bert_large": (0.2949, 0.4874, 0.4822),
    "roberta_base": (0.4376, 0.4725, 0.4711),
    "roberta_large": (0.3771, 0.5041, 0.4928),
}


@pytest.mark.reproduces
@pytest.mark.parametrize("model", TAU)
def test_tau_between_corpora(tables, model):
    both = (tables[f"{corpus}_pretrained_{model}"] for corpus in ("story", "review"))
    one, other = both
    found = [values(each, one, other)[0] for each in each_kind(ranks.HEADS_TAU)]
    assert [round(tau, 4) for tau in found] == list(TAU[model])


@pytest.mark.reproduces
def test_its_p_values(tables):
    rows = np.concatenate([tables[f"{c}_pretrained_bert_base"] for c in ("story", "review")])
    found = [each.cell_tests(rows, np.array([0, 1]))[0] for each in each_kind(ranks.HEADS_TAU)]
    assert [f"{test.p_value:.2e}" for test in found] == ["5.24e-15", "1.20e-13", "1.56e-13"]
    assert [test.metric for test in found] == [f"heads_tau_kendall({kind})@1" for kind in KINDS]


TUNED_TAU = {
    "bert_base": [(0.516, 0.020), (0.409, 0.026)],
    "bert_large": [(0.530, 0.066), (0.006, 0.039)],
    "roberta_base": [(0.531, 0.033), (0.487, 0.021)],
    "roberta_large": [(0.584, 0.054), (0.561, 0.026)],
}


@pytest.mark.reproduces
@pytest.mark.parametrize("model", TUNED_TAU)
def test_tau_between_corpora_after_tuning(tables, model):
    found = []
    for task in ("neg", "control"):
        both = (tables[f"{corpus}_{task}_{model}"] for corpus in ("story", "review"))
        tau = values(ranks.HEADS_TAU.of("f1"), *both)
        found.append((round(tau.mean(), 3), round(tau.std(), 3)))
    assert found == TUNED_TAU[model]


GAINS = {  # mean, runs with p < .05 above and below 0; of negation, then of control
    "bert_base": [(0.085, 5, 0), (-0.206, 0, 8)],
    "bert_large": [(-0.132, 0, 8), (-0.627, 0, 10)],
    "roberta_base": [(-0.113, 0, 6), (-0.216, 0, 10)],
    "roberta_large": [(-0.144, 0, 8), (-0.253, 0, 10)],
}


@pytest.mark.reproduces
@pytest.mark.parametrize("model", GAINS)
def test_gains_of_good_heads(tables, model):
    base = tables[f"story_pretrained_{model}"]
    gain = ranks.GAIN_TAU.of("f1")
    found = []
    for task in ("neg", "control"):
        tuned = tables[f"story_{task}_{model}"]
        rows = np.column_stack([np.repeat(base[:, :-1], len(tuned), axis=0), tuned])
        tau = values(gain, rows)
        tests = [gain.tests(row[None], None, np.random.default_rng(0))[0] for row in rows]
        is_small = np.array([test.p_value < 0.05 for test in tests])
        ups, downs = (int((is_small & (sign * tau > 0)).sum()) for sign in (1, -1))
        found.append((round(float(tau.mean()), 3), ups, downs))
    assert found == GAINS[model]
