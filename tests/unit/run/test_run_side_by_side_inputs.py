"""The inputs that differ most, and how many flips noise makes."""

from dataclasses import replace

import numpy as np
import pytest
from two_sides import drawn, random_slices, sides, slice_of

from scrutiny.diagnostics.similarity.side_by_side.sides import (
    UNKNOWN,
    Answers,
    Noise,
    answers_differ,
    flips_of,
    noise_of_replicates,
    noise_of_rerun,
)
from scrutiny.diagnostics.similarity.side_by_side.sides_agreement import find_disagreements
from scrutiny.diagnostics.similarity.side_by_side.sides_answers import marked
from scrutiny.models.answers.compared_answers import LabelPair
from scrutiny.run.comparing.changed_slices import changes, shown
from scrutiny.run.comparing.whole_comparison import commonest_turn


def differing(two, **more):
    """Inputs that differ, the likeliest first."""
    if two.labels == "no_labels":
        two = replace(two, labels=(LabelPair(("a", "b"), ("a", "b")),) * len(two.examples))
    return find_disagreements(two, marked(two), **{"noise": UNKNOWN, **more})


def answers(labels, scores=None):
    array = np.array(labels, dtype=object)
    return Answers(array, None if scores is None else np.array(scores, dtype=float))


@pytest.mark.parametrize("replicates", [1, 3])
def test_precision_at_20_on_a_planted_fault(replicates):
    precision = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        planted = np.arange(800) < 40  # 5 % of the inputs
        before = rng.uniform(0.85, 0.99, size=800)
        after = np.where(planted, before * 0.4, before)
        two = sides(*(drawn(rng, right, replicates=replicates) for right in (before, after)))
        slices = [*random_slices(rng, 800), slice_of("planted", planted)]
        members = {one.name: inside for one, inside in slices}
        found = {one.name: np.array(members[one.name]) for one in shown(changes(two, slices))}
        ranked = differing(two, shown=found, noise=noise_of_replicates(two))
        precision.append(np.mean([int(one.item[1:]) < 40 for one in ranked[:20]]))
    assert np.mean(precision) >= 0.9
    assert sum(p >= 0.8 for p in precision) >= 11


def test_inputs_without_a_difference_are_not_listed():
    two = sides([[1, 1, 0, 1]], [[1, 0, 0, 1]])
    (one,) = differing(two)
    assert (one.item, one.before, one.after, one.distance) == ("i1", 1.0, 0.0, 1.0)
    assert (one.first, one.second, one.slices) == (None, None, ())


def test_probabilities_order_the_list_where_both_runs_have_them():
    hits = [[1, 1, 1, 1]]
    two = sides(hits, hits)
    both = (
        answers([list("aabb")], [[[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]]]),
        answers([list("aabb")], [[[0.6, 0.4], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]]]),
    )
    found = differing(replace(two, answers=both))
    assert [one.item for one in found] == ["i0", "i2"]
    assert [one.distance for one in found] == pytest.approx([0.15, 0.05])


def test_an_answer_that_flips_counts_more_than_a_probability_that_moves():
    two = sides([[1, 1]], [[1, 0]])
    both = (
        answers([["a", "a"]], [[[0.9, 0.1], [0.51, 0.49]]]),
        answers([["a", "b"]], [[[0.6, 0.4], [0.49, 0.51]]]),
    )
    found = differing(replace(two, answers=both))
    assert [one.item for one in found] == ["i1", "i0"]
    assert found[0].distance == pytest.approx(0.51)


def test_probabilities_in_another_order_are_turned():
    two = sides([[1, 1]], [[1, 1]])
    one = answers([["a", "b"]], [[[0.9, 0.1], [0.2, 0.8]]])
    turned = answers([["a", "b"]], [[[0.1, 0.9], [0.8, 0.2]]])
    two = replace(two, answers=(one, turned))
    assert differing(replace(two, labels=(LabelPair(("a", "b"), ("b", "a")),) * 2)) == []
    own = differing(two)
    assert own[0].distance == pytest.approx(0.4)


def test_other_answers_count_where_both_are_wrong():
    two = sides([[0, 0]], [[0, 0]])
    found = differing(replace(two, answers=(answers([["a", "b"]]), answers([["c", "b"]]))))
    assert [(one.item, one.first, one.second) for one in found] == [("i0", "a", "c")]


def test_noise_takes_weight_from_differences():
    before, after = np.ones((1, 100)), np.ones((1, 100))
    after[0, :10] = 0
    two = sides(before, after)
    calm = differing(two, noise=Noise("asked again", 0.02))
    loud = differing(two, noise=Noise("asked again", 0.2))
    assert calm[0].beyond_noise == pytest.approx(0.8)
    assert loud[0].beyond_noise == pytest.approx(0.05)
    assert calm[0].rank == pytest.approx(0.8)


def test_scores_are_ranked_by_their_change():
    two = sides([[1.0, 5.0, 2.0]], [[1.5, 1.0, 2.0]], metric="mean@1")
    found = differing(two)
    assert [(one.item, one.distance) for one in found] == [("i1", 1.0), ("i0", 0.125)]


def test_the_commonest_turn():
    both = answers([["a", "a", "b", "a"]]), answers([["b", "b", "a", "a"]])
    assert commonest_turn(both, np.ones(4, dtype=bool)) == ("a", "b", 2, 3)
    assert commonest_turn(both, np.arange(4) == 3) is None
    assert commonest_turn(None, np.ones(4, dtype=bool)) is None


# --- flips --------------------------------------------------------------------------------------


def test_flips_have_their_rates_and_their_test():
    before = np.ones((1, 50))
    after = np.ones((1, 50))
    before[0, :4] = 0
    after[0, 10:18] = 0
    found = flips_of(sides(before, after))
    assert (found.broken.value, found.mended.value) == (0.16, 0.08)
    assert found.share == pytest.approx(0.24)
    assert found.broken.low < 0.16 < found.broken.high
    (test,) = found.tests
    assert (test.n, test.statistic) == (12, 4.0)
    assert found.answers_differ is None
    assert found.broken.value - found.mended.value == pytest.approx(1 - 0.84 - (1 - 0.92))


@pytest.mark.parametrize(("ours", "theirs", "pairs"), [(3, 3, 3), (1, 4, 4), (4, 1, 4), (2, 3, 2)])
def test_each_pair_of_replicates_has_its_own_test(ours, theirs, pairs):
    rng = np.random.default_rng(0)
    two = sides(rng.random((ours, 60)) < 0.8, rng.random((theirs, 60)) < 0.8)
    found = flips_of(two)
    assert found.n_pairs == len(found.tests) == pairs
    by_hand = [(two.first[i] > two.second[k]).mean() for i, k in two.pairs()]
    assert found.broken.value == pytest.approx(np.mean(by_hand))


def test_replicates_pair_by_name():
    two = sides([[1, 0], [0, 1]], [[1, 0], [0, 1]])
    assert flips_of(two).share == 0.0


def test_answers_that_differ():
    pairs = [(0, 0)]
    assert answers_differ((answers([["a", "b"]]), answers([["a", "c"]])), pairs=pairs) == 0.5
    assert answers_differ((answers([["a", None]]), answers([["a", "c"]])), pairs=pairs) is None


def test_noise_between_replicates_and_between_runs():
    two = sides([[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]], [[1, 1, 1, 1]])
    found = noise_of_replicates(two)
    assert (found.how, found.n_pairs, found.n_items) == ("replicates", 3, 4)
    assert found.share == pytest.approx((0.25 + 0.5 + 0.25) / 3)
    assert noise_of_replicates(sides([[1]], [[1]])) is UNKNOWN
    again = noise_of_rerun(sides([[1, 1, 0, 1]], [[1, 0, 0, 1]]))
    assert (again.how, again.share) == ("another run", 0.25)


def test_options_are_shown_behind_the_text():
    """Stored items have their texts in the order of the alphabet."""
    two = sides([[1, 1]], [[0, 1]])
    stored = {"option_1": "yes", "option_2": "no", "text": "Is it?"}
    asked = replace(two.examples[0], fields=stored)
    (one,) = differing(replace(two, examples=(asked, *two.examples[1:])))
    assert one.text == "Is it? | yes | no"
