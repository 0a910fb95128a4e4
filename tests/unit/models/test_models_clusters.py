"""Clusters of users' objects and of stored answers, from the command line to a score."""

import json

import pytest

import scrutiny
from scrutiny.cli import group
from scrutiny.core.answers.clusters import clusters_of
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_adapter

TASK = load_task("coreference")
ROWS = [
    {"id": "a", "words": "Ida saw her aunt".split(), "clusters": [[[0, 0], [2, 2]], [[2, 3]]]},
    {"id": "b", "words": "He saw him".split(), "clusters": [[[0, 0]], [[2, 2]]]},
]
EXAMPLES = [TASK.parse(row, source="x:1") for row in ROWS]
CODE = """
PRONOUNS = {"he", "him", "her", "she"}

def by_code_points(texts):
    return [[[(0, len(text.split()[0]))]] for text in texts]

def by_words(texts):
    return [{"words": [[(i, i) for i, w in enumerate(t) if w.lower() in PRONOUNS]]} for t in texts]

def wrong(texts):
    return ["Ida"] * len(texts)
"""


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("by_code_points", [[[(0, 3)]], [[(0, 2)]]]),
        ("by_words#input=words", [[[(8, 11)]], [[(0, 2), (7, 10)]]]),
    ],
)
def test_functions(write, target, found):
    write("own.py", CODE)
    model = load_model(f"python:own.py:{target}", TASK)
    answers = [one.answer for one in model.predict(EXAMPLES)]
    assert answers == [clusters_of("text", clusters) for clusters in found]


def test_a_function_that_returns_none_is_told_what_clusters_are(write):
    write("own.py", CODE)
    model = load_model("python:own.py:wrong", TASK)
    failure = predict_or_fail(model, EXAMPLES)[0]
    assert failure.reason == "bad_answer"
    assert "gave 'Ida' for item 'a': an answer is a list of clu" in failure.message


def test_stored_answers(write):
    rows = [{"id": row["id"], "answer": {"words": row["clusters"]}} for row in ROWS]
    write("answers.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    model = load_model("predictions:answers.jsonl", TASK)
    assert [one.answer for one in model.predict(EXAMPLES)] == [e.gold for e in EXAMPLES]


def test_head_match_keeps_the_promises_of_models():
    check_adapter(load_model("rules:head-match", TASK), EXAMPLES)


def test_a_run_of_each_model_has_a_score(write, tmp_path, monkeypatch):
    """Stored gold answers have an F1 of 1; head match joins two people whom only a reader parts."""
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(tmp_path / "cache"))
    write("d.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS))
    rows = [{"id": row["id"], "answer": {"words": row["clusters"]}} for row in ROWS]
    write("answers.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    for model in ("predictions:answers.jsonl", "rules:head-match"):
        out = str(tmp_path / model.partition(":")[0])
        arguments = ["run", "performance", "--model", model, "--data", "d.jsonl", "--out", out]
        assert group.main([*arguments, "--display", "none"], standalone_mode=False) in (None, 0)
    assert scrutiny.load(tmp_path / "predictions").estimate("conll_f1").value == 1.0
    found = scrutiny.load(tmp_path / "rules")
    assert found.estimate("mention_f1").value == 1.0
    assert 0.5 < found.estimate("linked_conll_f1").value < 1.0
