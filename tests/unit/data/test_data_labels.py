import re

import pytest

from scrutiny.core.errors import DataError
from scrutiny.data.labels import LabelMatch, no_gold_among, parse_label_map, sort_labels


def test_equal_names_but_for_case():
    match = LabelMatch.between(["negative", "positive"], ["POSITIVE", "NEGATIVE", "NEUTRAL"])
    assert match.mapping == {"negative": "NEGATIVE", "positive": "POSITIVE"}
    assert match.rule == "equal"
    assert "by equal names" in match.note


def test_an_accent_may_be_a_character_of_its_own():
    assert LabelMatch.between(["cafe\u0301", "tea"], ["Tea", "Caf\u00e9"]).mapping == {
        "cafe\u0301": "Caf\u00e9",
        "tea": "Tea",
    }
    with pytest.raises(DataError, match="both lead to the model's"):
        LabelMatch.between(["cafe\u0301", "caf\u00e9"], ["tea", "caf\u00e9"])


def test_the_very_name_goes_before_case():
    assert LabelMatch.between(["a", "A"], ["A", "a"]).mapping == {"A": "A", "a": "a"}
    with pytest.raises(DataError):
        LabelMatch.between(["aA"], ["AA", "aa"])


@pytest.mark.parametrize(
    ("data", "model"),
    [
        (["0", "1"], ["no", "yes"]),
        (["1"], ["no", "yes"]),
        (["0"], ["no", "yes"]),
        (["0", "2"], ["no", "maybe", "yes"]),
    ],
)
def test_integers_by_index(data, model):
    match = LabelMatch.between(data, model)
    assert match.rule == "index"
    assert match.mapping == {label: model[int(label)] for label in data}
    assert "by index" in match.note


@pytest.mark.parametrize(
    ("data", "model"),
    [
        (["0", "1"], ["no", "maybe", "yes"]),  # which two of three is not known
        (["1", "2"], ["no", "yes"]),
        (["0", "1", "x"], ["no", "maybe", "yes"]),
        (["-1", "1"], ["no", "yes"]),
        (["00", "1"], ["no", "yes"]),
        (["pos", "neg"], ["LABEL_0", "LABEL_1"]),
        (["0", "yes"], ["no", "yes"]),  # partly by name: no index for the rest
    ],
)
def test_anything_else_is_refused_and_spelled_out(data, model):
    with pytest.raises(DataError) as caught:
        LabelMatch.between(data, model)
    message = str(caught.value)
    assert all(repr(label) in message for label in (*data, *model))
    assert "add labels=" in message


@pytest.mark.parametrize(
    ("data", "model", "suggested"),
    [
        (["1", "2"], ["0", "1"], "1:0|2:1"),  # "1" is a name of both by accident
        (["1", "2", "3"], ["no", "maybe", "yes"], "1:no|2:maybe|3:yes"),
        (["1", "3"], ["0", "1", "2"], "1:0|3:2"),
        (["-1", "1"], ["no", "yes"], "-1:no|1:yes"),
        (["0", "yes"], ["no", "yes"], "0:no|yes:yes"),
        (["a", "b", "c"], ["x", "b"], "a:x|b:b|c:…"),
        (["a,b", "c:d"], ["x|y", "50%"], "a%2Cb:x%7Cy|c%3Ad:50%25"),
    ],
)
def test_the_suggestion_names_every_label_of_the_data(data, model, suggested):
    with pytest.raises(DataError, match=re.escape(f"add labels={suggested} to the data")):
        LabelMatch.between(data, model)
    assert list(parse_label_map(suggested)) == data


def test_a_suggestion_for_many_labels_loses_none():
    data, model = [f"intent {i}" for i in range(60)], [f"LABEL_{i}" for i in range(60)]
    with pytest.raises(DataError) as caught:
        LabelMatch.between(data, model)
    found = re.search(r"add labels=(.*) to the data", str(caught.value))
    assert set(parse_label_map(found[1])) == set(data)


def test_suggestions_are_of_the_names_in_the_file():
    renamed = {"1": "bad", "2": "fine", "3": "fine"}
    with pytest.raises(DataError, match=re.escape("labels=1:no|2:yes|3:yes to")):
        LabelMatch.between(["bad", "fine"], ["no", "yes"], renamed=renamed)


def test_two_labels_cannot_lead_to_one():
    with pytest.raises(DataError, match=re.escape("labels=No:no|no:no|yes:yes")):
        LabelMatch.between(["No", "no", "yes"], ["no", "yes"])
    with pytest.raises(DataError, match="'a' and 'b' both lead to the model's 'x'"):
        LabelMatch.between(["a", "b"], ["x", "y"], explicit_map={"a": "x", "b": "x"})


def test_the_suggestion_reads_back():
    with pytest.raises(DataError, match=re.escape("labels=neg:LABEL_0|pos:LABEL_1")):
        LabelMatch.between(["neg", "pos"], ["LABEL_0", "LABEL_1"])


def test_explicit_map():
    match = LabelMatch.between(["0", "1"], ["POS", "NEG"], explicit_map={"0": "neg", "1": "pos"})
    assert match.mapping == {"0": "NEG", "1": "POS"}
    assert match.rule == "explicit"


def test_explicit_map_may_leave_out_equal_names_only():
    assert LabelMatch.between(["x", "b"], ["a", "b"], explicit_map={"x": "a"}).mapping["b"] == "b"
    with pytest.raises(DataError, match="'c'"):
        LabelMatch.between(["x", "c"], ["a", "b"], explicit_map={"x": "a"})
    with pytest.raises(DataError, match=r"leads to 'z'.*'a', 'b'"):
        LabelMatch.between(["x"], ["a", "b"], explicit_map={"x": "z"})


def test_digest_depends_on_the_mapping_only():
    one = LabelMatch.between(["0", "1"], ["no", "yes"])
    other = LabelMatch.between(["1", "0"], ["no", "yes"], explicit_map={"1": "yes", "0": "no"})
    assert one.digest == other.digest
    assert one.digest != LabelMatch.between(["0", "1"], ["yes", "no"]).digest


def test_map_reads_odd_characters():
    assert parse_label_map("a%2Cb:x%7Cy | 1 : no") == {"a,b": "x|y", "1": "no"}


@pytest.mark.parametrize("text", ["0", "0:", ":x", "0:a||1:b", "0:a|0:b"])
def test_maps_that_do_not_read(text):
    with pytest.raises(DataError, match="label map"):
        parse_label_map(text)


def test_order_of_labels():
    assert sort_labels(["10", "9", "-1"]) == ["-1", "9", "10"]
    assert sort_labels(["b", "10", "9"]) == ["10", "9", "b"]


@pytest.mark.parametrize(
    ("data", "model", "suggested"),
    [
        (["-1", "0", "1"], ["no", "yes"], "0:no|1:yes"),
        (["-1", "0", "2"], ["no", "maybe", "yes"], "0:no|2:yes"),
        (["-1", "0", "1", "2"], ["no", "maybe", "yes"], "0:no|1:maybe|2:yes"),
    ],
)
def test_a_label_that_marks_no_gold_is_named_and_not_mapped(data, model, suggested):
    with pytest.raises(DataError, match=re.escape(f"labels={suggested} to the data")) as caught:
        LabelMatch.between(data, model)
    assert "'-1' is no gold label" in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "marks"),
    [
        (["-", "entailment", "neutral"], ["-"]),
        (["--", "0", "1"], ["--"]),
        (["-1", "0", "1", "2"], ["-1"]),
        (["-1", "-", "0", "2"], ["-1", "-"]),
        (["-", "+"], []),
        (["-"], []),
        (["-1", "0", "1"], []),  # negative, neutral, positive
        (["-1", "1"], []),
        (["-2", "-1", "0", "2"], []),
        (["-1"], []),
        ([], []),
    ],
)
def test_labels_that_say_that_there_is_no_gold(labels, marks):
    assert no_gold_among(labels) == set(marks)
