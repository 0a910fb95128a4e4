"""WordNet: counts of the release, single synsets known by heart, laws of the relations."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.text import wordnet
from scrutiny.text.lexicon import frequencies
from scrutiny.text.wordnet import (
    antonyms,
    exists,
    hypernyms,
    lemmas,
    lexname,
    sense_counts,
    synsets,
)

COMMON = sorted(islice(frequencies(), 3000))


def test_all_of_wordnet_is_there():
    lines = wordnet._load()[1]
    assert len(lines.starts) - 1 == 117_659
    by_kind = dict.fromkeys("nvasr", 0)
    for number in range(0, 117_659, 41):
        by_kind[wordnet._words(number).kind] += 1
    assert by_kind["n"] == pytest.approx(82_115 / 41, rel=0.1)
    assert by_kind["v"] == pytest.approx(13_767 / 41, rel=0.25)


@pytest.mark.parametrize(
    ("lemma", "pos", "number"),
    [("dog", "n", 7), ("run", "v", 41), ("run", "n", 16), ("good", "a", 21), ("well", "r", 13)],
)
def test_number_of_senses(lemma, pos, number):
    assert len(synsets(lemma, pos)) == number  # as `wn dog -n#n -over` of WordNet 3.0 prints
    assert len(set(synsets(lemma, pos))) == number


@pytest.mark.parametrize(
    ("lemma", "pos", "first"),
    [
        ("car", "n", "auto"),
        ("begin", "v", "get down"),
        ("big", "a", "large"),
        ("quickly", "r", "rapidly"),
        ("movie", "n", "film"),
    ],
)
def test_synonyms_of_the_first_sense(lemma, pos, first):
    assert first in lemmas(synsets(lemma, pos)[0])


def test_case_and_blanks():
    assert synsets("Hot_Dog", "n") == synsets("hot dog", "n") != ()
    assert "U.S." in lemmas(synsets("united states", "n")[0])


@pytest.mark.parametrize(
    ("lemma", "pos", "antonym"),
    [
        ("hot", "a", "cold"),
        ("increase", "v", "decrease"),
        ("man", "n", "woman"),
        ("up", "r", "down"),
    ],
)
def test_antonyms(lemma, pos, antonym):
    assert antonym in antonyms(lemma, pos)
    assert lemma in antonyms(antonym, pos)


def test_antonyms_belong_to_the_lemma():
    assert antonyms("large", "a", senses=1) == ("small",)
    assert antonyms("big", "a", senses=1) == ("little",)
    assert antonyms("gigantic", "a") == ()
    assert "small" in antonyms("gigantic", "a", indirect=True)


def test_classes_of_a_lemma():
    assert "canine" in hypernyms("dog", "n", senses=1)
    assert "city" in hypernyms("paris", "n") or "national capital" in hypernyms("paris", "n")


@pytest.mark.parametrize("pos", ["n", "v", "a", "r"])
def test_laws_over_common_words(pos):
    for word in COMMON[::7]:
        numbers = synsets(word, pos)
        assert exists(word, pos) == bool(numbers)
        for number in numbers:
            assert word in [lemma.lower() for lemma in lemmas(number)]
            assert lexname(number).startswith(
                {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}[pos]
            )
        counts = sense_counts(word, pos)
        assert len(counts) == len(numbers)


def test_frequent_senses_come_first():
    orders = [sense_counts(word, "n") for word in COMMON]
    tagged = [c for c in orders if len(c) > 1 and c[0]]
    falling = [c for c in tagged if list(c) == sorted(c, reverse=True)]
    assert len(falling) / len(tagged) > 0.95  # the release itself has exceptions


def test_each_lemma_of_a_synset_leads_back_to_it():
    for word in COMMON[::31]:
        for number in synsets(word, "v"):
            assert all(number in synsets(other, "v") for other in lemmas(number))


@given(st.text(max_size=10), st.sampled_from("nvarx"))
def test_any_word_may_be_asked_for(word, pos):
    assert exists(word, pos) == bool(synsets(word, pos))
    assert isinstance(antonyms(word, pos), tuple)


def test_order_of_questions_does_not_matter():
    words = COMMON[:200]
    first = [hypernyms(w, "n") for w in words]
    for function in (hypernyms, wordnet._senses, wordnet._words):
        function.cache_clear()
    assert [hypernyms(w, "n") for w in reversed(words)] == first[::-1]
