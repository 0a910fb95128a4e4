"""Agreement of rankings: by hand, and on planted toys."""

import numpy as np
import pytest
from faithful_texts import TASK, examples, measured, rows, values
from scipy.stats import kendalltau
from toy_attention_layer import (
    ToyAttentionLayer,
    faithful_layer,
    unfaithful_layer,
)
from toy_runs import estimate, run

from scrutiny.diagnostics.faithfulness.agreement import AgreementParams, AttentionAgreement
from scrutiny.testing import check_diagnostic

ROWS = rows(40)
GRADIENT, LEFT_OUT, BASELINE = (
    "attention-gradient",
    "attention-leave_one_out",
    "gradient-leave_one_out",
)


def test_it_keeps_the_promises_of_its_protocol():
    given = [*ROWS[:4], {"id": "one", "text": "good", "label": "positive"}]
    check_diagnostic(
        AttentionAgreement(), examples=examples(given), task=TASK, model=faithful_layer()
    )


def test_taus_are_those_of_scipy_over_what_the_layer_says():
    says = {"good": (0.0, 3.0), "ok": (0.5, 0.2), "the": (0.1, 0.0), "bus": (0.0, 0.7)}
    toy = ToyAttentionLayer({"good": 0.3, "the": 1.0, "bus": 0.9, "day": 0.5}, says)
    given = [{"id": "i", "text": "the day ok bus good", "label": "positive"}]
    found, _ = measured(AttentionAgreement(), AgreementParams(), toy, given)
    (text,) = toy.attention_layer([given[0]["text"]])
    gradient = np.abs(toy.input_slopes([text])[0])
    left_out = np.abs(toy.without_each([text])[0] - text.probabilities).sum(-1) / 2
    sides = {"attention": text.weights, "gradient": gradient, "leave_one_out": left_out}
    for name in (GRADIENT, LEFT_OUT, BASELINE):
        one, other = name.split("-")
        expected = kendalltau(sides[one], sides[other]).statistic
        assert values(found, AttentionAgreement(), "tau", between=name) == [pytest.approx(expected)]
    assert set(values(found, AttentionAgreement(), "tokens")) == {5.0}


def test_words_in_another_order_have_the_same_taus():
    toy = ToyAttentionLayer({"good": 1.0, "the": 0.5}, {"good": (0.0, 3.0), "old": (1.0, 0.0)})
    words = "the good old day".split()
    given = [
        {"id": f"r{k}", "text": " ".join(np.roll(words, k)), "label": "positive"} for k in range(4)
    ]
    found, _ = measured(AttentionAgreement(), AgreementParams(), toy, given)
    for name in (GRADIENT, LEFT_OUT, BASELINE):
        assert np.ptp(values(found, AttentionAgreement(), "tau", between=name)) < 1e-12


def test_a_ranking_of_ties_is_no_ranking():
    toy = ToyAttentionLayer({}, {"good": (0.0, 3.0), "bad": (3.0, 0.0)})
    found, _ = measured(AttentionAgreement(), AgreementParams(), toy, ROWS[:1])
    said = [(row.status, row.reason) for row in found]
    assert said == [("undefined", "only_ties")] * 2 + [("ok", None)]


def test_planted_attention_is_told_from_attention_elsewhere(tmp_path):
    one = run("faithfulness.agreement", faithful_layer(), ROWS, tmp_path / "a")
    other = run("faithfulness.agreement", unfaithful_layer(), ROWS, tmp_path / "b")
    assert estimate(one, "mean(tau)", between=GRADIENT).value == pytest.approx(1.0)
    assert estimate(one, "mean(tau)", between=LEFT_OUT).value == pytest.approx(1.0)
    assert estimate(one, "mean(tau)", role="baseline", between=BASELINE).value == pytest.approx(1.0)
    assert [f.verdict for f in one.findings()] == ["supported", "supported"]
    assert estimate(other, "mean(tau)", between=LEFT_OUT).value < 0
    assert estimate(other, "mean(tau)", role="baseline", between=BASELINE).value > 0.9
    assert [f.verdict for f in other.findings()] == ["not supported", "not supported"]
