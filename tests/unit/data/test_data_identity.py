import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example, Span
from scrutiny.data.hashes import Identifiers, _LinesByKey
from scrutiny.tasks.item_hashes import content_key


def test_content_key_sees_fields_gold_and_annotation_only():
    base = Example("", {"text": "a"}, "x", source="d:1", attributes={"a_n": 1.0})
    same = Example("7", {"text": "a"}, "x", source="d:9")
    assert content_key(base) == content_key(same)
    others = [
        Example("", {"text": "b"}, "x"),
        Example("", {"text": "a"}, "y"),
        Example("", {"text": "a"}, None),
        Example("", {"text": "a"}, ""),
        Example("", {"text_pair": "a"}, "x"),
        Example("", {"text": "a"}, (Span("text", 0, 1, "x"),)),
        Example("", {"text": "a", "text_pair": ""}, "x"),
        Example("", {"text": "a"}, "x", spans=(Span("text", 0, 1, "x"),)),
    ]
    assert len({content_key(e) for e in [base, *others]}) == 9


def test_key_never_changes():
    # Lengths of eight bytes before "text", "a" and "=x", through BLAKE2b.
    assert content_key(Example("", {"text": "a"}, "x")).hex() == "b2b38531915506df52416f456b1dba2e"


def test_repeated_content_is_numbered():
    ids = Identifiers()
    key, other = b"k" * 16, b"o" * 16
    assert [ids.of_content(k, line=1) for k in (key, other, key, key)] == [
        "6b6b6b6b6b6b6b6b",
        "6f6f6f6f6f6f6f6f",
        "6b6b6b6b6b6b6b6b-1",
        "6b6b6b6b6b6b6b6b-2",
    ]


def test_user_identifiers_must_be_unique():
    ids = Identifiers()
    assert ids.of_user("a", line=7) == "a"
    with pytest.raises(DataError, match=r"'a' is already on line 7.*empty id="):
        ids.of_user("a", line=9)


@given(st.lists(st.integers(0, 40), max_size=200))
def test_lines_is_a_map(keys):
    table, known = _LinesByKey(), {}
    for line, key in enumerate(keys, 1):
        assert table.add(key * 2**58, line) == known.get(key, 0)
        known.setdefault(key, line)


def test_lines_grows():
    keys = [random.Random(i).getrandbits(64) for i in range(5000)]
    table = _LinesByKey()
    assert not any([table.add(key, i) for i, key in enumerate(keys, 1)])
    assert [table.add(key, 1) for key in keys] == list(range(1, 5001))
