"""Spelling rules of regular inflection."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.text.inflection import (
    add_ed,
    add_ing,
    add_s,
    candidate_lemmas,
    compare,
    is_monosyllable,
    regular_form,
)

WORDS = st.text("abcdeinorstuyz", min_size=3, max_size=8)


@pytest.mark.parametrize(
    ("base", "s", "ed", "ing"),
    [
        ("walk", "walks", "walked", "walking"),
        ("hope", "hopes", "hoped", "hoping"),
        ("hop", "hops", "hopped", "hopping"),
        ("quip", "quips", "quipped", "quipping"),
        ("cry", "cries", "cried", "crying"),
        ("obey", "obeys", "obeyed", "obeying"),
        ("tie", "ties", "tied", "tying"),
        ("agree", "agrees", "agreed", "agreeing"),
        ("fix", "fixes", "fixed", "fixing"),
        ("buzz", "buzzes", "buzzed", "buzzing"),
        ("echo", "echoes", "echoed", "echoing"),
        ("open", "opens", "opened", "opening"),
        ("snow", "snows", "snowed", "snowing"),
        ("dye", "dyes", "dyed", "dyeing"),
    ],
)
def test_regular_verbs(base, s, ed, ing):
    assert (add_s(base, is_verb=True), add_ed(base), add_ing(base)) == (s, ed, ing)
    for tag, form in (("VBZ", s), ("VBD", ed), ("VBG", ing)):
        assert regular_form(base, tag) == form
        assert base in candidate_lemmas(form, tag)


@pytest.mark.parametrize(
    ("base", "er"),
    [("tall", "taller"), ("nice", "nicer"), ("hot", "hotter"), ("dry", "drier"), ("modern", None)],
)
def test_comparison(base, er):
    assert compare(base, "er") == er
    assert er is None or base in candidate_lemmas(er, "JJR")


@given(WORDS, st.sampled_from(["NNS", "VBZ", "VBD", "VBG", "JJR"]))
def test_a_regular_form_has_its_base_among_the_candidates(base, tag):
    form = regular_form(base, tag)
    if form is not None and not base.endswith(("s", "ss", "ee", "ie", "ye", "oe")):
        assert base in candidate_lemmas(form, tag)


@given(st.text(max_size=6))
def test_any_word_is_accepted(word):
    for tag in ("NN", "NNS", "VB", "VBZ", "VBD", "VBN", "VBG", "JJ", "JJR", "JJS", "RBR", "XX"):
        assert isinstance(regular_form(word, tag), str | None)
        assert word not in candidate_lemmas(word, tag)


def test_syllables():
    words = ("dog", "cake", "idea", "apple", "free", "strength", "rhythm")
    assert [is_monosyllable(w) for w in words] == [True, True, False, False, True, True, True]
