"""Translation: cells of references, score, and the text itself as no skill."""

from dataclasses import replace
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.core.answers.texts import AnyOf, Text
from scrutiny.core.design import DataShape, Inputs, SubjectShape
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.facts import WRITTEN
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.robustness.robustness_claims import make_design
from scrutiny.diagnostics.robustness.robustness_recipes import RobustnessParams
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.controls import Controls
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import load_task
from scrutiny.tasks.translation import bleu_counts, chrf_counts
from scrutiny.text.edits import apply_edits

sacrebleu = pytest.importorskip("sacrebleu")

TASK = load_task("translation")


@pytest.mark.parametrize(
    ("cell", "gold"),
    [
        ("Um gato.", Text("Um gato.")),
        (["Um gato."], Text("Um gato.")),
        (["Um gato.", "O gato."], AnyOf((Text("Um gato."), Text("O gato.")))),
    ],
)
def test_cells_of_references(cell, gold):
    example = TASK.parse({"text": "A cat.", "reference": cell}, source="t.jsonl:1")
    assert (example.gold, type(example.gold)) == (gold, type(gold))


@pytest.mark.parametrize(
    ("cell", "said"),
    [([], "an empty list"), ("", "reference is empty"), (["a", 3], "reference is a number")],
)
def test_references_that_cannot_be_read(cell, said):
    with pytest.raises(DataError, match=said):
        TASK.parse({"text": "A cat.", "reference": cell}, source="t.jsonl:1")


def test_texts_without_a_column_of_references_are_not_scored():
    assert TASK.parse({"text": "A cat."}, source="t.jsonl:1").gold is None


def test_measures_are_the_counts_of_both_metrics():
    gold = AnyOf((Text("Um gato."), Text("O gato.")))
    measures = TASK.score(gold, Prediction(Text("O gato")), labels=())
    references = ("Um gato.", "O gato.")
    assert measures == (*chrf_counts("O gato", references), *bleu_counts("O gato", references))
    assert len(measures) == len(TASK.measures) == len({m.name for m in TASK.measures})


def test_bleu_of_a_corpus_has_one_tokenizer_which_is_named(monkeypatch):
    monkeypatch.setattr("scrutiny.tasks.translation.find_spec", lambda name: None)
    right = [
        "今日は天気がいいです。",
        "わたしはほんをよんでいます。",
    ]
    written = ["今日は天気がよいです。", "わたしはほんをよみました。"]
    examples = [Example(r, {"text": r}, Text(r)) for r in right]
    task = TASK.on(examples)
    answers = [Prediction(Text(one)) for one in written]
    found = level_of(task, examples, answers, metric="bleu@1")
    wanted = sacrebleu.corpus_bleu(written, [right], tokenize="char").score / 100
    assert found == pytest.approx(wanted) == pytest.approx(0.6163, abs=1e-4)
    assert "sacrebleu's tokenizer char" in task.scored_by.note
    assert task.scored_by.names == {"bleu@1": "BLEU (char)"}
    assert (TASK.scored_by.note, TASK.scored_by.names) == ("", {})
    assert TASK.on([Example("1", {"text": "a"}, Text("b"))]).scored_by.note.endswith("13a.")


def test_no_skill_is_the_text_itself():
    texts = {"The animal is normal.": "O animal é normal.", "Good night.": "Boa noite."}
    examples = [Example(t, {"text": t}, Text(right)) for t, right in texts.items()]
    wanted = sacrebleu.corpus_chrf([*texts], [[*texts.values()]]).score / 100
    assert TASK.chance(examples) == pytest.approx(wanted)
    right = [Prediction(example.gold) for example in examples]
    assert level_of(TASK, examples, right) == pytest.approx(1)


def test_an_untranslated_reference_is_doubtful():
    row = {"text": "Rome", "reference": ["Roma", "Rome"]}
    doubts = list(TASK.doubts(row, TASK.parse(row, source="t.jsonl:1")))
    assert doubts == ["have a reference that is the text itself, untranslated"]


@pytest.mark.parametrize(
    ("recipe", "text", "gold"),
    [
        ("word_case", "A CAT SAT.", "UM GATO SENTOU-SE."),
        ("word_case(case=lower)", "a cat sat.", "um gato sentou-se."),
        ("word_case(case=title)", "A Cat Sat.", "Um Gato Sentou-Se."),
    ],
)
def test_references_change_case_as_the_text_does(recipe, text, gold):
    example = Example("1", {"text": "A cat sat."}, AnyOf((Text("Um gato sentou-se."),)))
    variant = perturb(example, recipe, seed=0, task="translation")
    assert apply_edits(example, variant.edits).text == text
    assert variant.gold == AnyOf((Text(gold),))
    assert type(variant.gold[0]) is Text


@pytest.mark.parametrize("recipe", ["word_case(share=0.3)", "word_case(case=random)", "typos"])
def test_references_stay_as_they_are(recipe):
    example = Example("1", {"text": "A cat sat on the mat over there."}, Text("Um gato."))
    variant = perturb(example, recipe, seed=0, task="translation")
    assert (variant.status, variant.gold) == ("ok", Text("Um gato."))


@pytest.mark.parametrize("recipe", ["number_swap", "tense", "append_irrelevant", "punctuation"])
def test_what_a_translation_would_have_to_follow_has_no_reference(recipe):
    assert not parse_recipe(recipe).is_scored(WRITTEN)
    example = Example("1", {"text": "We found 12 cats."}, Text("Encontramos 12 gatos."))
    assert perturb(example, recipe, seed=0, task="translation").gold is None


def test_only_changes_that_leave_a_reference_are_usual():
    english = frozenset({"en"})
    names = {r.name for r in RobustnessParams().recipes(TASK, english)}
    assert {"typos@1", "ocr@1", "word_case@1", "contraction@1", "synonym_wordnet@1"} <= names
    assert names.isdisjoint({"tense@1", "number_swap@1", "social_media@1", "punctuation@1"})
    labels = {r.name for r in RobustnessParams().recipes(load_task("text-classification"), english)}
    assert names < labels


def test_a_control_is_held_to_the_reference_of_the_text():
    example = Example("1", {"text": "A cat sat on the mat over there."}, Text("Um gato."))
    treated = perturb(example, "typos", seed=0, task="translation")
    control = Controls(example).of(replace(treated, gold=Text("UM GATO.")), seed=0)
    assert (control.status, control.gold) == ("ok", Text("Um gato."))


def test_the_drop_of_every_metric_of_the_task_is_estimated():
    data = DataShape("pud", n_items=9, chance=0.25, languages=frozenset({"en"}))
    inputs = Inputs(TASK, data, SubjectShape("en-pt", frozenset({"predict"})))
    design = make_design(RobustnessParams(transformations=("typos", "tense")), inputs)
    metrics = {spec.id: spec.metric for spec in design.estimates}
    assert metrics["drop/typos@1/0"] == "drop(chrf)@1"
    assert metrics["drop_bleu/typos@1/0"] == "drop(bleu)@1"
    assert "drop/tense@1/0" not in metrics
    assert [claim.id for claim in design.claims] == ["typos@1"]


MODELS = """
KNOWN = dict(good="guten", day="tag", night="nacht", the="der", man="mann")

def whole(texts):
    return [" ".join(KNOWN.get(word, word) for word in text.split()) for text in texts]

def cut(texts):
    return whole([text.rpartition(" ")[0] for text in texts])
"""


def test_bleu_is_named_after_its_tokenizer_where_it_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("models.py").write_text(MODELS)
    words = [("good", "guten"), ("day", "tag"), ("night", "nacht"), ("the", "der"), ("man", "mann")]
    rows = [[words[(k * step) % 5] for step in range(1, 7)] for k in range(1, 30)]
    lines = [",".join(" ".join(side) for side in zip(*row, strict=True)) for row in rows]
    Path("dev.csv").write_text(
        "source,target\n" + "\n".join(f"{n} {x}" for n, x in enumerate(lines))
    )
    data = ["--data", "csv:dev.csv#text=source,reference=target,language=en", "--display", "none"]
    for name in ("whole", "cut"):
        only = ["--only", "performance", "--only", "robustness"]
        asked = ["audit", "--model", f"python:models.py:{name}", "--out", name, *only]
        assert exit_code_of(group, [*asked, *data]) == 0
    out = capsys.readouterr().out
    assert out.count("BLEU (13a) ") == 2
    assert "BLEU (13a): BLEU" not in out
    assert exit_code_of(group, ["compare", "whole", "cut"]) == 0
    numbers = capsys.readouterr().out.partition("Numbers of both runs")[2].partition("\n\n")[0]
    assert {"BLEU", "(13a)", "drop"} <= {*numbers.split()}  # a column may come in between
    assert "bleu" not in numbers
