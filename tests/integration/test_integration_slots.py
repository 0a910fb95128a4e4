"""Metrics of two models, written with their names: those of `similarity.outputs`, of any run."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

import scrutiny
from scrutiny.core.errors import PlanError, UserError
from scrutiny.reliability.metrics import metric_of

OF_BOTH = ("error_consistency", "nfr", "pfr", "correctness_flips", "accuracy_gap")
MODELS = {"old": {"source": "builtin:spam/seed-1"}, "new": {"source": "builtin:spam-v2/seed-2"}}
PLAN = {
    "data": {"m": {"source": "builtin:messages", "limit": 400}},
    "models": MODELS,
    "measure": [
        {"id": "levels", "diagnostic": "performance"},
        {
            "id": "beside",
            "diagnostic": "similarity.outputs",
            "models": ["new"],
            "reference": "old",
        },
    ],
    "estimate": [{"id": name, "from": "levels", "metric": f"{name}(old, new)"} for name in OF_BOTH],
    "resampling": {"draws": 300},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    plan = PLAN | {"claim": [{"says": "c", "estimate": "error_consistency", "rule": "> -1"}]}
    return scrutiny.run(plan, out=tmp_path_factory.mktemp("slots") / "run")


def hits(run):
    """Whether each model is right, by item, from the records of single models."""
    found = {}
    for row in run.records("performance").to_arrow().to_pylist():
        found.setdefault(row["subject"], {})[row["item"]] = row["values"][0]
    return (np.array([found[name][i] for i in sorted(found["old"])]) for name in ("old", "new"))


def test_values_are_those_of_the_diagnostic_and_of_scikit_learn(run):
    old, new = hits(run)
    wanted = {
        "error_consistency": cohen_kappa_score(old, new),
        "nfr": ((old == 1) & (new == 0)).mean(),
        "pfr": ((old == 0) & (new == 1)).mean(),
        "correctness_flips": (old != new).mean(),
        "accuracy_gap": abs(old.mean() - new.mean()),
    }
    for name, value in wanted.items():
        found = run.estimate(f"{name}(old, new)")
        assert found.value == pytest.approx(value, abs=1e-12)
        (own,) = (
            e for e in run.estimates if e.key.metric == f"{name}@1" and e.key.role == "measured"
        )
        assert own.value == pytest.approx(value, abs=1e-12)
        assert (own.low, own.high) == pytest.approx((found.low, found.high), abs=1e-12)
        assert (found.key.subject, found.key.reference) == ("new", "old")
        assert found.counts == own.counts


@pytest.mark.parametrize("name", OF_BOTH)
def test_one_line_in_a_plan_a_rule_and_python(run, name):
    asked = run.estimate(f"{name}(old, new)")
    planned = next(e for e in run.estimates if e.key == asked.key)
    (rule,) = run.gate(f"{name}(old, new) > -2")
    assert (planned.value, planned.low) == (asked.value, asked.low)
    assert rule.estimate.value == asked.value
    assert rule.verdict == "supported"
    assert "new beside old" in rule.reason


def test_which_is_asked_first_matters_where_it_should(run):
    assert run.estimate("nfr(old, new)").value == run.estimate("pfr(new, old)").value
    both = [run.estimate(f"error_consistency({pair})").value for pair in ("old, new", "new, old")]
    assert both[0] == both[1]
    assert run.estimate("error_consistency(old, old)").value == 1.0
    long = run.estimate("nfr(old, new) where length > 20")
    assert long.counts.n < 400
    assert long.key.group == "length > 20"


def test_claims_and_pages_take_them(run):
    (claim,) = (f for f in run.findings if f.claim.says == "c")
    assert claim.estimate.key.metric == "error_consistency@1"
    assert "error consistency" in run.report(run.path.parent / "page.html").lower()


def test_what_a_slot_takes_follows_from_what_is_needed():
    assert metric_of("error_consistency").slot == ("hit",)
    assert metric_of("kappa").slot == ("pred",)
    for name in ("accuracy", "recall", "capa", "label_entropy", "flip_rate"):
        assert metric_of(name).slot == ()


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("kappa(old, new) > 0", "answers in one order of labels.* similarity.outputs"),
        ("nfr(old, newer) > 0", "No estimate of this run fits"),
        ("accuracy(old, new) > 0", "accuracy has no parameter"),
        ("nfr(old) > 0", "nfr has no parameter"),
    ],
)
def test_what_is_not_there_is_told(run, rule, said):
    with pytest.raises(UserError, match=said):
        run.gate(rule)


def test_a_plan_that_names_no_such_model_is_refused(tmp_path):
    wrong = {"id": "e", "from": "levels", "metric": "nfr(old, newer)"}
    with pytest.raises(PlanError, match="nothing fits"):
        scrutiny.run(PLAN | {"estimate": [wrong], "claim": []}, out=tmp_path / "run")
