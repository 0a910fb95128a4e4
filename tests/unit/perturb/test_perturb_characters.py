"""Changes of characters that a search chooses among, each by hand."""

import numpy as np
import pytest

from scrutiny.core.registry import registry
from scrutiny.perturb.characters.slips import (
    DeleteLetter,
    InsertLetter,
    SplitWord,
    SubstituteLetter,
    SwapLetters,
)
from scrutiny.perturb.characters.surface import HiddenReorder, Homoglyph, InvisibleCharacter
from scrutiny.perturb.characters.typos import MiddleSwap, NeighborKey
from scrutiny.perturb.engine.document import document_of
from scrutiny.text.edits import apply_to_text


def proposals(transformation, text, *, site=0, seed=0):
    """Texts that the candidates of one place make."""
    document = document_of(text)
    place = transformation.sites(document)[site]
    found = transformation.candidates(document, place, np.random.default_rng(seed))
    return [apply_to_text(text, edits) for edits in found]


@pytest.mark.parametrize(
    ("transformation", "text", "expected"),
    [
        (SwapLetters("all"), "an abba", ["na abba"]),
        (SwapLetters("all"), "abba", ["baba", "abab"]),
        (SwapLetters("all", keep_first=True, keep_last=True), "word", ["wrod"]),
        (SwapLetters("all", keep_last=True), "word", ["owrd", "wrod"]),
        (DeleteLetter("all"), "good", ["ood", "god", "goo"]),
        (DeleteLetter("all", keep_first=True, keep_last=True), "good", ["god"]),
        (SplitWord("all"), "cat", ["c at", "ca t"]),
        (NeighborKey("all", keep_first=True, keep_last=True), "not", ["nit", "npt", "nkt", "nlt"]),
        (Homoglyph(), "ox.", ["о" + "x.", "o" + "х" + "."]),
        (InvisibleCharacter(), "ox", ["o\u200bx"]),
        (InvisibleCharacter(mark="word-joiner"), "ox", ["o\u2060x"]),
        (HiddenReorder(), "add", ["\u202eda\u202cd"]),
        (HiddenReorder(control="delete"), "ox", ["oX\bx"]),
    ],
)
def test_all_places_come_from_left_to_right(transformation, text, expected):
    assert proposals(transformation, text) == expected


def test_look_alikes_are_as_many_as_wanted():
    assert len(proposals(Homoglyph(most_alike=2), "o")) == 2
    assert proposals(Homoglyph(most_alike=1), "o") == ["\u043e"]


def test_any_mark_tries_all_four_at_every_place():
    assert len(set(proposals(InvisibleCharacter(mark="any"), "cat"))) == 8


@pytest.mark.parametrize("letters", ["alike", "ascii"])
def test_random_letters_stand_at_every_place(letters):
    changed = proposals(SubstituteLetter("all", letters), "Cat")
    assert [sum(a != b for a, b in zip(text, "Cat", strict=True)) for text in changed] == [1, 1, 1]
    longer = proposals(InsertLetter("all", letters), "Cat")
    assert [len(text) for text in longer] == [4, 4, 4, 4]
    assert longer[0][1:] == "Cat"
    assert longer[3][:3] == "Cat"
    if letters == "alike":
        assert changed[0][0].isupper()
        assert changed[1][1].islower()
        assert longer[0][0].isupper()


def test_no_letter_stays_when_it_is_replaced_and_letters_can_be_of_either_case():
    drawn = {proposals(SubstituteLetter(letters="ascii"), "a", seed=seed)[0] for seed in range(300)}
    assert "a" not in drawn
    assert {"A", "z", "Z"} <= drawn
    assert len(drawn) == 51


def test_inner_letters_are_inserted_between_the_ends():
    kept = proposals(InsertLetter("all", keep_first=True, keep_last=True), "cat")
    assert [(text[0], text[-1]) for text in kept] == [("c", "t")] * 2


@pytest.mark.parametrize(
    "transformation",
    [
        SwapLetters(),
        DeleteLetter(),
        InsertLetter(),
        SubstituteLetter(),
        NeighborKey(),
        SplitWord(),
        Homoglyph("random"),
        InvisibleCharacter("random"),
        HiddenReorder("random"),
    ],
)
def test_random_is_one_of_all_and_repeats_by_its_seed(transformation):
    drawn = {text for seed in range(60) for text in proposals(transformation, "word", seed=seed)}
    assert len(proposals(transformation, "word")) == 1
    assert proposals(transformation, "word", seed=5) == proposals(transformation, "word", seed=5)
    assert len(drawn) > 2


@pytest.mark.parametrize(
    ("transformation", "text", "words"),
    [
        (SwapLetters(), "I am 42 at http://a.b", ["am", "at"]),
        (SwapLetters(keep_first=True, keep_last=True), "the best a is", ["best"]),
        (DeleteLetter(), "a cat", ["cat"]),
        (DeleteLetter(keep_first=True, keep_last=True, shortest=4), "the best", ["best"]),
        (SplitWord(longest=5), "a plain sentence", ["plain"]),
        (SubstituteLetter(), "a 1 b", ["a", "b"]),
    ],
)
def test_places_are_the_words_that_can_change(transformation, text, words):
    sites = transformation.sites(document_of(text))
    assert [text[s.start : s.end] for s in sites] == words


def test_a_reader_sees_one_character_where_there_are_two_code_points():
    assert proposals(DeleteLetter("all"), "e\u0301te") == ["te", "e\u0301e", "e\u0301t"]
    assert proposals(SwapLetters("all"), "e\u0301t") == ["te\u0301"]


def test_middle_swaps_change_every_eligible_word_at_once():
    text = "The lovely movie deserves praise"
    found = proposals(MiddleSwap(), text)
    assert 1 < len(found) <= 15
    assert len(set(found)) == len(found)
    for changed in found:
        assert changed.startswith("The ")
        for old, new in zip(text.split()[1:], changed.split()[1:], strict=True):
            assert sorted(old) == sorted(new)
            assert old != new
            assert (old[0], old[-1]) == (new[0], new[-1])
            assert sum(a != b for a, b in zip(old, new, strict=True)) == 2


def test_middle_swaps_of_single_words():
    swap = MiddleSwap(scope="word", skip_stop_words=False)
    document = document_of("their book zoom")
    assert [s.token for s in swap.sites(document)] == [0, 1, 2]
    assert set(proposals(swap, "their book zoom", site=0)) == {
        "tehir book zoom",
        "tiehr book zoom",
        "thier book zoom",
    }
    assert proposals(swap, "their book zoom", site=1) == []  # its middle is "oo"
    assert MiddleSwap().sites(document_of("the cat sat")) == ()


def test_they_are_for_searches_and_keep_the_gold():
    names = [n for n in registry().names("transformation") if n.startswith(("swap_l", "homog"))]
    assert names == ["homoglyph@1", "swap_letters@1"]
    for name in names:
        found = registry().load("transformation", name)
        assert found.is_for_search
        assert found.effect == {"*": "keeps"}
