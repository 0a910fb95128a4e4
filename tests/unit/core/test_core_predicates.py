"""Slices as they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.errors import PlanError
from scrutiny.core.expressions import metric_and_slices
from scrutiny.core.slice_syntax import (
    canonical,
    complement,
    parse_predicate,
    parted,
    slice_of_values,
    terms_of,
    truth,
)

values = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1
).map(lambda text: " ".join(text.split()) or "x")


@given(st.dictionaries(st.sampled_from(["a_one", "a_two", "u_doc"]), values, min_size=1))
def test_any_value_is_read_again_as_it_was_written(columns):
    assert parted(slice_of_values(columns)) == (columns, "")
    assert canonical(slice_of_values(columns)) == slice_of_values(columns)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("length>20", "length > 20"),
        ("not  not negated", "negated"),
        ("topic == 'a film', question", "topic = a film and question"),
        ("a and (b and a)", "a and b"),
        ("not (a, b > 3)", "not (a and b > 3)"),
        ("not length > 3", "not (length > 3)"),
        ("length( text ) in  lowest  third", "length(text) in lowest third"),
        ('has "not bad"', 'has "not bad"'),
        ('"my column" = "x and y"', '"my column" = "x and y"'),
        ("t=search-typos(a=1, b=2)+x, d=0", 't = "search-typos(a=1, b=2)+x" and d = 0'),
    ],
)
def test_a_slice_has_one_written_form(text, written):
    assert canonical(text) == canonical(written) == written
    assert canonical(complement(complement(text))) == written


@pytest.mark.parametrize(
    "text",
    ["", "length >", "and", "a b", "(a", "a)", "length in lowest 200%", "length in 40% to 20%"],
)
def test_what_does_not_read_is_refused_with_examples(text):
    with pytest.raises(PlanError, match=r"cannot be read: .* A slice is an attribute"):
        parse_predicate(text)


@pytest.mark.parametrize(
    ("text", "known", "holds"),
    [
        ("a and b", {"a": True, "b": None}, None),
        ("a and b", {"a": None, "b": False}, False),
        ("not a", {"a": None}, None),
        ("not (a and b)", {"a": False, "b": None}, True),
    ],
)
def test_what_is_not_known_stays_unknown(text, known, holds):
    assert truth(parse_predicate(text), lambda term: known[term.name]) is holds


def test_a_metric_may_have_a_slice_behind_it():
    found = metric_and_slices("drop(accuracy) where  length>3 minus not negated")
    assert found == ("drop(accuracy)", "length > 3", "not negated")
    names = [term.name for term in terms_of(parse_predicate("a and not (b, c > 1)"))]
    assert names == ["a", "b", "c"]
