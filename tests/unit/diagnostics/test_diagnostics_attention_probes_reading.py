"""What probes see of a sentence, and where their word vectors come from."""

import numpy as np
import pytest
from linked_heads import sentences
from scipy.spatial.distance import pdist

from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.annotation import Arcs
from scrutiny.diagnostics.attention.arc_counts import GoldArcs
from scrutiny.diagnostics.attention.probe_data import (
    chosen_for_training,
    embeddings_of,
    parsed,
    read_training,
    reduced,
    scored_words,
    vocabulary,
)
from scrutiny.diagnostics.attention.word_maps import SPECIAL, WordMap

# she saw him .   root: saw
GOLD = GoldArcs.of(
    Arcs(("she", "saw", "him", "."), (1, -1, 1, 1), ("nsubj", "root", "obj", "punct"))
)


def a_map(words, *, layers=2, heads=3):
    size = len(words)
    rng = np.random.default_rng(0)
    weights = rng.random((layers, heads, size, size)).astype(np.float32)
    return WordMap(weights, np.array(words), 4)


def test_the_root_is_scored_and_punctuation_is_not():
    assert scored_words(GOLD).tolist() == [0, 1, 2]


def test_maps_are_of_words_and_special_tokens_stand_apart():
    made = a_map([SPECIAL, 0, 1, 2, 3, SPECIAL])
    found = parsed(made, GOLD, [5, 6, 7, 8])
    assert found.maps.shape == (6, 4, 4)
    assert found.maps.dtype == np.float16
    flat = made.weights.reshape(6, 6, 6)
    np.testing.assert_allclose(found.maps[4], flat[4, 1:5, 1:5], rtol=1e-3)
    np.testing.assert_allclose(found.special[:, 2], flat[:, 3][:, [0, 5]], rtol=1e-3)
    assert found.heads.tolist() == [1, 4, 1, -1]
    assert found.types.tolist() == [5, 6, 7, 8]


def test_words_whose_head_has_no_piece_teach_nothing():
    found = parsed(a_map([SPECIAL, 0, 2, 3, SPECIAL]), GOLD, [5, 6, 7, 8])
    assert found.words.tolist() == [0, 2, 3]
    assert found.heads.tolist() == [-1, -1, -1]
    without = parsed(a_map([0, 1, 2, 3]), GOLD, [5, 6, 7, 8])
    assert not without.special.any()
    assert without.heads.tolist() == [1, 4, 1, -1]
    made = [a_map([SPECIAL, 0, 2, 3]), Failure("too_long"), a_map([0, 1, 2, 3])]
    kept = read_training(iter(made), [GOLD] * 3, [[0, 1, 2, 3]] * 3)
    assert [one.words.tolist() for one in kept] == [[0, 1, 2, 3]]


def test_sentences_for_training_are_drawn_from_their_half():
    halves = ["A", "B", "A", "A", "B", "A"]
    found = chosen_for_training(halves, most=2, rng=np.random.default_rng(0))
    assert set(found) == {"A", "B"}
    assert len(found["A"]) == len(found["B"]) == 2
    assert all(halves[i] == half for half, rows in found.items() for i in rows)
    every = chosen_for_training(halves, most=9, rng=np.random.default_rng(0))
    assert every == {"A": [0, 2, 3, 5], "B": [1, 4]}


class Embedding:
    """A model whose input embedding of a word is made of its length and first letter."""

    def representations(self, passages, *, poolings, layers):
        assert (poolings, layers) == (("word",), (0,))
        rows = []
        for passage in passages:
            assert passage.word == (0, len(passage.text))
            row = [float(len(passage.text)), float(ord(passage.text[0])), 1.0]
            rows.append([np.nan] * 3 if passage.text == "?" else row)
        return np.array(rows, dtype=np.float32)[:, None, None]


def test_embeddings_are_those_of_layer_0_by_type():
    types, numbers = vocabulary([("a", "bb"), ("bb", "?")])
    assert numbers == [[0, 1], [1, 2]]
    assert embeddings_of(Embedding(), types).tolist() == [[1, 97, 1], [2, 98, 1], [0, 0, 0]]


def test_components_keep_distances_up_to_a_scale_and_come_from_the_known_types():
    rng = np.random.default_rng(1)
    flat = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 8))
    found = reduced(flat.astype(np.float32), np.arange(30), dimensions=3)
    assert found.shape == (40, 3)
    assert np.mean(found[:30] ** 2) == pytest.approx(1.0, rel=1e-5)
    ratio = pdist(found) / pdist(flat)
    assert ratio.std() / ratio.mean() < 1e-4
    other = flat.copy()
    other[35] += 100
    np.testing.assert_allclose(
        reduced(other.astype(np.float32), np.arange(30), dimensions=3)[:30], found[:30], atol=1e-5
    )
    assert reduced(flat[:2].astype(np.float32), np.arange(2), dimensions=9).shape == (2, 2)


def test_toy_sentences_are_trees():
    for row in sentences(5):
        assert row["heads"].count(0) == 1
