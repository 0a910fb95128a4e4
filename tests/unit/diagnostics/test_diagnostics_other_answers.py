"""Similarity, drift and shared invariances of taggers, parsers, readers and translators."""

import pytest
from toy_answers import TOYS, Parser, Reader, Tagger, Translator, items
from toy_invariance import swapping

from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.resolve import resolve

LEVELS = {Tagger: "entity_f1", Parser: "las", Reader: "answer_f1", Translator: "chrf"}


def run(out, diagnostic, toy, others, *, count=30, data=None, **params):
    """Finished run of a diagnostic of two models; the reference's own answers are right."""
    models = {"a": toy(0), **others}
    plan = Plan(
        resampling=Resampling(draws=200),
        data=(DataPlan("x", "object:x", task=toy.task),),
        models=tuple(ModelPlan(name, f"python:object:{name}") for name in models),
        measure=(MeasurePlan("m", diagnostic, tuple(models), ("x",), params, reference="a"),),
    )
    data = items(models["a"], count) if data is None else data
    resolved = resolve(plan, data={"x": data}, models=models)
    return run_plan(resolved, out, options=RunOptions(), models=models)


def number(folder, metric, subject="b", *, role="measured", **condition):
    """The one estimate of this metric that has this condition, of several that differ in none."""
    (found,) = [
        e
        for e in folder.estimates()
        if (e.key.metric, e.key.subject, e.key.role) == (f"{metric}@1", subject, role)
        and dict(e.key.condition) == condition
    ]
    return found


def verdicts(folder, family):
    found = [f for f in folder.findings() if f.claim.family.endswith(family) and f.estimate]
    return {f.estimate.key.subject: f.verdict for f in found}


BOTH = {"of": "both answers"}


@pytest.mark.parametrize("toy", TOYS)
def test_two_models_agree_by_the_type_of_their_answers(tmp_path, toy):
    near, far = toy(1, like=toy(0), share=0.95), toy(7)
    folder = run(tmp_path / "out", "similarity.outputs", toy, {"near": near, "far": far})
    level = LEVELS[toy]
    for name, model in (("near", near), ("far", far)):
        texts = [
            row.get("context") or row.get("text") or " ".join(row.get("tokens") or row["words"])
            for row in items(toy(0), 30)
        ]
        same = sum(model.answer(t).agrees(toy(0).answer(t)) for t in texts) / len(texts)
        assert number(folder, "agreement", name).value == pytest.approx(same)
    # the reference's answers are the gold ones: what scores a target likens it to the reference
    for name in ("near", "far"):
        likeness = number(folder, level, name, **BOTH)
        skill = number(folder, level, name, role="baseline", of="target")
        assert likeness.value == pytest.approx(skill.value)
    assert number(folder, level, "near", **BOTH).value > number(folder, level, "far", **BOTH).value
    assert number(folder, level, "a", **BOTH).value == 1.0
    assert verdicts(folder, "no-worse")["far"] != "supported"


@pytest.mark.parametrize("toy", TOYS)
def test_a_copy_is_not_told_from_the_reference_and_another_model_is(tmp_path, toy):
    folder = run(tmp_path / "out", "similarity.drift", toy, {"copy": toy(0), "b": toy(7)})
    assert verdicts(folder, "told-apart") == {"copy": "undecided", "b": "supported"}
    assert number(folder, "answer_distance", "copy").value == 0.0
    apart = number(folder, "answer_distance")
    assert 0.0 < apart.value <= 1.0
    again = number(folder, "answer_distance", of="answers", beside="the reference asked again")
    assert again.value == 0.0
    assert number(folder, "farther").value > 0.3


@pytest.mark.parametrize("toy", [Parser, Reader, Translator])
def test_invariances_are_shared_by_near_copies_and_not_by_strangers(tmp_path, monkeypatch, toy):
    swapping(monkeypatch)
    near = toy(1, like=toy(0), share=0.98)
    params = {"capabilities": ["word"], "trials": 2, "candidates": 12}
    others = {"near": near, "far": toy(7)}
    folder = run(tmp_path / "out", "invariance.scope", toy, others, count=40, **params)
    where = {"capability": "word", "amount": 1}
    assert number(folder, "hard_scope", "a", **where).value == 1.0
    kept, lost = (number(folder, "scope_lift", name, **where) for name in ("near", "far"))
    assert kept.value > 0.15
    assert kept.low > lost.value
    assert lost.low < 0
    told = verdicts(folder, "invariance")
    assert told["near"] == "supported"
    assert told["far"] != "supported"
    assert {e.key.metric for e in folder.estimates()}.isdisjoint(
        {"soft_scope@1", "label_entropy@1"}
    )
    notes = folder.manifest["measure"]["m"]["notes"]
    assert any("There is no Soft-SCoPE" in note for note in notes)
