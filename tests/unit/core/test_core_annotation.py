"""Views of annotated examples."""

import pytest

from scrutiny.core.answers.words import Words as Tree
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example, Span
from scrutiny.core.queries.annotation import (
    AlignedWords,
    AnchoredWords,
    Arcs,
    Mentions,
    WordClasses,
)

TEXT = "He did not see her dog ."
BORDERS = ((0, 2), (3, 6), (7, 10), (11, 14), (15, 18), (19, 22), (23, 24))


def example(*labels, tokens=BORDERS):
    """Example with labels ``(first, last, label)`` on its words."""
    spans = tuple(
        Span("text", BORDERS[first][0], BORDERS[last][1], label) for first, last, label in labels
    )
    layer = None if tokens is None else {"text": tokens}
    return Example("x", {"text": TEXT}, spans=spans, tokens=layer, source="f.jsonl:3")


def test_anchored_spans():
    view = AnchoredWords.of(example((2, 2, "anchor"), (3, 5, "target"), (0, 1, "target")))
    assert view.words == ("He", "did", "not", "see", "her", "dog", ".")
    assert (view.anchors, view.targets, view.n_listed) == ((2,), (0, 1, 3, 4, 5), 5)


def test_a_target_that_is_listed_twice_is_one_word_and_counts_twice():
    view = AnchoredWords.of(example((2, 2, "anchor"), (3, 5, "target"), (4, 4, "target")))
    assert (view.targets, view.n_listed) == ((3, 4, 5), 4)


def test_without_target_and_with_other_labels():
    view = AnchoredWords.of(example((0, 0, "anchor"), (2, 2, "anchor"), (3, 3, "event")))
    assert (view.anchors, view.targets, view.n_listed) == ((0, 2), (), 0)


def test_other_anchors():
    view = AnchoredWords.of(example((2, 2, "anchor"), (3, 5, "target")))
    other = view.anchored_at([5, 6])
    assert (other.anchors, other.targets) == ((5, 6), view.targets)


def test_arcs():
    heads, relations = (3, None, -1), ("nsubj", "", "root")
    gold = Tree("text", BORDERS[:3], heads, relations)
    view = Arcs.of(Example("x", {"text": TEXT}, gold))
    assert view == Arcs(("He", "did", "not"), heads, relations)


@pytest.mark.parametrize("gold", [None, "nsubj", Tree("text", BORDERS, upos=("X",) * 7)])
def test_answers_that_are_no_arcs(gold):
    with pytest.raises(DataError, match=r"f\.jsonl:3: the example has no dependencies"):
        Arcs.of(Example("x", {"text": TEXT}, gold, source="f.jsonl:3"))


def test_a_word_has_one_class():
    with pytest.raises(DataError, match="'did' has two classes"):
        WordClasses.of(example((0, 1, "A"), (1, 1, "B")))


def test_mentions_stand_in_the_order_of_their_words():
    view = Mentions.of(example((4, 5, "dog:nominal"), (4, 4, "she:pronoun"), (0, 0, "he:pronoun")))
    assert [(m.words, m.cluster, m.kind) for m in view.mentions] == [
        ((0,), "he", "pronoun"),
        ((4,), "she", "pronoun"),
        ((4, 5), "dog", "nominal"),
    ]
    with pytest.raises(DataError, match="CLUSTER:KIND"):
        Mentions.of(example((0, 0, "he")))


def test_token_classes():
    view = WordClasses.of(example((0, 0, "PRON"), (4, 4, "PRON"), (6, 6, "PUNCT")))
    assert view.classes == ("PRON", "", "", "", "PRON", "", "PUNCT")


def test_aligned_pairs():
    view = AlignedWords.of(
        example((3, 3, "1:a"), (4, 5, "1:b"), (3, 3, "agent:a"), (0, 0, "agent:b"))
    )
    assert view.pairs == (((3,), (4, 5)), ((3,), (0,)))
    with pytest.raises(DataError, match="the pair '1' has the sides a"):
        AlignedWords.of(example((3, 3, "1:a")))


@pytest.mark.parametrize("span", [Span("text", 1, 6, "anchor"), Span("other", 0, 2, "anchor")])
def test_spans_that_do_not_lie_on_words(span):
    odd = Example("x", {"text": TEXT}, spans=(span,), tokens={"text": BORDERS})
    with pytest.raises(DataError, match=r"item x: the span 'anchor' at .* borders of words"):
        AnchoredWords.of(odd)


def test_an_example_without_words_has_no_view():
    for view in (AnchoredWords, Mentions, WordClasses, AlignedWords):
        with pytest.raises(DataError, match="has no words"):
            view.of(example(tokens=None))
