"""Answer types: what each says of its values, and how they are stored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.answers.answer import (
    Agreement,
    answer_json,
    answer_of,
    answer_text,
    fences_of,
    from_json,
    has_places,
    is_answer,
    label_in,
    labels_in,
    renamed,
    to_json,
    type_of,
)
from scrutiny.core.answers.label_and_spans import LABEL, SPANS
from scrutiny.core.answers.texts import ANY_OF, TEXT, AnyOf, Text
from scrutiny.core.answers.words import WORDS, Words
from scrutiny.core.edit import Edit, Piece
from scrutiny.core.example import Example, Span
from scrutiny.core.task import Prediction
from scrutiny.text.edits import track_of

IDA, ROME = Span("text", 0, 3, "PER"), Span("text", 8, 12, "LOC")
ITEM = Example("1", {"text": "Ida saw Rome"})
TEXTS = AnyOf((Text("a"), Text("b")))
TREE = Words("text", ((0, 3), (4, 7), (8, 12)), (1, -1, 1), ("nsubj", "root", "obj"))
EACH = [
    "good",
    (),
    (IDA, ROME),
    Text("good"),
    TREE,
    TEXTS,
    AnyOf(((IDA,),)),
]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("good", LABEL),
        ((), SPANS),
        ((IDA,), SPANS),
        (Text("good"), TEXT),
        (TREE, WORDS),
        (AnyOf(("a", "b")), ANY_OF),
    ],
)
def test_the_class_of_a_value_tells_its_type(answer, kind):
    assert type_of(answer) is kind
    assert is_answer(answer)


@pytest.mark.parametrize("value", [3, None, b"x", [IDA]])
def test_other_values_are_no_answers(value):
    assert not is_answer(value)
    with pytest.raises(TypeError, match="is no answer"):
        type_of(value)


@pytest.mark.parametrize("answer", [None, *EACH], ids=str)
def test_stored_answers_say_their_type(answer):
    for stored in (answer_json(answer), answer_text(answer)):
        found = answer_of(stored)
        assert (found, type(found)) == (answer, type(answer))


@given(st.text() | st.sampled_from(["null", "[]", "{}", '"a"', ""]))
def test_any_label_and_any_text_come_back(text):
    for answer in (text, Text(text)):
        for found in (answer_of(answer_text(answer)), from_json(to_json(answer))):
            assert (found, type(found)) == (answer, type(answer))


def test_labels_that_look_like_nothing_else_are_stored_as_they_are():
    assert answer_text("very good") == "very good"
    assert answer_text("null") == '"null"'


def test_labels_are_found_and_renamed_in_each_type():
    assert [labels_in(answer) for answer in EACH[:4]] == [("good",), (), ("PER", "LOC"), ()]
    assert labels_in(AnyOf(((IDA,), (ROME,)))) == ("PER", "LOC")
    assert labels_in(None) == ()
    assert renamed((IDA,), str.lower) == (IDA._replace(label="per"),)
    assert renamed(AnyOf(("A", "B")), str.lower) == AnyOf(("a", "b"))
    assert (renamed("A", str.lower), renamed(Text("A"), str.lower)) == ("a", "A")
    assert [label_in(answer) for answer in ("a", Text("a"), (), None)] == ["a", None, None, None]


def test_only_what_speaks_of_places_has_them():
    assert [has_places(answer) for answer in EACH] == [False, True, True, False, True, False, True]
    assert fences_of(AnyOf(((IDA,), (ROME,)))) == (IDA, ROME)
    assert fences_of(TREE) == fences_of("good") == fences_of(None) == ()


def test_agreement_of_spans_is_their_f1():
    assert SPANS.agree((IDA, ROME), (ROME,)) == Agreement(2, 3)
    assert SPANS.agree((IDA, ROME), (ROME, IDA)).is_whole
    assert SPANS.agree((), ()).share == 1.0
    assert SPANS.agree((IDA,), ()).share == 0.0


def test_what_is_kept_is_told_of_what_both_texts_have():
    before = Example("1", {"text": "Ida saw Rome"}, TREE)
    edits = [Edit("text", 3, 3, " soon", pieces=(Piece(1, 5, head=4, relation="advmod"),))]
    track = track_of(before, edits)
    carried = WORDS.carry(TREE, track)
    assert carried.heads == (2, 2, -1, 2)
    assert WORDS.agree(carried, carried) == Agreement(4, 4)
    assert WORDS.kept(TREE, carried, track) == Agreement(3, 3)  # "soon" is new
    other = carried._replace(relations=("obj", "obj", "root", "obj"))
    assert WORDS.kept(TREE, other, track) == Agreement(2, 3)
    moved = Span("text", 13, 17, "LOC")
    assert SPANS.kept((IDA, ROME), (IDA, moved), track) == Agreement(4, 4)
    assert SPANS.kept((IDA, ROME), (IDA,), track) == Agreement(2, 3)


def test_predictions_agree_by_their_type():
    assert Prediction("a", (0.5, 0.5)).agrees(Prediction("a"))
    assert not Prediction("a").agrees(Prediction(Text("a")))
    assert not Prediction("a").agrees(Prediction(scores=(1.0,)))
    assert Prediction((IDA, ROME)).agrees(Prediction((ROME, IDA)))


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        (
            (IDA, Span("text", 8, 13, "LOC")),
            "has the span text[8:13], but 'text' is 12",
        ),
        ((Span("body", 0, 1, "X"),), "has the span body[0:1]"),
        (((0, 3, "PER"),), "spans must be of the type Span"),
        (AnyOf(("a",)), "a model gives one"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(answer, wrong):
    assert wrong in str(type_of(answer).check(answer, ITEM))


@pytest.mark.parametrize("answer", ["good", (), (IDA, ROME), Text("x"), TREE])
def test_sound_answers_are_sound(answer):
    assert type_of(answer).check(answer, ITEM) is None


def test_answers_in_words():
    assert SPANS.show((ROME, IDA), ITEM.fields) == "Ida (PER), Rome (LOC)"
    assert SPANS.brief((ROME, IDA, IDA)) == "1 LOC, 2 PER"
    assert (SPANS.show((), {}), SPANS.brief(())) == ("nothing", "no spans")
    assert ANY_OF.show(TEXTS, {}) == ANY_OF.brief(TEXTS) == "a or b"
    arrow = "\N{RIGHTWARDS ARROW}"
    said = f"nsubj{arrow}2 root obj{arrow}2"
    assert WORDS.brief(TREE) == said
    assert WORDS.brief(TREE._replace(heads=(1, -1, None))) == f"nsubj{arrow}2 root _"
    assert WORDS.is_said(TREE._replace(relations=("nsubj:pass", "root", "obj")), said) is True
    assert WORDS.is_said(TREE._replace(relations=("obj", "root", "obj")), said) is False
    assert WORDS.is_said(TREE._replace(heads=(1, -1, None)), said) is None
    tags = TREE._replace(heads=None, relations=None, upos=("NOUN", "", "X"))
    assert (WORDS.brief(tags), WORDS.is_said(tags, said)) == ("NOUN _ X", None)
    assert WORDS.is_said(tags._replace(upos=("NOUN", "VERB", "X")), "NOUN VERB X") is True


def test_words_that_differ_are_told_by_themselves():
    """An added word and moved heads are no difference, and neither are subtypes."""
    track = track_of(ITEM, [Edit("text", 4, 4, "really ")])
    said = Words("text", ((0, 3), (4, 10), (11, 14), (15, 19)), (2, 2, -1, 0), None)
    said = said._replace(relations=("nsubj:pass", "advmod", "root", "nmod"))
    (found,) = WORDS.differences(TREE, said, TREE, track, ITEM.text)
    assert found == ("Rome", "obj of saw", "nmod of Ida", "obj of saw")
    assert found.is_broken
    same = track_of(ITEM, [])
    assert WORDS.differences(TREE, TREE, None, same, ITEM.text) == []
    assert LABEL.differences("good", "bad", "good", track, ITEM.text) == ()  # is told whole
