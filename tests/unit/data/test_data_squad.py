"""Files in SQuAD's format."""

import json
from collections import Counter

import pytest

from scrutiny.core.answers.texts import Extract
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.tasks.tasks import load_task

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


@pytest.mark.parametrize(
    ("around", "context", "starts"),
    [(0, "Bo left Rome.", [8]), (1, "It rained. Bo left Rome. Why?", [19]), (9, None, [31, 42])],
)
def test_texts_are_cut_to_the_sentences_around_the_answer(write, around, context, starts):
    text = "Ada met Bo. It rained. Bo left Rome. Why? Rome is old."
    places = [text.index("Rome"), text.rindex("Rome")]
    asked = {"id": "q1", "question": "Where?", "answers": [
        {"text": "Rome", "answer_start": place} for place in places]}  # fmt: skip
    file = {"data": [{"paragraphs": [{"context": text, "qas": [asked]}]}]}
    write("s.json", json.dumps(file))
    (first,) = load_dataset(f"squad:s.json#around={around}").examples
    assert first.fields["context"] == (text if context is None else context)
    assert [right.start for right in first.gold] == starts


def test_texts_without_an_answer_are_cut_alike(write):
    text = "Ada met Bo. It rained. Bo left Rome. Why? Rome is old."
    asked = [
        {"id": f"q{n}", "question": "Why?", "answers": [], "is_impossible": True} for n in range(60)
    ]
    write("s.json", json.dumps({"data": [{"paragraphs": [{"context": text, "qas": asked}]}]}))
    cut = [e.fields["context"] for e in load_dataset("squad:s.json#around=0").examples]
    counts = Counter(cut)
    assert set(counts) == {"Ada met Bo.", "It rained.", "Bo left Rome.", "Why?", "Rome is old."}
    assert min(counts.values()) >= 4  # of 12
    again = load_dataset("squad:s.json#around=0")
    assert [e.fields["context"] for e in again.examples] == cut
    assert {e.gold[0].text for e in again.examples} == {""}


def test_sentences_around_are_a_number(write, failure):
    write("s.json", json.dumps(FILE))
    assert "around is '-1'; it is a number of sentences" in failure("squad:s.json#around=-1")


def test_an_answer_elsewhere_is_a_bad_row(write):
    asked = [{"id": "q1", "question": "Whom?", "answers": [{"text": "Bo", "answer_start": 9}]}]
    file = {"data": [{"paragraphs": [{"context": CONTEXT, "qas": [*asked, ASKED[1]]}]}]}
    write("s.json", json.dumps(file))
    (bad,) = load_dataset("squad:s.json").bad_rows
    assert "'Bo' does not stand at 9 of its text" in bad.reason


def quoref(*answers, context_id="c1", **more):
    """A file of one question with these answers, words and start."""
    spans = [{"text": text, "answer_start": start} for text, start in answers]
    asked = {"id": "q1", "question": "Who?", "answers": spans, **more}
    paragraph = {"context": CONTEXT, "qas": [asked, ASKED[0] | {"id": "q2"}]}
    if context_id:
        paragraph["context_id"] = context_id
    return json.dumps({"data": [{"title": "Ada", "url": "x", "paragraphs": [paragraph]}]})


@pytest.mark.parametrize(
    "answers",
    [
        [("Ada", 0), ("Bo", 8)],
        [("Bo", 8), ("Ada", 0), ("Bo", 8)],
        [("Ada met", 0), ("Ada", 0), ("Rome", 14)],
    ],
)
def test_an_answer_of_several_spans_together_is_a_bad_row_of_quoref(write, answers):
    write("q.json", quoref(*answers))
    data = load_dataset("squad:q.json")
    (bad,) = data.bad_rows
    assert bad.source == "q.json:1"
    assert bad.reason.startswith("its answer is several spans together, as in Quoref, and an")
    assert [e.id for e in data.examples] == ["q2"]


@pytest.mark.parametrize(
    "answers", [[("Ada", 0)], [("Ada met Bo", 0), ("Ada", 0), ("met", 4)], [("o", 9), ("o", 15)]]
)
def test_spans_that_overlap_or_are_alike_are_alternatives(write, answers):
    write("q.json", quoref(*answers))
    data = load_dataset("squad:q.json")
    assert data.bad_rows == ()
    assert len(data.examples[0].gold) == len(answers)


@pytest.mark.parametrize("start", [float("inf"), "0", [0]])
def test_an_answer_of_quoref_that_starts_nowhere_is_a_bad_row(write, start):
    write("q.json", quoref(("Ada", start), ("Bo", 8)))
    (bad,) = load_dataset("squad:q.json").bad_rows
    assert "spans together" not in bad.reason


def test_in_other_files_several_spans_are_alternatives(write):
    write("q.json", quoref(("Ada", 0), ("Bo", 8), context_id=""))
    data = load_dataset("squad:q.json")
    assert [right.text for right in data.examples[0].gold] == ["Ada", "Bo"]


@pytest.mark.data("contrast_sets")
def test_quoref_as_published(shared):
    folder = shared / "contrast_sets" / "quoref"
    data = load_dataset(f"squad:{folder}/quoref_test_perturbations_20191206_merged.json")
    together = [bad for bad in data.bad_rows if "spans together" in bad.reason]
    assert (len(data), len(together), len(data.bad_rows)) == (569, 129, 131)
    both = load_dataset(
        f"contrast:{folder}/quoref_test_perturbations_20191206_merged.json"
        "#originals=quoref_original_subset_20191206_merged.json"
    )
    cases = [e for e in both.examples if e.case]
    known = {e.id for e in both.examples if not e.case}
    assert (len(known), len(cases)) == (415, 698)  # two ids stand twice
    assert {e.case.of for e in cases} <= known
    assert sum("|" in e.gold[0].text for e in both.examples) == 157


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


def test_pairs_are_derived_of_a_question_with_its_own_text_and_with_another_of_its_article(write):
    """The other text is of another paragraph of the same article; a lone paragraph has none."""

    def asked(name, text):
        answer = {"text": text[:2], "answer_start": 0}
        return {"context": text, "qas": [{"id": name, "question": f"{name}?", "answers": [answer]}]}

    first = [asked("q1", "Ada met Bo."), asked("q2", "Cleo left."), asked("q3", "Dan stayed.")]
    unanswered = {"context": "Nobody.", "qas": [
        {"id": "q5", "question": "Who?", "answers": [], "is_impossible": True}]}  # fmt: skip
    data = [{"title": "A", "paragraphs": [*first, unanswered]},
            {"title": "B", "paragraphs": [asked("q4", "Eva won.")]}]  # fmt: skip
    write("s.json", json.dumps({"data": data}))
    found = load_dataset("squad:s.json#task=text-pair-classification")
    assert found.task == "text-pair-classification"
    own = {e.id: e.fields for e in found.examples if e.gold == "match"}
    assert own["q1/match"] == {"text": "q1?", "text_pair": "Ada met Bo."}
    other = {e.id: e.fields["text_pair"] for e in found.examples if e.gold == "other"}
    assert {*own} == {f"q{i}/match" for i in (1, 2, 3, 4)}
    assert {*other} == {f"q{i}/other" for i in (1, 2, 3)}
    assert other["q1/other"] in ("Cleo left.", "Dan stayed.")
    (bad,) = found.bad_rows
    assert bad.reason == "no passage answers it"
    again = load_dataset("squad:s.json#task=text-pair-classification")
    assert [e.fields for e in again.examples] == [e.fields for e in found.examples]
