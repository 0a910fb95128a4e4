"""The audit: what applies, in which order, at which budget; and what a plan would cost."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from scrutiny.cli.plans import audit_from_flags
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.plan import DataPlan, ModelPlan
from scrutiny.core.registry import Entry, registry
from scrutiny.data.dataset import load_dataset
from scrutiny.registrations import REGISTRATIONS
from scrutiny.run.budgeting.cost import cost_of
from scrutiny.run.executing.executors import executor
from scrutiny.run.planning.audit import AUDIT_DRAWS, audit_plan, in_page_order
from scrutiny.run.planning.audit_profiles import PROFILES, profile_of, with_tolerances
from scrutiny.run.planning.doubtful_data import unasked_warnings
from scrutiny.run.planning.loading import LoadedModels, Opened
from scrutiny.run.planning.resolve import resolve

sys.path[:0] = [str(Path(__file__).parents[1] / name) for name in ("training", "models")]

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


def test_a_risk_is_claimed_on_each_of_several_datasets_and_once(tmp_path):
    rows = [f"it is {word},{label}" for word, label in (("good", "positive"), ("bad", "negative"))]
    data = []
    for name, times in (("a", 15), ("b", 20)):
        (tmp_path / f"{name}.csv").write_text("\n".join(["text,label", *rows * times]))
        data.append(DataPlan(name, f"csv:{tmp_path}/{name}.csv"))
    plan = audit_plan(MODELS, tuple(data), only=("performance", "robustness"))
    claims = resolve(plan).claims
    risks = [claim.id for claim in claims if claim.risk is not None and "typos" in claim.id]
    assert risks == [f"robustness/m/{name}/typos@1" for name in "ab"]
    headlines = [claim.id for claim in claims if claim.is_headline]
    assert len(headlines) == len({one.rpartition("/")[0] for one in headlines}) == 2
    over_both = [claim for claim in claims if len({c.against for c in claim.components}) > 1]
    assert [claim.is_headline for claim in over_both] == [False] * len(over_both)


def test_skill_and_leakage_stand_first():
    names = ["robustness@1", "leakage@1", "artifacts@2", "labels@1", "performance@1"]
    first = ["performance@1", "labels@1", "leakage@1"]
    assert in_page_order(names) == [*first, "artifacts@2", "robustness@1"]


def test_everything_that_applies_is_measured_at_modest_budgets():
    plan = audit_plan(MODELS, DATA)
    assert [m.id for m in plan.measure][:4] == [
        *("performance", "classes", "calibration", "labels"),
    ]
    robustness = next(m for m in plan.measure if m.id == "robustness")
    assert robustness.params["draws"] == 1
    assert all(m.is_audit for m in plan.measure)
    assert (plan.seed, plan.resampling.draws) == (0, AUDIT_DRAWS)
    # the smallest p must pass Holm over forty claims
    assert 1 / (1 + AUDIT_DRAWS) < 0.05 / 2 / 40


def test_a_study_takes_as_many_draws_as_a_diagnostic_asks_for():
    study = audit_plan(MODELS, DATA, profile="study", only=("robustness",))
    (robustness,) = study.measure
    assert robustness.params["draws"] == 2
    assert profile_of("ship").stated(robustness).params == {**robustness.params, "draws": 1}
    leakage = audit_plan(MODELS, DATA, only=("leakage",)).measure[0]
    assert profile_of("ship").stated(leakage) is leakage


def test_what_needs_more_than_the_model_has_is_left_out(tagged):
    model, data = tagged
    names = [m.id for m in audit_plan([model], [data]).measure]
    assert "leakage" not in names
    assert "performance" in names


def test_lines_of_the_registry_say_what_the_diagnostics_need():
    lines = [line for line in REGISTRATIONS if line.kind == "diagnostic"]
    for line in lines:
        diagnostic = registry().load("diagnostic", line.name)
        if line.needs == "reference":
            assert diagnostic.wants_reference
        elif line.needs == "suite":
            assert diagnostic.of_suites
        else:
            assert line.needs in {*diagnostic.needs, ""}
    assert {line.name for line in lines if not line.needs} == {
        "aflite@1",
        "artifacts.one-text@1",
        "artifacts@1",
        "attack@1",
        "attention.baselines@1",
        "attribution.methods@1",
        "attribution.overstability@1",
        "attribution.rationales@1",
        "attribution.sensitivity@1",
        "attribution@1",
        "calibration@1",
        "classes@1",
        "judge@1",
        "labels@1",
        "memorization@1",
        "parts@1",
        "performance@1",
        "robustness@1",
    }


def test_what_the_model_has_no_use_for_is_not_loaded(monkeypatch):
    loaded, load = [], Entry.load
    monkeypatch.setattr(Entry, "load", lambda e: loaded.append(e.registration) or load(e))
    audit_plan(MODELS, DATA)
    assert {line.name for line in loaded if line.kind == "diagnostic"} == {
        "artifacts@1",
        "attack@1",
        "calibration@1",
        "classes@1",
        "labels@1",
        "leakage@1",
        "performance@1",
        "robustness@1",
    }
    loaded.clear()
    audit_plan(MODELS, DATA, reference=MODELS[0], profile="study")
    assert "invariance.scope@1" in {line.name for line in loaded}


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    """Checkpoint of a classifier with two layers of two heads."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from finetune_toys import make_encoder

    folder = tmp_path_factory.mktemp("classifier") / "seed-1"
    return ModelPlan("c", make_encoder(folder, maker="BertForSequenceClassification"))


def labeled(tmp_path, count=12):
    rows = [f"the film was {('good', 'bad')[n % 2]},{n % 2}" for n in range(count)]
    (tmp_path / "x.csv").write_text("\n".join(["text,label", *rows]))
    return DataPlan("x", f"csv:{tmp_path}/x.csv")


def test_an_encoder_is_asked_about_attention_on_sentences_that_come_with_the_diagnostic(
    classifier, tmp_path
):
    plan = audit_plan([classifier], [labeled(tmp_path)], profile="study")
    found = {m.id: m for m in plan.measure}
    assert found["attention.heads"].data == ("builtin:negation",)
    assert found["attention.heads"].params["presets"] == ["default", "as_released"]
    assert found["attention.arcs"].data == ("builtin:arcs",)
    assert found["attention.arcs"].params["claimed"] == ["all", "nsubj", "obj"]
    assert found["faithfulness.heads"].data == ("x",)
    # what is said of any text, or fitted to trees, is not asked of a classifier
    assert not {"attention.patterns", "attention.divergence", "attention.probe"} & set(found)
    # nor what only language models have
    assert [d.name for d in plan.data] == ["x", "builtin:arcs", "builtin:negation"]
    assert all(m.is_audit for m in found.values())
    resolved = resolve(plan)
    rows = {c.diagnostic: c for c in resolved.claims}
    assert {"attention.heads", "attention.arcs", "faithfulness.heads"} <= set(rows)
    untrained = resolved.families["c untrained"]
    assert len(untrained.replicates) == 5  # few, where budgets are modest


@pytest.mark.parametrize(("kind", "head"), [("GPT2", "LMHeadModel"), ("Bert", "ForMaskedLM")])
def test_language_models_are_asked_about_attention(tmp_path, kind, head):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tiny_language import make_language_model

    model = ModelPlan("m", f"hf:{make_language_model(tmp_path / 'm', kind, head=head)}")
    pairs = DataPlan("pairs", "builtin:agreement", limit=12)
    plan = audit_plan([model], [pairs], profile="study")
    found = {m.id: m.data for m in plan.measure}
    assert found["competence"] == ("pairs",)
    assert found["attention.heads"] == ("builtin:negation",)
    assert found["attention.arcs"] == ("builtin:arcs",)
    of_trees = audit_plan([model], [DataPlan("trees", "builtin:arcs")], profile="study")
    rows = {m.id: (m.data, m.params) for m in of_trees.measure}
    assert rows["attention.arcs"][0] == ("trees",)
    assert rows["attention.heads"][0] == ("builtin:negation",)
    assert (rows["attention.probe"][1]["draws"], rows["attention.probe"][1]["epochs"]) == (1, 4)


def test_data_that_fit_are_taken_in_place_of_what_a_diagnostic_brings(classifier):
    own = DataPlan("mine", "builtin:negation", limit=20)
    plan = audit_plan([classifier], [own], only=["attention.heads", "attention.arcs"])
    found = {m.id: m.data for m in plan.measure}
    assert found == {"attention.heads": ("mine",), "attention.arcs": ("builtin:arcs",)}


def test_without_data_a_language_model_is_measured_on_what_diagnostics_bring(tmp_path, classifier):
    from tiny_language import make_language_model

    made = make_language_model(tmp_path / "m", "Bert", head="ForMaskedLM")
    plan = audit_plan([ModelPlan("m", f"hf:{made}")], [], profile="language")
    assert {m.diagnostic: m.data for m in plan.measure} == {
        "association.seat@1": ("builtin:associations",),
        "stereotypes.pairs@1": ("builtin:stereotypes",),
    }
    for others in ([classifier], MODELS):  # they have no likelihoods
        with pytest.raises(PlanError, match="nothing of that applies to this model"):
            audit_plan(others, [], profile="language")


def test_an_audit_without_data_takes_the_profile_of_language_or_says_what_is_missing(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tiny_language import make_language_model

    made = f"hf:{make_language_model(tmp_path / 'm', 'Bert', head='ForMaskedLM')}"
    flags = {"plan": None, "models": (made,), "data": (), "only": ()}
    flags |= {"task": "", "limit": None, "seed": None, "on_bad_row": "skip"}
    plan = audit_from_flags(flags, Opened(LoadedModels()))
    assert (plan.profile, len(plan.measure)) == ("language@1", 2)
    (one,) = audit_from_flags(
        {**flags, "only": ("association.seat",)}, Opened(LoadedModels())
    ).measure
    assert one.data == ("builtin:associations",)
    with pytest.raises(PlanError, match=r"^Without data, .* Say which data: --data builtin:re"):
        audit_from_flags({**flags, "models": ("builtin:sentiment",)}, Opened(LoadedModels()))
    with pytest.raises(PlanError, match=r"^There is no data that --limit would be of\. Say which"):
        audit_from_flags({**flags, "limit": "40"}, Opened(LoadedModels()))


def test_a_model_without_attention_gets_no_data_brought():
    plan = audit_plan(MODELS, DATA, profile="study")
    assert [d.name for d in plan.data] == ["x"]
    assert not [m.id for m in plan.measure if m.id.startswith("attention")]


def test_the_usual_profile_asks_what_decides_about_shipping(classifier, tmp_path):
    data = labeled(tmp_path)
    plan = audit_plan([classifier], [data])
    shipped = ["performance", "classes", "calibration", "labels", "attack", "robustness"]
    assert [m.id for m in plan.measure] == shipped
    assert [d.name for d in plan.data] == ["x"]  # nothing is brought to look inside with
    studied = audit_plan([classifier], [data], profile="study")
    assert {m.id for m in studied.measure} > set(shipped)
    same = {m.id: m for m in studied.measure}
    limited = [profile_of("ship").stated(same[m.id]) for m in plan.measure]
    assert limited == list(plan.measure)  # and at the same budgets, but for draws of a change


def test_a_reference_adds_agreement_to_the_usual_profile():
    beside = audit_plan(MODELS, DATA, reference=MODELS[0])
    assert {m.id for m in beside.measure} - {m.id for m in audit_plan(MODELS, DATA).measure} == {
        "similarity.outputs"
    }


def test_each_further_data_set_is_held_against_the_first(tmp_path):
    data = [replace(labeled(tmp_path), name=name) for name in "abc"]
    models = [ModelPlan(name, f"builtin:sentiment/seed-{name}") for name in "12"]
    plan = audit_plan(models, data, only=("performance",))
    names = [f"loss/{model}/{other}" for model in "12" for other in "bc"]
    assert [one.id for one in plan.estimate] == [one.id for one in plan.claim] == names
    assert plan.estimate[0].contrast == {"a": {"dataset": "a"}, "b": {"dataset": "b"}}
    assert {one.risk.tolerance for one in plan.claim} == {0.02}
    assert {c.risk.tolerance for c in with_tolerances(plan, {"accuracy": 0.1}).claim} == {0.1}
    assert not audit_plan(models, data[:1], only=("performance",)).claim
    assert not audit_plan(models, data, only=("leakage",)).claim
    steps = [replace(models[0], source="builtin:sentiment/seed-{step}")]
    assert not audit_plan(steps, data, only=("performance",)).claim


def test_names_of_profiles_are_known_and_lead_to_diagnostics_that_there_are():
    known = {name.partition("@")[0] for name in registry().names("diagnostic")}
    for profile in PROFILES.values():
        assert profile.diagnostics <= known
        assert profile.says
    with pytest.raises(UnknownNameError, match=r"no profile named 'shipp'.*'ship@2'"):
        audit_plan(MODELS, DATA, profile="shipp")


def test_what_a_plug_in_brings_is_asked_in_any_profile():
    own = registry().entry("diagnostic", "landscape@1")
    assert not profile_of("ship").has(own)
    assert profile_of("ship").has(Entry(own.registration, "toy"))
    assert profile_of("study").has(own)


def test_an_audit_that_its_profile_leaves_empty_says_what_to_do(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tiny_language import make_language_model

    model = f"hf:{make_language_model(tmp_path / 'm', 'GPT2', head='LMHeadModel')}"
    flags = {"plan": None, "models": (model,), "data": ("builtin:agreement",), "only": ()}
    flags |= {"task": "", "limit": 4, "seed": None, "on_bad_row": "skip"}
    with pytest.raises(PlanError, match=r"profile 'ship@2' applies.*--profile study"):
        audit_from_flags(flags, Opened(LoadedModels()))
    with pytest.raises(PlanError, match="No diagnostic applies to this model"):
        audit_from_flags({**flags, "only": ("landscape",)}, Opened(LoadedModels()))
    assert audit_from_flags({**flags, "profile": "study"}, Opened(LoadedModels())).measure
    own = audit_from_flags({**flags, "only": ("stereotypes.pairs",)}, Opened(LoadedModels()))
    assert [m.data for m in own.measure] == [("builtin:stereotypes",)]
    assert own.left_out == ()  # it is asked about what it brings


def test_only_what_is_wanted():
    one = audit_plan(MODELS, DATA, only=["performance"], profile="study")
    assert one.measure == audit_plan(MODELS, DATA, only=["performance"]).measure
    plan = audit_plan(MODELS, DATA, only=["leakage", "performance@1"])
    assert [m.id for m in plan.measure] == ["performance", "leakage"]


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
    assert lines[0] == "performance: m on x; 1 claim"
    assert lines[1].startswith("  40 items x 5 replicates: about 200 texts (at most 200), ")
    assert "In all about 200 texts (at most 200) before the cache: 1 s," in lines
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize("name", ["thread", "", "Serial"])
def test_an_executor_that_there_is_not(name):
    with pytest.raises(PlanError, match="there are auto, serial, processes and ray"):
        executor(name, LoadedModels(), workers=1)


def test_objects_stay_in_this_process():
    with pytest.raises(PlanError, match="cannot travel to a worker"):
        executor("auto", LoadedModels(given={"m": object()}), workers=2)
    assert executor("auto", LoadedModels(given={"m": object()}), workers=1)


def stored(tmp_path, *variants):
    """Model of a file with an answer to each item, and to variants of it."""
    data = labeled(tmp_path)
    rows = [
        json.dumps({"id": example.id, "variant": variant, "probabilities": {"0": 0.8, "1": 0.2}})
        for example in load_dataset(data.source).examples
        for variant in ("", *variants)
    ]
    (tmp_path / "answers.jsonl").write_text("\n".join(rows))
    return ModelPlan("s", f"predictions:{tmp_path}/answers.jsonl"), data


def test_stored_answers_are_not_asked_about_changed_texts_and_the_run_says_so(tmp_path):
    model, data = stored(tmp_path)
    plan = audit_plan([model], [data])
    assert [m.id for m in plan.measure] == ["performance", "classes", "calibration", "labels"]
    (said,) = unasked_warnings(resolve(plan))
    assert said.startswith("s has stored answers to the items only")
    alone = replace(plan, measure=tuple(replace(m, is_audit=False) for m in plan.measure))
    assert list(unasked_warnings(resolve(alone))) == []  # whoever plans has chosen
    model, data = stored(tmp_path, "typos")
    asked = audit_plan([model], [data])
    assert "robustness" in [m.id for m in asked.measure]
    assert list(unasked_warnings(resolve(asked))) == []


def test_a_diagnostic_that_is_asked_for_says_why_it_does_not_apply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it measures, and what the data are of."""
    (tmp_path / "parrot.py").write_text("def say(texts):\n    return texts\n")
    (tmp_path / "two.csv").write_text("text,reference\nGood day,Guten Tag\nThanks,Danke\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PlanError) as raised:
        audit_plan(
            [ModelPlan("m", "python:parrot:say")],
            [DataPlan("d", f"csv:{tmp_path}/two.csv#text=text,reference=reference")],
            only=["calibration", "classes"],
        )
    said = str(raised.value)
    assert "classes was left out: it measures heads of words, sets of labels, labels, spans" in said
    assert "calibration was left out: it measures labels, spans of words, heads of words" in said
    assert "and these data are of written texts: of other answers there are no parts" in said
