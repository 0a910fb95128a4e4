"""Files of suites: cases by the columns of a task or whole, what is refused, and identity."""

import json

import pytest

from scrutiny.core.answers.words import Words
from scrutiny.core.errors import DataError
from scrutiny.core.example import Case, Example, Span, originals, suite_tests
from scrutiny.data.dataset import load_dataset
from scrutiny.data.hashes import drawn
from scrutiny.data.readers.suites import row_of, suite_lines

ROWS = [
    {"id": "a", "text": "A fine film.", "label": "positive"},
    {"id": "b", "text": "No fine film.", "label": "negative", "of": "a", "test": "negation"},
    {"id": "c", "text": "A fine film!", "of": "a", "test": "marks", "expect": "same"},
    {"id": "d", "text": "Dull.", "label": "negative", "test": "words", "expect": "gold",
     "capability": "vocabulary"},
    {"id": "e", "text": "A fine fil.", "of": "a", "test": "marks", "expect": "same",
     "role": "control", "twin_of": "c"},
]  # fmt: skip


def lines(rows):
    return "\n".join(map(json.dumps, rows))


@pytest.fixture
def suite(write):
    return load_dataset(f"suite:{write('s.jsonl', lines(ROWS))}")


def test_rows_are_items_with_cases(suite):
    assert suite.is_suite
    assert suite.task == "text-classification"
    assert not suite.bad_rows
    assert not suite.doubts
    cases = {e.id: e.case for e in suite.examples}
    assert cases["a"] is None
    assert cases["b"] == Case("gold", "negation", of="a")
    assert cases["e"] == Case("same", "marks", of="a", role="control", twin_of="c")
    golds = [e.gold for e in suite.examples]
    assert golds == ["positive", "negative", None, "negative", None]


def test_cases_bring_columns_that_slices_and_resampling_go_by(suite):
    known = {e.id: e.attributes for e in suite.examples}
    assert known["a"] == {"u_group": "a"}
    assert known["b"] == {"u_group": "a", "a_test": "negation"}
    assert known["d"] == {"u_group": "d", "a_test": "words", "a_capability": "vocabulary"}


def test_tests_say_what_their_cases_have_in_common(suite):
    found = {test.name: test for test in suite_tests(suite.examples)}
    assert list(found) == ["negation", "marks", "words"]
    assert found["negation"].has_base
    assert found["negation"].has_gold
    assert found["negation"].has_groups
    assert found["marks"].has_control
    assert not found["marks"].has_gold
    assert (found["words"].n_cases, found["words"].has_base) == (1, False)
    assert not found["words"].has_groups


def test_a_table_is_a_suite_too(write):
    text = "id,text,label,test,expect,of\na,Fine.,positive,,,\nb,Not fine.,negative,not,gold,a\n"
    found = load_dataset(f"suite:{write('s.csv', text)}")
    assert [e.case for e in found.examples] == [None, Case("gold", "not", of="a")]


EXAMPLES = [
    Example("i1", {"text": "Ann left.", "text_pair": "She went."}, "yes", language="de"),
    Example(
        "i2",
        {"text": "Ann left Rome"},
        (Span("text", 0, 3, "PER"), Span("text", 9, 13, "LOC")),
        tokens={"text": ((0, 3), (4, 8), (9, 13))},
        protected=(Span("text", 0, 3),),
        case=Case("same", "t", of="i1", edits="[]", facts={"asked": 3.0}, draw=2),
    ),
    Example("i3", {"text": "x"}, None, spans=(Span("text", 0, 1, "aspect"),)),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.id)
def test_whole_items_are_read_as_they_were_written(example, write):
    base = Example("i1", {"text": "x"}, None)
    others = [] if example.id == "i1" else [base]
    anchor = Example("last", {"text": "y"}, None, case=Case("same", "t", of="i1"))
    task = "text-pair-classification" if example.id == "i1" else "token-tagging"
    name = write("s.jsonl", "\n".join(suite_lines(task, [*others, example, anchor])))
    found = load_dataset(f"suite:{name}")
    read = next(e for e in found.examples if e.id == example.id)
    assert found.task == task
    for part in ("fields", "gold", "spans", "tokens", "protected", "language", "case"):
        assert getattr(read, part) == getattr(example, part), part


def test_a_parsers_gold_survives_too(write):
    data = load_dataset("builtin:arcs", limit=1)
    (first,) = data.examples
    assert isinstance(first.gold, Words)
    changed = Example("b", first.fields, first.gold, tokens=first.tokens,
                      case=Case("gold", "t"))  # fmt: skip
    found = load_dataset(
        f"suite:{write('s.jsonl', chr(10).join(suite_lines(data.task, [first, changed])))}"
    )
    assert [e.gold for e in found.examples] == [first.gold, first.gold]
    assert row_of(found.examples[1])["gold"] == row_of(changed)["gold"]


def test_what_is_expected_belongs_to_the_identity(write, suite):
    other = [{**row, "expect": "is(label=negative)"} if row["id"] == "c" else row for row in ROWS]
    assert load_dataset(f"suite:{write('s.jsonl', lines(ROWS))}").fingerprint == suite.fingerprint
    assert load_dataset(f"suite:{write('o.jsonl', lines(other))}").fingerprint != suite.fingerprint


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"of": "nobody"}, "of is 'nobody', and the suite has no such item"),
        ({"of": "a", "draw": "two"}, "draw is 'two', not a whole number"),
        ({"of": "a", "role": "null"}, "role is 'null'; it is measured or control"),
        ({"of": "a", "status": "odd"}, "status is 'odd'"),
        ({"test": "t", "expect": ""}, "does not say what it expects"),
        ({"of": "a", "expect": 3}, "expect is 3, which is no text"),
        ({"of": "a", "facts": "none"}, "facts is 'none'"),
    ],
)
def test_bad_rows_are_counted_by_their_reason(row, words, write):
    rows = [*ROWS, {"id": "z", "text": "x", "label": "positive", **row}]
    found = load_dataset(f"suite:{write('s.jsonl', lines(rows))}")
    assert len(found) == len(ROWS)
    (bad,) = found.bad_rows
    assert words in bad.reason
    assert bad.source.endswith(":6")


def test_edits_may_be_a_list_of_the_row(write):
    edits = [["text", 0, 4, "Good", [], False]]
    bad = {"id": "y", "text": "x", "label": "positive", "of": "a", "edits": [["text", 0]]}
    rows = [*ROWS, {**bad, "id": "z", "edits": edits}, bad]
    found = load_dataset(f"suite:{write('s.jsonl', lines(rows))}")
    assert json.loads(found.examples[-1].case.edits) == edits
    assert "no JSON list of edits" in found.bad_rows[0].reason


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (["text", 0, 99, "x", [], False], "an edit of code points 0 to 99 in a text of"),
        (["text", 3, 1, "x", [], False], "an edit of code points 3 to 1"),
        (["body", 0, 1, "x", [], False], "there is no field 'body'"),
    ],
)
def test_edits_beside_the_text_are_refused_by_name(write, failure, edit, said):
    row = {"id": "z", "text": "x", "label": "positive", "of": "a", "edits": [edit]}
    message = failure(f"suite:{write('s.jsonl', lines([*ROWS, row]))}")
    assert f"the edits of the case 'z' do not fit the item 'a': {said}" in message


def test_whole_items_that_cannot_be_read_are_bad_rows(write):
    good = [json.loads(line) for line in suite_lines("token-tagging", EXAMPLES[1:])]
    rows = [good[0], {"id": "i1", "fields": {"text": "x"}}, *good[1:], {"id": "z", "fields": "x"}]
    found = load_dataset(f"suite:{write('s.jsonl', lines(rows))}")
    assert [bad.reason.partition(":")[0] for bad in found.bad_rows] == ["the item cannot be read"]


def test_a_file_without_expectations_is_no_suite(write, failure):
    name = write("s.jsonl", lines([{"id": "a", "text": "x", "label": "y"}]))
    assert "is no suite: none of its rows says what it expects" in failure(f"suite:{name}")


def test_ordinary_data_are_no_suite():
    data = load_dataset("builtin:reviews", limit=3)
    assert not data.is_suite
    assert suite_tests(data.examples) == ()


def lines_of(*rows):
    return "\n".join(map(json.dumps, rows))


def test_a_changed_version_in_which_nothing_is_changed_is_a_bad_row(write):
    """It passes whatever the model does: 100 of them said that a model "holds"."""
    item = {"id": "a", "text": "The room was clean.", "label": "good"}
    same = {"id": "b", "text": item["text"], "of": "a", "test": "t", "expect": "same"}
    other = {**same, "id": "c", "text": "The room was not clean."}
    control = {**same, "id": "d", "role": "control", "twin_of": "c"}
    name = write("s.jsonl", lines_of(item, same, other, control))
    found = load_dataset(f"suite:{name}")
    assert [e.id for e in found.examples] == ["a", "c", "d"]
    (bad,) = found.bad_rows
    assert bad.source.endswith("s.jsonl:2")
    assert "a changed version of 'a', and nothing is changed" in bad.reason


def test_a_suite_without_a_case_that_reads_is_refused(write):
    item = {"id": "a", "text": "The room was clean.", "label": "good"}
    same = {"id": "b", "text": item["text"], "of": "a", "test": "t", "expect": "same"}
    name = write("s.jsonl", lines_of(item, same, {**same, "id": "c"}))
    with pytest.raises(DataError, match=r"None of the 2 cases of the suite reads\. .*:2: it is a"):
        load_dataset(f"suite:{name}")


def test_texts_come_in_the_order_of_the_task_whatever_the_files(write):
    """Models of pairs read them by place, and a suite's file has its keys in order of letters."""
    fields = {"text": "Good food.", "aspect": "food"}
    base = Example("a", fields, "good", attributes={"u_group": "a"})
    case = Example("b", {**fields, "text": "Bad food."}, "bad", case=Case("gold", "t", of="a"))
    write("s.jsonl", "\n".join(suite_lines("aspect-sentiment", [base, case])))
    read = load_dataset("suite:s.jsonl").examples
    assert [[*e.fields] for e in read] == [["text", "aspect"]] * 2


def test_kinds_of_changes_are_those_that_cases_name(tmp_path):
    rows = [{"id": "a", "text": "It is.", "label": "x"}]
    for k, kind in enumerate(["tense", "order", "", "tense"]):
        own = {"text": f"It was {k}.", "of": "a", "expect": "gold", "label": "x", "test": "t"}
        rows.append({"id": f"c{k}", **own, "perturbation": kind})
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    examples = load_dataset(f"suite:{path}").examples
    (test,) = suite_tests(examples)
    assert (test.perturbations, test.has_sets) == (("tense", "order"), False)
    again = tmp_path / "again.jsonl"
    again.write_text("\n".join(suite_lines("text-classification", examples)))
    assert suite_tests(load_dataset(f"suite:{again}").examples) == (test,)


def test_originals_of_a_group_are_its_own_where_no_case_names_one(tmp_path):
    rows = [
        {"id": f"{kind}{k}", "text": f"{kind} {k}", "label": "x", "group": k // 2, **case}
        for kind, case in (("old", {}), ("new", {"expect": "gold", "test": "t"}))
        for k in range(4)
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(json.dumps({**row, "group": f"g{row['group']}"}) for row in rows))
    examples = load_dataset(f"suite:{path}").examples
    (test,) = suite_tests(examples)
    assert (test.has_base, test.has_sets, test.has_level, test.has_groups) == (
        *(False, True, True, True),
    )
    assert [e.id for e in originals(examples)] == ["old0", "old1", "old2", "old3"]


def test_a_subsample_of_a_suite_keeps_items_with_their_cases():
    bases = [Example(f"b{n}", {"text": "x"}, attributes={"u_group": f"b{n}"}) for n in range(9)]
    made = [
        Example(f"c{n}", {"text": "y"}, attributes={"u_group": f"b{n}"}, case=Case("gold", "t"))
        for n in range(9)
    ]
    few = drawn([*bases, *made], 3)
    assert len(few) == 6
    assert {e.id[1] for e in few if e.case} == {e.id[1] for e in few if not e.case}
