"""Questions with and without their mark, and statements that begin as questions do."""

import doctest
from itertools import product

import pytest

from scrutiny.core.example import Example
from scrutiny.data import questions
from scrutiny.data.questions import is_question_text
from scrutiny.data.text_attributes import question

ASKING = [
    "What is it",
    "is it good",
    "who is he",
    "why did the chicken cross the road",
    "how good is it",
    "what time is it",
    "How many times did you see this",
    "where's the point",
    "what 's the point",
    "who's there",
    "isn't it lovely",
    "is n't it lovely",
    "Isn’t it lovely",
    "and can you believe it",
    "well, do you like this",
    "The end came. Are you happy now.",
    "did we need a sequel",
    "where are my keys",
    "Really?",
    "好看吗？",
]
TELLING = [
    "what a film",
    "What you did is wrong",
    "when i saw it i cried",
    "how funny it is",
    "is a fine film",
    "is the best of them",
    "is that it goes nowhere",
    "do it",
    "have this one",
    "has it all",
    "does the job",
    "which has a handful of jokes",
    "who is a welcome relief",
    "were they here, we would know",
    "should it rain, stay in",
    "so be it",
    "what 's nice is that it ends",
    "what",
    "How",
    "which one",
    "",
    "...",
]


@pytest.mark.parametrize("text", ASKING)
def test_a_question_needs_no_mark(text):
    assert is_question_text(text, is_english=True)


@pytest.mark.parametrize("text", TELLING)
def test_a_statement_is_none(text):
    assert not is_question_text(text, is_english=True)


def test_every_short_sequence_of_words_is_a_question_or_none():
    """A text that ends behind its question word ("what") has ended comparisons."""
    words = "what how who is isn't were n't 's , so it the you that .".split()
    texts = (" ".join(own) for n in range(4) for own in product(words, repeat=n))
    found = {text: is_question_text(text, is_english=True) for text in texts}
    assert (found["how is it"], found["what"]) == (True, False)
    assert set(found.values()) == {True, False}


def test_words_are_read_in_english_alone():
    text = {"text": "is it good"}
    assert question(Example("1", text))
    assert not question(Example("1", text, language="de"))
    assert question(Example("1", {"text": "gut?"}, language="de"))


def test_examples_run():
    assert doctest.testmod(questions).failed == 0
