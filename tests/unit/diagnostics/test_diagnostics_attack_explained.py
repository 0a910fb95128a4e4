"""Attacks that an explanation guides, through runs: questions, and texts frozen as a suite."""

import json

from toy_runs import estimate, run

from scrutiny.core.answers.texts import Extract
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.task import Prediction
from scrutiny.data.readers.suites import suite_lines
from scrutiny.report.cases.evidence import searched_texts
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.reusing import frozen
from scrutiny.testing.toy_models import ToyModel

NAMES = "Ada Bo Cleo Dan Eva Finn Gus Hana Ivo Jan Kim Leo".split()
TOWNS = "Rome Oslo Lima Bonn Cork Graz Riga Nice Bern Kyiv Pune York".split()


class WordReader(ToyModel):
    """Answers with the end of the last sentence with "festival", if asked for it; or "The"."""

    def __init__(self):
        super().__init__("question-answering", ())

    def predict(self, examples):
        found = []
        for example in examples:
            question, text = example.fields["question"], example.fields["context"]
            held = [s for s in text.split(". ") if "festival" in s.lower()]
            word = held[-1].rstrip(".").split()[-1] if "festival" in question else "The"
            found.append(Prediction(Extract(word, "context", text.rindex(word))))
        return found


def test_questions_of_a_reader_of_one_word(tmp_path):
    """Named sentences draw it away, and it notices another subject: that has its word."""
    rows = [
        {
            "question": f"Where did the proud brave {name} happily enjoy the autumn festival?",
            "context": f"The autumn festival of {name} was in {town}. It rained.",
            "answers": [{"text": town, "answer_start": 31 + len(name)}],
        }
        for name, town in zip(NAMES, TOWNS, strict=True)
    ]
    attacks = ["named_sentence(words=3)", "subject_replaced", "named_stop_words", "empty_prefixes"]
    folder = run("attack", WordReader(), rows, tmp_path, task="question-answering", recipes=attacks)

    def of(recipe, role="measured"):
        return estimate(folder, "attack_success", recipe=recipe, role=role, draw=0).value

    drawn = attacks[0].replace("(", "@1(")
    assert estimate(folder, "answer_f1", role="baseline").value == 1
    assert of(drawn) > 0.9
    assert of(drawn, "control") < 0.7  # three of nine words, one in three has it
    assert (of("subject_replaced@1"), of("subject_replaced@1", "control")) == (0.0, 1.0)
    assert of("named_stop_words@1") == of("empty_prefixes@1") == 0
    claims = {one.claim.id.split("/")[-1]: one.claim for one in folder.findings()}
    assert claims["subject_replaced@1"].risk.costs == "leaves the answer of {} % of texts as it was"
    assert len(claims["subject_replaced@1"].components) == 1


class Bag(ToyModel):
    """A match is a pair with a third of the first text's words in common."""

    def __init__(self):
        super().__init__("text-pair-classification", ("match", "other"))

    def predict(self, examples):
        found = []
        for example in examples:
            first, second = ({*t.lower().split()} for t in example.fields.values())
            p = 0.9 if len(first & second) / len(first) > 1 / 3 else 0.1
            found.append(Prediction("match" if p > 0.5 else "other", (p, 1 - p)))
        return found


def test_a_frozen_subject_expects_another_answer_and_random_change_the_same(tmp_path):
    rows = [
        {
            "text": f"When did {name} see {town} in that long rainy summer",
            "text_pair": f"In that long rainy summer {name} was in {town} twice",
            "label": "match",
        }
        for name, town in zip(NAMES, TOWNS, strict=True)
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    plan = Plan(
        data=(DataPlan("x", str(file)),),
        models=(ModelPlan("m", "python:object:Toy"),),
        measure=(MeasurePlan("d", "attack", ("m",), ("x",), {"recipes": ["subject_replaced"]}),),
        resampling=Resampling(draws=200),
    )
    made = resolve(plan, models={"m": Bag()})
    folder = run_plan(made, tmp_path / "run", models={"m": Bag()})
    assert estimate(folder, "attack_success", recipe="subject_replaced@1", draw=0).value == 1
    _, cases = frozen(folder, searched_texts(folder.path, folder.estimates()))
    expected = {(one.case.role, one.case.expect) for one in cases if one.case is not None}
    assert expected == {("measured", "is_not(label=match)"), ("control", "stays_right")}
    assert list(suite_lines("text-pair-classification", cases))
