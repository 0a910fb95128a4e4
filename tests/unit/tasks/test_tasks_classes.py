from pathlib import Path

import pytest

from scrutiny.core.errors import DataError, ModelError, UnknownNameError
from scrutiny.core.example import Example, Span
from scrutiny.core.expressions import metric_of_metric
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction, Task
from scrutiny.reliability.metrics import usual_metrics
from scrutiny.tasks.classification import Classification
from scrutiny.tasks.tasks import LABEL, TEXT, load_task, text_role

NAMES = ["text-classification", "text-pair-classification", "token-tagging"]
LABELS = ("neg", "pos")


@pytest.mark.parametrize("name", NAMES)
def test_contract(name):
    task: Task = load_task(f"{name}@1")
    assert task.name == name
    assert all(measure.size == 1 for measure in task.measures)
    assert set(task.fields) <= {"text", "text_pair"}
    of_level = {metric_of_metric(macro, task.scored_by.level) for macro in ("drop", "excess")}
    assert {task.scored_by.level, *of_level} <= set(usual_metrics())


@pytest.mark.parametrize("name", NAMES)
def test_two_points_of_a_score_are_tolerable(name):
    assert load_task(f"{name}@1").scored_by.tolerance == 0.02


def test_every_registered_task_is_here():
    scored = {n for n in registry().names("task") if load_task(n).scored_by is not None}
    others = ("coreference", "dependency-arcs", "question-answering", "situation-questions")
    spans = ("multi-span-questions", "stretch-questions")
    choosing = ("multiple-choice", "multi-label-classification", "passage-ranking")
    choosing += ("pronoun-resolution",)
    marked = ("aspect-sentiment", "relation-classification", "translation", "word-segmentation")
    senses = ("word-senses",)
    judged = ("generation", "judged-answers", "judged-pairs")
    known = {
        f"{name}@1" for name in (*NAMES, *others, *spans, *choosing, *marked, *judged, *senses)
    }
    assert scored == known, "a scored task has tests of its own; then it is named here"


def test_unknown_task_has_near_names():
    with pytest.raises(UnknownNameError, match="text-classification@1"):
        load_task("text-classificaton")


@pytest.mark.parametrize(
    ("gold", "prediction", "measures"),
    [
        ("pos", Prediction("pos", (0.25, 0.75)), (1.0, 1.0, 0.75)),
        ("neg", Prediction("pos", (0.25, 0.75)), (0.0, 1.0, 0.25)),
        ("neg", Prediction("neg"), (1.0, 0.0, 1.0)),
        ("neg", Prediction("pos"), (0.0, 1.0, 0.0)),
    ],
)
@pytest.mark.parametrize("name", NAMES[:2])
def test_score_of_classes(name, gold, prediction, measures):
    task = load_task(name)
    assert task.score(gold, prediction, labels=LABELS) == measures
    assert len(measures) == len(task.measures)


@pytest.mark.parametrize(
    ("gold", "prediction", "error", "phrase"),
    [
        (None, Prediction("pos"), DataError, "no gold label"),
        ("1", Prediction("pos"), DataError, "neg, pos"),
        ("pos", Prediction("1"), ModelError, "none of its labels"),
        ("pos", Prediction(None), ModelError, "none of its labels"),
        ("pos", Prediction("pos", (1.0,)), ModelError, "1 scores for 2 labels"),
    ],
)
def test_answers_that_cannot_be_scored(gold, prediction, error, phrase):
    with pytest.raises(error, match=phrase):
        load_task("text-classification").score(gold, prediction, labels=LABELS)


def test_score_of_entities_is_strict():
    task = load_task("token-tagging")
    gold = (Span("text", 0, 3, "PER"), Span("text", 4, 7, "LOC"), Span("text", 8, 9, "LOC"))
    predicted = (
        Span("text", 0, 3, "PER"),  # right
        Span("text", 4, 7, "PER"),  # wrong type
        Span("text", 8, 12, "LOC"),  # wrong border
        Span("text", 0, 3, "PER"),  # said twice
    )
    assert task.score(gold, Prediction(predicted), labels=()) == (1.0, 2.0, 2.0)
    assert task.score((), Prediction(()), labels=()) == (0.0, 0.0, 0.0)
    with pytest.raises(ModelError, match="no spans"):
        task.score(gold, Prediction(), labels=())
    with pytest.raises(DataError, match="no gold"):
        task.score(None, Prediction(()), labels=())


def test_chance():
    examples = [Example(str(i), {"text": "so"}, gold) for i, gold in enumerate("abaa")]
    without = Example("4", {"text": "so"})
    assert load_task("text-classification").chance([*examples, without]) == 0.75
    assert load_task("token-tagging").chance([Example("0", {"text": "so"}, ())]) == 0.0
    with pytest.raises(DataError, match="no gold"):
        load_task("text-pair-classification").chance([without])


def test_parse_attributes_and_language():
    row = {"text": "a", "u_story": 3, "a_age": 40, "a_vip": True, "a_none": None, "language": "de"}
    example = load_task("text-classification").parse(row, source="d:1")
    assert example.attributes == {"u_story": "3", "a_age": 40.0, "a_vip": "true"}
    assert example.language == "de"
    assert example.gold is None


@pytest.mark.parametrize(
    ("name", "row", "phrase"),
    [
        ("text-classification", {}, "text is missing"),
        ("text-classification", {"text": {}}, "text is an object"),
        ("text-classification", {"text": "a", "u_x": None}, "unit x is missing"),
        ("text-classification", {"text": "a", "a_x": []}, "x is a list"),
        ("text-classification", {"text": "a", "id": ""}, "id is missing"),
        ("text-pair-classification", {"text": "a"}, "text_pair is missing"),
        ("token-tagging", {"tokens": "a b"}, "tokens is not a list"),
        ("token-tagging", {}, "tokens is missing"),
        ("token-tagging", {"tokens": []}, "tokens is empty"),
        ("token-tagging", {"tokens": ["a", ""]}, r"tokens\[1\] is empty"),
        ("token-tagging", {"tokens": ["a"], "tags": ["O", "O"]}, "1 tokens and 2 tags"),
    ],
)
def test_rows_that_do_not_parse(name, row, phrase):
    with pytest.raises(DataError, match=phrase):
        load_task(name).parse(row, source="d:1")


def test_tokens_without_tags():
    example = load_task("token-tagging").parse({"tokens": ["a", "bc"]}, source="d:1")
    assert example.gold is None
    assert example.tokens == {"text": ((0, 1), (2, 4))}


class Stance(Classification):
    name = "stance"
    roles = (TEXT, text_role("topic", "column of what it is about"), LABEL)


def test_a_task_of_columns_needs_nothing_else():
    task = Stance()
    assert (task.fields, task.answer, task.words) == (("text", "topic"), "label", "")
    golds = ("for", "for", "against")
    assert task.chance([Example(str(i), {}, gold) for i, gold in enumerate(golds)]) == 2 / 3
    row = {"text": "a", "topic": "tea", "label": "for", "a_year": 1999}
    example = task.parse(row, source="s")
    assert (example.gold, example.fields) == ("for", {"text": "a", "topic": "tea"})
    assert example.attributes == {"a_year": 1999.0}
    assert list(task.doubts(row, example)) == []


@pytest.mark.parametrize("name", [n.partition("@")[0] for n in registry().names("task")])
def test_every_task_states_its_columns(name):
    task = load_task(name)
    roles = {role.name: role for role in task.roles}
    assert len(roles) == len(task.roles) > 0
    assert set(task.identifying_columns) <= set(roles)
    has_right = task.answer != "" or any(role.kind == "expected" for role in task.roles)
    assert has_right == task.must_be_answered
    if task.words:
        assert roles[task.words].is_needed or "text" in roles
        assert task.fields == ("text",)
    else:
        assert task.fields == tuple(n for n, role in roles.items() if role.kind == "text")
    for role in task.roles:
        assert role.meaning.startswith("column") or role.kind == "function"
        assert [known.strip().casefold() for known in role.names] == list(role.names)


def test_the_page_tells_every_column_with_its_names():
    page = (Path(__file__).parents[3] / "docs" / "data.md").read_text(encoding="utf-8")
    table = page.partition("## Columns")[2].partition("\n## ")[0]
    for entry in registry().names("task"):
        task = load_task(entry)
        lines = [one for one in table.splitlines() if one.startswith(f"| `{task.name}`")]
        assert len(lines) == 1, f"docs/data.md, Columns: write the row of {task.name} in the table"
        (line,) = lines
        _, _, needs, may, _ = line.split("|")
        for role in task.roles:
            missing = (
                f"docs/data.md, Columns: the row of {task.name} lacks {role.name} or its names"
            )
            is_shared = "the same" in may and role.name in ("sentence", "document", "half")
            assert is_shared or f"`{role.name}`" in (needs if role.is_needed else may), missing
            assert all(f"`{name}`" in table for name in role.names), missing
