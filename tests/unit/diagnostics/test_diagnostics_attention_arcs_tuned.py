"""Dependency heads before and after fine-tuning: a planted gain is claimed, none is not."""

import pytest
from linked_heads import LinkedHead, links_of, sentences

from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.testing.toy_attention import ToyAttention
from scrutiny.testing.toy_heads import NoiseHead

ROWS = sentences(60)
PARAMS = {"relations": ["near", "far"], "claimed": ["far"], "tuned": ["far"]}


def parsing(fidelity):
    return ToyAttention([[NoiseHead(), LinkedHead(links_of(ROWS), fidelity)]], seed=1)


def study(tuned, out):
    """Findings and estimates of a base, a model tuned from it, a control task and a null."""
    models = {
        "base": parsing(0.5),
        "tuned": parsing(tuned),
        "control": parsing(0.45),
        "untrained": ToyAttention([[NoiseHead(), NoiseHead()]], seed=2),
    }
    plans = (
        ModelPlan("base", "python:object:Toy"),
        ModelPlan("tuned", "python:object:Toy", base="base"),
        ModelPlan("control", "python:object:Toy", role="control", base="base", control_of="tuned"),
        ModelPlan("untrained", "python:object:Toy", role="null", control_of="base"),
    )
    plan = Plan(
        data=(DataPlan("x", "object:x", "dependency-arcs"),),
        models=plans,
        measure=(MeasurePlan("d", "attention.arcs", tuple(models), ("x",), PARAMS, nulls=0),),
        resampling=Resampling(draws=400),
    )
    return run_plan(resolve(plan, data={"x": ROWS}, models=models), out, models=models)


@pytest.mark.parametrize(("tuned", "verdict"), [(0.9, "supported"), (0.5, "not supported")])
def test_tuning_is_compared_with_the_base_and_the_control_task(tuned, verdict, tmp_path):
    folder = study(tuned, tmp_path)
    findings = {f.claim.id: f for f in folder.findings()}
    gain = findings["d/tuned/x/far/tuned"]
    assert gain.scope == "this checkpoint"
    against = {part.against for part in gain.claim.components}
    assert against == {"before fine-tuning", "control: control task"}
    found = {
        e.key.reference: e
        for e in folder.estimates()
        if e.key.role == "contrast"
        and e.key.subject == "tuned"
        and e.key.condition.get("relation") == "far"
    }
    if verdict == "supported":
        assert gain.verdict == verdict
        assert found["base"].value == pytest.approx(0.4, abs=0.1)
        assert findings["d/tuned/x/far/beyond-offsets"].verdict == "supported"
    else:
        assert gain.verdict != "supported"
        assert found["base"].value == pytest.approx(0.0, abs=0.02)
    assert set(found) == {"base", "control", "untrained"}
    assert "d/base/x/far/tuned" not in findings  # the base has none before it
