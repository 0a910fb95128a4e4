"""Swapped and shifted labels are found; weak and biased models are left alone."""

import numpy as np
import pytest

from scrutiny.stats.agreement.labels import (
    best_order,
    counts_of_answers,
    exchange,
    far_better_order,
    has_better_answer,
    share_by_chance,
)


def answers_of(gold, order, *, accuracy, rng, n_labels):
    """Answers that go with a gold label as an order says, this often; else any label."""
    knows = rng.random(gold.size) < (accuracy - 1 / n_labels) / (1 - 1 / n_labels)
    return np.where(knows, np.asarray(order)[gold], rng.integers(n_labels, size=gold.size))


def golds(n, shares, rng):
    return rng.choice(len(shares), size=n, p=shares)


@pytest.mark.parametrize("n", [12, 300, 2000])
@pytest.mark.parametrize("order", [(1, 0), (1, 2, 0), (0, 2, 1), (1, 0, 2, 3, 4, 5)])
def test_good_models_with_other_labels_are_found(n, order):
    rng = np.random.default_rng(n)
    k = len(order)
    gold = np.arange(max(n, 12 * k)) % k
    answer = answers_of(gold, order, accuracy=0.97, rng=rng, n_labels=k)
    found = far_better_order(gold, answer, n_labels=k)
    assert found is not None
    assert found.order == order
    assert found.then == (answer == np.asarray(order)[gold]).mean() > found.now


def test_labels_that_count_from_one_on_a_model_of_three():
    rng = np.random.default_rng(1)
    gold = 1 + np.arange(300) % 2  # the file's 1 and 2, which are the model's 0 and 1
    answer = np.where(rng.random(300) < 0.9, gold - 1, rng.integers(3, size=300))
    found = far_better_order(gold, answer, n_labels=3)
    assert found is not None
    assert found.order[1:] == (0, 1)
    assert found.now < 0.1
    assert found.then > 0.9


def found_in(draws, make, *, n_labels, units=None):
    rng = np.random.default_rng(7)
    return sum(
        far_better_order(*make(rng), n_labels=n_labels, units=units) is not None
        for _ in range(draws)
    )


@pytest.mark.parametrize("n", [300, 2000])
def test_a_useful_model_with_swapped_labels_is_found_nearly_always(n):
    def make(rng):
        gold = golds(n, (0.5, 0.5), rng)
        return gold, answers_of(gold, (1, 0), accuracy=0.72, rng=rng, n_labels=2)

    assert found_in(100, make, n_labels=2) >= 95


@pytest.mark.parametrize("n", [300, 2000])
@pytest.mark.parametrize(
    ("shares", "accuracy"),
    [((0.5, 0.5), 0.5), ((0.5, 0.5), 0.53), ((0.34, 0.33, 0.33), 0.36), ((0.05,) * 20, 0.06)],
)
def test_weak_models_are_not_accused(n, shares, accuracy):
    k = len(shares)

    def make(rng):
        gold = golds(n, shares, rng)
        return gold, answers_of(gold, range(k), accuracy=accuracy, rng=rng, n_labels=k)

    assert found_in(100, make, n_labels=k) == 0


@pytest.mark.parametrize("rare", [1.0, 0.7])
def test_a_bias_to_the_rare_answer_is_not_accused(rare):
    """Exchanged labels would be right far more often, but answers say nothing of the items."""

    def make(rng):
        gold = golds(2000, (0.9, 0.1), rng)
        return gold, (rng.random(2000) < rare).astype(np.int64)

    gold, answer = make(np.random.default_rng(0))
    counts = counts_of_answers(gold, answer, n_labels=2)
    assert has_better_answer(counts)
    better = exchange(counts)
    assert better is not None
    assert better.then > better.now + 0.3
    assert found_in(100, make, n_labels=2) == 0


def test_a_skilled_model_with_a_bad_threshold_is_not_accused():
    def make(rng):
        gold = golds(2000, (0.9, 0.1), rng)
        says = rng.random(2000) < np.where(gold == 1, 0.99, 0.75)
        return gold, says.astype(np.int64)

    assert found_in(50, make, n_labels=2) == 0


def test_few_documents_of_many_items_are_few():
    """A biased model whose answer is that of the document: many items, few units."""
    units = np.arange(1000) // 100

    def make(rng):
        gold = np.repeat(rng.permutation([0] * 9 + [1]), 100)
        return gold, np.repeat(rng.integers(2, size=10) | (rng.random(10) < 0.5), 100)

    assert found_in(100, make, n_labels=2) > found_in(100, make, n_labels=2, units=units)
    assert found_in(100, make, n_labels=2, units=units) <= 1


def test_orders_leave_alone_what_gains_nothing():
    gold, answer = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 2, 2])
    counts = counts_of_answers(gold, answer, n_labels=3)
    assert best_order(counts).tolist() == [0, 1, 2]
    assert best_order(counts[:2, :2]).tolist() == [0, 1]
    assert exchange(counts) is None
    assert not has_better_answer(counts)


def test_chance_is_that_of_the_same_answers():
    gold = np.array([0] * 9 + [1])
    for answer, chance in ((np.ones(10, np.int64), 0.1), (gold, 0.82)):
        counts = counts_of_answers(gold, answer, n_labels=2)
        assert share_by_chance(counts) == pytest.approx(chance)
