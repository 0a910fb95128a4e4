"""Rules as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import says
from scrutiny.reliability.written_metrics import parse_rule

names = st.from_regex(r"[a-z][a-z_]{0,12}(@[1-9])?", fullmatch=True).filter(
    lambda name: name not in ("and", "in", "not", "or")
)


@given(
    names,
    st.sampled_from(["<", "<=", ">", ">="]),
    st.floats(-5, 5).map(lambda v: round(v, 4)),
    st.dictionaries(names, names, max_size=3),
    st.sampled_from(["", " ", "  "]),
)
def test_what_is_written_is_read(metric, operator, limit, where, gap):
    text = f"{metric}{gap}{operator}{gap}{limit!r}"
    if where:
        text += " where " + ",".join(f"{k}{gap}={gap}{v}" for k, v in where.items())
    rule = parse_rule(text)
    assert (rule.metric, rule.operator, rule.limit) == (metric, operator, limit)
    assert rule.where == where


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("drop(accuracy) <= 5%", 0.05),
        ("drop(accuracy) <= 5 %", 0.05),
        ("drop(accuracy)<=.05", 0.05),
        ("drop(accuracy) <= 5e-2", 0.05),
        ("drop(accuracy) <= +1.", 1.0),
        ("drop(accuracy) <= -0.01", -0.01),
    ],
)
def test_limits(text, limit):
    assert parse_rule(text).limit == pytest.approx(limit)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "accuracy",
        "accuracy >",
        "> 0.5",
        "accuracy = 0.5",
        "accuracy > half",
        "accuracy > 0.5 if x=1",
        "accuracy > 0.5 where",
        "accuracy > nan",
        "accuracy > 0.5 0.6",
    ],
)
def test_what_does_not_read_is_refused_with_an_example(text):
    with pytest.raises(PlanError, match="METRIC OPERATOR LIMIT"):
        parse_rule(text)


@pytest.mark.parametrize("where", ["x=", "x=1,", ",", "negated question"])
def test_a_slice_that_does_not_read_is_refused(where):
    with pytest.raises(PlanError, match="A slice is an attribute"):
        parse_rule(f"accuracy > 0.5 where {where}")


def test_what_is_no_value_is_a_slice():
    rule = parse_rule("accuracy > 0.5 where draw=1, length>20 and not negated")
    assert (rule.where, rule.slice) == ({"draw": "1"}, "length > 20 and not negated")


def test_commas_and_equal_signs_in_parentheses_belong_to_the_value():
    rule = parse_rule("a < 1 where transformation=typos(share=0.3,least=2), draw=1")
    assert rule.where == {"transformation": "typos(share=0.3,least=2)", "draw": "1"}


@pytest.mark.parametrize(
    ("metric", "fits"),
    [("accuracy@1", True), ("accuracy@2", True), ("drop(accuracy)@1", False), ("acc@1", False)],
)
def test_a_metric_may_be_named_without_its_version(metric, fits):
    assert parse_rule("accuracy > 0").fits(metric, {}) is fits


def test_a_version_that_is_stated_counts():
    assert not parse_rule("accuracy@2 > 0").fits("accuracy@1", {})


@pytest.mark.parametrize(
    ("value", "text", "same"),
    [
        ("typos@1", "typos", True),
        ("typos@10", "typos", True),
        ("typos@10", "typos0", False),
        ("a@1+b@2", "a+b", True),
        ("a@1+b@2", "a@1+b", False),
        (0, "0", True),
        (1.5, "1.5", True),
        (True, "true", True),
        (None, "null", True),
        ("1000", "1000", True),
        ("typos@1", "typo", False),
    ],
)
def test_values_of_conditions(value, text, same):
    assert says(value, text) is same


def test_a_condition_that_is_not_there_does_not_fit():
    assert not parse_rule("a > 0 where draw=null").fits("a@1", {})
    assert parse_rule("a > 0 where draw=1").fits("a@1", {"draw": 1, "x": "y"})
