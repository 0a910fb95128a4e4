"""Answers as numbers: places of labels, and probabilities in one order of the labels."""

import numpy as np
import pytest

from scrutiny.core.answers.label_and_spans import SPANS
from scrutiny.core.answers.texts import TEXT
from scrutiny.diagnostics.similarity.side_by_side.sides import Answers
from scrutiny.diagnostics.similarity.side_by_side.sides_answers import FREE, marks_of, place_of
from scrutiny.models.answers.compared_answers import LabelPair

SURE = [[0.9, 0.1], [0.2, 0.8]]


def answers(labels, scores=None, **more):
    found = None if scores is None else np.array([scores], dtype=float)
    return Answers(np.array([list(labels)], dtype=object), found, **more)


def labels(first, second, count=2):
    """LabelPair of either side, the same for all items."""
    return (LabelPair(tuple(first), tuple(second)),) * count


def test_labels_have_places_in_one_order_for_both():
    marked = marks_of((answers("ba"), answers("ca")), labels("ab", "ac"), golds=["a", "a"])
    assert marked.places[0].tolist() == [[1, 0]]
    assert marked.places[1].tolist() == [[2, 0]]
    assert marked.n_labels.tolist() == [3, 3]
    assert (marked.lack, marked.no_probabilities) == ("", "no_probabilities")
    assert marked.has_one_set
    assert marked.gold is None


def test_the_second_sides_probabilities_are_turned_into_the_firsts_order():
    turned = [[0.3, 0.7], [0.6, 0.4]]  # b stands first
    both = answers(["a", "b"], SURE), answers(["a", "b"], turned)
    marked = marks_of(both, labels("ab", "ba"), golds=["a", "b"])
    assert marked.probabilities[1].tolist() == [[[0.7, 0.3], [0.4, 0.6]]]
    assert marked.gold.tolist() == [0, 1]


def test_a_label_that_is_never_said_has_its_place():
    one = answers("aa", [[0.9, 0.1], [0.7, 0.3]])
    assert marks_of((one, one), labels("ab", "ab"), golds="ab").gold.tolist() == [0, 1]
    assert marks_of((one, one), labels("ba", "ba"), golds="aa").gold.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("first", "second", "names", "why"),
    [
        (answers("ab", SURE), answers("ab"), "ab", "one_sided_probabilities"),
        (answers("ab"), answers("ab"), "ab", "no_probabilities"),
        (answers("ab", SURE), answers("ab", [[0.9, 0.1, 0], [0, 1, 0]]), "abc", "other_labels"),
        (answers("ab", SURE), answers("ab", [[0.9, 0.2], [0.2, 0.8]]), "ab", "no_distribution"),
        (answers("ab", SURE), answers("ac", SURE), "ac", "other_labels"),
    ],
)
def test_why_there_are_no_probabilities(first, second, names, why):
    marked = marks_of((first, second), labels("ab", names), golds="aa")
    assert marked.no_probabilities == why
    assert marked.probabilities is None
    assert marked.places is not None


def test_choices_of_their_own_count_by_place():
    choices = (("yes", "no"), ("red", "green", "blue"))
    both = (
        answers(["no", "blue"], [[0.1, 0.9, 0.0], [0.1, 0.1, 0.8]]),
        answers(["A", "none of them"], [[0.9, 0.1, 0.0], [0.4, 0.3, 0.3]]),
    )
    marked = marks_of(both, tuple(LabelPair(c, c) for c in choices), golds=["no", "C"])
    assert marked.places[0].tolist() == [[1, 2]]
    assert marked.places[1].tolist() == [[0, 3]]  # behind the choices
    assert marked.n_labels.tolist() == [2, 3]
    assert marked.gold.tolist() == [1, 2]
    assert not marked.has_one_set
    assert place_of(None, ("a",)) == 1


@pytest.mark.parametrize("why", ["other_choices", "several_datasets", FREE])
def test_a_code_instead_of_choices_is_the_reason(why):
    both = answers(["a"], [[1.0, 0.0]]), answers(["b"], [[0.0, 1.0]])
    marked = marks_of(both, why, golds=["a"])
    assert (marked.lack, marked.no_probabilities) == (why, why)
    assert marked.places is None


def test_spans_texts_and_missing_answers_are_no_labels():
    for more in ({"kind": SPANS}, {"kind": TEXT}):
        both = answers(["[]"], **more), answers(["[]"], **more)
        assert marks_of(both, labels("ab", "ab", 1), golds=["a"]).lack == FREE
    for missing in (None, (answers(["a", None]), answers(["a", "a"]))):
        assert marks_of(missing, labels("ab", "ab"), golds="aa").lack == "no_answers"
