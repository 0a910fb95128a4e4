"""Tokens, sentences, graphemes: examples, and laws on arbitrary unicode."""

import itertools
import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.text import tokens
from scrutiny.text.tokens import (
    graphemes,
    is_number,
    is_punctuation,
    is_spaced,
    is_word,
    sentences,
    token_spans,
    token_texts,
)

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
GERMANY, FRANCE = "\U0001f1e9\U0001f1ea", "\U0001f1eb\U0001f1f7"

CASES = {
    "plain": ("It works.", ["It", "works", "."]),
    "contraction": ("She doesn't, I'm", ["She", "doesn't", ",", "I'm"]),
    "curly apostrophe": ("She doesn’t", ["She", "doesn’t"]),
    "Penn": ("it 's n't ca n't", ["it", "'s", "n't", "ca", "n't"]),
    "quotes": ("'yes' dogs'", ["'", "yes", "'", "dogs", "'"]),
    "hyphen": ("well-known 15-year-old", ["well-known", "15-year-old"]),
    "dash": ("a -- b - c", ["a", "--", "b", "-", "c"]),
    "numbers": ("$3.50, 25,000 10:30 .5", ["$", "3.50", ",", "25,000", "10:30", ".5"]),
    "ordinal, decade": ("2nd 1990s 50%", ["2nd", "1990s", "50", "%"]),
    "abbreviation": ("the U.S. e.g. p.m.", ["the", "U.S.", "e.g.", "p.m."]),
    "title": ("Mr. Lee", ["Mr", ".", "Lee"]),
    "ampersand": ("AT&T R & B", ["AT&T", "R", "&", "B"]),
    "URL": ("see http://a.b/c?d=e, www.x.org.", ["see", "http://a.b/c?d=e", ",", "www.x.org", "."]),
    "e-mail": ("me+x@a.co.uk!", ["me+x@a.co.uk", "!"]),
    "social": ("@bob #tag-x", ["@bob", "#tag-x"]),
    "smiley": ("good :) (x)", ["good", ":)", "(", "x", ")"]),
    "ellipsis": ("wait... no!!", ["wait", "...", "no", "!", "!"]),
    "combining": ("cafe\u0301 x", ["cafe\u0301", "x"]),
    "emoji": (f"{FAMILY}ok{GERMANY}{FRANCE}1\ufe0f\u20e3", None),
    "CJK": ("中文かな", ["中", "文", "か", "な"]),
    "Hangul, Hebrew": ("한국어 עברית", ["한국어", "עברית"]),
    "Devanagari, Thai": ("नमस्ते ไทยนี้", ["नमस्ते", "ไทยนี้"]),
    "soft hyphen": ("co\u00adop", ["co\u00adop"]),
    "empty": ("", []),
    "blank": (" \t\n\u00a0", []),
}


@pytest.mark.parametrize("name", CASES)
def test_token_texts(name):
    text, expected = CASES[name]
    if name == "emoji":
        expected = [FAMILY, "ok", GERMANY, FRANCE, "1\ufe0f\u20e3"]
    assert token_texts(text) == expected


@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_tokens_cover_everything_but_white_space(text):
    spans = token_spans(text)
    assert "".join(text[a:b] for a, b in spans) == re.sub(r"\s+", "", text)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))


MARKED = st.lists(
    st.sampled_from(["a", "Z", "9", ".", "'", "-", " ", "é", "e\u0301", "'\u0301", ".\u0308", "中",
                     "中\u0301", "-\u0301", FAMILY, GERMANY, "ี", "กี่", "@", "#"]),
    max_size=12,
).map("".join)  # fmt: skip


@given(MARKED)
def test_no_token_ends_inside_a_grapheme(text):
    borders, position = {0}, 0
    for grapheme in graphemes(text):
        position += len(grapheme)
        borders.add(position)
    for start, end in token_spans(text):
        assert end in borders
        assert start in borders or text[start - 1].isspace()


@given(st.text("aZé9'’-.,:/& \"…€_!()", max_size=30))
def test_the_fast_pattern_agrees_with_the_full_one(text):
    fast = [m.span() for m in tokens._LATIN.finditer(text)]
    assert fast == [m.span() for m in tokens._full_pattern().finditer(text)]


@given(st.text(max_size=30))
def test_graphemes_join_to_the_text(text):
    found = graphemes(text)
    assert "".join(found) == text
    assert all(found)


@pytest.mark.parametrize(
    ("text", "lengths"),
    [("a\r\nb", [1, 2, 1]), (FAMILY + "x", [5, 1]), (GERMANY + FRANCE, [2, 2]), ("ก็ค", [2, 1])],
)
def test_graphemes(text, lengths):
    assert [len(g) for g in graphemes(text)] == lengths


SENTENCES = {
    "abbreviations": ("Dr. Lee met Mr. J. Poe. He left.", ["Dr. Lee met Mr. J. Poe.", "He left."]),
    "questions": ("Why? Because!  Yes.", ["Why?", "Because!", "Yes."]),
    "quotes": ('"Go." She went.', ['"Go."', "She went."]),
    "goes on": ("Wait... what? It cost 3.5 dollars.", ["Wait... what?", "It cost 3.5 dollars."]),
    "lower case": ("it works. i like it.", ["it works.", "i like it."]),
    "pre-tokenized": ("it works . it 's fine .", ["it works .", "it 's fine ."]),
    "afternoon": ("At 5 p.m. He left.", ["At 5 p.m.", "He left."]),
    "Chinese": ("真的。好！", ["真的。", "好！"]),
    "paragraphs": ("One\n\ntwo", ["One", "two"]),
    "none": ("no end", ["no end"]),
    "blank": (" \n ", []),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences(name):
    text, expected = SENTENCES[name]
    assert [text[a:b] for a, b in sentences(text)] == expected


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_sentences_cover_everything_but_white_space(text):
    spans = sentences(text)
    assert re.sub(r"\s+", "", "".join(text[a:b] for a, b in spans)) == re.sub(r"\s+", "", text)
    assert all(text[a:b] == text[a:b].strip() for a, b in spans)


def test_kinds_of_tokens():
    assert [is_word(t) for t in ("x", "n't", "é", "中", "x-1", "", "'", "a@b.c", "@a")] == [
        *[True] * 5, *[False] * 4
    ]  # fmt: skip
    assert [is_number(t) for t in ("7", "1/2", "٣", "x1", "", ".")] == [True] * 3 + [False] * 3
    assert [is_punctuation(t) for t in (":)", "€", FAMILY[0], "x", " ")] == [True] * 3 + [False] * 2


@given(st.text(max_size=8))
def test_kinds_of_tokens_are_total(token):
    for question in (is_word, is_number, is_punctuation):
        assert question(token) in (True, False)


def test_tokenizing_takes_microseconds():
    text = "The quick brown fox doesn't jump over the lazy dogs, because it was raining in York."
    token_spans(text)
    start = process_time()
    for _ in range(2000):
        token_spans(text)
    assert (process_time() - start) / 2000 < 60e-6  # measured: 6e-6


@pytest.mark.parametrize(
    "text",
    [
        "He said 'sorry' and the movie is good.",
        "It costs .5 dollars and the movie is good.",
        "Wait ...the movie is good.",
        "See .com sites; it is not good.",
        "Ah , the movie is good.",
        "The '70s are back and the movie is good.",
        "I don't know .. he isn't here .",
        "It's Bob's , and that's it .",
        "Nice, he said. Then , well, he left.",
        "hello ! how are you ?",
        "They fancy you! To find out who it is call 0911 . PoBox12",
        "Is that all? Hey , write.",
        "To be seen by everyone... only , by them",
        "",
    ],
)
def test_one_odd_space_makes_no_text_a_tokenized_one(text):
    assert not is_spaced(text)


@pytest.mark.parametrize(
    "text",
    [
        "it 's good .",
        "a good film , and a long one .",
        "he does n't know Mr. Lee of the U.S. army .",
        "the dog 's tail , i 'm told , is n't o'clock",
        "He said : it ’s good .",
    ],
)
def test_a_text_of_the_treebanks_is_a_tokenized_one(text):
    assert is_spaced(text)
