"""Pronouns of WSC273, PDP, DPR and GAP, and the pairs that they make."""

import pytest

from scrutiny.core.answers.choices import Option, options_in
from scrutiny.core.errors import DataError
from scrutiny.core.example import Span, suite_tests
from scrutiny.data.dataset import load_dataset
from scrutiny.tasks.tasks import load_task
from scrutiny.testing.check_data import check_task

TASK = load_task("pronoun-resolution")
SCHEMA = """The box is in the bag because  [MASK]  is small.
[MASK]
 the box , the bag
 the box

The box is in the bag because [MASK] is large.
[MASK]
 the bag , the box
 the bag

Bo said he saw Al before he left.
he
Bo,Al
Al

A text of two lines.
he
"""
GAP = (
    "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
    "t-1\tVera met Olga before she left.\tshe\t21\tVera\t0\tFALSE\tOlga\t9\tTRUE\tu\n"
    "t-2\tVera met Olga before she left.\tshe\t21\tVera\t0\tFALSE\tOlga\t9\tFALSE\tu\n"
    "t-3\tVera met Olga before she left.\tshe\t20\tVera\t0\tFALSE\tOlga\t9\tTRUE\tu\n"
)


def test_texts_have_a_gap_and_options_in_their_order(write):
    write("w.txt", SCHEMA)
    data = load_dataset("winograd:w.txt")
    first, second, third = data.examples
    assert first.text == "The box is in the bag because _ is small."
    assert [options_in(e.fields) for e in (first, second)] == [["the box", "the bag"]] * 2
    assert (first.gold, second.gold, third.gold) == (Option(0), Option(1), Option(1))
    assert third.text == "Bo said he saw Al before _ left."
    assert [e.attributes["u_pair"] for e in data.examples] == ["1", "1", "2"]
    assert third.attributes["a_pronoun"] == "he"
    assert len(data.bad_rows) == 1


def test_pairs_are_groups_of_a_suite(write):
    write("w.txt", SCHEMA)
    data = load_dataset("winograd:w.txt#pairs=suite")
    assert [(e.id, e.case.of, e.case.expect) for e in data.examples] == [
        ("1", "", "gold"),
        ("2", "", "gold"),
    ], "neither text is a change of the other: no drop between them is a number"
    assert {e.attributes["u_group"] for e in data.examples} == {"1"}
    (test,) = suite_tests(data.examples)
    assert (test.name, test.n_cases, test.has_base, test.has_groups) == ("pairs", 2, False, True)


def test_a_file_without_pairs_is_no_suite(write):
    write("w.txt", SCHEMA.partition("\n\n")[0])
    with pytest.raises(DataError, match="no pairs"):
        load_dataset("winograd:w.txt#pairs=suite")


def test_names_of_gap(write):
    write("gap.tsv", GAP)
    data = load_dataset("winograd:gap.tsv")
    (one,) = data.examples
    assert (one.text, one.gold) == ("Vera met Olga before _ left.", Option(1))
    assert (one.attributes["a_gender"], one.attributes["a_pronoun"]) == ("feminine", "she")
    reasons = [bad.reason for bad in data.bad_rows]
    assert "does not mean one of the two" in reasons[0]
    assert "is not at character 20" in reasons[1]


def test_another_table_is_refused(write):
    write("x.tsv", "a\tb\n1\t2\n")
    with pytest.raises(DataError, match="no file of GAP"):
        load_dataset("winograd:x.tsv")


def test_the_task_keeps_its_contract():
    rows = [
        {"text": "Bo left. _ was ill.", "options": "Bo|Al", "answer": "Bo"},
        {"text": "Bo left. [MASK] was ill.", "options": ["Bo", "Al", "Cy"], "answer": 2},
        {"text": "Bo left. He was ill.", "gap": [9, 11], "options": ["Bo", "Al"], "answer": 0},
    ]
    check_task(TASK, rows)
    found = TASK.parse(rows[2], source="x:1")
    assert found.text == rows[0]["text"]
    assert found.protected == (Span("text", 9, 10, "pronoun"),)
    assert TASK.facts.hangs_on == "marked"


@pytest.mark.parametrize(
    "row", [{"text": "no gap"}, {"text": "_ and _"}, {"text": "a", "gap": [3, 2]}]
)
def test_a_text_without_one_gap_is_a_bad_row(row):
    with pytest.raises(DataError, match="gap"):
        TASK.parse({"options": ["a", "b"], "answer": 0, **row}, source="x:1")
