"""Pseudo-cues: never the cue, as long as it, of as many pieces and near it where there is one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.diagnostics.attention.encodings import NEAR, pseudo_cue


def drawn(anchors, n_words, pieces=None, seed=0):
    pieces = {w: 1 for w in range(n_words)} if pieces is None else pieces
    return pseudo_cue(anchors, n_words, pieces=pieces, rng=np.random.default_rng(seed))


def test_a_word_with_as_many_pieces_is_taken():
    pieces = {0: 1, 1: 3, 2: 1, 3: 1, 4: 3}
    assert {drawn([1], 5, pieces, seed) for seed in range(20)} == {(4,)}


def test_near_words_only_where_there_are_any():
    found = {drawn([10], 40, seed=seed)[0] for seed in range(300)}
    assert 10 not in found
    assert found == {w for w in range(40) if w != 10 and abs(w - 10) <= NEAR * 40}


def test_the_nearest_in_pieces_stands_in_where_none_has_as_many():
    assert drawn([0], 3, {0: 5, 1: 1, 2: 4}) == (2,)


@pytest.mark.parametrize(
    ("anchors", "n_words", "pieces"),
    [((), 4, None), ((0,), 1, None), ((0, 1), 3, None), ((0,), 2, {0: 1})],
)
def test_no_room_is_no_pseudo_cue(anchors, n_words, pieces):
    assert drawn(anchors, n_words, pieces) == ()


@given(n_words=st.integers(2, 20), length=st.integers(1, 3), data=st.data())
def test_as_long_as_the_cue_and_apart_from_it(n_words, length, data):
    first = data.draw(st.integers(0, max(0, n_words - length)))
    anchors = tuple(range(first, min(n_words, first + length)))
    found = drawn(anchors, n_words, seed=data.draw(st.integers(0, 99)))
    assert not set(found) & set(anchors)
    assert len(found) in (0, len(anchors))
    assert list(found) == list(range(found[0], found[-1] + 1)) if found else True
