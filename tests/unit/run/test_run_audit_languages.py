"""Sentences that ship with scrutiny are English: an audit asks none of them of other languages."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from scrutiny.core.errors import PlanError
from scrutiny.core.plan import DataPlan, ModelPlan
from scrutiny.report.load import load_view
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.audit import audit_plan
from scrutiny.run.planning.resolve import resolve

sys.path[:0] = [str(Path(__file__).parents[1] / name) for name in ("training", "models")]

TEXTS = {
    "en": "the film was good and the people in it are not the same",
    "de": "der Film ist nicht gut, aber wir haben ihn sehr gern gesehen",
    "fr": "ce film est très bon, mais nous ne sommes pas dans la salle",
    "zh": "这部电影很好，我们都喜欢它",
    "ru": "этот фильм очень хороший, но мы его не видели",
    "und": "12 34 56",
}
BROUGHT = {"attention.arcs", "attention.heads"}


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    """Checkpoint of a classifier with two layers of two heads."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from finetune_toys import make_encoder

    folder = tmp_path_factory.mktemp("classifier") / "seed-1"
    return ModelPlan("c", make_encoder(folder, maker="BertForSequenceClassification"))


def labeled(tmp_path, languages, count=20, stated=""):
    """Data whose texts are in these languages in turn."""
    texts = [TEXTS[languages[n % len(languages)]] for n in range(count)]
    rows = [f'"{text} {n}",{n % 2}' for n, text in enumerate(texts)]
    (tmp_path / "x.csv").write_text("\n".join(["text,label", *rows]), encoding="utf-8")
    return DataPlan("x.csv", f"csv:{tmp_path}/x.csv{stated}")


@pytest.mark.parametrize("language", ["de", "fr", "zh", "ru"])
def test_what_diagnostics_bring_in_english_is_left_out_of_an_audit_of_other_texts(
    classifier, tmp_path, language
):
    plan = audit_plan([classifier], [labeled(tmp_path, [language])], profile="study")
    assert not BROUGHT & {m.id for m in plan.measure}
    assert [d.name for d in plan.data] == ["x.csv"]
    said, *others = plan.left_out
    assert all("--training" in other for other in others)
    assert said.startswith(
        "attention.arcs, attention.heads were left out: the sentences that they bring "
        "(builtin:arcs, builtin:negation) are in English (en), and the texts of x.csv in "
    )
    assert f"({language})" in said
    assert said.endswith("add --data builtin:arcs --data builtin:negation.")


@pytest.mark.parametrize(
    ("languages", "stated"),
    [(["en"], ""), (["und"], ""), (["de", "en"], ""), (["de"], "#language=en")],
)
def test_what_may_be_english_is_asked_about_english_sentences(
    classifier, tmp_path, languages, stated
):
    data = labeled(tmp_path, languages, stated=stated)
    plan = audit_plan([classifier], [data], profile="study")
    assert BROUGHT <= {m.id for m in plan.measure}
    assert all("--training" in said for said in plan.left_out)


def test_one_english_dataset_is_enough(classifier, tmp_path):
    (tmp_path / "de").mkdir()
    german = replace(labeled(tmp_path / "de", ["de"]), name="de.csv")
    data = [german, labeled(tmp_path, ["en"])]
    plan = audit_plan([classifier], data, profile="study")
    assert BROUGHT <= {m.id for m in plan.measure}


def test_what_is_named_is_asked_in_any_language(classifier, tmp_path):
    named = [labeled(tmp_path, ["de"]), DataPlan("arcs", "builtin:arcs")]
    plan = audit_plan([classifier], named, only=["attention.arcs"])
    assert [(m.id, m.data) for m in plan.measure] == [("attention.arcs", ("arcs",))]
    assert all("--training" in said for said in plan.left_out)


def test_an_audit_of_which_nothing_is_left_says_why(classifier, tmp_path):
    with pytest.raises(PlanError) as caught:
        audit_plan([classifier], [labeled(tmp_path, ["de"])], only=["attention.arcs"])
    said = str(caught.value)
    assert said.startswith("attention.arcs was left out: the sentences that it brings (builtin:arc")
    assert "and the texts of x.csv in German (de)." in said
    assert said.endswith("what each of them needs.")


def test_sentences_about_stereotypes_are_not_asked_of_a_model_of_german(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tiny_language import make_language_model

    model = ModelPlan("m", f"hf:{make_language_model(tmp_path / 'm', 'Bert', head='ForMaskedLM')}")
    asked = {}
    for language in ("en", "de"):
        (tmp_path / "x.txt").write_text(f"{TEXTS[language]}\n" * 12, encoding="utf-8")
        data = DataPlan(language, f"text:{tmp_path}/x.txt")
        only = ["stereotypes.pairs", "association.seat", "competence"]
        asked[language] = audit_plan([model], [data], only=only)
    brought = {"stereotypes.pairs", "association.seat"}
    assert brought <= {m.id for m in asked["en"].measure}
    assert not brought & {m.id for m in asked["de"].measure}
    assert asked["de"].left_out[0].startswith("association.seat, stereotypes.pairs were left out")


def test_a_run_says_what_its_plan_left_out(tmp_path):
    data = labeled(tmp_path, ["de"])
    plan = audit_plan([ModelPlan("m", "builtin:sentiment/seed-1")], [data], only=["performance"])
    resolved = resolve(replace(plan, left_out=("attention.arcs was left out.",)))
    view = load_view(run_plan(resolved, tmp_path / "run").path)
    assert "attention.arcs was left out." in view.facts.left_out
