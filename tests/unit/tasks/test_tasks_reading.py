"""Questions with extracted answers: exact match and F1 worked by hand, cells, and no skill."""

import json

import numpy as np
import pytest

from scrutiny.core.answers.texts import EXTRACT, AnyOf, Extract, words_of_both
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.diagnostics.robustness.robustness_recipes import RobustnessParams
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.controls import Controls
from scrutiny.reliability.metrics import metric_of
from scrutiny.tasks.question_answering import (
    MultiSpanQuestions,
    compare,
    compare_spans,
    of_stretches,
)
from scrutiny.tasks.stretch_questions import compare_stretches
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edits import apply_edits

TASK = load_task("question-answering")
CONTEXT = "The Denver Broncos won. Denver Broncos fans sang in 2016."
ROW = {"question": "Who won?", "context": CONTEXT}


@pytest.mark.parametrize(
    ("answer", "gold", "exact", "overlap"),
    [
        ("Denver Broncos", "Denver Broncos", 1, 1),
        ("the denver  Broncos!", "Denver Broncos", 1, 1),  # case, article, marks and spaces
        ("The Broncos", "Denver Broncos", 0, 2 * 1 / (1 + 2)),
        ("Broncos, of Denver", "Denver Broncos", 0, 2 * 2 / (3 + 2)),  # order does not count
        ("no no no", "no", 0, 2 * 1 / (3 + 1)),  # a word counts as often as both have it
        ("well-known", "wellknown", 1, 1),  # SQuAD drops marks within words
        ("the", "a", 1, 1),  # nothing is left of either
        ("the", "Rome", 0, 0),
        ("", "Rome", 0, 0),
        ("“Rome”", "Rome", 0, 0),  # SQuAD knows the marks of ASCII alone
    ],
)
def test_english_as_squad_does_it(answer, gold, exact, overlap):
    assert compare(answer, gold) == (exact, pytest.approx(overlap))


@pytest.mark.parametrize(
    ("answer", "gold", "exact", "overlap"),
    [
        ("丹佛野马队", "丹佛野马", 0, 2 * 4 / (5 + 4)),  # by character
        ("“丹佛野马”。", "丹佛野马", 1, 1),  # without the marks of any script
        ("2016年", "2016", 0, 2 * 1 / (2 + 1)),  # digits stay together
        ("Apple 公司", "apple公司", 1, 1),
    ],
)
def test_chinese_by_character(answer, gold, exact, overlap):
    assert compare(answer, gold) == (exact, pytest.approx(overlap))


def test_words_that_count():
    words, none = words_of_both("A theory, an 'F-16' & the end", "")
    assert (words, none) == (["theory", "f16", "end"], [])


def test_the_best_of_several_right_answers_counts_for_each_measure():
    gold = AnyOf((Extract("Denver Broncos"), Extract("the Broncos of Denver")))
    assert TASK.score(gold, Prediction(Extract("Broncos")), labels=()) == (0, pytest.approx(2 / 3))
    assert TASK.score(gold, Prediction(Extract("Broncos of Denver")), labels=()) == (1, 1)


def test_scores_are_means_over_questions():
    rows = np.array([[1.0, 1.0], [0.0, 0.5], [0.0, 0.0], [1.0, 1.0]])
    for metric, column, wanted in (("exact_match", 0, 0.5), ("answer_f1", 1, 0.625)):
        statistic = metric_of(metric)
        sums = statistic.components(rows[:, [column]]).sum(axis=0)[None]
        assert float(statistic.value(sums, np.ones(1))) == wanted
        assert statistic.id in (TASK.scored_by.level, *TASK.scored_by.also)


@pytest.mark.parametrize(
    ("cell", "starts"),
    [
        ("Denver Broncos", [4]),
        (["Denver Broncos", "2016"], [4, 52]),
        ({"text": "Denver Broncos", "answer_start": 24}, [24]),
        ([{"text": "Denver Broncos", "answer_start": 24}, {"text": "2016"}], [24, 52]),
        ({"text": ["Denver Broncos", "2016"], "answer_start": [24, 52]}, [24, 52]),
        ({"text": ["Denver Broncos"], "answer_start": 24}, [24]),
        (["2016", "2016"], [52]),
    ],
)
def test_cells_of_answers(cell, starts):
    example = TASK.parse({**ROW, "answers": cell}, source="q.json:1")
    assert [right.start for right in example.gold] == starts
    for right in example.gold:
        assert CONTEXT[right.start :].startswith(right.text)
    assert (list(example.fields), example.gold[0].field) == (["question", "context"], "context")


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("Chicago", "does not stand in its text"),
        ({"text": "Denver", "answer_start": 5}, "does not stand at 5 of its text"),
        ({"text": ["Denver"], "answer_start": -1}, "does not stand at -1 of its text"),
        ([], "no answer"),
        ([" "], "the answer is empty"),
        (7, "the answer is a number"),
    ],
)
def test_answers_that_cannot_be_read(cell, said):
    with pytest.raises(DataError, match=said):
        TASK.parse({**ROW, "answers": cell}, source="q.json:1")


def test_questions_without_a_column_of_answers_are_not_scored():
    assert TASK.parse(ROW, source="q.json:1").gold is None


def test_no_skill_is_a_stretch_of_the_same_length_anywhere():
    # he was, was born, born in, in rome
    assert of_stretches("He was born in Rome.", "in Rome") == pytest.approx((0 + 0 + 0.5 + 1) / 4)
    assert of_stretches("Rome", "in Rome") == 0
    examples = [
        Example(str(i), {"question": "?", "context": text}, AnyOf((Extract(right),)))
        for i, (text, right) in enumerate([("He was born in Rome.", "in Rome"), ("一二三四", "三")])
    ]
    assert TASK.chance(examples) == pytest.approx((0.375 + 0.25) / 2)


USUAL = [r.name for r in RobustnessParams().recipes(TASK, frozenset({"en"}))]


def test_changes_that_may_swap_what_is_asked_about_are_not_usual():
    assert {"typos@1", "tense@1", "append_irrelevant@1", "synonym_wordnet@1"} <= set(USUAL)
    assert {"number_swap@1", "entity_swap@1", "synonym_vectors@1"}.isdisjoint(USUAL)


@pytest.mark.parametrize("recipe", USUAL)
def test_right_answers_stand_in_every_changed_text(recipe):
    more = " They did not believe it, and nobody is going to receive more. "
    more += "The old town quickly sold the large house, and he loved the movie."
    row = {"question": "Who did not believe it?", "context": CONTEXT + more}
    example = TASK.parse({**row, "answers": ["Denver Broncos", "in 2016"]}, source="q.json:1")
    if recipe == "tense@1":
        recipe = "tense(unit=sentence)"  # no text of two tenses turns as a whole
    seen = 0
    for seed in range(8):
        variant = perturb(example, recipe, seed=seed, task=TASK.name)
        if variant.status != "ok":
            continue
        changed = apply_edits(example, variant.edits)
        assert variant.gold == changed.gold
        assert all(EXTRACT.check(right, changed) is None for right in variant.gold)
        control = Controls(example).of(variant, seed=seed)
        if control.status == "ok":
            after = apply_edits(example, control.edits)
            assert all(EXTRACT.check(right, after) is None for right in control.gold)
        seen += 1
    assert seen


@pytest.mark.parametrize(
    ("said", "right", "wanted"),
    [
        ("Bo|Ada", "Ada|Bo", (1, 1)),
        ("Ada", "Ada|Bo", (0, 0.5)),
        ("Ada|Bo|Cy", "Ada|Bo", (0, 2 / 3)),
        ("the 15 men", "15", (0, 2 / 3)),
        ("15.0", "15", (1, 1)),
        ("16 men", "15 men", (0, 0)),  # numbers are told apart
        ("40-yard pass", "40 yard pass", (1, 1)),
        ("1,000", "1000", (1, 1)),
        ("", "Ada", (0, 0)),
        ("7 March 1565", "March 1565", (0, 0.8)),
    ],
)
def test_spans_are_compared_as_drop_does(said, right, wanted):
    assert compare_spans(said, right) == pytest.approx(wanted)


@pytest.mark.data("survey_worked_examples")
def test_stretches_are_shared_as_dureader_counts_them(shared):
    path = shared / "survey_worked_examples" / "worked_examples.json"
    for one in json.loads(path.read_text(encoding="utf-8"))["dureader_f1"]:
        found = compare_stretches(one["pred"], one["gold"])
        assert found == (0.0, pytest.approx(one["f1"], abs=1e-7))
        assert found[1] != pytest.approx(one.get("f1_if_true_subsequence_not_this"))


@pytest.mark.parametrize(
    ("said", "right", "wanted"),
    [
        ("北京大学。", "北京 大学", (1, 1)),
        ("", "Ada", (0, 0)),
        ("the Ada of Bo", "Ada of", (0, 2 / 3)),  # articles count
        ("Bo Ada", "Ada Bo", (0, 1 / 2)),  # words in another order are two stretches
        ("北京大学在北京", "在北京大学", (0, 2 * 4 / 12)),
    ],
)
def test_the_longest_stretch_counts(said, right, wanted):
    assert compare_stretches(said, right) == pytest.approx(wanted)
    assert compare_stretches(right, said) == pytest.approx(wanted)


def test_stretch_questions_are_read_scored_and_have_a_level_without_skill(tmp_path):
    asked = {"id": "q", "question": "何时?", "answers": [{"text": "北京大学", "answer_start": 2}]}
    page = {"paragraphs": [{"context": "他在北京大学工作", "qas": [asked]}]}
    (tmp_path / "d.json").write_text(json.dumps({"data": [page]}), encoding="utf-8")
    data = load_dataset(f"squad:{tmp_path}/d.json#task=stretch-questions")
    task = load_task(data.task)
    (item,) = data.examples
    scored = task.score(item.gold, Prediction(answer=Extract("北大")), labels=())
    assert scored == (0.0, pytest.approx(1 / 3))
    text, right = "他在北京大学工作", "北京大学"
    windows = [compare_stretches(text[i : i + 4], right)[1] for i in range(5)]
    assert task.chance([item]) == pytest.approx(np.mean(windows))
    assert windows == [0.5, 0.75, 1.0, 0.75, 0.5]


def test_questions_of_several_spans_have_a_level_without_skill():
    task = MultiSpanQuestions()
    texts = {"question": "Who?", "context": "Ada saw Bo ."}
    example = Example("a", texts, AnyOf([Extract("Ada|Bo")]))
    assert task.chance([example]) == pytest.approx(1 / 3)
    scored = task.score(example.gold, Prediction(answer=Extract("Bo|Ada")), labels=())
    assert scored == (1.0, 1.0)
