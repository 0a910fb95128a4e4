"""Metrics of metrics: equal to what they are made of, by hand, and refused where they make none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.blocks.labels import metric_in_words
from scrutiny.core.errors import ConformanceError, PlanError, UnknownNameError
from scrutiny.core.randomness import stream_of
from scrutiny.core.registry import Entry, Registration, Registry
from scrutiny.diagnostics.attack.attack_metrics import SUCCESS_WITHIN
from scrutiny.diagnostics.attention.head_metrics import BASELINE
from scrutiny.reliability import metrics
from scrutiny.reliability.metrics import metric_name, metric_of, usual_metrics
from scrutiny.reliability.row_statistics import Additive, scale_of
from scrutiny.reliability.statistics import ACCURACY, ENTITY_F1, measures_of


def value(metric, rows):
    """Value on rows ``(row, need)``."""
    sums = metric.components(np.asarray(rows, float)).sum(axis=-2)
    return float(metric.value(sums[..., None, :], np.ones(1)))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("accuracy", "accuracy@1"),
        ("accuracy@1", "accuracy@1"),
        ("drop(accuracy)", "drop(accuracy)@1"),
        ("drop(accuracy@1)", "drop(accuracy)@1"),
        ("drop( accuracy )@1", "drop(accuracy)@1"),
        ("success_within(100)", "success_within(100)@1"),
        ("success_within(100)@1", "success_within(100)@1"),
        ("drop(success_within(100))", "drop(success_within(100))@1"),
    ],
)
def test_names_are_written_in_full(text, wanted):
    assert metric_name(text) == wanted
    if not text.startswith("drop(success"):
        assert metric_of(text).id == wanted
        assert metric_of(text) is metric_of(wanted)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("acuracy", UnknownNameError, "accuracy"),
        ("drop(acuracy)", UnknownNameError, "accuracy"),
        ("accuracy-recall", PlanError, "stand between spaces: accuracy - recall"),
        ("accuracy@7", UnknownNameError, "accuracy@7"),
        ("drop(accuracy@1)@7", UnknownNameError, "accuracy@7"),
        ("drop", PlanError, r"drop is of one metric, as drop\(accuracy\) is"),
        ("drop(accuracy,accuracy)", PlanError, "drop is of one metric"),
        ("accuracy(3)", PlanError, "accuracy has no parameter; write accuracy"),
        ("success_within", PlanError, r"needs one parameter, a number of texts, for instance"),
        ("success_within(1,2)", PlanError, "needs one parameter"),
        ("gain(accuracy)", PlanError, "is of two models, the second minus the first"),
        ("mean(a,b)", PlanError, r"mean is of one measure, as mean\(hit\) is"),
    ],
)
def test_what_is_no_metric_is_told(text, error, said):
    with pytest.raises(error, match=said):
        metric_name(text)


def test_means_say_what_their_measure_says():
    measures = measures_of("attack@1#0123")
    assert metric_of("median(asked)", measures).says == "texts asked, median"
    assert metric_of("median(asked)", measures).needs == ("asked", "attacked")
    assert metric_in_words("drop(mean(similarity))@1", measures) == "cosine to the original drop"
    assert (measures_of("unknown@1"), metric_in_words("mean(x)", ())) == ((), "mean x")


def test_a_plug_in_that_is_no_statistic_is_told(monkeypatch):
    entry = Entry(Registration("statistic", "duck@1", "types:SimpleNamespace"), "toy")
    monkeypatch.setattr(metrics, "registry", lambda: Registry({("statistic", "duck@1"): entry}))
    with pytest.raises(ConformanceError, match=r"duck@1: .* of a subclass of Additive"):
        metric_of("duck")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("success_within(many)", "is a number of texts, for instance success_within"),
        ("success_within(1.5)", "is a number of texts"),
        ("valid_success(101)", "is a whole percent of validity"),
        ("mean_head(f2)", r"is one of precision, recall, f1, accuracy, for .* mean_head\(prec"),
        ("drop(flip_rate)", "is no sum over rows of one text"),
        ("drop(median(asked))", "is no sum over rows of one text"),
        ("drop(drop(accuracy))", "is no sum over rows of one text"),
        ("beyond(accuracy)", "accuracy@1 has no chance level"),
        ("beyond(beyond(stir))", "is no sum over rows of one text"),
    ],
)
def test_what_cannot_be_computed_is_told(text, said):
    with pytest.raises(PlanError, match=said):
        metric_of(text)


def test_one_with_a_parameter_says_what_it_is_and_which_others_there_are():
    assert SUCCESS_WITHIN.sentence() == "attack success within 10 texts (or: 30, 100, 300, 1000)"
    assert BASELINE.sentence() == "precision of a baseline (or: recall, f1, accuracy)"


@pytest.mark.parametrize(
    ("text", "stream"),
    [
        ("success_within(7)", "success_within_7@1"),
        ("head(f1)", "f1@1"),
        ("head(accuracy)", "head_accuracy@1"),
        ("selected_head_over_baseline(f1)", "selected_head_over_baseline@1"),
        ("selected_head_over_baseline(accuracy)", "selected_accuracy_over_baseline@1"),
    ],
)
def test_numbers_are_drawn_under_the_name_that_stood_without_parentheses(text, stream):
    assert stream_of(metric_of(text)) == stream


HITS = st.lists(st.tuples(*[st.sampled_from([0.0, 1.0])] * 3), min_size=1, max_size=40)


@given(HITS)
def test_a_drop_is_one_side_minus_the_other(rows):
    before, after, control = np.asarray(rows).T
    assert value(metric_of("drop(accuracy)"), np.stack([before, after], 1)) == pytest.approx(
        before.mean() - after.mean(), abs=1e-12
    )
    assert value(metric_of("excess(accuracy)"), rows) == pytest.approx(
        control.mean() - after.mean(), abs=1e-12
    )


COUNTS = st.lists(st.tuples(*[st.integers(0, 3).map(float)] * 9), min_size=1, max_size=12)


@given(COUNTS)
def test_what_is_no_mean_is_subtracted_as_values(rows):
    table = np.asarray(rows)
    before, after, control = (value(ENTITY_F1, table[:, 3 * i : 3 * i + 3]) for i in range(3))
    drop = value(metric_of("drop(entity_f1)"), table[:, :6])
    excess = value(metric_of("excess(entity_f1)"), table)
    np.testing.assert_array_equal([drop, excess], [before - after, control - after])


@pytest.mark.parametrize("lost", range(5, 96, 5))
def test_equal_denominators_give_exact_differences(lost):
    """A drop of exactly five points of a hundred items is .05, wherever it begins."""
    before = np.arange(100) < lost
    after = np.arange(100) < lost - 5
    assert value(metric_of("drop(accuracy)"), np.stack([before, after], 1)) == 0.05


def test_a_drop_has_no_effect_at_zero_and_twice_the_range():
    drop, excess = metric_of("drop(accuracy)"), metric_of("excess(accuracy)")
    assert (drop.no_effect, excess.no_effect) == (0.0, 0.0)
    assert drop.row_range == excess.row_range == (-1.0, 1.0)  # the original cancels out
    assert (drop.says, excess.says) == ("accuracy drop", "accuracy drop beyond random change")
    assert (ACCURACY.higher_is, drop.higher_is, excess.higher_is) == ("better", "worse", "worse")
    of_f1 = metric_of("drop(entity_f1)")
    assert (of_f1.row_range, scale_of(of_f1).low, scale_of(of_f1).high) == (None, -1.0, 1.0)


def test_a_pair_on_the_same_rows_is_tested():
    hits = np.array([[1.0, 0.0]] * 8 + [[1.0, 1.0]] * 4)
    (found,) = metric_of("drop(accuracy)").tests(hits, None, np.random.default_rng(0))
    assert found.n_units == 8
    assert metric_of("excess(accuracy)").tests is None


def test_beyond_is_what_is_left_of_a_metric_without_chance():
    control, beside = metric_of("beyond(attack_success)"), metric_of("beyond(cluster_alignment)")
    assert control.needs == ("attacked", "success", "control.attacked", "control.success")
    assert (control.says, control.scale) == ("attack success, beyond random change", "coefficient")
    assert (control.higher_is, control.no_effect, control.row_range) == ("worse", 0.0, None)
    rows = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 1, 1], [1, 0, 1, 0]], float)
    assert value(control, rows) == 2 / 4 - 1 / 3
    assert control.divisor(control.components(rows).sum(axis=0)) == 3
    assert (beside.needs[-1], beside.scale, beside.row_range) == ("null", "identity", (-1.0, 1.0))
    assert beside.conditional_on.endswith("its matching, and what permuted labels give")
    assert metric_of("beyond(farther)").row_range == (-2.0, 2.0)


def test_any_number_can_be_a_parameter():
    rows = [[1, 1, 7], [1, 1, 8], [1, 0, 3], [0, 0, 0]]
    assert value(SUCCESS_WITHIN.of("7"), rows) == pytest.approx(1 / 3)
    assert value(metric_of("success_within(8)"), rows) == pytest.approx(2 / 3)
    assert metric_of("success_within(8)").says == "attack success within 8 texts"


def test_usual_metrics_are_all_that_is_registered_and_drops_of_levels():
    names = usual_metrics()
    assert {"accuracy@1", "drop(accuracy)@1", "excess(entity_f1)@1"} <= set(names)
    assert "success_within(300)@1" in names
    assert not any(name.startswith("success_within@") for name in names)
    assert all(metric_of(name).id == name for name in names)
    assert isinstance(metric_of("drop(accuracy)"), Additive)
