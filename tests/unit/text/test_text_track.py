"""Tracks: words follow edits, and what an edit does not say is lost by name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_trees import edit_sets, heads_by_name, trees

from scrutiny.core.answers.words import ROOT, WORDS, Words
from scrutiny.core.edit import Edit, EditRefusedError, Piece
from scrutiny.core.example import Example
from scrutiny.text.edits import apply_edits, apply_to_answer

TEXT = "She quickly sold it"
TREE = Words(
    "text",
    ((0, 3), (4, 11), (12, 16), (17, 19)),
    (2, 2, ROOT, 2),
    ("nsubj", "advmod", "root", "obj"),
    ("PRON", "ADV", "VERB", "PRON"),
)
REALLY = Piece(0, 6, head=12, relation="advmod", upos="ADV")


def edit(start, end, text, *pieces, inside=False):
    return Edit("text", start, end, text, (), inside, pieces)


def carried(*edits, tree=TREE):
    tokens = {"text": tree.borders}
    example = Example("1", {"text": TEXT}, gold=tree, tokens=tokens)
    changed = apply_edits(example, edits)
    assert changed.tokens == {"text": changed.gold.borders}
    return changed


def words(example):
    """Word, head, relation and part of speech of each word."""
    text, gold = example.text, example.gold
    shown = [text[a:b] for a, b in gold.borders]
    heads = [h if h is None or h == ROOT else shown[h] for h in gold.heads]
    return list(zip(shown, heads, gold.relations, gold.upos, strict=True))


def test_an_inserted_word_leaves_every_arc_on_its_word():
    changed = carried(edit(12, 12, "really ", REALLY))
    assert changed.text == "She quickly really sold it"
    assert words(changed) == [
        ("She", "sold", "nsubj", "PRON"),
        ("quickly", "sold", "advmod", "ADV"),
        ("really", "sold", "advmod", "ADV"),
        ("sold", ROOT, "root", "VERB"),
        ("it", "sold", "obj", "PRON"),
    ]


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([edit(13, 15, "ol")], "She quickly sold it"),
        ([edit(12, 16, "bought")], "She quickly bought it"),
        ([edit(3, 11, "")], "She sold it"),
        ([edit(4, 11, "")], "She  sold it"),
        ([edit(16, 17, "")], "She quickly soldit"),
        ([edit(11, 16, " s old", Piece(1, 6, (12,)))], "She quickly s old it"),
        ([edit(16, 16, "!", Piece(0, 1, head=12, relation="punct"))], "She quickly sold! it"),
        ([edit(4, 16, "SOLD", Piece(0, 4, (4, 12)))], "She SOLD it"),
        ([edit(19, 19, "s", inside=True)], "She quickly sold its"),
        ([edit(4, 12, ""), edit(17, 19, "him")], "She sold him"),
    ],
)
def test_kept_arcs_are_on_the_words_that_continue(edits, expected):
    changed = carried(*edits)
    assert changed.text == expected
    assert changed.gold.relations.count("root") == 1
    verb = changed.gold.relations.index("root")
    assert {head for head in changed.gold.heads if head != ROOT} == {verb}
    assert changed.gold.relations[0] == "nsubj"


def test_a_merged_word_is_the_one_that_the_others_depend_on():
    merged = carried(edit(12, 19, "soldit"))
    assert words(merged)[-1] == ("soldit", ROOT, "root", "VERB")
    first = carried(edit(0, 11, "Shequickly"), tree=TREE._replace(heads=(1, 2, ROOT, 2)))
    assert words(first)[0] == ("Shequickly", "sold", "advmod", "ADV")


def test_new_words_depend_on_each_other_or_are_roots_of_their_own():
    pieces = (
        Piece(1, 3, sibling=1, relation="case", upos="ADP"),
        Piece(4, 9, relation="root", upos="NOUN"),
    )
    changed = carried(edit(19, 19, " at night", *pieces))
    assert words(changed)[4:] == [
        ("at", "night", "case", "ADP"),
        ("night", ROOT, "root", "NOUN"),
    ]


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([edit(12, 12, "really ")], "new_word"),
        ([edit(12, 16, "has sold")], "split_word"),
        ([edit(14, 14, " ")], "split_word"),
        ([edit(0, 11, "Fast she")], "regrouped_words"),
        ([edit(12, 17, "")], "lost_head"),
        ([edit(0, 11, "Shequickly")], "merged_phrases"),
        ([edit(17, 19, "it it", Piece(0, 2, (17,)), Piece(3, 5, (17,)))], "split_word"),
        ([edit(14, 14, "x ", Piece(0, 1, head=0))], "new_word"),
        ([edit(4, 12, ""), edit(16, 16, " x", Piece(1, 2, head=4))], "lost_head"),
    ],
)
def test_what_the_edits_do_not_say_is_lost_by_name(edits, reason):
    with pytest.raises(EditRefusedError) as caught:
        carried(*edits)
    assert caught.value.reason == reason


def test_an_answer_about_other_words_is_lost():
    """A model's own words need not be those that an edit was made for."""
    own = Words("text", ((0, 11), (12, 16), (17, 19)), (1, ROOT, 1), ("nsubj", "root", "obj"))
    example = Example("1", {"text": TEXT}, gold=TREE)
    kept = apply_to_answer(own, example, [edit(12, 12, "really ", REALLY._replace(head=17))])
    assert kept.heads == (2, 3, ROOT, 2)
    for head in (4, 18):
        with pytest.raises(EditRefusedError) as caught:
            apply_to_answer(own, example, [edit(12, 12, "really ", REALLY._replace(head=head))])
        assert caught.value.reason == "regrouped_words"


def test_layers_that_nobody_annotated_stay_so():
    tags = Words("text", TREE.borders, upos=TREE.upos)
    changed = carried(edit(3, 11, ""), tree=tags)
    assert changed.gold == Words("text", ((0, 3), (4, 8), (9, 11)), upos=("PRON", "VERB", "PRON"))
    assert WORDS.labels(changed.gold) == ()


def test_words_of_another_field_stay():
    example = Example("1", {"text": TEXT, "other": "x"}, gold=TREE)
    assert apply_edits(example, [Edit("other", 0, 1, "y")]).gold == TREE


REASONS = {"new_word", "split_word", "regrouped_words", "lost_head", "merged_phrases"}


def outcome(example, edits):
    """Example after edits, or why there is none."""
    try:
        return apply_edits(example, edits), None
    except EditRefusedError as error:
        return None, error.reason


@settings(max_examples=200)
@given(st.data())
def test_carried_arcs_are_a_forest_over_the_same_words_or_lost_by_name(data):
    example = data.draw(trees())
    edits = data.draw(edit_sets(example))
    changed, reason = outcome(example, edits)
    if reason:
        assert reason in REASONS
        return
    gold = changed.gold
    assert WORDS.check(gold, changed) is None
    assert changed.tokens == {"text": gold.borders}
    for word in range(len(gold.borders)):  # no circles
        seen = {word}
        while (word := gold.heads[word]) != ROOT:
            assert word not in seen
            seen.add(word)
    before, after = dict(heads_by_name(example.gold)), heads_by_name(gold)
    olds = [(name, head) for name, head in after if not name.startswith("new")]
    n_new = sum(piece.of == () for edit in edits for piece in edit.pieces)
    assert len(after) == len(olds) + n_new
    merged = len(olds) < len(before)  # or gone
    assert {name for name, _ in olds} <= before.keys()
    assert len({name for name, _ in olds}) == len(olds)
    if not merged:
        assert dict(olds) == before
    assert sum(head == "root" for _, head in olds) == 1 or not olds
