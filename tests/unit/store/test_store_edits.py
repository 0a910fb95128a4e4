"""Edits are written as canonical JSON, whichever way is quicker, and read back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.edit import Copy, Edit, Piece, Variant
from scrutiny.core.example import Span
from scrutiny.store import run_tables
from scrutiny.store import stored_forms as module
from scrutiny.store.stored_forms import edits_json, edits_of

spans = st.builds(Span, st.text(max_size=3), st.integers(), st.integers(), st.text(max_size=3))
edits = st.builds(
    Edit,
    st.text(max_size=4),
    st.integers(),
    st.integers(),
    st.text(max_size=6),
    st.just(()) | st.lists(spans, max_size=2).map(tuple),
    st.booleans(),
    st.just(()) | st.just((Piece(0, 1, (2,)),)),
    st.none() | st.just(()) | st.just((Copy(0, 2, 5),)),
)


def stored(edit):
    """Members of an edit that are written: those behind ``inside`` where they say something."""
    if edit.copies is not None:
        return edit
    return edit[:7] if edit.pieces else edit[:6]


@given(st.lists(edits, max_size=4).map(tuple))
def test_the_bytes_are_those_of_canonical_json(made):
    assert edits_json(made) == canonical_json([*map(stored, made)])


@given(st.lists(st.lists(edits, max_size=3).map(tuple), max_size=4))
def test_a_column_is_read_back(column):
    assert edits_of([edits_json(made) for made in column]) == column


@pytest.mark.parametrize("text", ['"', "\\", "\n\t\x00", "\u2028", "\U0001f600", "é", "\ud800"])
def test_texts_that_json_escapes_or_not(text):
    made = (Edit(text, 0, 1, text),)
    assert edits_json(made) == canonical_json([list(edit[:6]) for edit in made])
    assert edits_of([edits_json(made)]) == [made]


def test_pieces_are_written_only_where_an_edit_states_any():
    piece = Piece(0, 6, head=9, relation="advmod", upos="ADV")
    made = (Edit("text", 0, 1, "b"), Edit("text", 9, 9, "really ", pieces=(piece,)))
    assert edits_json(made) == (
        '[["text",0,1,"b",[],false],'
        '["text",9,9,"really ",[],false,[[0,6,[],9,null,"advmod","ADV",""]]]]'
    )
    merged = Edit("text", 0, 6, "cannot", pieces=(Piece(0, 6, (0, 4)),))
    assert edits_of([edits_json(made), edits_json([merged])]) == [made, (merged,)]


def test_what_an_edit_repeats_or_drops_is_written_and_read_back():
    made = (Edit("text", 0, 4, "", copies=()), Edit("text", 9, 9, " Hi.", copies=(Copy(1, 0, 3),)))
    assert edits_json(made) == (
        '[["text",0,4,"",[],false,[],[]],["text",9,9," Hi.",[],false,[],[[1,0,3]]]]'
    )
    assert edits_of([edits_json(made)]) == [made]


def test_plain_edits_are_not_taken_apart(monkeypatch):
    monkeypatch.setattr(module, "canonical_json", lambda value: 1 / 0)
    assert edits_json((Edit("text", 0, 1, "b"), Edit("text", 2, 2, "", inside=True))) == (
        '[["text",0,1,"b",[],false],["text",2,2,"",[],true]]'
    )


def test_a_table_of_variants_is_read_with_one_look_at_its_edits(monkeypatch):
    calls = []
    made = (Edit("text", 0, 1, "b"),)
    variants = [
        Variant("i", f"v{n}", "measured", None, "r@1", made if n % 2 else (), "x")
        for n in range(50)
    ]
    table = run_tables.variants_table("d@1#0", "x", variants)

    def loads(text):
        calls.append(text)
        return json.JSONDecoder().decode(text)

    monkeypatch.setattr(json, "loads", loads)
    assert run_tables.variants_of(table) == {"i": tuple(variants)}
    assert len(calls) == 2  # the edits, and the one gold answer
