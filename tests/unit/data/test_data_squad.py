"""Files in SQuAD's format."""

import json

from scrutiny.core.answers.extract import Extract
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.tasks.names import load_task

CONTEXT = "Ada met Bo in Rome. 罗马 is old."
ASKED = [
    {"id": "q1", "question": "Whom?", "answers": [{"text": "Bo", "answer_start": 8}]},
    {
        "id": "q2",
        "question": "Where?",
        "answers": [{"text": "Rome", "answer_start": 14}, {"text": "罗马", "answer_start": 20}],
    },
]
FILE = {
    "version": "1.1",
    "data": [
        {"title": "Ada", "paragraphs": [{"context": CONTEXT, "qas": ASKED}]},
        {"paragraphs": [{"context": "Nobody.", "qas": [{"id": "q3", "question": "Who?",
         "answers": [], "is_impossible": True}]}]},
    ],
}  # fmt: skip


def test_questions_of_paragraphs_of_articles(write):
    write("s.json", json.dumps(FILE, ensure_ascii=False))
    data = load_dataset("squad:s.json")
    assert (data.task, [e.id for e in data.examples]) == ("question-answering", ["q1", "q2", "q3"])
    first, second, third = data.examples
    assert first.fields == {"question": "Whom?", "context": CONTEXT}
    assert [right.text for right in second.gold] == ["Rome", "罗马"]
    assert [right.start for right in second.gold] == [14, 20]
    assert first.attributes == {"u_paragraph": "1/1", "u_article": "Ada"}
    assert [right.text for right in third.gold] == [""]
    assert "1 row has no answer in their text" in data.doubts[0]


def test_a_question_without_answers_that_does_not_say_so_is_a_bad_row(write):
    hidden = {"id": "q3", "question": "Who?", "answers": []}
    paragraph = {"context": CONTEXT, "qas": [*ASKED, hidden]}
    write("s.json", json.dumps({"data": [{"paragraphs": [paragraph]}]}))
    (bad,) = load_dataset("squad:s.json").bad_rows
    assert (bad.source, bad.reason) == (
        "s.json:3",
        "it has no answer, and does not say that there is none",
    )


def test_unanswerable_questions_are_scored_by_giving_no_answer():
    rows = [
        {"question": "Whom?", "context": CONTEXT, "answers": {"text": ["Bo"], "answer_start": [8]}},
        {"question": "Why?", "context": CONTEXT, "answers": {"text": [], "answer_start": []}},
        {"question": "How?", "context": CONTEXT, "answers": {"text": [], "answer_start": []}},
    ]
    data = load_dataset(rows)
    task = load_task(data.task)
    scores = [
        [task.score(e.gold, Prediction(Extract(said)), labels=()) for said in ("Bo", "")]
        for e in data.examples
    ]
    assert scores == [[(1.0, 1.0), (0.0, 0.0)], [(0.0, 0.0), (1.0, 1.0)], [(0.0, 0.0), (1.0, 1.0)]]
    assert task.chance(data.examples) == 2 / 3


def test_an_answer_elsewhere_is_a_bad_row(write):
    asked = [{"id": "q1", "question": "Whom?", "answers": [{"text": "Bo", "answer_start": 9}]}]
    file = {"data": [{"paragraphs": [{"context": CONTEXT, "qas": [*asked, ASKED[1]]}]}]}
    write("s.json", json.dumps(file))
    (bad,) = load_dataset("squad:s.json").bad_rows
    assert "'Bo' does not stand at 9 of its text" in bad.reason


def test_a_question_that_lacks_a_part_is_a_bad_row(write, failure):
    odd = [{"id": "q3", "question": "Who?"}, {"id": "q4", "answers": []}, "Who?"]
    file = {"data": [{"paragraphs": [{"context": CONTEXT, "qas": [*odd, ASKED[1]]}]}]}
    write("s.json", json.dumps(file))
    data = load_dataset("squad:s.json")
    assert [example.id for example in data.examples] == ["q2"]
    assert [bad.reason for bad in data.bad_rows] == [
        f"the question has no {part!r}" for part in ("answers", "question", "id")
    ]
    write("t.json", json.dumps({"data": [{"title": "T"}]}))
    assert "qas[]: there is no 'paragraphs'." in failure("squad:t.json")


def test_other_files_are_told(write, failure):
    write("rows.json", '[{"question": "Who?"}]')
    write("other.json", '{"data": [{"question": "Who?"}]}')
    write("broken.json", '{"data": [')
    for name in ("rows.json", "other.json", "broken.json"):
        assert "no file in SQuAD's format" in failure(f"squad:{name}")
