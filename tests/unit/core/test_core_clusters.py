"""Clusters: what they are read from, how they agree, and what edits make of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.answers.answer import (
    answer_json,
    answer_of,
    fences_of,
    has_places,
    labels_in,
    type_of,
)
from scrutiny.core.answers.clusters import CLUSTERS, Clusters, clusters_of
from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example, Span
from scrutiny.text.edits import apply_edits, track_of
from scrutiny.text.tokens import token_spans

TEXT = "Ida saw the friend of her aunt. She waved."
IDA, FRIEND, HER, AUNT, SHE = (0, 3), (8, 30), (22, 25), (22, 30), (32, 35)
GOLD = clusters_of("text", [[IDA, HER, SHE], [FRIEND], [AUNT]])
ITEM = Example("1", {"text": TEXT}, GOLD, tokens={"text": tuple(token_spans(TEXT))})

places = st.tuples(st.integers(0, 30), st.integers(1, 5)).map(lambda p: (p[0], p[0] + p[1]))
partitions = st.dictionaries(places, st.integers(0, 4)).map(
    lambda of: [[p for p in of if of[p] == c] for c in set(of.values())]
)


def after(*edits):
    changed = apply_edits(ITEM, [Edit("text", *edit) for edit in edits])
    assert CLUSTERS.check(changed.gold, changed) is None
    return [[changed.text[a:b] for a, b in cluster] for cluster in changed.gold.clusters]


@given(partitions)
def test_they_come_back_from_their_json_whatever_their_order(partition):
    answer = clusters_of("text", partition)
    assert answer_of(answer_json(answer)) == answer == clusters_of("text", partition[::-1])
    assert isinstance(answer_of(answer_json(answer)), Clusters)


@given(partitions, partitions)
def test_agreement_is_of_mentions_that_follow_the_same_one(one, other):
    ours, theirs = clusters_of("text", one), clusters_of("text", other)
    found = CLUSTERS.agree(ours, theirs)
    assert found == CLUSTERS.agree(theirs, ours)
    assert found.is_whole == (ours == theirs)
    assert found.compared == len({*ours.mentions} | {*theirs.mentions})


def test_what_they_say_of_themselves():
    assert type_of(GOLD) is CLUSTERS
    assert has_places(GOLD)
    assert labels_in(GOLD) == ()
    assert set(fences_of(GOLD)) == {Span("text", *p) for p in (IDA, FRIEND, HER, AUNT, SHE)}
    assert CLUSTERS.show(GOLD, ITEM.fields) == "Ida = her = She; 2 mentions alone"
    assert CLUSTERS.show(clusters_of("text", []), ITEM.fields) == "no mentions"
    assert CLUSTERS.brief(GOLD) == "5 mentions in 3 clusters"
    assert CLUSTERS.agree(GOLD, clusters_of("text", [[IDA, SHE], [HER], [AUNT]])) == (2, 5)


@pytest.mark.parametrize(
    "value",
    [
        [[(0, 3), (22, 25), [32, 35]], [(8, 30)], [(22, 30)]],
        {"words": [[(0, 0), (5, 5), (8, 8)], [(2, 6)], [(5, 6)]]},
    ],
)
def test_models_give_code_points_or_words(value):
    assert CLUSTERS.given(value, ITEM) == GOLD


@pytest.mark.parametrize(
    "value",
    [
        "Ida",
        [(0, 3)],
        [[(0,)]],
        [[(0, "3")]],
        [[(-1, 3)]],
        [[(True, 3)]],
        [[(0, 2.5)]],
        7,
        {},
        {"words": [[(0, 99)]]},
    ],
)
def test_anything_else_is_refused_with_what_would_do(value):
    with pytest.raises(TypeError, match="an answer is a list of clusters"):
        CLUSTERS.given(value, ITEM)


@pytest.mark.parametrize(
    ("clusters", "wrong"),
    [
        ([[(0, 99)]], r"has the mention text\[0:99\], but 'text' is 42 code points long"),
        ([[(3, 3)]], r"text\[3:3\]"),
        ([[IDA], [IDA, SHE]], "twice"),
    ],
)
def test_answers_that_cannot_be(clusters, wrong):
    import re

    assert re.search(wrong, CLUSTERS.check(clusters_of("text", clusters), ITEM))


def test_edits_move_mentions_and_change_their_words():
    assert after((0, 3, "IDA"), (12, 18, "freind"), (36, 36, "gladly ")) == [
        ["IDA", "her", "She"],
        ["the freind of her aunt"],
        ["her aunt"],
    ]


def test_a_mention_may_be_replaced_as_a_whole_within_another():
    assert after((22, 25, "Ida's")) == [
        ["Ida", "Ida's", "She"],
        ["the friend of Ida's aunt"],
        ["Ida's aunt"],
    ]


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([(2, 7, "o sees")], "crosses_span"),
        ([(32, 36, "")], "crosses_span"),
        ([(0, 3, "")], "empties_span"),
        ([(22, 26, "")], "crosses_span"),
        ([(25, 30, "")], "merged_mentions"),
    ],
)
def test_what_edits_lose_has_a_name(edits, reason):
    with pytest.raises(EditRefusedError) as caught:
        after(*edits)
    assert caught.value.reason == reason


def test_spans_that_an_edit_brings_are_no_mentions():
    edit = Edit("text", 0, 3, "Ada Lee", (Span("text", 0, 7, "PER"),))
    with pytest.raises(EditRefusedError) as caught:
        apply_edits(ITEM, [edit])
    assert caught.value.reason == "replaced_mention"


def test_spans_that_an_edit_brings_beside_mentions_are_mentions_by_their_labels():
    said = " Bo met Al. He left."
    spans = [Span("text", 1, 3, "a"), Span("text", 8, 10, "b"), Span("text", 12, 14, "a")]
    edit = Edit("text", len(TEXT), len(TEXT), said, tuple(spans))
    changed = apply_edits(ITEM, [edit])
    assert changed.gold.clusters[:3] == GOLD.clusters
    assert [[changed.text[a:b] for a, b in c] for c in changed.gold.clusters[3:]] == [
        ["Bo", "He"],
        ["Al"],
    ]


def test_links_that_broke_are_told_by_the_words_of_their_mentions():
    track = track_of(ITEM, [Edit("text", 0, 3, "Idda")])
    said = clusters_of("text", [[(0, 4)], [(9, 31), (33, 36)], [(23, 31)]])  # and not "her"
    found = CLUSTERS.differences(GOLD, said, GOLD, track, TEXT)
    assert [one[:3] for one in found] == [
        ("'her'", "= 'Idda'", "no mention"),
        ("'She'", "= 'her'", "= 'the friend of her aunt'"),
    ]
    assert all(one.is_broken for one in found)
