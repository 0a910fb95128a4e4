"""Rows to look at: counted by kind, and said once with the first of them."""

import pytest

from scrutiny.data.dataset import load_dataset
from scrutiny.data.doubts import BadRow, Doubts, left_out


def test_rows_are_counted_by_kind_with_the_first():
    doubts = Doubts()
    for what, place in (("have a", "d:1"), ("hold b", "d:2"), ("hold b", "d:9")):
        doubts.add(what, place)
    assert list(doubts.said()) == [
        "2 rows hold b; the first is d:2.",
        "1 row has a; the first is d:1.",
    ]


def test_reasons_that_differ_in_what_is_quoted_are_one_kind():
    twice = [BadRow(f"d:{n}", f"the id '{n}' is already on line {n - 1}") for n in (3, 5, 7)]
    assert list(left_out([BadRow("d:2", "text is empty"), *twice])) == [
        "3 rows cannot be read and were left out; the first is d:3: "
        "the id '3' is already on line 2",
        "1 row cannot be read and was left out; the first is d:2: text is empty",
    ]
    assert list(left_out([])) == []


def test_many_kinds_of_bad_rows_are_cut():
    rows = [BadRow("d:1", f"reason {letter}") for letter in "abcdefg"]
    said = list(left_out(rows))
    assert len(said) == 6
    assert said[-1] == "2 rows cannot be read and were left out; each for a different reason"


def test_labels_that_are_unlike_the_others():
    rows = [{"text": f"t{i}", "label": "xy"[i % 2]} for i in range(60)]
    rows += [{"text": "odd", "label": "posittive"}, {"text": "t0", "label": "y"}]
    rows += [{"text": "t1", "label": "y"}]
    assert load_dataset(rows).doubts == (
        "1 row repeats an earlier one exactly; the first is list:63.",
        "1 row has the texts of an earlier one and a different answer; the first is list:62.",
        "1 row has the label 'posittive', which no other row has; the first is list:61.",
    )


def test_answers_that_were_exchanged_are_no_doubt():
    rows = [{"text": f"t{i % 9}", "label": "xy"[i % 9 % 2]} for i in range(60)]
    assert all("repeat" in said for said in load_dataset(rows).doubts)
    assert load_dataset(rows, columns={"permute": "3"}).doubts == load_dataset(rows).doubts


def test_labels_of_few_rows_each_are_no_doubt():
    assert load_dataset([{"text": f"t{i}", "label": f"l{i}"} for i in range(60)]).doubts == ()
    assert load_dataset("builtin:reviews").doubts == ()


WORDS = ["Ann", "saw", "her", "."]
ARCS = {"words": WORDS, "relations": ["r"] * 4}
TRIPLE = {"stereotype": "a", "antistereotype": "b", "unrelated": "c", "kind": "intrasentence"}
MENTIONS = {"words": WORDS, "mentions": [{"words": [0], "cluster": "a", "kind": "proper"}]}


@pytest.mark.parametrize(
    ("good", "odd", "said"),
    [
        ({"text": "a", "label": "x"}, {"text": "caf\ufffd", "label": "x"}, "holds the replacement"),
        ({"good": "a", "bad": "b"}, {"good": "a", "bad": "a"}, "has the same text as good and bad"),
        (
            {"tokens": WORDS, "tags": ["B-PER", "O", "O", "O"]},
            {"tokens": ["Bo", *WORDS[1:]], "tags": ["I-PER", "O", "O", "O"]},
            "has entities that begin with I-",
        ),
        (
            {**ARCS, "heads": [2, 0, 2, 2]},
            {**ARCS, "heads": [0, 0, 2, 2], "words": ["Bo", *WORDS[1:]]},
            "has no root or several",
        ),
        ({**TRIPLE, "context": "BLANK"}, {**TRIPLE, "context": "x"}, "has the kind intrasentence"),
        (
            {**MENTIONS, "pronoun": "Her"},
            {**MENTIONS, "pronoun": "his", "words": ["Bo", *WORDS[1:]]},
            "has a pronoun that is",
        ),
    ],
)
def test_what_a_task_doubts(good, odd, said):
    data = load_dataset([good, {**odd}])
    (doubt,) = data.doubts
    assert doubt.startswith(f"1 row {said}")
    assert doubt.endswith("; the first is list:2.")
    assert (len(data), data.bad_rows) == (2, ())


def test_all_that_is_to_be_looked_at(write):
    write("d.csv", "text,label\na,x\n,x\nb,x\nb,y\n")
    data = load_dataset("csv:d.csv#text=text,label=label")
    assert data.to_look_at == (
        "1 row cannot be read and was left out; the first is d.csv:3: text is empty",
        "1 row has the texts of an earlier one and a different answer; the first is d.csv:5.",
    )
    assert data.notes == ()
