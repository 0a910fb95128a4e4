"""Extracts: what they are read from, where they are checked, and what edits make of them."""

import pytest

from scrutiny.core.answers.answer import from_json, to_json, type_of
from scrutiny.core.answers.texts import EXTRACT, AnyOf, Extract, Text
from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example, Span
from scrutiny.text.edits import apply_edits

CONTEXT = "Ada Lee met Bo in Rome. Bo knew Rome."
GOLD = AnyOf((Extract("Bo", "context", 12), Extract("Rome", "context", 18)))
ASKED = Example("q1", {"question": "Whom?", "context": CONTEXT}, GOLD)


def after(*edits, gold=GOLD):
    asked = Example("q1", ASKED.fields, gold)
    changed = apply_edits(asked, edits)
    for right in changed.gold:
        assert EXTRACT.check(right, changed) is None  # stands where it says
    return changed.gold


def test_edits_outside_move_it():
    assert after(Edit("context", 0, 3, "Miss Ada")) == AnyOf(
        (Extract("Bo", "context", 17), Extract("Rome", "context", 23))
    )


def test_edits_of_the_question_leave_it():
    assert after(Edit("question", 0, 4, "Who")) == GOLD


def test_edits_within_change_its_words_and_untouched_ones_elsewhere_stay_right():
    assert after(Edit("context", 20, 20, "oo")) == AnyOf(
        (
            Extract("Bo", "context", 12),
            Extract("Rooome", "context", 18),
            Extract("Rome", "context", 34),
        )
    )


def test_old_words_that_stand_nowhere_are_no_longer_right():
    gold = AnyOf((Extract("Ada Lee", "context", 0),))
    assert after(Edit("context", 4, 7, "LEE"), gold=gold) == AnyOf(
        (Extract("Ada LEE", "context", 0),)
    )


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (Edit("context", 8, 14, "saw B"), "crosses_span"),
        (Edit("context", 12, 14, ""), "empties_span"),
    ],
)
def test_edits_that_lose_it(edit, reason):
    with pytest.raises(EditRefusedError) as caught:
        after(edit)
    assert caught.value.reason == reason


def test_spans_that_take_its_place_lose_it():
    edit = Edit(
        "context", 12, 14, "Cy Dee", spans=(Span("context", 0, 2, "A"), Span("context", 3, 6, "B"))
    )
    with pytest.raises(EditRefusedError) as caught:
        after(edit)
    assert caught.value.reason == "replaced_answer"


@pytest.mark.parametrize("answer", [Extract("Bo", "context", 12), Extract("Bo"), GOLD])
def test_stored_answers_come_back(answer):
    back = from_json(to_json(answer))
    assert (back, type(back)) == (answer, type(answer))


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ("Bo", Extract("Bo")),
        ({"answer": "Bo", "start": 12, "score": 0.4, "end": 14}, Extract("Bo", "context", 12)),
        ({"text": "Bo", "answer_start": 12}, Extract("Bo", "context", 12)),
        ({"answer": "Bo"}, Extract("Bo")),
    ],
)
def test_what_users_give(value, answer):
    assert EXTRACT.given(value, ASKED) == answer


@pytest.mark.parametrize(
    "value", [None, 3, ("Bo", 12), {"start": 12}, {"answer": "Bo", "start": "12"}]
)
def test_what_is_no_answer(value):
    with pytest.raises(TypeError, match="an answer is a string"):
        EXTRACT.given(value, ASKED)


def test_words_must_stand_where_they_are_said_to():
    assert EXTRACT.check(Extract("Bo", "context", 12), ASKED) is None
    assert EXTRACT.check(Extract("whatever"), ASKED) is None
    said = EXTRACT.check(Extract("Bo", "context", 11), ASKED)
    assert said == "is 'Bo' at context[11:13], where the text has ' B'."
    assert "where the text has ''" in EXTRACT.check(Extract("Bo", "passage", 12), ASKED)


def test_answers_agree_by_their_words():
    assert EXTRACT.agree(Extract("Bo", "context", 12), Extract("Bo")).share == 1
    assert EXTRACT.agree(Extract("Bo"), Extract("Ada")).share == 0


@pytest.mark.parametrize(
    ("brief", "is_right"),
    [("the Bo!", True), ("Rome", True), ("Bo left", False), ("no answer", False)],
)
def test_few_words_tell_whether_an_answer_is_right(brief, is_right):
    assert type_of(GOLD).is_said(GOLD, brief) is is_right


def test_of_other_answers_few_words_do_not_tell():
    for answer in (Text("Bo"), (), AnyOf((Text("Bo"),))):
        assert type_of(answer).is_said(answer, "Bo") is None
    assert type_of("good").is_said("good", "good")
