import unicodedata

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.text.letters import letters, letters_hash, letters_hashes, training_hashes


def test_letters():
    assert letters("It's a 2nd-rate FILM… (really)") == "itsandratefilmreally"
    assert letters("Straße ΣΑΣ 字幕 _9²™") == "strasseσασ字幕"
    assert letters("12 !? \n") == ""


@given(st.text(), st.text("  \t.,!?0123-_'\"", max_size=4))
def test_invariance(text, noise):
    assert letters(noise.join(letters(text))) == letters(letters(text))
    assert letters(unicodedata.normalize("NFD", "Crème " + noise)) == letters("CRÈME")
    assert letters(noise + text) == letters(text + noise) == letters(text)


def test_hash_never_changes():
    assert (
        letters_hash("A fine film.") == 13624090197938353681
    )  # BLAKE2b of b"afinefilm", little-endian
    assert letters_hash("123") == 0


@given(st.text())
def test_hash_fits(text):
    assert 0 <= letters_hash(text) < 2**64


def test_hashes_keep_order():
    texts = ["b", "a", ""]
    hashes = letters_hashes(texts)
    assert hashes.dtype == np.uint64
    assert hashes.tolist() == [letters_hash(t) for t in texts]


def test_training_hashes_hold_texts_lines_and_sentences():
    hashes = training_hashes(["One day. Then two.\nThree!", "99", "One day."])
    assert hashes.dtype == np.uint64
    assert sorted(set(hashes.tolist())) == hashes.tolist()
    parts = ["One day. Then two.\nThree!", "One day. Then two.", "One day.", "Then two.", "Three"]
    assert set(hashes.tolist()) == {letters_hash(part) for part in parts}
    assert training_hashes([]).dtype == np.uint64
