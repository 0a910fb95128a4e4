"""Labels, anchors and the words that claims share."""

import pytest

from scrutiny.blocks.labels import constant_parts, distinct_labels, replicate_words, shared_words
from scrutiny.blocks.run_estimates import slug
from scrutiny.core.estimate import EstimateKey


def key(**parts):
    return EstimateKey(
        **{"diagnostic": "d@1", "metric": "m@1", "subject": "s", "dataset": "x"} | parts
    )


def test_shared_words_at_both_ends_are_said_once():
    frame, labels = shared_words(["does a b hurt the model", "does c hurt the model"])
    assert frame == "does … hurt the model"
    assert labels == ["a b", "c"]


@pytest.mark.parametrize(
    "sentences",
    [[], ["one"], ["a b c", "d e f"], ["same words here", "same words here"], ["a b", "a b c"]],
)
def test_sentences_with_little_in_common_stay_whole(sentences):
    assert shared_words(sentences) == ("", sentences)


def test_labels_hold_what_varies_and_nothing_else():
    keys = [key(condition={"recipe": "typos@1", "draw": d}) for d in (0, 1)]
    assert distinct_labels(keys, without=frozenset()) == ["draw 0", "draw 1"]
    keys.append(key(condition={"recipe": "tense@1", "draw": 0}, dataset="y"))
    labels = distinct_labels(keys, without=frozenset())
    assert labels == ["typos · draw 0 · x", "typos · draw 1 · x", "tense · draw 0 · y"]
    assert distinct_labels([key()], without=frozenset()) == ["s"]


def test_constant_parts_are_what_does_not_vary():
    parts = constant_parts([key(condition={"layer": 3}), key(condition={"layer": 3}, dataset="y")])
    assert parts["layer"] == "3"
    assert parts["subject"] == "s"
    assert "dataset" not in parts


def test_anchor_depends_on_the_name_alone():
    assert slug("attention.heads@1#5f") == "attention-heads-1-5f"
    assert slug("日本") == "x"


def test_replicates_in_words():
    assert replicate_words('{"seed":"3","order":1}') == "seed 3, order 1"
    assert replicate_words("not json") == "not json"
    assert replicate_words("{}") == "single model"


def test_a_colon_behind_every_label_belongs_to_the_frame():
    frame, labels = shared_words(["weat1: X nearer to A", "weat 2: X nearer to A"])
    assert frame == "…: X nearer to A"
    assert labels == ["weat1", "weat 2"]
    assert shared_words(["in a: X nearer", "in b X nearer"])[1] == ["a:", "b"]
