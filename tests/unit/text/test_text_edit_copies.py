"""Edits that move, repeat or drop stretches of a text: annotations go where the words go."""

import pytest

from scrutiny.core.answers.clusters import clusters_of
from scrutiny.core.answers.texts import AnyOf, Extract
from scrutiny.core.edit import Copy, Edit, EditRefusedError
from scrutiny.core.example import Example, Span
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.perturb.engine.edit_gate import Gate
from scrutiny.text.edits import apply_edits, compose, track_of
from scrutiny.text.tokens import token_spans

TEXT = "Ida left. Bo saw her. It rained."
IDA, BO, HER = (0, 3), (10, 12), (17, 20)
FIRST, SECOND, THIRD = (0, 9), (10, 21), (22, 32)
LINKED = clusters_of("text", [[IDA, HER], [BO]])
SWAP = (
    Edit("text", *FIRST, TEXT[slice(*SECOND)], copies=(Copy(0, *SECOND),)),
    Edit("text", *SECOND, TEXT[slice(*FIRST)], copies=(Copy(0, *FIRST),)),
)
REPEAT = (Edit("text", 21, 21, " Ida left.", copies=(Copy(1, *FIRST),)),)
DROP_FIRST = (Edit("text", 0, 10, "", copies=()),)
DROP_SECOND = (Edit("text", 10, 22, "", copies=()),)


def item(gold=None, **stated):
    return Example("1", {"text": TEXT}, gold, **stated)


def words(example, clusters):
    return [[example.text[a:b] for a, b in cluster] for cluster in clusters]


def reason(gold, edits, **stated):
    with pytest.raises(EditRefusedError) as caught:
        apply_edits(item(gold, **stated), edits)
    return caught.value.reason


def test_mentions_move_with_their_words():
    after = apply_edits(item(LINKED), SWAP)
    assert after.text == "Bo saw her. Ida left. It rained."
    assert words(after, after.gold.clusters) == [["Bo"], ["her", "Ida"]]


def test_a_repeated_sentence_has_the_mentions_once_more():
    after = apply_edits(item(LINKED), REPEAT)
    assert after.text == "Ida left. Bo saw her. Ida left. It rained."
    assert words(after, after.gold.clusters) == [["Ida", "her", "Ida"], ["Bo"]]


def test_a_dropped_mention_leaves_its_cluster():
    after = apply_edits(item(LINKED), DROP_FIRST)
    assert words(after, after.gold.clusters) == [["Bo"], ["her"]]


def test_a_cluster_of_one_is_left_only_where_there_are_others():
    after = apply_edits(item(clusters_of("text", [[IDA, HER]])), DROP_FIRST)
    assert after.gold.clusters == ()
    several = clusters_of("text", [[IDA, HER, (22, 24)]])
    assert words(*((one := apply_edits(item(several), DROP_FIRST)), one.gold.clusters)) == [
        ["her", "It"]
    ]


def test_an_edit_that_states_nothing_still_may_not_drop_a_mention():
    assert reason(LINKED, [Edit("text", 0, 3, "")]) == "empties_span"


def test_half_of_a_mention_is_not_dropped():
    assert reason(LINKED, [Edit("text", 18, 22, "", copies=())]) == "crosses_span"


def test_entities_and_annotations_move_too():
    gold = (Span("text", *IDA, "PER"), Span("text", *BO, "PER"))
    after = apply_edits(item(gold, spans=(Span("text", 22, 24, "x"),)), SWAP)
    assert [after.text[s.start : s.end] for s in after.gold] == ["Bo", "Ida"]
    assert [after.text[s.start : s.end] for s in after.spans] == ["It"]


def test_an_extract_moves_stands_twice_or_is_lost_by_name():
    gold = AnyOf([Extract("Ida", "text", 0)])
    moved = apply_edits(item(gold), SWAP)
    assert moved.gold == AnyOf([Extract("Ida", "text", 12)])
    assert apply_edits(item(gold), REPEAT).gold == gold
    assert reason(gold, DROP_FIRST) == "dropped_answer"


def test_protected_stretches_are_not_moved():
    protected = (Span("text", *IDA),)
    assert reason(None, SWAP, protected=protected) == "protected"


@pytest.mark.parametrize("edits", [SWAP, REPEAT, DROP_FIRST, DROP_SECOND])
def test_tokens_of_the_data_stay_as_they_are_cut(edits):
    """Another tokenization than ours: "saw her" is one token."""
    cut = tuple((a, b) for a, b in token_spans(TEXT) if (a, b) != HER)
    cut = tuple((13, 20) if token == (13, 16) else token for token in cut)
    after = apply_edits(item(None, tokens={"text": cut}), edits)
    shown = [after.text[a:b] for a, b in after.tokens["text"]]
    assert "".join(shown) == after.text.replace(" ", "").replace("sawher", "saw her")
    assert ("saw her" in shown) == (edits is not DROP_SECOND)


def test_a_word_that_stands_twice_continues_the_old_one_once():
    found = track_of(item(), REPEAT).words("text", token_spans(TEXT))
    assert [word.lost for word in found[7:11]] == ["repeated_word"] * 3 + [""]
    moved = track_of(item(), SWAP).words("text", token_spans(TEXT))
    assert [word.of for word in moved[:7]] == [(3,), (4,), (5,), (6,), (0,), (1,), (2,)]


@pytest.mark.parametrize(
    ("candidate", "admitted"),
    [
        (SWAP, True),
        (DROP_FIRST, True),
        ((Edit("text", 0, 10, ""),), False),
        ((Edit("text", 18, 22, "", copies=()),), False),
    ],
)
def test_the_gate_lets_pass_what_can_be_carried(candidate, admitted):
    gate = Gate(TextDocument(item(LINKED)), ())
    assert gate.admit_first(iter([candidate])) == admitted


def test_a_later_step_moves_what_an_earlier_one_left_alone():
    earlier = [Edit("text", 28, 28, "??")]  # in the last sentence
    assert compose(TEXT, earlier, SWAP) == (*SWAP, *earlier)


def test_a_later_step_repeats_a_stretch_by_its_place_in_the_original():
    earlier = [Edit("text", 0, 0, "So ")]
    later = [Edit("text", 24, 24, " Bo saw her.", copies=(Copy(1, 13, 24),))]
    (_, repeated) = compose(TEXT, earlier, later)
    assert repeated.copies == (Copy(1, *SECOND),)


def test_what_is_inserted_where_a_step_dropped_something_stands_in_order():
    found = compose(TEXT, DROP_SECOND, [Edit("text", 10, 10, "So ")])
    assert [edit[1:4] for edit in found] == [(10, 10, "So "), (10, 22, "")]


def test_steps_that_move_and_change_the_same_text_are_refused_by_name():
    typo = [Edit("text", 2, 2, "x", inside=True)]  # "Idxa left."
    copied = [Edit("text", 22, 22, " Idxa left.", copies=(Copy(1, 0, 10),))]
    for steps in ((typo, copied), (SWAP, [Edit("text", 2, 3, "x")])):
        with pytest.raises(EditRefusedError) as caught:
            compose(TEXT, *steps)
        assert caught.value.reason == "moved_text"
