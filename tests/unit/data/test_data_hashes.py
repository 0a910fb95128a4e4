import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.data.hashes import WITH_MARKS, content_hash, letters_hash, training_hashes


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
    assert set(hashes.tolist()) == {WITH_MARKS, *map(letters_hash, parts)}
    assert training_hashes([]).dtype == np.uint64


def test_texts_that_differ_in_a_number_or_symbol_have_other_hashes():
    texts = [
        "I give it 1 out of 10", "I give it 9 out of 10", "I give it 1.0 out of 10",
        "Nice \U0001f600", "Nice \U0001f621", "Nice :)", "Nice :(", "Nice", "It is -5", "It is 5",
        "\u0d95\u0d9a 1", "\u0d95\u0d9a 2", "\u0644\u0627 \u0661", "\u0644\u0627 \u0662",
        "x\u00b2", "x\u00b3",
    ]  # fmt: skip
    assert len({content_hash(text) for text in texts}) == len(texts)
    assert content_hash("1 out of 10?") == content_hash("1 OUT, of 10!")
    assert content_hash("10/10") == content_hash(":)") == 0  # no letters


@given(st.text(alphabet=st.characters(codec="ascii", exclude_characters="0123456789:;=")))
def test_a_text_without_marks_has_the_hash_of_its_letters(text):
    assert content_hash(text) == letters_hash(text)
