"""Similarity, drift and shared invariances of taggers, parsers, readers and translators."""

from dataclasses import replace

import numpy as np
import pytest
from toy_answers import CHOOSE, TOYS, Chooser, Parser, Ranker, Reader, Tagger, Translator, items
from toy_invariance import swapping

from scrutiny.core.diagnostic import fits
from scrutiny.core.example import Span
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.calibration.calibration import _of_parts
from scrutiny.diagnostics.labels.doubtful_items import doubtful_in
from scrutiny.report.load import load_view
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.tasks.tasks import every_task

OF_TWO = ("similarity.outputs", "similarity.drift", "invariance.scope")
LEVELS = {Tagger: "entity_f1", Parser: "las", Reader: "answer_f1", Translator: "chrf"}
LEVELS |= {Chooser: "accuracy", Ranker: "mrr"}


def run(out, diagnostic, toy, others, *, count=30, data=None, also=(), **params):
    """Finished run of diagnostics of two models; the reference's own answers are right."""
    models = {"a": toy(0), **others}
    measured = MeasurePlan("m", diagnostic, tuple(models), ("x",), params, reference="a")
    others = (replace(measured, id=f"m{n}", diagnostic=d, params={}) for n, d in enumerate(also))
    plan = Plan(
        resampling=Resampling(draws=200),
        data=(DataPlan("x", "object:x", task=toy.task),),
        models=tuple(ModelPlan(name, f"python:object:{name}") for name in models),
        measure=(measured, *others),
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


def text_of(row):
    """Text that a toy's answer hangs on."""
    words = row.get("options") or row.get("candidates") or row.get("tokens") or row.get("words")
    return " ".join(words) if words else row.get("context") or row["text"]


def verdicts(folder, family):
    found = [f for f in folder.findings() if f.claim.family.endswith(family) and f.estimate]
    return {f.estimate.key.subject: f.verdict for f in found}


# -- two models ------------------------------------------------------------------------------------

BOTH = {"of": "both answers"}


@pytest.fixture(scope="module", params=[*TOYS, *CHOOSE])
def beside(request, tmp_path_factory):
    """A toy, three models beside it, and the run of both diagnostics of their answers."""
    toy = request.param
    others = {"near": toy(1, like=toy(0), share=0.95), "far": toy(7), "copy": toy(0)}
    out = tmp_path_factory.mktemp("beside") / "out"
    return toy, others, run(out, OF_TWO[0], toy, others, also=OF_TWO[1:2])


def test_two_models_agree_by_the_type_of_their_answers(beside):
    toy, others, folder = beside
    near, far = others["near"], others["far"]
    level = LEVELS[toy]
    for name, model in (("near", near), ("far", far)):
        texts = [text_of(row) for row in items(toy(0), 30)]
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


def test_a_copy_is_not_told_from_the_reference_and_another_model_is(beside):
    *_, folder = beside
    told = verdicts(folder, "told-apart")
    assert (told["copy"], told["far"]) == ("undecided", "supported")
    assert number(folder, "answer_distance", "copy").value == 0.0
    apart = number(folder, "answer_distance", "far")
    assert 0.0 < apart.value <= 1.0
    again = {"of": "answers", "beside": "the reference asked again"}
    assert number(folder, "answer_distance", "far", **again).value == 0.0
    assert number(folder, "farther", "far").value > 0.3


@pytest.mark.parametrize(("toy", "count"), [(Parser, 40), (Reader, 60), (Translator, 40)])
def test_invariances_are_shared_by_near_copies_and_not_by_strangers(
    tmp_path, monkeypatch, toy, count
):
    swapping(monkeypatch, most=12)
    near = toy(1, like=toy(0), share=0.98)
    params = {"capabilities": ["word"], "trials": 2, "candidates": 12}
    others = {"near": near, "far": toy(7)}
    folder = run(tmp_path / "out", "invariance.scope", toy, others, count=count, **params)
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


def answered(toy, data):
    """Items to which the toy gives an answer that has parts."""
    return [row for row in data if toy is not Tagger or toy(0).answer(" ".join(row["tokens"]))[0]]


# -- confidences -----------------------------------------------------------------------------------


def sure_of(toy, probability):
    """Class of models that are as sure of each part of an answer as a function of it says."""

    class Sure(toy):
        def answer(self, text):
            (answer, *_) = found = super().answer(text)
            parts = answer if isinstance(answer, tuple) and toy is Tagger else [found]
            if toy is Parser:
                parts = answer.relations
            return found._replace(scores=tuple(probability(one) for one in parts))

    return Sure


def single(out, diagnostic, model, data, **params):
    """Finished run of a diagnostic of one model."""
    plan = Plan(
        resampling=Resampling(draws=200),
        data=(DataPlan("x", "object:x", task=model.task),),
        models=(ModelPlan("b", "python:object:b"),),
        measure=(MeasurePlan("m", diagnostic, ("b",), ("x",), params),),
    )
    resolved = resolve(plan, data={"x": data}, models={"b": model})
    return run_plan(resolved, out, options=RunOptions(), models={"b": model})


def with_errors(toy, every=4):
    """Items of which every fourth has a gold answer that the model never gives."""
    data = items(toy(0), 60)
    for row in data[::every]:
        if "answers" in row:
            row["answers"] = [min(row["context"].split(), key=toy(0).weights.get)]
        elif "tags" in row:
            row["tags"] = ["O" for _ in row["tags"]]
        else:
            row["relations"] = ["det" for _ in row["relations"]]
    return data


@pytest.mark.parametrize("toy", [Tagger, Parser, Reader])
def test_confidence_is_held_against_what_is_right_part_by_part(tmp_path, toy):
    data = with_errors(toy)
    folder = single(tmp_path / "sure", "calibration", sure_of(toy, lambda part: 0.99)(0), data)
    wrong = len(answered(toy, data[::4])) / len(answered(toy, data))
    error = number(folder, "calibration_error(15)")
    assert error.counts.n == len(answered(toy, data))
    if toy is not Parser:  # of which the root, or another word, may be right by chance
        assert error.value == pytest.approx(abs(0.99 - (1 - wrong)))
    assert verdicts(folder, "") == {"b": "hurts"}
    even = single(tmp_path / "even", "calibration", sure_of(toy, lambda part: 0.75)(0), data)
    assert number(even, "mean(overconfidence)").value == pytest.approx(0.75 - 1 + wrong, abs=0.05)
    twin = number(folder, "calibration_error(15)", role="control")
    assert twin.value < 0.05


def test_an_answer_of_two_spans_by_hand():
    spans = Span("text", 0, 3, "PER"), Span("text", 8, 12, "LOC")
    numbers, twin = _of_parts(Prediction(spans, (0.75, 0.25)), spans[:1], np.random.default_rng(0))
    assert numbers == (0.5, 0.5, 0.0, 0.0625)
    assert twin[0] == 0.5
    nothing = _of_parts(Prediction((), ()), spans, np.random.default_rng(0))
    assert {one.reason for one in nothing} == {"no_parts"}
    no_gold = _of_parts(Prediction(spans, (0.75, 0.25)), None, np.random.default_rng(0))
    assert {one.reason for one in no_gold} == {"no_gold"}


@pytest.mark.parametrize("diagnostic", ["calibration", "labels"])
@pytest.mark.parametrize("toy", [Tagger, Parser, Reader])
def test_without_confidences_it_is_refused_with_the_reason(tmp_path, diagnostic, toy):
    folder = single(tmp_path / "out", diagnostic, toy(0), items(toy(0), 12))
    (finding,) = folder.findings()
    assert finding.verdict == "not asked"
    assert "how sure it is of the parts of its answers" in finding.reason


@pytest.mark.parametrize("toy", [Tagger, Parser, Reader])
def test_planted_errors_of_gold_answers_are_the_doubtful_ones(tmp_path, toy):
    data = with_errors(toy, every=10)
    folder = single(tmp_path / "out", "labels", sure_of(toy, lambda part: 0.9)(0), data)
    (found,) = doubtful_in(load_view(folder.path))
    assert {one.item for one in found.items} == {row["id"] for row in answered(toy, data[::10])}
    assert {one.why for one in found.items} == {"the model"}
    assert all(one.gold for one in found.items)
    assert all(".90" in one.answers for one in found.items)


def test_the_same_text_with_other_entities_is_doubtful_without_the_model(tmp_path):
    data = items(Tagger(0), 20)
    twice = {**data[3], "id": "again", "tags": ["B-X"] * len(data[3]["tags"])}
    model = sure_of(Tagger, lambda part: 0.9)(0)
    folder = single(tmp_path / "out", "labels", model, [*data, twice])
    (found,) = doubtful_in(load_view(folder.path))
    assert {(one.item, one.why) for one in found.items} == {
        ("i3", "a near duplicate"),
        ("again", "a near duplicate"),
    }


# -- edges -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("toy", [*TOYS, *CHOOSE])
def test_one_item_says_nothing_of_others(tmp_path, monkeypatch, toy):
    swapping(monkeypatch)
    *also, scope = OF_TWO
    params = {"capabilities": ["word"], "trials": 1, "also": also}
    folder = run(tmp_path / "out", scope, toy, {"b": toy(7)}, count=1, **params)
    assert {f.claim.id.partition("/")[0] for f in folder.findings()} == {"m", "m0", "m1"}
    assert all(f.verdict not in ("supported", "holds", "hurts") for f in folder.findings())


def test_taggers_without_skill_or_entities_are_told_so(tmp_path):
    class Blank(Tagger):
        def answer(self, text):
            return Prediction(())

    folder = run(tmp_path / "out", "similarity.outputs", Tagger, {"b": Blank(0)})
    assert verdicts(folder, "no-worse")["b"] in ("no skill", "refused")
    bare = [{**row, "tags": ["O"] * len(row["tags"])} for row in items(Tagger(0), 10)]
    none = run(tmp_path / "none", "similarity.outputs", Tagger, {"b": Tagger(7)}, data=bare)
    assert verdicts(none, "no-worse")["b"] not in ("supported", "holds")


def test_every_scored_task_has_what_is_said_of_any_answer():
    scored = [task for task in every_task() if task.must_be_answered]
    assert len(scored) > 8
    for name in OF_TWO:
        one = registry().load("diagnostic", name)()
        assert [task.name for task in scored if not fits(one, task)] == []
    for name in ("calibration", "labels", "classes"):
        one = registry().load("diagnostic", name)()
        assert any(not fits(one, task) for task in scored)
        assert one.why_only
