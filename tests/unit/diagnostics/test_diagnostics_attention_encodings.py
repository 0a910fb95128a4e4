"""Encodings on maps made by hand: what each head predicts, ties, empty rows, chains."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.diagnostics.attention.encodings import (
    ENCODINGS,
    attended_by,
    attends_to,
    path_to,
    rollout_to,
)
from scrutiny.diagnostics.attention.word_maps import SPECIAL, WordMap


def arrows(*targets, words=None, n_words=None):
    """One head whose unit k attends to ``targets[k]`` alone (None: to nothing)."""
    size = len(targets)
    weights = np.zeros((1, 1, size, size), dtype=np.float32)
    for k, target in enumerate(targets):
        if target is not None:
            weights[0, 0, k, target] = 1.0
    words = np.arange(size) if words is None else np.array(words)
    return WordMap(weights, words, size if n_words is None else n_words)


def predicted(found, anchors, encoding=attends_to, **options):
    return encoding(found, np.array(anchors), **options)[0, 0].tolist()


def test_words_that_attend_to_the_cue_are_in_its_scope():
    assert predicted(arrows(1, 2, 1, 0), [1]) == [True, False, True, False]


def test_any_word_of_a_cue_counts():
    assert predicted(arrows(1, 2, 1, 0), [1, 2]) == [True, True, True, False]


def test_a_row_of_zeros_attends_to_nothing():
    assert predicted(arrows(None, 0), [0]) == [False, True]
    assert predicted(arrows(None), [0]) == [False]


def test_the_first_of_equals_counts():
    found = WordMap(np.full((1, 1, 3, 3), 0.5, dtype=np.float32), np.arange(3), 3)
    assert predicted(found, [0]) == [True] * 3
    assert predicted(found, [1]) == [False] * 3


def test_special_tokens_are_rivals_and_are_never_predicted():
    found = arrows(2, 0, 1, words=[SPECIAL, 0, 1], n_words=2)  # 0 attends to [CLS], 1 to 0
    assert predicted(found, [0]) == [False, True]
    assert predicted(found, [1]) == [False, False]


def test_a_word_without_pieces_predicts_nothing_and_nothing_attends_to_it():
    found = arrows(1, 0, words=[0, 2], n_words=3)
    assert predicted(found, [0]) == [False, False, True]
    assert predicted(found, [1]) == [False, False, False]


def test_a_cue_spreads_over_its_scope():
    weights = np.zeros((1, 1, 4, 4), dtype=np.float32)
    weights[0, 0, 1] = [0.4, 0.0, 0.5, 0.1]
    found = WordMap(weights, np.arange(4), 4)
    assert predicted(found, [1], attended_by) == [True, False, True, False]
    assert predicted(found, [0], attended_by) == [False] * 4


@pytest.mark.parametrize(
    ("hops", "expected"),
    [(1, [False, True, False, False]), (2, [False, True, True, False]), (3, [False] + [True] * 3)],
)
def test_chains_reach_the_cue_step_by_step(hops, expected):
    assert predicted(arrows(None, 0, 1, 2), [0], path_to, hops=hops) == expected


def test_a_chain_that_ends_goes_no_further():
    assert predicted(arrows(None, None, 1), [0], path_to) == [False] * 3


def test_rollout_of_one_layer_is_attention_without_the_self():
    assert predicted(arrows(1, 2, 1, 0), [1], rollout_to) == [True, False, True, False]


def test_rollout_follows_the_layers_below():
    weights = np.zeros((3, 1, 3, 3), dtype=np.float32)
    weights[:2, 0] = [[1, 0, 0], [1, 0, 0], [0, 0, 1]]  # 1 has looked at 0 twice: 3/4 of it is 0
    weights[2, 0] = [[1, 0, 0], [0, 1, 0], [0, 1, 0]]  # and 2 looks at 1
    found = WordMap(weights, np.arange(3), 3)
    assert attends_to(found, np.array([1]))[2, 0].tolist() == [False, True, True]
    assert rollout_to(found, np.array([0]))[2, 0].tolist() == [False, True, True]


@given(
    name=st.sampled_from(sorted(ENCODINGS)),
    size=st.integers(2, 6),
    heads=st.integers(1, 4),
    seed=st.integers(0, 999),
)
def test_heads_do_not_know_of_each_other(name, size, heads, seed):
    """A head's predictions move with it; rollout alone mixes the heads of lower layers."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(size), size=(2, heads, size)).astype(np.float32)
    found = WordMap(weights, np.arange(size), size)
    order = rng.permutation(heads)
    moved = WordMap(weights[:, order], found.words, size)
    anchors = np.array([int(rng.integers(size))])
    one, other = ENCODINGS[name](found, anchors), ENCODINGS[name](moved, anchors)
    assert one.shape == (2, heads, size)
    assert one.dtype == bool
    agree = (one[:, order] == other).mean()
    assert agree == 1.0 or (name == "rollout-to" and agree > 0.8)
