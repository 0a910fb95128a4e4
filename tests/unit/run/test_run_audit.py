"""The audit: what applies, in which order, at which budget; and what a plan would cost."""

import pytest

from scrutiny.core.errors import PlanError
from scrutiny.core.plan import DataPlan, ModelPlan
from scrutiny.run.audit import AUDIT_DRAWS, audit_plan, ordered
from scrutiny.run.checking import cost_of
from scrutiny.run.executors import executor
from scrutiny.run.resolve import resolve

MODELS = (ModelPlan("m", "builtin:sentiment"),)
DATA = (DataPlan("x", "builtin:reviews", limit=40),)
TAGGER = """
class Tagger:
    labels = ("PER",)
    def predict(self, texts):
        return [["O"] * len(text.split()) for text in texts]
"""


@pytest.fixture
def tagged(tmp_path):
    (tmp_path / "tagger.py").write_text(TAGGER)
    (tmp_path / "x.conll").write_text("Ada B-PER\nsaw O\n\nBob B-PER\n")
    model = ModelPlan("t", f"python:{tmp_path}/tagger.py:Tagger")
    return model, DataPlan("tags", f"conll:{tmp_path}/x.conll")


def test_skill_and_leakage_stand_first():
    names = ["robustness@1", "leakage@1", "artifacts@2", "performance@1"]
    assert ordered(names) == ["performance@1", "leakage@1", "artifacts@2", "robustness@1"]


def test_everything_that_applies_is_measured_at_modest_budgets():
    plan = audit_plan(MODELS, DATA, seed=3)
    assert [m.id for m in plan.measure][:2] == ["performance", "leakage"]
    robustness = next(m for m in plan.measure if m.id == "robustness")
    assert robustness.params["draws"] == 2
    assert all(m.is_audit for m in plan.measure)
    assert (plan.seed, plan.resampling.draws) == (3, AUDIT_DRAWS)
    # the smallest p must pass Holm over forty claims
    assert 1 / (1 + AUDIT_DRAWS) < 0.05 / 2 / 40


def test_what_needs_more_than_the_model_has_is_left_out(tagged):
    model, data = tagged
    names = [m.id for m in audit_plan([model], [data]).measure]
    assert "leakage" not in names
    assert "performance" in names


def test_only_what_is_wanted():
    plan = audit_plan(MODELS, DATA, only=["leakage", "performance@1"])
    assert [m.id for m in plan.measure] == ["performance", "leakage"]


def test_models_are_loaded_once_for_all_diagnostics(monkeypatch):
    from importlib import import_module

    module = import_module("scrutiny.run.audit")
    loads = []
    name = "load_replicate" if hasattr(module, "load_replicate") else "load_model"
    real = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *a, **k: loads.append(a[0]) or real(*a, **k))
    audit_plan(MODELS, DATA)
    assert len(loads) == 1


def test_datasets_of_one_shape_share_a_measurement():
    data = (*DATA, DataPlan("y", "builtin:reviews", limit="40:80"))
    plan = audit_plan(MODELS, data)
    assert [m.data for m in plan.measure] == [("x", "y")] * len(plan.measure)
    assert len({m.id for m in plan.measure}) == len(plan.measure)


def test_an_audit_resolves_and_its_cost_is_known_before_it_runs():
    resolved = resolve(audit_plan(MODELS, DATA, only=["performance", "leakage"]))
    cost = cost_of(resolved)
    assert cost.queries == 40 * 5  # the leakage diagnostic asks nothing
    assert cost.seconds > 0
    lines = list(cost.lines())
    assert lines[0] == "performance: m on x"
    assert "40 items x 5 replicates, at most 200 queries" in lines[1]
    assert all(len(line) <= 88 for line in lines)


@pytest.mark.parametrize("name", ["thread", "", "Serial"])
def test_an_executor_that_there_is_not(name):
    with pytest.raises(PlanError, match="there are auto, serial, processes and ray"):
        executor(name, workers=1, objects={})


def test_objects_stay_in_this_process():
    with pytest.raises(PlanError, match="cannot travel to a worker"):
        executor("auto", workers=2, objects={"m": object()})
    assert executor("auto", workers=1, objects={"m": object()})
