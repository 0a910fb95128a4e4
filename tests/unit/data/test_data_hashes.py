import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.data.hashes import letters_hash, training_hashes


def test_hash_never_changes():
    assert (
        letters_hash("A fine film.") == 13624090197938353681
    )  # BLAKE2b of b"afinefilm", little-endian
    assert letters_hash("123") == 0


@given(st.text())
def test_hash_fits(text):
    assert 0 <= letters_hash(text) < 2**64


def test_training_hashes_hold_texts_lines_and_sentences():
    hashes = training_hashes(["One day. Then two.\nThree!", "99", "One day."])
    assert hashes.dtype == np.uint64
    assert sorted(set(hashes.tolist())) == hashes.tolist()
    parts = ["One day. Then two.\nThree!", "One day. Then two.", "One day.", "Then two.", "Three"]
    assert set(hashes.tolist()) == {letters_hash(part) for part in parts}
    assert training_hashes([]).dtype == np.uint64
