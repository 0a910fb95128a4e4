"""Pieces of composed edits say what the steps said in turn."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_trees import edit_sets, trees

from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.edit import Edit, EditRefusedError, Piece
from scrutiny.core.example import Example
from scrutiny.perturb.engine.edited_words import rebase
from scrutiny.text.edits import apply_edits

TREE = Words(
    "text",
    ((0, 3), (4, 8), (9, 11)),
    (1, ROOT, 1),
    ("nsubj", "root", "obj"),
    ("PRON", "VERB", "PRON"),
)
EXAMPLE = Example("1", {"text": "She sold it"}, gold=TREE, tokens={"text": TREE.borders})
INSERTED = Edit("text", 4, 4, "really ", pieces=(Piece(0, 6, (), 4, None, "advmod", "ADV"),))
SPLIT = Edit(
    "text", 4, 8, "so ld", pieces=(Piece(0, 2, (4,)), Piece(3, 5, (), None, 0, "goeswith", "X"))
)
STEPS = {
    "a new word is changed": ([INSERTED], [Edit("text", 5, 9, "EALL")]),
    "a new word is replaced": ([INSERTED], [Edit("text", 4, 10, "never")]),
    "a new word goes": ([INSERTED], [Edit("text", 4, 11, "")]),
    "a word is inserted beside a changed one": (
        [Edit("text", 4, 8, "bought")],
        [Edit("text", 4, 4, "really ", pieces=(Piece(0, 6, (), 4, None, "advmod", "ADV"),))],
    ),
    "a changed word is split": (
        [Edit("text", 5, 6, "u")],
        [SPLIT._replace(text="su ld")],
    ),
    "a split word is changed": ([SPLIT], [Edit("text", 4, 6, "SO"), Edit("text", 7, 9, "LD")]),
    "a split word is put together again": ([SPLIT], [Edit("text", 4, 9, "sold", (), False)]),
    "words far apart": (
        [INSERTED],
        [Edit("text", 16, 18, "i t", pieces=(Piece(0, 1, (16,)), Piece(2, 3, (), None, 0, "x")))],
    ),
    "a word depends on a new one": (
        [Edit("text", 3, 4, " not ", pieces=(Piece(1, 4, (), 4, None, "advmod", "PART"),))],
        [Edit("text", 4, 7, "so not", pieces=(Piece(0, 2, (), None, 1, "x"), Piece(3, 6, (4,))))],
    ),
}


@pytest.mark.parametrize("steps", STEPS)
def test_composed_edits_say_what_the_steps_said(steps):
    first, second = STEPS[steps]
    middle = apply_edits(EXAMPLE, first)
    expected = apply_edits(middle, second)
    composed = rebase(EXAMPLE, middle, first, second)
    assert apply_edits(EXAMPLE, composed) == expected


def test_a_word_on_a_new_word_of_another_edit_is_refused_by_name():
    middle = apply_edits(EXAMPLE, [INSERTED])
    on_new = Edit("text", 4, 4, "so ", pieces=(Piece(0, 2, (), 4, None, "advmod"),))
    with pytest.raises(EditRefusedError) as caught:
        rebase(EXAMPLE, middle, [INSERTED], [on_new])
    assert caught.value.reason == "not_rebased"


@settings(max_examples=150)
@given(st.data())
def test_two_random_steps_equal_their_composition_or_are_refused(data):
    example = data.draw(trees())
    first = data.draw(edit_sets(example))
    try:
        middle = apply_edits(example, first)
        second = data.draw(edit_sets(middle))
        expected = apply_edits(middle, second)
    except EditRefusedError:
        return
    try:
        composed = rebase(example, middle, first, second)
    except EditRefusedError as error:
        reason = error.reason
    else:
        assert apply_edits(example, composed) == expected
        return
    lost = {"new_word", "split_word", "regrouped_words", "lost_head", "merged_phrases"}
    assert reason in {"not_rebased"} | lost
