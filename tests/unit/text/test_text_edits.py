"""Applying edits: every rule of the table, and an oracle that follows single characters."""

from dataclasses import replace
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example, Span
from scrutiny.text import edit_tracks as track_module
from scrutiny.text.edit_tracks import carry_spans
from scrutiny.text.edits import apply_edits, apply_to_text, compose
from scrutiny.text.tokens import token_spans

TEXT = "We saw New York today"  # "New York" is 7 to 15
ENTITY = Span("text", 7, 15, "LOC")

RULES = {
    "inside grows": (Edit(*("text", 8, 10), "eeewww"), (7, 19)),
    "inside shrinks": (Edit("text", 8, 10, ""), (7, 13)),
    "inside at its head": (Edit("text", 7, 10, "Old"), (7, 15)),
    "inside at its tail": (Edit("text", 11, 15, "Haven"), (7, 16)),
    "equal": (Edit("text", 7, 15, "Rome"), (7, 11)),
    "before": (Edit("text", 0, 2, "They"), (9, 17)),
    "before, adjacent": (Edit("text", 6, 7, "  "), (8, 16)),
    "behind": (Edit("text", 16, 21, "now"), (7, 15)),
    "behind, adjacent": (Edit("text", 15, 16, ", "), (7, 15)),
    "insertion in front": (Edit("text", 7, 7, "old "), (11, 19)),
    "insertion in front, inside": (Edit("text", 7, 7, "Old ", inside=True), (7, 19)),
    "insertion behind": (Edit("text", 15, 15, ","), (7, 15)),
    "insertion behind, inside": (Edit("text", 15, 15, "er", inside=True), (7, 17)),
    "insertion within": (Edit("text", 10, 10, "!"), (7, 16)),
}


@pytest.mark.parametrize("rule", RULES)
def test_spans_follow_the_rule(rule):
    edit, borders = RULES[rule]
    example = Example("1", {"text": TEXT}, gold=(ENTITY,), spans=(replaced := Span(*ENTITY),))
    changed = apply_edits(example, [edit])
    assert changed.gold == (ENTITY._replace(start=borders[0], end=borders[1]),)
    assert changed.spans == (replaced._replace(start=borders[0], end=borders[1]),)
    assert changed.text == TEXT[: edit.start] + edit.text + TEXT[edit.end :]


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([Edit("text", 5, 9, "x")], "crosses_span"),
        ([Edit("text", 14, 17, "x")], "crosses_span"),
        ([Edit("text", 6, 16, "x")], "crosses_span"),
        ([Edit("text", 7, 15, "")], "empties_span"),
        ([Edit("text", 7, 10, ""), Edit("text", 10, 15, "")], "empties_span"),
        ([Edit("text", 0, 2, "x"), Edit("text", 1, 3, "y")], "overlap"),
        ([Edit("text", 20, 22, "x")], "bounds"),
        ([Edit("text", -1, 0, "x")], "bounds"),
        ([Edit("title", 0, 0, "x")], "no_field"),
    ],
)
def test_what_would_break_something_is_refused(edits, reason):
    with pytest.raises(EditRefusedError) as caught:
        apply_edits(Example("1", {"text": TEXT}, gold=(ENTITY,)), edits)
    assert caught.value.reason == reason


@pytest.mark.parametrize("edit", [Edit("text", 8, 9, "x"), Edit("text", 6, 16, "x", (ENTITY,))])
def test_a_protected_stretch_is_refused_even_to_edits_with_spans(edit):
    example = Example("1", {"text": TEXT}, protected=(ENTITY,))
    with pytest.raises(EditRefusedError) as caught:
        apply_edits(example, [edit])
    assert caught.value.reason == "protected"


def test_brought_spans_replace_what_the_edit_touches():
    edit = Edit(
        "text", 6, 21, " Paris and Rome", (Span("text", 1, 6, "A"), Span("text", 11, 15, "B"))
    )
    changed = apply_edits(Example("1", {"text": TEXT}, gold=(ENTITY,)), [edit])
    assert [changed.text[s.start : s.end] for s in changed.gold] == ["Paris", "Rome"]


def test_brought_spans_join_only_the_layer_that_they_belong_to():
    inner = Edit("text", 7, 15, "Rome", (Span("text", 0, 4, "LOC"),))
    other = Span("text", 0, 2, "PRON")
    protected = Span("text", 16, 21)
    example = Example("1", {"text": TEXT}, gold=(ENTITY,), spans=(other,), protected=(protected,))
    changed = apply_edits(example, [inner])
    assert changed.gold == (Span("text", 7, 11, "LOC"),)
    assert changed.spans == (other,)
    assert changed.protected == (Span("text", 12, 17),)
    labeled = apply_edits(replace(example, gold="x", spans=(ENTITY,)), [inner])
    assert labeled.gold == "x"
    assert labeled.spans == (Span("text", 7, 11, "LOC"),)


def test_brought_spans_of_new_text_are_gold_where_gold_has_spans():
    edit = Edit("text", 0, 0, "Ann: ", (Span("text", 0, 3, "PER"),))
    changed = apply_edits(Example("1", {"text": TEXT}, gold=()), [edit])
    assert changed.gold == (Span("text", 0, 3, "PER"),)
    assert changed.spans == ()


def test_fields_do_not_disturb_each_other():
    example = Example("1", {"a": TEXT, "b": TEXT}, spans=(Span("b", 7, 15), Span("a", 7, 15)))
    changed = apply_edits(example, [Edit("b", 0, 2, ""), Edit("a", 0, 0, "x")])
    assert changed.fields == {"a": "x" + TEXT, "b": TEXT[2:]}
    assert changed.spans == (Span("b", 5, 13), Span("a", 8, 16))


def tokens_after(text, edits, tokens=None):
    example = Example("1", {"text": text}, tokens={"text": tuple(tokens or token_spans(text))})
    changed = apply_edits(example, edits)
    return [changed.text[a:b] for a, b in changed.tokens["text"]]


@pytest.mark.parametrize(
    ("text", "edits", "expected"),
    [
        ("so good.", [Edit("text", 4, 5, "0")], ["so", "g0od", "."]),
        ("so good.", [Edit("text", 7, 7, "!")], ["so", "good", "!", "."]),
        ("so good.", [Edit("text", 2, 2, "o")], ["soo", "good", "."]),
        (
            "so good.",
            [Edit("text", 0, 0, "As far as I know, ")],
            "As far as I know , so good .".split(),
        ),
        ("is not it", [Edit("text", 0, 6, "isn't")], ["isn't", "it"]),
        ("so good.", [Edit("text", 0, 3, "")], ["good", "."]),
        ("so good.", [Edit("text", 5, 5, " ")], ["so", "go", "od", "."]),
        ("a b", [Edit("text", 1, 2, "-")], ["a", "-", "b"]),
    ],
)
def test_tokens_keep_their_borders_and_new_text_is_segmented(text, edits, expected):
    assert tokens_after(text, edits) == expected


def test_given_borders_survive_a_change_on_both_sides():
    tokens = [(0, 2), (2, 5)]  # do | n't
    assert tokens_after("don't", [Edit("text", 1, 2, "0"), Edit("text", 3, 4, "`")], tokens) == [
        "d0",
        "n`t",
    ]


# -- an oracle --------------------------------------------------------------------------------

ALPHABET = "ab .é\u0301北😀"


@st.composite
def edit_sets(draw, length, *, field="text"):
    """Disjoint edits of a text of this length, in any order."""
    cuts = sorted(draw(st.lists(st.integers(0, length), max_size=8)))
    edits = []
    for start, end in zip(cuts[::2], cuts[1::2], strict=False):
        text = draw(st.text(ALPHABET, max_size=4))
        inside = draw(st.booleans()) if start == end else False
        edits.append(Edit(field, start, end, text, inside=inside))
    return draw(st.permutations(edits))


@st.composite
def span_sets(draw, length):
    """Nonempty spans that do not overlap."""
    cuts = sorted(draw(st.sets(st.integers(0, length), max_size=6)))
    return [Span("text", a, b, "X") for a, b in zip(cuts[::2], cuts[1::2], strict=False)]


@st.composite
def changes(draw):
    text = draw(st.text(ALPHABET, min_size=1, max_size=24))
    return text, draw(edit_sets(len(text))), draw(span_sets(len(text)))


def spliced(text, edits):
    """New text as (character, number of the edit or base offset) in order; right to left."""
    cells = [(char, ("base", i)) for i, char in enumerate(text)]
    order = sorted(range(len(edits)), key=lambda i: (edits[i].start, edits[i].end))
    for i in reversed(order):
        edit = edits[i]
        cells[edit.start : edit.end] = [(char, ("edit", i)) for char in edit.text]
    return cells


def carried_by_following(text, edits, span):
    """Borders of a span from the fate of its characters; a reason if it breaks."""
    mine = set()
    for i, e in enumerate(edits):
        is_zero = e.start == e.end
        at_border = is_zero and e.start in (span.start, span.end)
        if at_border:
            is_mine = e.inside
        else:
            is_mine = span.start <= e.start and e.end <= span.end
            overlaps = e.start < span.end and span.start < e.end
            if overlaps and not is_mine:
                return "crosses_span"
        if is_mine:
            mine.add(("edit", i))
    mine |= {("base", i) for i in range(span.start, span.end)}
    places = [at for at, (_, origin) in enumerate(spliced(text, edits)) if origin in mine]
    return (min(places), max(places) + 1) if places else "empties_span"


def outcome(span, edits):
    """Borders of a span after edits, or the reason why they are refused."""
    try:
        (carried,) = carry_spans([span], {"text": edits})
    except EditRefusedError as error:
        return error.reason
    return carried.start, carried.end


@settings(max_examples=200)
@given(changes())
def test_texts_and_spans_agree_with_the_oracle(change):
    text, edits, spans = change
    assert apply_to_text(text, edits) == "".join(char for char, _ in spliced(text, edits))
    for span in spans:
        expected = carried_by_following(text, edits, span)
        assert outcome(span, edits) == expected


@settings(max_examples=200)
@given(st.data())
def test_composition_is_one_after_the_other(data):
    text, first, spans = data.draw(changes())
    middle = apply_to_text(text, first)
    second = data.draw(edit_sets(len(middle)))
    composed = compose(text, first, second, spans=spans)
    assert apply_to_text(text, composed) == apply_to_text(middle, second)
    assert all(text[e.start : e.end] != e.text for e in composed)


@settings(max_examples=200)
@given(st.data())
def test_composition_carries_spans_as_one_after_the_other(data):
    """Replacements and outside insertions, which is what transformations make."""
    text, first, spans = data.draw(changes())
    first = [e._replace(inside=False) for e in first]
    middle = apply_to_text(text, first)
    second = [e._replace(inside=False) for e in data.draw(edit_sets(len(middle)))]
    try:
        in_turn = carry_spans(carry_spans(spans, {"text": first}), {"text": second})
    except EditRefusedError:
        assume(False)
    composed = compose(text, first, second, spans=spans)
    # two spans that a deletion brought together leave an insertion between them no single place
    ends = {s.end for s in spans}
    assume(not any(e.start in ends and not e.text for e in first))
    assert carry_spans(spans, {"text": composed}) == in_turn


@settings(max_examples=150)
@given(changes())
def test_tokens_cover_the_new_text_and_untouched_ones_stay(change):
    text, edits, _ = change
    tokens = tuple(token_spans(text))
    changed = apply_edits(Example("1", {"text": text}, tokens={"text": tokens}), edits)
    borders = changed.tokens["text"]
    assert all(a < b for a, b in borders)
    assert all(b <= c for (_, b), (c, _) in pairwise(borders))
    covered = {place for a, b in borders for place in range(a, b)}
    assert all(at in covered for at, char in enumerate(changed.text) if not char.isspace())
    for a, b in tokens:
        if not any(e.start <= b and a <= e.end for e in edits):
            gain = sum(len(e.text) - (e.end - e.start) for e in edits if e.end <= a)
            assert (a + gain, b + gain) in borders


@settings(max_examples=150)
@given(changes())
def test_protected_text_is_never_changed(change):
    text, edits, spans = change
    example = Example("1", {"text": text}, protected=tuple(spans))
    try:
        changed = apply_edits(example, edits)
    except EditRefusedError:
        return
    kept = [changed.text[s.start : s.end] for s in changed.protected]
    assert kept == [text[s.start : s.end] for s in spans]


@pytest.mark.parametrize("size", [100_000])
def test_time_grows_no_faster_than_the_text(size):
    def seconds(length):
        text = "abcd " * (length // 5)
        spans = tuple(Span("text", i, i + 4, "X") for i in range(0, length, 10))
        edits = [Edit("text", i + 1, i + 2, "zz") for i in range(0, length, 5)]
        example = Example(
            "1", {"text": text}, gold=spans, tokens={"text": tuple(token_spans(text))}
        )
        begin = process_time()
        changed = apply_edits(example, edits)
        again = [Edit("text", i + 1, i + 3, "y") for i in range(0, len(changed.text), 6)]
        compose(text, edits, again, spans=spans)
        return process_time() - begin

    # one of three is enough: a collection of garbage may fall into any one run
    small = min(seconds(size // 10) for _ in range(3))
    assert any(seconds(size) < 60 * max(small, 0.002) for _ in range(3))


def test_a_text_without_annotations_is_changed_without_carrying(monkeypatch):
    def carried(*_):
        raise AssertionError("nothing is there to carry")

    monkeypatch.setattr(track_module.OrderedEdits, "of", carried)
    example = Example("1", {"a": "one two", "b": "three"}, gold="x", attributes={"u_doc": "d"})
    edits = [Edit("b", 0, 5, "3"), Edit("a", 4, 7, "2"), Edit("a", 0, 3, "1")]
    changed = apply_edits(example, edits)
    assert changed == replace(example, fields={"a": "1 2", "b": "3"})
    with pytest.raises(EditRefusedError) as caught:
        apply_edits(example, [Edit("a", 0, 3, "1"), Edit("a", 2, 5, "")])
    assert caught.value.reason == "overlap"


def test_edits_that_bring_spans_or_meet_a_layer_are_carried():
    plain = Example("1", {"text": "one two"})
    edits = [Edit("text", 0, 3, "1", (Span("text", 0, 1, "N"),))]
    assert apply_edits(plain, edits).spans == (Span("text", 0, 1, "N"),)
    layered = replace(plain, tokens={"text": ((0, 3), (4, 7))})
    assert apply_edits(layered, [Edit("text", 0, 3, "1")]).tokens == {"text": ((0, 1), (2, 5))}
