"""How metrics are written, and what cannot be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.errors import PlanError
from scrutiny.core.expressions import (
    Expression,
    expression_in_words,
    metric_of_metric,
    names_metric,
    parse_expression,
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("accuracy", Expression("accuracy")),
        ("accuracy@2", Expression("accuracy", (), 2)),
        (" success_within( 100 ) ", Expression("success_within", (Expression("100"),))),
        ("drop(accuracy)@1", Expression("drop", (Expression("accuracy"),), 1)),
        (
            "drop(success_within(10))",
            Expression("drop", (Expression("success_within", (Expression("10"),)),)),
        ),
        ("a(b,c@3)", Expression("a", (Expression("b"), Expression("c", (), 3)))),
        ("a(.5,1.25)", Expression("a", (Expression(".5"), Expression("1.25")))),
    ],
)
def test_what_is_written_is_read(text, wanted):
    assert parse_expression(text) == wanted


MORE = (
    "a@1@2",
    "(a)",
    "a(b))",
    "a - b - c",
    "a -b",
    "- a",
    "a -",
    "a$",
    "a(b)(c)",
    "drop(accuracy)@1x",
)


@pytest.mark.parametrize(
    "text",
    [*("", " ", "drop(", "drop)", "drop()", "drop(a", "drop(a,)", "a b", "a@", "@1", "a@0"), *MORE],
)
def test_what_does_not_read_is_told(text):
    with pytest.raises(PlanError, match=r"cannot be read\. A metric is a name such as accuracy"):
        parse_expression(text)


_NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True)
_LEAVES = st.builds(Expression, _NAMES, st.just(()), st.none() | st.integers(1, 99))
EXPRESSIONS = st.recursive(
    _LEAVES,
    lambda inner: st.builds(
        Expression,
        _NAMES,
        st.lists(inner, min_size=1, max_size=3).map(tuple),
        st.none() | st.integers(1, 99),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_what_is_written_out_reads_back(expression):
    assert parse_expression(expression.text) == expression


@given(st.text(max_size=20))
def test_any_text_reads_or_is_told(text):
    try:
        found = parse_expression(text)
    except PlanError:
        return
    assert parse_expression(found.text) == found


def test_a_metric_of_another_has_its_version():
    assert metric_of_metric("excess", "entity_f1@3") == "excess(entity_f1)@3"
    assert parse_expression(metric_of_metric("drop", "a(1)@2")).arguments[0].text == "a(1)"


@pytest.mark.parametrize(
    ("text", "metric", "wanted"),
    [
        ("accuracy", "accuracy@1", True),
        ("accuracy@1", "accuracy@1", True),
        ("accuracy@2", "accuracy@1", False),
        (" drop( accuracy ) ", "drop(accuracy)@1", True),
        ("drop(accuracy@1)", "drop(accuracy)@1", True),
        ("drop(accuracy@2)@1", "drop(accuracy)@1", False),
        ("accuracy", "drop(accuracy)@1", False),
        ("success_within(10)", "success_within(100)@1", False),
        ("gain under PWWS", "drop(accuracy)@1", False),
        ("answers kept", "answers kept", True),
    ],
)
def test_spaces_and_versions_may_be_left_out(text, metric, wanted):
    assert names_metric(text, metric) is wanted


def test_metrics_of_metrics_in_words():
    assert expression_in_words("beyond(attack_success)@1") == "attack success beyond chance"
    assert (
        expression_in_words("mean_changed_head(drop(accuracy))@1")
        == "mean changed head accuracy drop"
    )
