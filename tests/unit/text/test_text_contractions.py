"""Contractions in context, both ways."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.text.contractions import find_contractions, find_expansions


def rewrite(find, text):
    for r in reversed(find(text)):
        text = text[: r.start] + r.text + text[r.end :]
    return text


EXPAND = [
    ("It's a film.", "It is a film."),
    ("She's got it.", "She has got it."),
    ("He's gone.", "He has gone."),
    ("it's never been so", "it has never been so"),
    ("It's made well.", "It's made well."),  # is or has: left alone
    ("Bob's car is John's.", "Bob's car is John's."),
    ("I'd like it; I'd seen it.", "I would like it; I had seen it."),
    ("You'd better go.", "You had better go."),
    ("I'd a cold.", "I'd a cold."),
    ("They don't know, can't, won't.", "They do not know, cannot, will not."),
    ("What's Tom eaten? What's Tom eating?", "What's Tom eaten? What is Tom eating?"),
    ("Where's everybody gone?", "Where's everybody gone?"),
    ("What's Bob done? What's Bob want?", "What has Bob done? What's Bob want?"),
    ("Who's ready to go? How's Mum?", "Who is ready to go? How is Mum?"),
    ("it does n't, ca n't, it 's", "it does not, cannot, it 's"),
    ("Don't go! DON'T!", "Do not go! DO NOT!"),
    ("isn't it?", "isn't it?"),
    ("Isn't Bob here?", "Isn't Bob here?"),
    ("Why wasn't Bob told?", "Why wasn't Bob told?"),
    ("I’m sure they’ll come", "I am sure they will come"),
    ("let's go", "let us go"),
    ("I'm gonna tell 'em", "I am going to tell them"),
    ("I'VE", "I HAVE"),
]


@pytest.mark.parametrize(("text", "expected"), EXPAND)
def test_expanding(text, expected):
    assert rewrite(find_contractions, text) == expected


CONTRACT = [
    ("It is a film.", "It's a film."),
    ("I know what it is.", "I know what it is."),
    ("They are what they are.", "They're what they are."),
    ("It is not so", "It isn't so"),
    ("What is it? What is it about?", "What is it? What's it about?"),
    ("I will not, can not, cannot", "I won't, can't, can't"),
    ("I have a car", "I have a car"),
    ("I have always seen it", "I've always seen it"),
    ("He has it. He has been.", "He has it. He's been."),
    ("She would like it.", "She'd like it."),
    ("Let us go. They let us go.", "Let's go. They let us go."),
    ("DO NOT GO, Do not", "DON'T GO, Don't"),
    ("That is, yes", "That is, yes"),
    ("The dog’s bone: it is here", "The dog’s bone: it’s here"),
]


@pytest.mark.parametrize(("text", "expected"), CONTRACT)
def test_contracting(text, expected):
    assert rewrite(find_expansions, text) == expected


@pytest.mark.parametrize(
    "text",
    ["They do not know.", "She is reading.", "We cannot go.", "You are late, I am not late."],
)
def test_there_and_back(text):
    short = rewrite(find_expansions, text)
    assert short != text
    assert rewrite(find_contractions, short) == text


@given(st.text("ab I's ’nt.it's do not is ", max_size=40))
def test_rewrites_are_disjoint_and_change_something(text):
    for find in (find_contractions, find_expansions):
        found = find(text)
        assert all(a.end <= b.start for a, b in itertools.pairwise(found))
        assert all(text[r.start : r.end] != r.text for r in found)
