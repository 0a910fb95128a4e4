"""The same value always gives the same bytes, and different values different ones."""

import json
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.boundary.json_text import (
    canonical_json,
    digest,
    length_prefixed,
    plain,
    value_digest,
)

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)


@dataclass(frozen=True)
class Params:
    share: float = 0.1
    names: tuple[str, ...] = ("b", "a")
    tags: frozenset[str] = frozenset({"z", "y"})


def test_keys_are_sorted_and_nothing_is_escaped():
    assert canonical_json({"b": 1, "a": "é"}) == '{"a":"é","b":1}'


def test_dataclasses_and_sets_and_tuples_become_plain():
    assert plain(Params()) == {"share": 0.1, "names": ["b", "a"], "tags": ["y", "z"]}


def test_the_order_of_a_mapping_does_not_matter_that_of_a_list_does():
    one, other = OrderedDict(a=1, b=2), OrderedDict(b=2, a=1)
    assert canonical_json(one) == canonical_json(other)
    assert canonical_json([1, 2]) != canonical_json([2, 1])


def test_any_mapping_will_do():
    assert canonical_json(MappingProxyType({"a": 1})) == '{"a":1}'


@given(values)
def test_json_reads_it_back(value):
    assert json.loads(canonical_json(value)) == value


@pytest.mark.parametrize("value", [object(), b"x", {"a": lambda: 0}, Params])
def test_what_json_has_no_word_for_is_refused(value):
    with pytest.raises(TypeError, match="no canonical JSON form"):
        canonical_json(value)


def test_keys_that_are_not_text_are_refused_since_they_could_collide():
    with pytest.raises(TypeError, match="is a key and not text"):
        canonical_json({1: "a"})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [1.0, float("-inf")]])
def test_numbers_that_are_none_are_refused(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(value)


def test_parts_of_a_digest_are_kept_apart():
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")
    assert digest("a", b"a") == digest(b"a", "a")


def test_length_prefixes_are_eight_little_endian_bytes():
    assert length_prefixed("é") == b"\x02" + b"\x00" * 7 + "é".encode()


def test_lone_surrogates_have_a_digest():
    assert len(digest("\ud800")) == 32


@pytest.mark.parametrize("part", [15, None, 0.5, ["a"]])
def test_only_text_and_bytes_are_digested(part):
    with pytest.raises(TypeError, match="is text or bytes"):
        digest("v@1", part)


def test_digests_are_fixed_for_ever():
    assert digest("ab", "c") == "4826ed043ab3cdec576d8541fa5d5a80"
    assert value_digest({"a": 1}) == "6de5d1"


@given(st.lists(st.text(max_size=4), max_size=4), st.lists(st.text(max_size=4), max_size=4))
def test_length_prefixing_is_injective(one, other):
    characters = "".join([*one, *other])
    if any("\ud800" <= c <= "\udfff" for c in characters):
        return
    assert (length_prefixed(*one) == length_prefixed(*other)) == (one == other)


def test_named_tuples_become_arrays_and_texts_of_a_kind_stay_texts():
    class Colour(StrEnum):
        RED = "red"

    Pair = namedtuple("Pair", "a b")
    assert plain([Pair(1, (True, None)), Colour.RED]) == [[1, [True, None]], "red"]
    assert canonical_json((Pair("x", 0.5),)) == '[["x",0.5]]'


def test_one_encoder_serves_all_calls(monkeypatch):
    monkeypatch.setattr(json, "dumps", lambda *_, **__: 1 / 0)
    assert canonical_json(["a", 1]) == '["a",1]'
