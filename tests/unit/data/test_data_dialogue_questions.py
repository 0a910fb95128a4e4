"""DREAM and C3: questions with options about a dialogue."""

import json

import pytest

from scrutiny.core.answers.choices import Option, options_in
from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset

TURNS = ["M: Have you met?", "W: Never."]
ASKED = {"question": "Have they met?", "choice": ["Yes.", "No."], "answer": "No."}


def written(write, *questions, turns=TURNS):
    write("d.json", json.dumps([[turns, list(questions), "1-2"]]))
    return "dream:d.json"


def test_a_question_has_its_dialogue_and_its_options(write):
    second = {**ASKED, "choice": ["a", "b", "c"], "answer": "c"}
    data = load_dataset(written(write, ASKED, second))
    assert data.task == "multiple-choice"
    first, other = data.examples
    assert first.fields["text"] == "M: Have you met?\nW: Never."
    assert (first.id, first.gold, options_in(first.fields)) == ("1-2/1", Option(1), ["Yes.", "No."])
    assert (other.gold, first.attributes["u_paragraph"]) == (Option(2), "1-2")
    assert other.attributes == first.attributes


def test_an_answer_that_is_no_option_is_a_bad_row(write):
    data = load_dataset(written(write, ASKED, {**ASKED, "answer": "no"}))
    assert (len(data.examples), len(data.bad_rows)) == (1, 1)


@pytest.mark.parametrize("text", ["{}", "[1]", '[[["a"], [{"question": "b"}], "1"]]', "no"])
def test_other_files_are_refused(write, text):
    write("d.json", text)
    with pytest.raises(DataError):
        load_dataset("dream:d.json")
