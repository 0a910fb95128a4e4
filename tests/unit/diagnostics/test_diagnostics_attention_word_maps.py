"""From pieces to words: what is conserved, what each option does, by hand and by loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.queries.attention import AttentionMap
from scrutiny.diagnostics.attention.word_maps import SPECIAL, MapOptions, word_map

# [CLS] un ##happy dog [SEP]: two words, the first of two pieces
WORDS = (None, 0, 0, 1, None)
WEIGHTS = np.array(
    [
        [0.2, 0.2, 0.2, 0.2, 0.2],
        [0.1, 0.1, 0.2, 0.5, 0.1],
        [0.3, 0.1, 0.0, 0.2, 0.4],
        [0.0, 0.3, 0.3, 0.1, 0.3],
        [1.0, 0.0, 0.0, 0.0, 0.0],
    ],
    dtype=np.float32,
)[None, None]
FOUND = AttentionMap(WEIGHTS, WORDS, (101, 1, 2, 3, 102))
RELEASED = MapOptions(into="sum")


def made(**options):
    return word_map(FOUND, 2, MapOptions(**options))


def test_sum_into_a_word_and_mean_out_of_it_by_hand():
    found = made(into="sum", is_self_masked=False)
    np.testing.assert_allclose(
        found.weights[0, 0], [[(0.3 + 0.1) / 2, (0.5 + 0.2) / 2], [0.6, 0.1]], atol=1e-7
    )
    assert found.words.tolist() == [0, 1]


def test_the_mean_takes_the_inflation_of_split_words_away():
    summed, mean = made(into="sum").weights[0, 0], made(into="mean").weights[0, 0]
    assert summed[1, 0] == pytest.approx(2 * mean[1, 0])
    assert summed[0, 1] == pytest.approx(mean[0, 1])


def test_the_largest_piece_and_the_first_row():
    assert made(into="max").weights[0, 0, 1, 0] == pytest.approx(0.3)
    assert made(out_of="first").weights[0, 0, 0, 1] == pytest.approx(0.5)
    largest = made(out_of="max", special="keep", is_self_masked=False, into="sum")
    assert largest.weights[0, 0].sum(axis=-1) == pytest.approx(np.ones(4))


def test_self_attention_is_masked_and_the_models_map_stays_as_it_was():
    before = WEIGHTS.copy()
    assert np.diagonal(made().weights[0, 0]).tolist() == [0, 0]
    np.testing.assert_array_equal(WEIGHTS, before)


def test_special_tokens_are_units_of_their_own_where_they_are_kept():
    kept = made(special="keep", into="sum", is_self_masked=False)
    assert kept.words.tolist() == [SPECIAL, 0, 1, SPECIAL]
    np.testing.assert_allclose(kept.weights[0, 0].sum(axis=-1), 1.0, atol=1e-6)
    assert kept.is_word.tolist() == [False, True, True, False]


def test_renormalized_rows_sum_to_one():
    np.testing.assert_allclose(made(special="renormalize").weights[0, 0].sum(axis=-1), 1.0)


def test_directions_are_transposes():
    one, other = made().weights, made(direction="to").weights
    np.testing.assert_array_equal(one, np.swapaxes(other, -1, -2))
    both = made(direction="both").weights
    np.testing.assert_array_equal(both, np.swapaxes(both, -1, -2))


def test_a_word_without_pieces_has_no_unit():
    found = word_map(FOUND._replace(words=(None, 0, 0, 2, None)), 3, RELEASED)
    assert found.words.tolist() == [0, 2]
    assert found.n_words == 3


def by_loops(weights, words, options):
    """Units by loops over pieces, sum or mean or max into, mean or first out of."""
    groups = []
    for position, word in enumerate(words):
        if word is not None and groups and words[position - 1] == word:
            groups[-1].append(position)
        else:
            groups.append([position])
    into = {"sum": sum, "mean": lambda v: sum(v) / len(v), "max": max}[options.into]
    out_of = {"mean": lambda v: sum(v) / len(v), "first": lambda v: v[0]}[options.out_of]
    table = np.array(
        [[out_of([into([weights[i, j] for j in b]) for i in a]) for b in groups] for a in groups]
    )
    kept = [k for k, group in enumerate(groups) if words[group[0]] is not None]
    if options.is_self_masked:
        np.fill_diagonal(table, 0)
    return table if options.special == "keep" else table[np.ix_(kept, kept)]


@given(
    sizes=st.lists(st.integers(1, 3), min_size=1, max_size=6),
    into=st.sampled_from(["sum", "mean", "max"]),
    out_of=st.sampled_from(["mean", "first"]),
    special=st.sampled_from(["drop", "keep"]),
    seed=st.integers(0, 999),
)
def test_the_same_as_loops(sizes, into, out_of, special, seed):
    words = (None, *(w for w, size in enumerate(sizes) for _ in range(size)), None)
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(len(words)), size=(2, 3, len(words))).astype(np.float32)
    options = MapOptions(into=into, out_of=out_of, special=special)
    found = word_map(AttentionMap(weights, words, words), len(sizes), options)
    for layer in range(2):
        for head in range(3):
            expected = by_loops(weights[layer, head], words, options)
            np.testing.assert_allclose(found.weights[layer, head], expected, atol=1e-6)


def test_a_sentence_of_words_without_pieces_has_a_map_of_nothing():
    weights = np.full((1, 2, 2, 2), 0.5, dtype=np.float32)
    found = word_map(AttentionMap(weights, (None, None), (101, 102)), 3, MapOptions())
    assert found.weights.shape == (1, 2, 0, 0)
    assert found.strongest.shape == (1, 2, 0)
    assert not found.is_whole
    assert found.is_any_of(np.array([1])).tolist() == []


def test_where_rows_look_is_found_once_and_words_by_their_units():
    found = made(special="keep", into="sum")
    assert found.strongest is found.strongest
    assert found.strongest[0, 0].tolist() == [1, 2, 1, 0]
    assert found.is_any_of(np.array([0])).tolist() == [False, True, False, False]
    assert not found.is_whole
    assert made().is_whole
    nothing = word_map(FOUND._replace(weights=np.zeros_like(WEIGHTS)), 2, MapOptions())
    assert nothing.strongest.tolist() == [[[-1, -1]]]
