"""Two models' answers end to end: identical, unrelated, constant, tagging, label-only models."""

import json

import numpy as np
import pytest
from design_inputs import inputs_of
from toy_invariance import Constant, LabelsOnly, Linear, rows

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.similarity.outputs import OutputsParams, SimilarityOutputs
from scrutiny.diagnostics.similarity.outputs_records import MEASURES, OfItem
from scrutiny.models.answers.compared_answers import LabelPair
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.audit import audit_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.stats.agreement.error_consistency import error_consistency
from scrutiny.stats.agreement.kappa import capa, cohen_kappa
from scrutiny.testing import check_diagnostic
from scrutiny.testing.toy_models import ConstantClassifier

A = Linear(0)
LABELS = ("negative", "positive")


class Seeded(Linear):
    """Runs of one recipe: near copies of each other."""

    def __init__(self, seed=1, base=0):
        super().__init__(100 + int(seed), like=Linear(int(base)), share=0.9)


def run(out, models, data, *, reference="a", draws=300, measured=(), **params):
    """Finished run among objects, or families of `Seeded` given by their numbers of seeds."""
    objects = {n: m for n, m in models.items() if not isinstance(m, tuple)}
    plans = [
        ModelPlan(n, f"python:object:{n}")
        if n in objects
        else ModelPlan(n, f"python:{__file__}:Seeded#base={m[0]},seed={{seed}}", seeds=m[1:])
        for n, m in models.items()
    ]
    measure = MeasurePlan(
        "s", "similarity.outputs", measured or tuple(models), ("x",), params, reference=reference
    )
    plan = Plan(
        resampling=Resampling(draws=draws),
        data=(DataPlan("x", "object:x"),),
        models=tuple(plans),
        measure=(measure,),
    )
    resolved = resolve(plan, data={"x": data}, models=objects)
    return run_plan(resolved, out, options=RunOptions(), models=objects)


def values(folder, subject="b"):
    """Estimates of a subject by metric; behind those of one model whose it is."""
    found = {}
    for e in folder.estimates():
        if e.key.subject == subject and e.key.replicate is None:
            of = e.key.condition.get("of")
            kind = "floor/" if e.key.role == "contrast" else ""
            name = kind + e.key.metric.partition("@")[0] + (f" {of}" if of else "")
            found.setdefault(name, e)
    return found


@pytest.fixture(scope="module")
def data():
    return rows(A, 120, noise=0.2)


@pytest.fixture(scope="module")
def found(tmp_path_factory, data):
    models = {
        "a": A,
        "near": Linear(1, like=A, share=0.95),
        "turned": Linear(3, like=A, share=1.0, labels=LABELS[::-1]),
        "unrelated": Linear(4),
        "constant": Constant(5),
        "labels": LabelsOnly(0),
    }
    return run(tmp_path_factory.mktemp("outputs") / "out", models, data)


def test_it_keeps_the_promises_of_a_diagnostic():
    check_diagnostic(SimilarityOutputs())


def test_it_is_registered_and_wants_a_reference():
    assert registry().load("diagnostic", "similarity.outputs") is SimilarityOutputs
    assert SimilarityOutputs.wants_reference
    assert SimilarityOutputs.pairs_apart


@pytest.mark.parametrize("subject", ["a", "turned"])
def test_identical_models_agree_everywhere_whatever_the_order_of_their_labels(found, subject):
    own = values(found, subject)
    for name in ("agreement", "kappa", "error_consistency", "capa_of_labels"):
        assert own[name].value == pytest.approx(1.0), name
    for name in ("nfr", "pfr", "correctness_flips", "accuracy_change", "accuracy_gap", "tv"):
        assert own[name].value == pytest.approx(0.0, abs=1e-7), name
    for name in ("jsd", "kl_ab", "kl_ba", "p_gold_change", "p_gold_rms"):
        assert own[name].value == pytest.approx(0.0, abs=1e-6), name
    assert own["capa"].value < 1  # unsure models are below 1 with themselves


def test_an_unrelated_model_agrees_by_chance(found):
    far, near = values(found, "unrelated"), values(found, "near")
    assert abs(far["kappa"].value) < 0.2
    assert near["kappa"].value > 0.5
    assert abs(far["error_consistency"].value) < 0.25
    assert far["jsd"].value > 5 * near["jsd"].value


def test_the_numbers_are_those_of_arrays(found, data):
    """From the answers themselves, with the statistics on arrays."""
    b = Linear(1, like=A, share=0.95)
    texts = [row["text"] for row in data]
    gold = np.array([LABELS.index(row["label"]) for row in data])
    p, q = (np.array([m.answer(t).scores for t in texts]) for m in (A, b))
    first, second = p.argmax(axis=1), q.argmax(axis=1)
    hits = first == gold, second == gold
    near = values(found, "near")
    assert near["agreement"].value == pytest.approx((first == second).mean())
    assert near["kappa"].value == pytest.approx(cohen_kappa(first, second).value)
    assert near["error_consistency"].value == pytest.approx(error_consistency(*hits).value)
    assert near["nfr"].value == pytest.approx((hits[0] & ~hits[1]).mean())
    assert near["accuracy_change"].value == pytest.approx(hits[1].mean() - hits[0].mean())
    assert near["capa"].value == pytest.approx(capa(p, q, gold).value, abs=1e-6)
    assert near["tv"].value == pytest.approx(np.abs(p - q).sum(axis=1).mean() / 2, abs=1e-6)
    assert near["accuracy reference"].value == pytest.approx(hits[0].mean())
    assert near["accuracy target"].value == pytest.approx(hits[1].mean())


def test_flips_are_the_change_of_accuracy_and_mcnemar_stands_beside_it(found):
    for subject in ("near", "unrelated", "constant"):
        one = values(found, subject)
        change = one["pfr"].value - one["nfr"].value
        assert one["accuracy_change"].value == pytest.approx(change)
        assert one["correctness_flips"].value == pytest.approx(one["pfr"].value + one["nfr"].value)
    tests = [e for e in found.estimates() if e.key.metric == "mcnemar@1"]
    assert {e.key.subject for e in tests} == {
        "a",
        *("near", "turned", "unrelated"),
        "constant",
        "labels",
    }
    assert all(e.key.replicate for e in tests)


def test_a_model_that_always_says_the_same_is_refused(found):
    constant = values(found, "constant")
    assert constant["label_entropy"].value == 0.0
    assert constant["commonest_label"].value == 1.0
    verdicts = {f.claim.id: f for f in found.findings() if "/constant/" in f.claim.id}
    assert len(verdicts) == 2
    assert {f.verdict for f in verdicts.values()} == {"refused"}
    assert all("no skill" in f.reason for f in verdicts.values())
    said = "constant gives the same answer to every input: one label for all "
    assert all(f.reason.startswith(said) for f in verdicts.values())


def test_claims_name_both_models_and_nothing_is_claimed_of_the_reference_itself(found):
    claims = {f.claim.id: f.claim for f in found.findings()}
    assert not [name for name in claims if name.startswith("s/a/")]
    assert claims["s/near/x/errors"].says == (
        "near and a make the same errors more often than their accuracies explain"
    )
    assert claims["s/near/x/no-worse"].components[0].limit == -0.02
    verdicts = {f.claim.id: f.verdict for f in found.findings()}
    assert verdicts["s/near/x/errors"] == "supported"
    assert verdicts["s/unrelated/x/errors"] in ("refused", "undecided", "not supported")


def test_labels_without_probabilities_have_no_divergence(found):
    labels = values(found, "labels")
    assert labels["agreement"].value is not None
    for name in ("jsd", "capa", "p_gold_change"):
        assert (labels[name].value, labels[name].status) == (None, "undefined")
    reasons = {
        json.loads(r["condition"])["of"]: r["reason"]
        for r in found.records().to_pylist()
        if r["subject"] == "labels" and r["status"] == "undefined"
    }
    assert reasons == dict.fromkeys(("probabilities", "gold probabilities"), "no_probabilities")


def test_a_family_beside_itself_is_the_noise_floor(tmp_path, data):
    models = {"a": (0, 1, 2, 3), "b": (0, 4, 5, 6)}
    names = {"a": models["a"], "b": (0, 1, 2, 3)}
    folder = run(tmp_path / "out", names, data, floor_margin=0.1)
    own, other = values(folder, "a"), values(folder, "b")
    assert own["agreement"].n_replicates == 3
    assert own["agreement"].value < 1.0  # runs beside each other, not beside themselves
    pairs = {(r["replicate"], r["status"]) for r in folder.records().to_pylist()}
    assert len(pairs) >= 3
    # b's runs are a's: run by run the same answers, nearer than a's own other runs
    assert other["agreement"].value == 1.0
    floor = other["floor/agreement"]
    assert floor.value == pytest.approx(1.0 - own["agreement"].value)
    assert floor.key.reference == "a"
    verdict = next(f for f in folder.findings() if f.claim.id == "s/b/x/floor")
    assert verdict.verdict == "supported"
    assert verdict.control is not None


def test_without_gold_labels_agreement_is_claimed_and_variety_presupposed(tmp_path, data):
    unlabeled = [{k: v for k, v in row.items() if k != "label"} for row in data]
    folder = run(tmp_path / "out", {"a": A, "b": Constant(5)}, unlabeled)
    assert "error_consistency" not in values(folder, "b")
    (finding,) = folder.findings()
    assert finding.claim.id == "s/b/x/labels"
    assert finding.verdict == "refused"


# -- rows ------------------------------------------------------------------------------------------

TASK = registry().load("task", "text-classification")()
TAGS = registry().load("task", "token-tagging")()
NAMES = [m.name for m in MEASURES]


def item(a, b, *, gold="positive", task=TASK, labels=(LABELS, LABELS)):
    example = Example("i", {"text": "x"}, gold)
    made = OfItem(example, task, LabelPair(*labels), a, b).rows()
    return {json.loads(r.condition)["of"]: r for r in made}


def numbers(row):
    return dict(zip(NAMES, row.values, strict=False))


def test_measures_of_one_item_by_hand():
    made = item(Prediction("positive", (0.2, 0.8)), Prediction("negative", (0.5, 0.5)))
    assert numbers(made["labels"])["same"] == 0.0
    gold = numbers(made["gold"])
    assert (gold["hit_a"], gold["hit_b"], gold["n_classes"]) == (1.0, 0.0, 2.0)
    assert (gold["pred_a"], gold["pred_b"]) == (1.0, 0.0)
    both = numbers(made["gold probabilities"])
    assert (both["p_dot"], both["pa_gold"], both["pb_gold"]) == pytest.approx((0.5, 0.8, 0.5))
    apart = numbers(made["probabilities"])
    assert apart["tv"] == pytest.approx(0.3)
    assert apart["kl_ab"] == pytest.approx(0.2 * np.log(0.4) + 0.8 * np.log(1.6))
    assert [r.role for r in made.values()] == ["measured"] * 4 + ["baseline"] * 2


def test_a_failure_of_either_model_is_that_of_all_rows():
    fine = Prediction("positive", (0.2, 0.8))
    for a, b in ((Failure("too_long"), fine), (fine, Failure("too_long"))):
        made = item(a, b)
        assert [(r.status, r.reason) for r in made.values()] == [("failed", "too_long")] * 6


def test_other_labels_have_agreement_and_no_divergence():
    a, b = Prediction("positive", (0.2, 0.8)), Prediction("positive", (0.2, 0.7, 0.1))
    made = item(a, b, labels=(LABELS, (*LABELS, "mixed")))
    assert numbers(made["labels"])["same"] == 1.0
    assert numbers(made["gold"])["n_classes"] == 3.0
    assert made["probabilities"].reason == "other_labels"


def test_a_single_label_is_skipped_and_so_is_what_needs_gold():
    one = Prediction("positive", (1.0,))
    made = item(one, one, labels=(("positive",), ("positive",)))
    assert {made[of].reason for of in ("gold", "gold probabilities")} == {"one_class"}
    fine = Prediction("positive", (0.2, 0.8))
    made = item(fine, fine, gold=None)
    assert [of for of, r in made.items() if r.reason == "no_gold"] == [
        "gold",
        "gold probabilities",
        "target",
        "reference",
    ]
    assert {r.status for r in made.values() if r.reason == "no_gold"} == {"skipped"}
    bare = item(Prediction("positive"), Prediction("positive"), gold=None)
    assert bare["probabilities"].reason == "no_probabilities"
    assert bare["gold probabilities"].reason == "no_gold"


def test_taggers_are_the_same_where_all_spans_are():
    span = Span("text", 0, 1, "PER")
    a, b = Prediction((span,)), Prediction(())
    made = item(a, b, gold=(span,), task=TAGS, labels=((), ()))
    assert list(made) == ["labels", "both answers", "target", "reference"]
    assert numbers(made["labels"])["same"] == 0.0
    assert made["both answers"].values[-3:] == (0.0, 0.0, 1.0)
    assert made["reference"].values[-3:] == (1.0, 0.0, 0.0)
    assert made["target"].values[-3:] == (0.0, 0.0, 1.0)
    assert a.agrees(a)
    assert [LabelPair((), ()).number(x) for x in (a, b)] == [1.0, 0.0]


def design_of(**more):
    known = {"task": TASK, "subject": "b", "reference": "a", "labels": LABELS, "chance": 0.5}
    return SimilarityOutputs().design(OutputsParams(), inputs_of(**{**known, **more}))


def test_taggers_are_claimed_by_entities_and_have_no_kappa():
    design = design_of(task=TAGS, chance=0.0, labels=())
    (claim,) = design.claims
    component = claim.components[0]
    assert (component.estimate, component.operator, component.limit) == ("drop", "<", 0.02)
    assert claim.says == "entity F1 of b is no lower than that of a, by less than 2 points"
    assert [s.metric for s in design.estimates] == [
        "agreement@1",
        "entity_f1@1",
        "entity_f1@1",
        "entity_f1@1",
        "drop(entity_f1)@1",
        "label_entropy@1",
        "commonest_label@1",
    ]


def test_the_floor_is_claimed_where_the_reference_has_several_runs():
    assert [c.id for c in design_of().claims] == ["errors", "no-worse"]
    several = design_of(reference_n_replicates=3)
    assert [c.id for c in several.claims] == ["errors", "no-worse", "floor"]
    assert {c.minus for c in several.contrasts} == {"reference"}
    assert design_of(subject="a", reference_n_replicates=3).claims == ()


@pytest.mark.parametrize("wrong", [{"tolerance": -0.1}, {"tolerance": 1.0}, {"floor_margin": 2.0}])
def test_margins_out_of_range_are_refused(wrong):
    with pytest.raises(PlanError, match="between 0 and 1"):
        OutputsParams(**wrong)


def test_an_audit_with_a_reference_has_its_rows():
    plan = audit_plan(
        [ModelPlan("m", "builtin:sentiment/seed-1")],
        [DataPlan("reviews", "builtin:reviews", limit=8)],
        reference=ModelPlan("r", "builtin:sentiment/seed-2"),
        only=["similarity.outputs"],
    )
    assert [(m.models, m.reference) for m in plan.measure] == [(("r", "m"), "r")]


def test_a_constant_classifier_of_the_toolbox_runs(tmp_path, data):
    folder = run(tmp_path / "out", {"a": A, "b": ConstantClassifier()}, data[:30], draws=100)
    assert values(folder, "b")["commonest_label"].value == 1.0
