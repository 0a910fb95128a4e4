"""Shared invariances end to end: the properties that they must have, on models of words."""

import json

import pytest
from design_inputs import inputs_of
from toy_invariance import Constant, LabelsOnly, Linear, rows, run, swapping, values

import scrutiny
from scrutiny.core.errors import PlanError
from scrutiny.core.plan import DataPlan, ModelPlan
from scrutiny.core.registry import registry
from scrutiny.diagnostics.invariance.scope_capabilities import ScopeParams
from scrutiny.diagnostics.invariance.shared_invariance import SharedInvariance
from scrutiny.run.planning.audit import audit_plan
from scrutiny.testing import KeywordClassifier, check_diagnostic
from scrutiny.testing.toy_models import ConstantClassifier

A = Linear(0)


@pytest.fixture
def words(monkeypatch):
    swapping(monkeypatch)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Estimates of five targets beside one reference."""
    with pytest.MonkeyPatch.context() as patch:
        swapping(patch)
        models = {
            "a": A,
            "near": Linear(1, like=A, share=0.95),
            "sharp": Linear(2, like=A, share=1.0, scale=4.0),
            "turned": Linear(3, like=A, share=1.0, labels=("positive", "negative")),
            "unrelated": Linear(4),
            "constant": Constant(5),
        }
        out = tmp_path_factory.mktemp("scope") / "out"
        folder = run(out, models, rows(A, 80, noise=0.1), cutoffs=[0.25, 4.0])
    return folder


def test_it_keeps_the_promises_of_a_diagnostic():
    check_diagnostic(SharedInvariance())


def test_it_is_registered_and_wants_a_reference():
    assert registry().load("diagnostic", "invariance.scope") is SharedInvariance
    assert SharedInvariance.wants_reference


def test_a_model_shares_all_invariances_with_itself(found):
    own = values(found, "a")
    assert own["hard_scope"].value == own["soft_scope"].value == 1.0
    assert own["mean_distance"].value == 0.0
    assert own["share(agree_base)"].value == own["ood_agreement(all)"].value == 1.0
    assert own["invariance_phi/control"].value == pytest.approx(1.0)
    assert own["scope_lift"].value > 0.05
    assert own["kappa_inv"].value == pytest.approx(1.0)
    assert not [f for f in found.findings() if "keep that of a," in f.claim.says]


def test_hard_needs_the_order_of_the_answers_only(found):
    sharp, own = values(found, "sharp"), values(found, "a")
    assert sharp["hard_scope"].value == own["hard_scope"].value == 1.0
    assert sharp["soft_scope"].value < 1.0
    turned = values(found, "turned")
    assert (turned["hard_scope"].value, turned["soft_scope"].value) == (1.0, 1.0)
    assert turned["mean_distance"].value == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("subject", ["near", "sharp", "unrelated", "constant"])
def test_soft_lies_between_nothing_and_hard(found, subject):
    one = values(found, subject)
    hard = one["hard_scope"].value
    curve = [
        e.value
        for e in found.estimates()
        if (e.key.subject, e.key.metric, e.key.role) == (subject, "soft_scope@1", "measured")
    ]
    by_cutoff = dict(zip((1.0, 0.25, 4.0), curve, strict=True))
    assert 0 <= by_cutoff[0.25] <= by_cutoff[1.0] <= by_cutoff[4.0] <= hard <= 1
    assert one["soft_scope"].key.condition["tolerance"] == 0.05


def test_an_unrelated_target_has_no_lift_and_a_near_one_has(found):
    near, far = values(found, "near"), values(found, "unrelated")
    assert near["scope_lift"].value > 0.05
    assert abs(far["scope_lift"].value) < 0.05
    assert far["hard_scope"].value > 0.7  # which is why it never stands alone
    assert near["invariance_phi/control"].value > 0.3 > far["invariance_phi/control"].value
    verdicts = {f.estimate.key.subject: f.verdict for f in found.findings()}
    assert verdicts["near"] == "supported"
    assert verdicts["unrelated"] in ("refused", "undecided", "not supported")


def test_a_target_that_always_says_the_same_is_refused(found):
    constant = values(found, "constant")
    assert constant["hard_scope"].value == 1.0
    assert constant["scope_lift"].value == 0.0
    assert constant["kappa_inv"].value is None  # no random change moves it: the warning
    assert constant["label_entropy"].value == 0.0
    assert constant["commonest_label"].value == 1.0
    (finding,) = [f for f in found.findings() if f.estimate.key.subject == "constant"]
    assert finding.verdict == "refused"
    items = constant["label_entropy"].counts.n
    said = (
        f"constant gives the same answer to every input: one label for all {items} items; no skill"
    )
    assert finding.reason.startswith(said)


def test_lift_is_hard_minus_the_control(found):
    for subject in ("a", "near", "unrelated"):
        one = values(found, subject)
        expected = one["hard_scope"].value - one["kept_by(target)/control"].value
        assert one["scope_lift"].value == pytest.approx(expected)


def design_of(params=None, **more):
    """Design for b beside a."""
    known = {"task": registry().load("task", "text-classification")(), "chance": 0.5}
    known |= {"subject": "b", "reference": "a", "labels": ("negative", "positive")}
    return SharedInvariance().design(params or ScopeParams(), inputs_of(**{**known, **more}))


def test_claims_presuppose_skill_of_both_or_that_labels_are_used():
    (synonym, typo) = design_of().claims
    assert (
        synonym.competence
        == typo.competence
        == (
            ("level", 0.5),
            ("level_reference", 0.5),
            ("entropy", 0.0),
        )
    )
    tags = design_of(task=registry().load("task", "token-tagging")()).claims[0]
    assert [name for name, _ in tags.competence] == ["level", "level_reference"]
    assert design_of(chance=0.0).claims[0].competence == (("entropy", 0.286),)
    assert design_of(subject="a").claims == ()


def test_what_is_claimed_says_what_was_changed():
    found = design_of(ScopeParams(amounts=(1, 4)))
    assert found.families["invariance"] == (
        "b shares invariances of a on x (synonym, typo) beyond random changes by more than 2 points"
    )
    assert [c.says.partition(":")[0] for c in found.claims][:2] == [
        "synonym in 1 place",
        "synonym in 4 places",
    ]
    published = design_of(ScopeParams(preset="as_published"))
    assert "(synonym, typo, as published)" in published.families["invariance"]
    assert published.claims[1].says.startswith("typo in all places: changes")


def test_both_directions_differ(tmp_path, words):
    models = {"a": A, "b": Linear(1, like=A, share=0.6, scale=3.0)}
    data = rows(A, 30)
    there = values(run(tmp_path / "there", models, data, reference="a"), "b")
    back = values(run(tmp_path / "back", models, data, reference="b"), "a")
    assert there["hard_scope"].value != back["hard_scope"].value
    assert there["hard_scope"].key.reference == "a"


# -- what cannot be known --------------------------------------------------------------------------


def test_labels_alone_give_hard_and_no_soft(tmp_path, words):
    models = {"a": A, "b": LabelsOnly(1, like=A, share=0.9)}
    one = values(run(tmp_path / "out", models, rows(A, 20)), "b")
    assert one["hard_scope"].value is not None
    assert one["soft_scope"].value is None
    assert one["soft_scope"].counts.undefined == one["hard_scope"].counts.n == 20


class Rounded(Linear):
    """Frequencies of some samples, always the same for one text."""

    def probability(self, text):
        import numpy as np

        rng = np.random.default_rng(sum(map(ord, text)))
        return rng.binomial(self.n_samples, super().probability(text)) / self.n_samples


@pytest.mark.parametrize(("n_samples", "is_refused"), [(3, True), (4000, False)])
def test_soft_is_refused_where_samples_decide(tmp_path, words, n_samples, is_refused):
    models = {
        "a": A,
        "b": Rounded(1, like=A, share=1.0, scale=0.3, n_samples=n_samples),
    }
    soft = Linear(1, like=A, share=1.0, scale=0.3)
    folder = run(tmp_path / "out", {**models, "a": soft}, rows(A, 40), cutoffs=[])
    found = {
        (e.key.role, e.key.metric): e
        for e in folder.estimates()
        if e.key.subject == "b" and e.key.metric == "soft_scope@1"
    }
    own = found["baseline", "soft_scope@1"].value
    assert (own < 0.8) == is_refused
    shown = found["measured", "soft_scope@1"]
    assert (shown.value is None) == is_refused
    assert (shown.status == "refused") == is_refused
    assert values(folder, "b")["hard_scope"].value is not None


def test_an_item_that_a_model_fails_on_fails_with_all_its_rows(tmp_path, words):
    class Failing(Linear):
        def predict(self, examples):
            if any(e.id == "i3" for e in examples):
                raise RuntimeError("no")
            return super().predict(examples)

    models = {"a": A, "b": Failing(1)}
    folder = run(tmp_path / "out", models, rows(A, 12), measured=("b",))
    of_item = [r for r in folder.records().to_pylist() if r["item"] == "i3"]
    assert {r["status"] for r in of_item} == {"failed"}
    assert values(folder, "b")["hard_scope"].counts.failed == 1


def test_texts_without_a_place_are_skipped_and_counted(tmp_path, words):
    data = [*rows(A, 12), {"id": "empty", "text": "...", "label": "positive"}]
    folder = run(tmp_path / "out", {"a": A, "b": Linear(1)}, data, measured=("b",))
    one = values(folder, "b")
    assert one["hard_scope"].counts.skipped == 1
    assert one["share(agree_base)"].counts.n == 13
    rows_of = [r for r in folder.records().to_pylist() if r["item"] == "empty"]
    assert {r["reason"] for r in rows_of if r["status"] != "ok"} == {"no_place"}


# -- costs, records, plans -------------------------------------------------------------------------


def test_the_reference_is_searched_once_whatever_the_targets(tmp_path, words):
    first, second = Linear(0), Linear(0)
    run(tmp_path / "one", {"a": first, "b": Linear(1)}, rows(A, 12), measured=("b",))
    many = {"a": second, **{name: Linear(1) for name in "bcd"}}
    run(tmp_path / "many", many, rows(A, 12), measured=tuple("bcd"))
    # what is left is the measuring: items and pairs, once for each target
    assert len(second.asked) - len(first.asked) <= 2 * 12 * (1 + 2 * 2)


def test_each_target_is_asked_two_texts_a_pair(tmp_path, words):
    target = Linear(1)
    run(tmp_path / "out", {"a": A, "b": target}, rows(A, 12), measured=("b",))
    assert len(target.asked) <= 12 * (1 + 2 * 2)


def test_the_design_states_the_price():
    design = design_of(ScopeParams(amounts=(1, 2)))
    assert design.queries_per_item == 1 + 2 * (2 * 2) * 3
    assert design.search_per_item == 1 + 3 * (2 * 2) * 30
    assert [dict(c) for c in design.conditions[:2]] == [
        {"capability": "synonym", "amount": 1},
        {"capability": "synonym", "amount": 2},
    ]


def test_soft_presupposes_itself_where_samples_are_all_that_is_known():
    plain = {e.id: e.presupposes for e in design_of().estimates}
    assert not any(plain.values())
    assert "soft_self/typo/1" not in plain
    sampled = design_of(reference_capabilities=frozenset({"predict", "samples"}))
    by_id = {e.id: tuple((s.id, v) for s, v in e.presupposes) for e in sampled.estimates}
    assert by_id["soft/typo/1"] == by_id["soft/typo/1/cutoff=2"] == (("soft_self/typo/1", 0.8),)
    assert by_id["hard/typo/1"] == ()


def test_a_row_has_all_trials_of_an_item(found):
    records = [r for r in found.records().to_pylist() if r["subject"] == "near"]
    keys = [(r["item"], r["role"], r["condition"]) for r in records]
    assert len(set(keys)) == len(keys) == 80 * (3 + 5)
    measures = SharedInvariance().measured(registry().load("task", "text-classification")())
    assert sum(2 if m.axes else 1 for m in measures) == len(records[0]["values"])
    assert json.loads(records[3]["condition"]) == {"amount": 1, "capability": "word"}


def test_an_audit_with_a_reference_has_its_rows():
    models = [ModelPlan("m", "builtin:sentiment/seed-1")]
    data = [DataPlan("x", "builtin:reviews", limit=20)]
    assert "invariance.scope" not in [m.diagnostic for m in audit_plan(models, data).measure]
    second = ModelPlan("r", "builtin:sentiment/seed-2")
    plan = audit_plan(models, data, only=["invariance.scope"], reference=second)
    (measure,) = plan.measure
    assert (measure.models, measure.reference) == (("r", "m"), "r")
    assert measure.params["trials"] == 2


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"preset": "paper"}, "preset is one of corrected, as_published"),
        ({"method": "annealing"}, "method is one of"),
        ({"distance": "l2"}, "distance is one of"),
        ({"capabilities": ()}, "at least one"),
        ({"capabilities": ("typo", "typo")}, "each once"),
        ({"amounts": (0,)}, "numbers of places from 1"),
        ({"trials": 0}, "at least 1"),
        ({"method": "exhaustive", "amounts": (2,)}, "takes one step"),
        ({"tolerance": 2.0}, "tolerance <= cutoff"),
        ({"margin": 1.5}, "margin must lie"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(params, says):
    with pytest.raises(PlanError, match=says):
        ScopeParams(**params)


def test_conformance_with_two_models_that_differ():
    check_diagnostic(
        SharedInvariance(),
        model=KeywordClassifier(),
        reference=ConstantClassifier("negative", labels=("negative", "positive")),
        task=registry().load("task", "text-classification")(),
    )


def test_it_runs_from_python_with_objects():
    found = scrutiny.run(
        "invariance.scope",
        model=Linear(1, like=A, share=0.9),
        reference=A,
        data=rows(A, 24),
        task="text-classification",
        capabilities=["typo"],
        trials=1,
        candidates=4,
    )
    by_subject = {
        e.key.subject: e for e in found.estimates if e.key.metric == "share(agree_base)@1"
    }
    assert set(by_subject) == {"model", "reference"}
    assert by_subject["model"].key.reference == "reference"
