"""Options, sets of labels, orders of candidates, and borders of words as answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.answers.answer import (
    Agreement,
    answer_json,
    answer_of,
    answer_text,
    has_places,
    labels_in,
    renamed,
    segments_of,
    type_of,
)
from scrutiny.core.answers.choices import (
    LABEL_SET,
    OPTION_OF,
    RANKING,
    LabelSet,
    Option,
    Ranking,
    option_fields,
    options_in,
    place_of,
)
from scrutiny.core.answers.label_and_spans import SEGMENTS, Segments, segments_from
from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.tasks.item_hashes import content_key
from scrutiny.text.edits import apply_edits, track_of

ITEM = Example("1", {"text": "Is it?", **option_fields(["Yes.", "No.", "1"])})
CUT = Example("1", {"text": "abcde"}, Segments("text", ((0, 2), (2, 3), (3, 5))))
ORDER = st.permutations(range(5)).map(Ranking)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Option(0), OPTION_OF),
        (LabelSet(), LABEL_SET),
        (Ranking((1, 0)), RANKING),
        (CUT.gold, SEGMENTS),
    ],
)
def test_the_class_of_a_value_tells_its_type(answer, kind):
    assert type_of(answer) is kind


@given(
    st.integers(0, 30).map(Option)
    | st.frozensets(st.text()).map(LabelSet)
    | ORDER
    | st.just(CUT.gold)
)
def test_stored_answers_come_back(answer):
    for stored in (answer_json(answer), answer_text(answer)):
        found = answer_of(stored)
        assert (found, type(found)) == (answer, type(answer))
    assert Prediction(answer).agrees(Prediction(answer))
    assert content_key(Example("", {}, answer)) == content_key(Example("", {}, found))


def test_the_first_option_and_no_labels_are_answers():
    keys = {content_key(Example("", {}, one)) for one in (None, Option(0), Option(1), LabelSet())}
    assert len(keys) == 4
    assert Prediction(Option(0)).agrees(Prediction(Option(0)))
    assert not Prediction(Option(0)).agrees(Prediction(LabelSet()))


def test_options_are_fields_in_their_order():
    assert options_in(ITEM.fields) == ["Yes.", "No.", "1"]
    assert list(ITEM.fields) == ["text", "option_1", "option_2", "option_3"]


@pytest.mark.parametrize(
    ("value", "place"),
    [
        *[("yes.", 0), ("B", 1), ("(b)", 1), (1, 1), (2.0, 2), ("1", 2), ("0", 0)],
        *[(wrong, None) for wrong in (3, -1, "D", True, 0.5, None, "²")],
    ],
)
def test_an_option_is_named_by_text_letter_or_place(value, place):
    assert place_of(value, options_in(ITEM.fields)) == place


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        *[(1, 1), ("No.", 1), ("c", 2), ([0.1, 0.7, 0.2], 1), ((3, 3, 1), 0)],
        *[({"answer": "No.", "score": 0.9}, 1), ({"answer": 2}, 2)],
    ],
)
def test_what_a_model_returns_for_options(value, answer):
    assert OPTION_OF.given(value, ITEM) == answer


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (OPTION_OF, "maybe", "the place of an option"),
        (OPTION_OF, [0.5, 0.5], "2 scores were given for 3 options"),
        (OPTION_OF, 3, "the place of an option"),
        (OPTION_OF, [0.1, float("nan"), 0.2], "the place of an option"),
        (LABEL_SET, 3, "a list of labels"),
        (LABEL_SET, [1, 0], "a list of labels"),
        (RANKING, [0.1], "a list of 3 scores"),
        (RANKING, 1, "a list of 3 scores"),
        (RANKING, {"order": [0.5, 1]}, "a list of 3 scores"),
        (SEGMENTS, ["Is", "he?"], "one after the other are the text"),
        (SEGMENTS, 3, "one after the other are the text"),
    ],
)
def test_what_is_no_answer_is_refused_in_words(kind, value, said):
    with pytest.raises(TypeError, match=said):
        kind.given(value, ITEM)


def test_what_models_return_for_sets_orders_and_words():
    assert LABEL_SET.given("joy| fear", ITEM) == LABEL_SET.given({"joy", "fear"}, ITEM)
    assert LABEL_SET.given({"joy": 0.5, "fear": 0.49}, ITEM) == LabelSet(["joy"])
    assert LABEL_SET.given([], ITEM) == LABEL_SET.given("", ITEM) == LabelSet()
    assert RANKING.given([1, 3, 3], ITEM) == Ranking((1, 2, 0))  # equal ones as they stand
    assert RANKING.given({"order": [2, 0]}, ITEM) == Ranking((2, 0))
    assert SEGMENTS.given("ab c de", CUT) == SEGMENTS.given(["ab", "c", "de"], CUT) == CUT.gold


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Option(3), "is the option 3, of 3 from 0"),
        (Ranking(()), "the order of nothing"),
        (Ranking((0, 0)), "each once"),
        (Ranking((0, 3)), "of 3 candidates"),
        (Segments("text", ((0, 2), (1, 3))), "the word 1:3"),
        (Segments("text", ((0, 9),)), "the word 0:9 in 6"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(answer, said):
    assert said in type_of(answer).check(answer, ITEM)


@pytest.mark.parametrize("answer", [Option(2), LabelSet(["a"]), Ranking((2, 0)), CUT.gold])
def test_sound_answers_are_sound(answer):
    item = CUT if isinstance(answer, Segments) else ITEM
    assert type_of(answer).check(answer, item) is None


def test_agreement_counts_parts():
    assert LABEL_SET.agree(LabelSet("ab"), LabelSet("bc")) == Agreement(2, 4)
    assert LABEL_SET.agree(LabelSet(), LabelSet()).is_whole
    assert RANKING.agree(Ranking((1, 0)), Ranking((1, 2, 0))).is_whole
    assert not RANKING.agree(Ranking((1, 0)), Ranking((0, 1))).is_whole
    assert SEGMENTS.agree(CUT.gold, Segments("text", ((0, 2), (2, 5)))) == Agreement(2, 5)


def test_each_word_is_judged_and_told_beside_its_text():
    other = Segments("text", ((0, 2), (2, 5)))
    assert SEGMENTS.judged(other, CUT.gold) == (("", True), ("", False))
    assert SEGMENTS.beside(other, CUT.fields) == "ab | cde"
    assert LABEL_SET.beside(LabelSet(["joy"]), {}) == "joy"
    assert SEGMENTS.is_said(CUT.gold, SEGMENTS.brief(CUT.gold))
    assert not SEGMENTS.is_said(CUT.gold, SEGMENTS.brief(other))


def test_answers_in_words():
    assert OPTION_OF.show(Option(1), ITEM.fields) == "No."
    assert OPTION_OF.brief(Option(1)) == "option 2"
    assert OPTION_OF.is_said(Option(1), "option 2")
    assert RANKING.show(Ranking((2, 0)), ITEM.fields) == "1"
    assert RANKING.brief(Ranking((2, 0))) == "candidate 3"
    assert LABEL_SET.brief(LabelSet(["b", "a"])) == "a, b"
    assert SEGMENTS.show(CUT.gold, CUT.fields) == "ab | c | de"
    assert SEGMENTS.brief(CUT.gold) == "2 1 2"


def test_labels_of_a_set_have_names():
    assert labels_in(LabelSet(["b", "a"])) == ("a", "b")
    assert renamed(LabelSet(["b", "a"]), str.upper) == LabelSet("AB")
    assert (labels_in(Option(1)), labels_in(Ranking((0,)))) == ((), ())


def test_only_borders_of_words_have_places_in_a_text():
    assert [has_places(a) for a in (Option(0), LabelSet(["a"]), Ranking((0,)), CUT.gold)] == [
        False, False, False, True,
    ]  # fmt: skip
    assert segments_of(CUT.gold) == {"text": CUT.gold.borders}


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ([Edit("text", 0, 1, "x")], ["xb", "c", "de"]),
        ([Edit("text", 3, 5, "uvw")], ["ab", "c", "uvw"]),
        ([Edit("text", 2, 3, "")], ["ab", "de"]),
        ([Edit("text", 0, 1, "xy"), Edit("text", 4, 5, "z")], ["xyb", "c", "dz"]),
    ],
)
def test_borders_go_where_edits_within_words_take_them(edits, words):
    changed = apply_edits(CUT, edits)
    assert [changed.text[a:b] for a, b in changed.gold.borders] == words


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (Edit("text", 2, 2, "xx"), "new_word"),
        (Edit("text", 1, 3, "x"), "merged_words"),
        (Edit("text", 0, 2, "a b"), "split_word"),
    ],
)
def test_lost_borders_are_refused_by_name(edit, reason):
    with pytest.raises(EditRefusedError) as refused:
        apply_edits(CUT, [edit])
    assert refused.value.reason == reason


def test_stretches_that_are_cut_otherwise_are_told_by_themselves():
    track = track_of(CUT, [Edit("text", 0, 1, "x")])
    after = Segments("text", ((0, 2), (2, 5)))
    (found,) = SEGMENTS.differences(CUT.gold, after, CUT.gold, track, CUT.text)
    assert found == ("cde", "c | de", "cde", "c | de")
    assert found.is_broken
    assert SEGMENTS.differences(CUT.gold, CUT.gold, None, track_of(CUT, []), CUT.text) == []


@given(st.lists(st.text("ab中", min_size=1), min_size=1), st.sampled_from(["", " "]))
def test_words_are_found_one_after_the_other(words, space):
    text = space.join(words)
    found = segments_from(words, text)
    assert [text[a:b] for a, b in found.borders] == words
    assert segments_from([*words, "x"], text) is None
