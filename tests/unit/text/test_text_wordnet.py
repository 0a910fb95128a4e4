"""WordNet: counts of the release, single synsets known by heart, laws of the relations."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.text import wordnet
from scrutiny.text.lexicon import frequencies
from scrutiny.text.wordnet import (
    antonyms,
    derivations,
    exists,
    hypernyms,
    hyponyms,
    lemmas,
    lexname,
    sense_counts,
    synonyms,
    synsets,
    wordnet_pos,
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
    assert first in synonyms(lemma, pos, senses=1)


def test_synonyms_grow_with_the_senses():
    one, all_ = synonyms("bank", "n", senses=1), synonyms("bank", "n")
    assert set(one) < set(all_)
    assert synonyms("bank", "n", senses=0) == ()
    assert len(set(all_)) == len(all_)


def test_case_and_blanks():
    assert synsets("Hot_Dog", "n") == synsets("hot dog", "n") != ()
    assert "U.S." in synonyms("united states", "n")
    assert "UNITED STATES".lower() not in map(str.lower, synonyms("united states", "n"))


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


def test_the_hierarchy_goes_both_ways():
    assert "canine" in hypernyms("dog", "n", senses=1)
    assert "corgi" in hyponyms("dog", "n")
    assert "dog" in hyponyms("canine", "n")
    assert "city" in hypernyms("paris", "n") or "national capital" in hypernyms("paris", "n")


def test_derivations_go_both_ways():
    assert "destruction" in derivations("destroy", "v")
    assert "destroy" in derivations("destruction", "n")
    assert "quick" in derivations("quickly", "r")


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
        assert all(word != other.lower() for other in synonyms(word, pos))


def test_frequent_senses_come_first():
    orders = [sense_counts(word, "n") for word in COMMON]
    tagged = [c for c in orders if len(c) > 1 and c[0]]
    falling = [c for c in tagged if list(c) == sorted(c, reverse=True)]
    assert len(falling) / len(tagged) > 0.95  # the release itself has exceptions


def test_symmetry_of_synonyms():
    for word in COMMON[::31]:
        for other in synonyms(word, "v"):
            assert word in [w.lower() for w in synonyms(other, "v")]


def test_parts_of_speech():
    tags = ("NOUN", "VERB", "AUX", "ADJ", "ADV", "PROPN")
    assert [wordnet_pos(u) for u in tags] == ["n", "v", "v", "a", "r", None]


@given(st.text(max_size=10), st.sampled_from("nvarx"))
def test_any_word_may_be_asked_for(word, pos):
    assert exists(word, pos) == bool(synsets(word, pos))
    assert isinstance(synonyms(word, pos), tuple)


def test_order_of_questions_does_not_matter():
    words = COMMON[:200]
    first = [synonyms(w, "n") for w in words]
    for function in (synonyms, wordnet._senses, wordnet._words):
        function.cache_clear()
    assert [synonyms(w, "n") for w in reversed(words)] == first[::-1]
