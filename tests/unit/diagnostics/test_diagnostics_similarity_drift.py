"""Drift end to end: equal, noisy, shifted and sampled models; rows by hand."""

import json

import numpy as np
import pytest
from design_inputs import inputs_of
from preferring_language import Preferring
from toy_invariance import LabelsOnly, Linear, rows

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.similarity import drift_records as s
from scrutiny.diagnostics.similarity.drift import Drift, DriftParams
from scrutiny.diagnostics.similarity.drift_records import (
    MEASURES,
    logprob_rows,
    of_samples,
)
from scrutiny.diagnostics.similarity.drift_texts import DriftTexts, DriftTextsParams
from scrutiny.models.answers.compared_answers import LabelPair
from scrutiny.reliability.metrics import metric_of
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.stats.distributions.output_distances import counts_of
from scrutiny.stats.distributions.two_sample import exchanged, label_mmd
from scrutiny.testing import check_diagnostic

A = Linear(0)
LABELS = ("negative", "positive")
TASK = registry().load("task", "text-classification")()
TABLE = DriftParams(exchanges=19).table


class Noisy(Linear):
    """Logits with noise of their own at every call, and a shift of all of them."""

    is_batch_invariant = False

    def __init__(self, stream=0, *, noise=0.2, shift=0.0):
        super().__init__(0)
        self._rng, self._noise, self._shift = np.random.default_rng(stream), noise, shift

    def answer(self, text):
        p = np.clip(self.probability(text), 1e-6, 1 - 1e-6)
        logit = np.log(p / (1 - p)) + self._shift + self._noise * self._rng.normal()
        q = float(1 / (1 + np.exp(-logit)))
        return Prediction(LABELS[int(q > 0.5)], (1 - q, q))


class Sampling(Linear):
    """Shares of samples, drawn anew at every call unless it replays them."""

    is_batch_invariant = False

    def __init__(self, stream=0, *, samples=20, shift=0.0, replays=False):
        super().__init__(0)
        self.n_samples = samples
        self._rng, self._stream = np.random.default_rng(stream), stream
        self._shift, self._replays = shift, replays

    def predict(self, examples):
        if self._replays:
            self._rng = np.random.default_rng(self._stream)
        return [self.answer(example.text) for example in examples]

    def answer(self, text):
        p = min(1.0, 0.2 + 0.6 * self.probability(text) + self._shift)
        share = self._rng.binomial(self.n_samples, p) / self.n_samples
        return Prediction(LABELS[int(share > 0.5)], (1 - share, share))


class SeededSamples:
    """A black box that draws the same again for the same draw."""

    labels = LABELS

    def __init__(self, shift=0):
        self._shift = int(shift) / 100

    def predict(self, texts, draw=0):
        rng = np.random.default_rng([draw, int(100 * self._shift)])
        chance = np.array([0.2 + 0.6 * A.probability(text) for text in texts]) + self._shift
        return [LABELS[int(one)] for one in rng.random(len(texts)) < chance]


def run(out, models, data, *, diagnostic="similarity.drift", task="", draws=200, **params):
    """Finished run of drift from the first model, among objects or model strings."""
    objects = {n: m for n, m in models.items() if not isinstance(m, str)}
    first, *_ = models
    plans = [
        ModelPlan(n, m, seeds=(0, 1, 2) if "{seed}" in m else ())
        if isinstance(m, str)
        else ModelPlan(n, f"python:object:{n}")
        for n, m in models.items()
    ]
    measure = MeasurePlan("d", diagnostic, tuple(models), ("x",), params, reference=first)
    plan = Plan(
        resampling=Resampling(draws=draws),
        data=(DataPlan("x", "object:x", task=task),),
        models=tuple(plans),
        measure=(measure,),
    )
    resolved = resolve(plan, data={"x": data}, models=objects)
    return run_plan(resolved, out, options=RunOptions(), models=objects)


def verdicts(folder):
    return {f.claim.id.split("/")[1]: f.verdict for f in folder.findings()}


def value(folder, metric, subject="b", **condition):
    """The one estimate of a subject that has exactly this condition."""
    (found,) = [
        e
        for e in folder.estimates()
        if e.key.metric == f"{metric}@1"
        and e.key.subject == subject
        and e.key.role != "contrast"
        and ("beside" in e.key.condition) == ("beside" in condition)
    ]
    return found


@pytest.fixture(scope="module")
def data():
    return rows(A, 60, noise=0.2)


AGAIN = {"beside": "the reference asked again"}


# -- log-probabilities -----------------------------------------------------------------------------


def test_they_keep_the_promises_of_a_diagnostic():
    check_diagnostic(Drift())
    assert registry().load("diagnostic", "similarity.drift") is Drift
    assert registry().load("diagnostic", "similarity.drift-texts") is DriftTexts


def test_a_model_that_repeats_itself_is_not_told_from_its_copy_and_any_other_is(tmp_path, data):
    models = {"a": A, "copy": Linear(0), "b": Linear(1, like=A, share=0.999)}
    folder = run(tmp_path / "out", models, data)
    assert verdicts(folder) == {"copy": "undecided", "b": "supported"}
    assert value(folder, "farther").value == 1.0
    assert value(folder, "farther", "copy").value == 0.0
    assert value(folder, "logprob_exchange").value == pytest.approx(1e-4)  # of 9999 and itself
    assert value(folder, "logprob_exchange", "copy").value == 1.0
    assert value(folder, "logprob_distance", **AGAIN).value == 0.0


def test_the_numbers_are_those_of_the_answers(tmp_path, data):
    b = Linear(1, like=A, share=0.9)
    folder = run(tmp_path / "out", {"a": A, "b": b}, data)
    p, q = (np.log([m.answer(row["text"]).scores for row in data]) for m in (A, b))
    gold = [LABELS.index(row["label"]) for row in data]
    change = (q - p)[np.arange(len(data)), gold]
    assert value(folder, "logprob_distance").value == pytest.approx(np.abs(p - q).mean())
    assert value(folder, "beyond(logprob_distance)").value == pytest.approx(np.abs(p - q).mean())
    assert value(folder, "logprob_change").value == pytest.approx(change.mean())
    assert value(folder, "logprob_change").counts.n == len(data)


def test_noise_of_the_reference_is_told_from_a_shift(tmp_path, data):
    models = {"a": Noisy(1), "equal": Noisy(2), "b": Noisy(3, shift=0.6)}
    folder = run(tmp_path / "out", models, data)
    assert verdicts(folder) == {"equal": "undecided", "b": "supported"}
    assert value(folder, "logprob_distance", **AGAIN).value > 0.05
    assert value(folder, "logprob_exchange", "equal").value > 0.05
    assert value(folder, "logprob_exchange").value < 0.01
    finding = next(f for f in folder.findings() if "/b/" in f.claim.id)
    assert finding.control is not None


def test_models_without_probabilities_or_with_other_labels_say_so(tmp_path, data):
    models = {"a": A, "labels": LabelsOnly(0), "b": Linear(1)}
    models["b"].labels = (*LABELS, "mixed")
    models["b"].answer = lambda text: Prediction("mixed", (0.2, 0.2, 0.6))
    folder = run(tmp_path / "out", models, data)
    reasons = {
        (r["subject"], r["role"]): r["reason"]
        for r in folder.records().to_pylist()
        if json.loads(r["condition"])["of"] == "log-probabilities"
    }
    assert reasons["labels", "measured"] == "no_probabilities"
    assert reasons["b", "measured"] == "other_labels"
    assert reasons["labels", "control"] is None
    assert set(verdicts(folder).values()) == {"undecided"}


def test_rows_of_one_item_by_hand():
    example = Example("i", {"text": "x"}, "positive")
    a, b = Prediction("positive", (0.2, 0.8)), Prediction("positive", (0.4, 0.6))
    again = Prediction("positive", (0.25, 0.75))
    made = list(logprob_rows(example, (a, b, again), LabelPair(LABELS, LABELS), TABLE))
    assert [(r.role, json.loads(r.condition)["of"]) for r in made] == [
        ("measured", "log-probabilities"),
        ("control", "log-probabilities"),
        ("measured", "gold"),
        ("control", "gold"),
    ]
    names = [m.name for m in MEASURES]
    distance, control, gold, gold_again = (dict(zip(names, r.values, strict=False)) for r in made)
    assert distance["distance"] == pytest.approx((np.log(2) + np.log(0.8 / 0.6)) / 2)
    assert control["distance"] == pytest.approx((np.log(1.25) + np.log(0.8 / 0.75)) / 2)
    assert (distance["farther"], distance["nearer"]) == (1.0, 0.0)
    assert (gold["logp_a"], gold["logp_b"]) == pytest.approx((np.log(0.8), np.log(0.6)))
    assert gold_again["logp_b"] == pytest.approx(np.log(0.75))
    assert all(len(r.values) == len(MEASURES) - 1 + 19 for r in made)


def test_failures_are_those_of_the_rows_that_need_them():
    fine, failed = Prediction("positive", (0.2, 0.8)), Failure("too_long")
    example, labels = Example("i", {"text": "x"}, None), LabelPair(LABELS, LABELS)

    def statuses(*answers):
        return [r.status for r in logprob_rows(example, answers, labels, TABLE)]

    assert statuses(fine, failed, fine) == ["failed", "ok", "failed", "skipped"]
    assert statuses(fine, fine, failed) == ["failed", "failed", "skipped", "failed"]
    assert statuses(failed, fine, fine) == ["failed"] * 4
    assert statuses(fine, fine, fine) == ["ok", "ok", "skipped", "skipped"]


# -- samples ---------------------------------------------------------------------------------------


def test_equal_samplers_are_not_told_apart_and_a_shifted_one_is(tmp_path, data):
    models = {"a": Sampling(1), "equal": Sampling(2), "b": Sampling(3, shift=0.2)}
    folder = run(tmp_path / "out", models, data)
    assert verdicts(folder) == {"equal": "undecided", "b": "supported"}
    assert value(folder, "mmd_exchange").value == pytest.approx(1 / 200)
    assert value(folder, "mmd_exchange", "equal").value > 0.05
    assert value(folder, "mmd_exchange", **AGAIN).value > 0.01
    assert abs(value(folder, "label_mmd", "equal").value) < 0.02
    # 2 * .2 ** 2 is expected of two labels; the standard error is .015
    assert value(folder, "label_mmd").value == pytest.approx(0.08, abs=0.045)


def test_a_box_that_draws_the_same_again_is_no_control(tmp_path, data):
    folder = run(tmp_path / "out", {"a": Sampling(1, replays=True), "b": Sampling(2)}, data[:20])
    control = value(folder, "label_mmd", **AGAIN)
    assert (control.status, control.counts.undefined) == ("undefined", 20)
    assert {r["reason"] for r in folder.records().to_pylist() if r["role"] == "control"} == {
        "same_samples"
    }
    assert verdicts(folder) == {"b": "undecided"}


@pytest.mark.parametrize(("shift", "wanted"), [(0, "undecided"), (20, "supported")])
def test_sets_of_samples_are_replicates_and_the_references_own_are_the_floor(
    tmp_path, data, shift, wanted
):
    box = f"python:{__file__}:SeededSamples#shift={{}},samples=20,draw={{}}"
    models = {"a": box.format(0, "{seed}"), "b": box.format(shift, "{seed}")}
    if not shift:  # other draws of the same box
        models["b"] = box.format(0, "1{seed}")
    folder = run(tmp_path / "out", models, data)
    (finding,) = folder.findings()
    assert finding.verdict == wanted
    assert finding.claim.components[1].estimate.endswith("floor/farther")
    own = value(folder, "farther", "a")
    assert own.n_replicates == 3
    assert abs(own.value) < 0.2


def test_one_side_without_samples_or_with_too_few_is_not_compared(tmp_path, data):
    models = {"a": Sampling(1), "b": A, "one": Sampling(2, samples=1)}
    folder = run(tmp_path / "out", models, data[:8])
    found = {
        (r["subject"], r["status"], r["reason"])
        for r in folder.records().to_pylist()
        if r["role"] == "measured" and r["subject"] != "a"
    }
    assert found == {("b", "undefined", "one_side_sampled"), ("one", "refused", "few_samples")}
    assert set(verdicts(folder).values()) == {"undecided"}


def test_discrepancy_of_samples_by_hand():
    # of 4 and 4 samples: 2 of 12 ordered pairs within a differ in nothing twice over
    a, b = np.array([3, 1]), np.array([1, 3])
    assert float(label_mmd(a, b)) == pytest.approx(6 / 12 + 6 / 12 - 2 * 6 / 16)
    drawn = exchanged(a, b, exchanges=2000, rng=np.random.default_rng(0))
    # of 70 deals: 1 + 1 of (4, 0), 16 + 16 of (3, 1), 36 of (2, 2)
    values, counts = np.unique(drawn.round(9), return_counts=True)
    wanted = {float(label_mmd(np.array([k, 4 - k]), np.array([4 - k, k]))) for k in range(5)}
    assert values == pytest.approx(sorted(wanted))
    assert counts / 2000 == pytest.approx(np.array([36, 32, 2]) / 70, abs=0.03)
    found = of_samples(a, b, exchanges=2000, rng=np.random.default_rng(0))
    assert found["farther"] == pytest.approx(36 / 70, abs=0.03)
    assert found["nearer"] == pytest.approx(2 / 70, abs=0.02)


def test_shares_that_are_no_counts_are_seen():
    assert counts_of((0.1, 0.9), 20).tolist() == [2, 18]
    assert counts_of((0.5, 0.4), 10) is None
    assert counts_of((0.33, 0.67), 10) is None


# -- texts -----------------------------------------------------------------------------------------

PASSAGES = [{"id": f"t{i}", "text": "one two three " + "more " * i} for i in range(12)]


@pytest.mark.parametrize("causal", [False, True])
def test_likelihoods_of_texts_tell_language_models_apart(tmp_path, causal):
    models = {
        "a": Preferring(causal=causal),
        "copy": Preferring(causal=causal),
        "b": Preferring(("two",), causal=causal),
    }
    folder = run(
        tmp_path / "out", models, PASSAGES, diagnostic="similarity.drift-texts", task="passages"
    )
    assert verdicts(folder) == {"copy": "undecided", "b": "supported"}
    # one nat for what follows "two" ("three" and each "more"), of masked models also for "one"
    length = np.mean([1 + i + (0 if causal else 1) for i in range(12)])
    assert value(folder, "logprob_change").value == pytest.approx(length)
    assert value(folder, "logprob_distance", "copy").value == 0.0
    assert value(folder, "paired_logprob").value < 0.01


def test_language_models_without_a_likelihood_in_common_have_no_claim(tmp_path):
    models = {"a": Preferring(), "b": Preferring(causal=True)}
    folder = run(
        tmp_path / "out", models, PASSAGES, diagnostic="similarity.drift-texts", task="passages"
    )
    assert not folder.findings()
    own = [r for r in folder.records().to_pylist() if r["subject"] == "b"]
    assert {(r["status"], r["reason"]) for r in own} == {("skipped", "no_likelihoods")}


# -- designs and statistics ------------------------------------------------------------------------


def design_of(params=None, **more):
    known = {"task": TASK, "subject": "b", "reference": "a", "labels": LABELS, "chance": 0.5}
    return Drift().design(params or DriftParams(), inputs_of(**{**known, **more}))


def test_several_looks_share_the_level():
    (once,), (often,) = design_of().claims, design_of(DriftParams(looks=10)).claims
    assert (once.level, often.level) == pytest.approx((0.95, 0.995))
    assert "level 0.005" in often.says
    assert "10 tests" in " ".join(design_of(DriftParams(looks=10)).notes)


def test_runs_of_the_reference_are_a_further_control():
    (claim,) = design_of(reference_n_replicates=3).claims
    assert [c.estimate for c in claim.components] == ["farther", "floor/distance"]
    assert design_of(subject="a", reference_n_replicates=3).claims == ()
    assert "change" not in [spec.id for spec in design_of(chance=0.0).estimates]


@pytest.mark.parametrize(
    "wrong", [{"looks": 0}, {"tolerance": -1.0}, {"tolerance": 1.0}, {"exchanges": 5}]
)
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(PlanError, match="must lie between"):
        DriftParams(**wrong)
    if "exchanges" not in wrong:
        with pytest.raises(PlanError, match="must lie between"):
            DriftTextsParams(**wrong)


def test_tests_of_one_replicate_by_hand():
    rng = np.random.default_rng(0)
    beyond = metric_of("beyond(logprob_distance)")
    (exchange,) = beyond.tests(np.array([[0.3, 0.1], [0.5, 0.2], [0.2, 0.1]]), None, rng)
    assert exchange.p_value == 1 / 8
    flat = np.array([[0.3, 0.3]] * 5)
    assert beyond.tests(flat, None, rng)[0].p_value == 1.0
    (paired,) = s.LOGPROB_CHANGE.tests(np.array([[-1.0, -1.5]] * 8), None, rng)
    assert paired.p_value == 0.0078125
    (by_unit,) = s.LOGPROB_CHANGE.tests(np.array([[-1.0, -1.5]] * 8), np.arange(8) // 2, rng)
    assert by_unit.p_value == 1 / 8
