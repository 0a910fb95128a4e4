"""Texts on the way: edits of the base that do what the steps did."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example, Span
from scrutiny.perturb.search.moves import Origin
from scrutiny.perturb.search.places import Source, Trail
from scrutiny.perturb.search.state import State
from scrutiny.testing.checking import examples, tagged_examples
from scrutiny.text.edits import apply_edits, apply_to_text
from scrutiny.text.tokens import token_spans


def start_of(text, **more):
    return State.start(Origin(Example("1", {"text": text}, **more)))


def edit(start, end, new, field="text", **more):
    return Edit(field, start, end, new, **more)


def test_steps_are_rebased_onto_the_base():
    state = start_of("He loves old films")
    for step in (edit(3, 8, "adores"), edit(0, 2, "She"), edit(15, 17, "FI")):
        state = state.step([step])
    assert state.texts == ("She adores old FIlms",)
    assert [e[1:4] for e in state.edits] == [(0, 2, "She"), (3, 8, "adores"), (13, 15, "FI")]
    assert state.example.fields == {"text": "She adores old FIlms"}


def test_a_step_that_touches_an_earlier_one_is_merged_with_it():
    state = start_of("a good film").step([edit(2, 6, "fine")]).step([edit(2, 4, "w")])
    assert state.texts == ("a wne film",)
    assert apply_to_text("a good film", state.edits) == "a wne film"
    assert sorted(state.changed) == [1]


def test_a_step_that_changes_nothing_is_none_and_one_beyond_the_text_is_refused():
    state = start_of("a good film")
    assert state.step([edit(2, 6, "good")]) is None
    assert state.step([edit(2, 6, "good"), edit(7, 11, "film")]) is None
    with pytest.raises(EditRefusedError, match="11"):
        state.step([edit(2, 20, "x")])


def test_a_step_back_is_the_base_again():
    back = start_of("a good film").step([edit(2, 6, "bad")]).step([edit(2, 5, "good")])
    assert back.edits == ()
    assert back.key in back.origin.excluded


@pytest.mark.parametrize(
    ("made", "changed", "words"),
    [
        (edit(2, 6, "bad"), {1}, 1),
        (edit(3, 4, ""), {1}, 1),
        (edit(4, 4, "x"), {1}, 1),
        (edit(6, 6, "s"), {1}, 1),  # glued to the end of the word
        (edit(2, 2, "un"), {1}, 1),  # and to its beginning
        (edit(7, 7, "very "), set(), 1),  # a new word between
        (edit(11, 11, " of the year"), set(), 3),
        (edit(2, 7, ""), {1}, 1),  # the word and the space behind it
        (edit(0, 6, "an old"), {0, 1}, 2),
        (edit(6, 7, ""), set(), 0),  # the space alone touches no token of the base
    ],
)
def test_what_counts_as_changed(made, changed, words):
    state = start_of("a good film").step([made])
    assert (set(state.changed), state.words_changed) == (changed, words)


def test_tokens_of_many_fields_are_counted_once():
    """A ranking has a field for each candidate, and a search asks thousands of times."""
    looked = []

    class Counting(Origin):
        def document(self, field):
            looked.append(field)
            return super().document(field)

    texts = {f"option_{k}": "one " * k for k in range(1, 21)}
    origin = Counting(Example("1", texts))
    starts = [origin.first_token(name) for name in texts]
    assert starts == [k * (k - 1) // 2 for k in range(1, 21)]
    last = edit(0, 3, "two", field="option_20")
    assert {origin.changed([last]) for _ in range(9)} == {frozenset({190})}
    assert len(looked) <= len(texts) + 1  # each field, and the borders of one


def test_tokens_are_counted_through_all_fields():
    pair = Example("1", {"text": "one two", "text_pair": "three four"})
    state = State.start(Origin(pair)).step([edit(6, 10, "vier", field="text_pair")])
    state = state.step([edit(0, 3, "eins")])
    assert sorted(state.changed) == [0, 3]
    assert [e.field for e in state.edits] == ["text", "text_pair"]
    assert state.texts == ("eins two", "three vier")


def test_documents_of_untouched_fields_are_those_of_the_base():
    origin = Origin(Example("1", {"text": "one", "text_pair": "two"}))
    state = State.start(origin).step([edit(0, 3, "uno")])
    assert state.document("text_pair") is origin.document("text_pair")
    assert state.document("text").words == ["uno"]
    assert state.document("text") is state.document("text")


def test_annotations_are_carried_and_protected_stretches_hold():
    gold = (Span("text", 0, 3, "PER"),)
    state = start_of("Ada met Bob", gold=gold, protected=(Span("text", 8, 11),))
    after = state.step([edit(0, 3, "Hedwig")])
    assert after.example.gold == (Span("text", 0, 6, "PER"),)
    assert after.example.protected == (Span("text", 11, 14),)
    with pytest.raises(EditRefusedError):
        after.step([edit(11, 14, "Tom")])


def test_texts_with_other_token_borders_are_other_questions():
    tokens = {"text": ((0, 1), (1, 2))}
    split = start_of("ab", tokens=tokens)
    assert split.key != start_of("ab").key
    assert start_of("ab", tokens={"text": ((0, 2),)}).key != split.key


def test_a_probe_is_marked_and_may_empty_an_annotation():
    state = start_of("Ada met Bob", gold=(Span("text", 0, 3, "PER"),))
    probe = state.probe([edit(0, 4, "")])
    assert (probe.texts, probe.is_probe, state.is_probe) == (("met Bob",), True, False)
    assert probe.example.id == "1"


def test_edits_of_the_base_can_be_put_together():
    origin = Origin(Example("1", {"text": "a good film"}))
    made = State.of(origin, [edit(7, 11, "movie"), edit(2, 6, "fine")])
    assert made.texts == ("a fine movie",)
    with pytest.raises(EditRefusedError):
        State.of(origin, [edit(2, 6, "fine"), edit(4, 11, "x")])


@st.composite
def chains(draw, base):
    """Steps from a base, with the text that they lead to if applied one after the other."""
    example = draw(base)
    state, text = State.start(Origin(example)), dict(example.fields)
    for _ in range(draw(st.integers(1, 4))):
        field = draw(st.sampled_from(list(text)))
        low = draw(st.integers(0, len(text[field])))
        high = draw(st.integers(low, min(len(text[field]), low + 5)))
        step = edit(low, high, draw(st.sampled_from(["", "x", "two words", "!"])), field=field)
        try:
            after = state.step([step])
        except EditRefusedError:
            continue
        if after is not None:
            state = after
            text[field] = apply_to_text(text[field], [step])
    return state, text


@settings(max_examples=80)
@given(chains(examples("text-pair-classification")))
def test_edits_of_the_base_give_the_text_of_the_steps(chain):
    state, text = chain
    assert dict(zip(text, state.texts, strict=True)) == text
    assert apply_edits(state.base, state.edits).fields == text
    for field in text:
        own = [e for e in state.edits if e.field == field]
        assert all(a.end <= b.start for a, b in pairwise(own))


@settings(max_examples=80)
@given(chains(tagged_examples()))
def test_annotations_after_the_steps_are_those_after_the_edits_of_the_base(chain):
    state, text = chain
    assert state.example == apply_edits(state.base, state.edits)
    assert state.example.fields == text


def test_where_words_come_from():
    text = "He saw a good film"
    edits = [edit(3, 6, "has seen"), edit(9, 9, "very "), edit(13, 14, "")]  # "goodfilm"
    trail = Trail(edits, token_spans(text))
    after = apply_to_text(text, edits)
    assert after == "He has seen a very goodfilm"
    found = [trail.of_token(a, b) for a, b in token_spans(after)]
    assert found[0] == Source(0, 2, 0, is_touched=False)
    assert found[1] == found[2] == Source(3, 6, 1, is_touched=True)
    assert found[3] == Source(7, 8, 2, is_touched=False)
    assert (found[4].token, found[4].is_touched) == (-1, True)
    assert found[5].token == 3
    assert trail.place(len(after)) == len(text)


def test_a_word_that_lost_its_first_letter_was_touched():
    trail = Trail([edit(2, 3, "")], token_spans("a good film"))  # "a ood film"
    assert trail.of_token(2, 5) == Source(2, 6, 1, is_touched=True)
    assert trail.of_token(6, 10) == Source(7, 11, 2, is_touched=False)


def test_a_deleted_word_leaves_its_neighbors_untouched():
    trail = Trail([edit(2, 7, "")], token_spans("a good film"))  # "a film"
    assert [trail.of_token(0, 1).is_touched, trail.of_token(2, 6).is_touched] == [False, False]
    assert trail.of_token(2, 6).token == 2


@pytest.mark.parametrize("text", ["He isn't here, is he?", "  a-b  c3 ", "one", "?!", ""])
def test_an_edit_touches_the_tokens_that_it_overlaps_or_is_glued_to(text):
    origin = Origin(Example("1", {"first": "Oh no", "text": text}))
    tokens = origin.document("text").tokens
    for start in range(len(text) + 1):
        for end in range(start, len(text) + 1):
            for new in ("", "x", " x", "x "):
                found = list(origin.touched(Edit("text", start, end, new)))
                overlapped = [
                    i for i, (a, b) in enumerate(tokens) if a < end and start < b and start < end
                ]
                if start < end:
                    assert found == overlapped
                else:
                    assert found == _touched_by_insertion(text, tokens, start, new)


def _touched_by_insertion(text, tokens, place, new):
    for i, (a, b) in enumerate(tokens):
        if a < place < b:
            return [i]
        if b == place and text[b - 1].isalnum() and new[:1].isalnum():
            return [i]
    for i, (a, _) in enumerate(tokens):
        if a == place and text[a].isalnum() and new[-1:].isalnum():
            return [i]
    return []


@given(
    st.lists(
        st.tuples(st.integers(0, 19), st.integers(0, 3), st.sampled_from(["", "x", " x ", "y z"])),
        max_size=4,
    )
)
def test_words_of_two_texts_together_are_counted_before_they_are_joined(places):
    start = start_of("a good film of 1999 !")
    made = [
        State.of(start.origin, [edit(low, min(low + more, 21), new)]) for low, more, new in places
    ]
    for one, other in pairwise(made):
        try:
            joined = State.of(start.origin, (*one.edits, *other.edits))
        except EditRefusedError:
            continue
        assert one.words_with(other) == joined.words_changed
        assert start.words_with(one) == one.words_changed
