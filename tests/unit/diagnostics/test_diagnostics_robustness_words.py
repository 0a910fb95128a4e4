"""Robustness where answers are annotations of words: what a change costs, and what it changes."""

from io import StringIO

import pytest
from toy_runs import estimate, run

from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.errors import PlanError
from scrutiny.core.model import Model
from scrutiny.core.plan import DataPlan, ModelPlan
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.robustness.robustness import Robustness
from scrutiny.diagnostics.robustness.robustness_recipes import RobustnessParams
from scrutiny.models.answers.returned_answers import borders
from scrutiny.report.cases.answers import Tables
from scrutiny.report.cases.evidence import evidence_of
from scrutiny.report.load import load_view
from scrutiny.report.text import write_terminal
from scrutiny.run.planning.audit import audit_plan
from scrutiny.run.planning.loading import LoadedModels, Opened
from scrutiny.tasks.tasks import load_task

UPPER = "word_case(case=upper)"
TASK = "dependency-arcs"
OTHER = "its relations (foo) are none of Universal Dependencies"


class Parser(Model):
    """Everything depends on the first word; words in capitals are proper nouns."""

    source, task, labels = "python:object:Parser", TASK, ()
    capabilities = frozenset({"predict"})

    def __init__(self, unscored=""):
        self.unscored = unscored

    def predict(self, examples):
        return [Prediction(self.parse(example)) for example in examples]

    def parse(self, example):
        places = tuple(borders(example))
        shown = [example.text[start:end] for start, end in places]
        heads = (ROOT, *[0] * (len(places) - 1))
        relations = ("root", *["dep"] * (len(places) - 1))
        upos = tuple("PROPN" if word.isupper() else "NOUN" for word in shown)
        return Words("text", places, heads, relations, upos, None)


def sentences(count=10):
    return [
        {
            "id": f"s{n}",
            "words": ["She", "sold", "old", "trees", f"{n}", "."],
            "heads": [0, 1, 1, 1, 1, 1],
            "relations": ["root", *["dep"] * 5],
            "upos": ["NOUN"] * 6,
        }
        for n in range(count)
    ]


def measured(tmp_path, model=None, **params):
    return run(
        "robustness",
        model or Parser(),
        sentences(),
        tmp_path,
        task=TASK,
        **{"transformations": [UPPER], **params},
    )


def places(folder):
    """Changed words and compared ones of each changed text."""
    rows = [row for row in folder.records().to_pylist() if row["role"] == "measured"]
    return {tuple(row["values"][-2:]) for row in rows if row["status"] == "ok"}


def test_scores_that_should_be_kept_have_a_row_each(tmp_path):
    folder = measured(tmp_path, metrics=["las", "upos"])
    assert estimate(folder, "drop(las)").value == 0.0  # capitals change no arc
    assert estimate(folder, "drop(upos)").value == pytest.approx(4 / 6)  # words with letters
    found = {f.claim.id: (f.verdict, f.claim.risk.what) for f in folder.findings()}
    assert found == {
        "d/m/x/word_case@1": ("can't tell", "upper and lower case"),  # nothing varies: no limits
        "d/m/x/word_case@1/upos": ("hurts", "upper and lower case: UPOS"),
    }
    assert {f.claim.family for f in folder.findings()} == {
        f"d/m/x/robustness{m}" for m in ("", "/upos")
    }


def test_cases_of_a_score_show_the_layer_that_it_reads(tmp_path):
    folder = measured(tmp_path, metrics=["las", "upos"])
    of_arcs, of_tags = (evidence_of(f, Tables.of(folder)) for f in folder.findings())
    assert of_arcs.n_cases == 0
    case = of_tags.cases[0]
    assert (case.turned, case.gold) == ("broken", "She NOUN; sold NOUN; old NOUN; 1 more")
    assert case.answers[0].after == "She PROPN; sold PROPN; old PROPN; 1 more"


def test_a_score_whose_gold_a_change_falsifies_is_not_asked(tmp_path):
    folder = measured(tmp_path, metrics=["las", "xpos"], transformations=["tense"])
    assert [f.claim.id for f in folder.findings()] == ["d/m/x/tense@1"]
    with pytest.raises(PlanError, match=r"no score 'bleu'; it has las, uas, upos, xpos\."):
        RobustnessParams(metrics=("bleu",)).kept_metrics(load_task(TASK))
    assert Robustness().audit_params(load_task(TASK)).metrics == ("las@1", "upos@1")
    assert Robustness().audit_params(load_task("text-classification")).metrics == ()


def test_changed_words_are_counted_among_those_of_both_texts(tmp_path):
    folder = measured(tmp_path)
    assert estimate(folder, "changed_share", group="changed").value == pytest.approx(4 / 6)
    assert places(folder) == {(4.0, 6.0)}


def test_words_that_a_change_brings_do_not_count(tmp_path):
    folder = measured(tmp_path, transformations=["insert_adverb"])
    assert places(folder) == {(0.0, 6.0)}  # and not the adverb


def test_of_another_scheme_only_what_it_changes_is_counted(tmp_path):
    folder = measured(tmp_path / "run", Parser(OTHER))
    metrics = {e.key.metric for e in folder.estimates()}
    assert metrics == {"coverage@1", "changed_share@1", "beyond(changed_share)@1"}
    (finding,) = folder.findings()
    assert finding.claim.says == "word_case changes what the model says of words"
    assert finding.claim.risk.costs.format(67) == "changes 67 % of words"
    assert finding.estimate.key.metric == "changed_share@1"
    assert [c.name for c in finding.checks][-1] == "more than random change"
    view = load_view(folder.path)
    assert view.facts.warnings == (
        f"m was not scored on x: {OTHER}. What it changes when texts change is counted all the "
        "same.",
    )
    write_terminal(view, screen := StringIO())
    assert "Warning: m was not scored on x" in screen.getvalue()
    with pytest.raises(
        PlanError, match=r"performance@1 compares answers with gold .* are none of U"
    ):
        run("performance", Parser(OTHER), sentences(), tmp_path / "other", task=TASK)
    for model, asked in ((Parser(OTHER), {"robustness@1"}), (Parser(), {"performance@1"})):
        plan = audit_plan(
            (ModelPlan("m", "python:object:Toy"),),
            (DataPlan("x", "object:x", TASK),),
            opened=Opened(LoadedModels(given={"m": model}), {"x": sentences()}),
        )
        names = {measure.diagnostic for measure in plan.measure}
        assert asked <= names
        assert ("performance@1" in names) == (not model.unscored)
