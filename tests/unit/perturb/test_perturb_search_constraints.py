"""Vetoes of searches that need no model: what each refuses, and at which word it looks."""

import numpy as np
import pytest

from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.perturb.constraints.extent import (
    ChangedWords,
    MinWordLength,
    ProtectedPhrases,
    StopWords,
)
from scrutiny.perturb.constraints.meaning import SamePos, WordSimilarity
from scrutiny.perturb.engine.document import document_of
from scrutiny.perturb.engine.edited_words import word_changes

TEXT = "The old man saw a dog."


def edit(old, new, text=TEXT, nth=0):
    start = -1
    for _ in range(nth + 1):
        start = text.index(old, start + 1)
    return Edit("text", start, start + len(old), new)


def allows(constraint, *edits, text=TEXT, resources=None):
    return constraint.allows(document_of(text, resources=resources), edits)


@pytest.mark.parametrize(
    ("edits", "changes", "words"),
    [
        ([edit("dog", "cat")], [(5, 6, 5, 6)], "The old man saw a cat ."),
        ([edit("dog", "big cat")], [(5, 6, 5, 7)], "The old man saw a big cat ."),
        ([edit("ld", "dl")], [(1, 2, 1, 2)], "The odl man saw a dog ."),
        ([edit(" old", "")], [(1, 2, 1, 1)], "The man saw a dog ."),
        ([edit("old ", "")], [(1, 2, 1, 1)], "The man saw a dog ."),
        ([edit(" ", "")], [(0, 2, 0, 1)], "Theold man saw a dog ."),
        ([Edit("text", 3, 3, " very")], [(1, 1, 1, 2)], "The very old man saw a dog ."),
        ([Edit("text", 4, 4, "very ")], [(1, 1, 1, 2)], "The very old man saw a dog ."),
        ([Edit("text", 5, 5, " ")], [(1, 2, 1, 3)], "The o ld man saw a dog ."),
        ([edit("old man", "mister")], [(1, 3, 1, 2)], "The mister saw a dog ."),
        (
            [edit("old", "new"), edit("man", "men")],
            [(1, 2, 1, 2), (2, 3, 2, 3)],
            "The new men saw a dog .",
        ),
        ([edit("dog", "dog")], [], "The old man saw a dog ."),
        ([], [], "The old man saw a dog ."),
    ],
)
def test_words_that_differ_are_found_where_they_stand(edits, changes, words):
    found = word_changes(document_of(TEXT), edits)
    assert [tuple(c) for c in found.changes] == changes
    assert found.words == words.split()


def test_words_glued_by_a_mark_are_compared_one_by_one():
    text = "old,good!"
    found = word_changes(document_of(text), [edit("old", "new", text), edit("good", "bad", text)])
    assert [tuple(c) for c in found.changes] == [(0, 1, 0, 1), (2, 3, 2, 3)]


@pytest.mark.parametrize(
    ("constraint", "edits", "allowed"),
    [
        (ChangedWords(share=0.2), [edit("dog", "cat")], True),
        (ChangedWords(share=0.16), [edit("dog", "cat")], False),
        (ChangedWords(share=0.16, floor=1), [edit("dog", "cat")], True),
        (ChangedWords(share=0.2), [edit("dog", "cat"), edit("old", "new")], False),
        (ChangedWords(share=None, most=1), [edit("dog", "cat")], True),
        (ChangedWords(share=None, most=1), [edit("dog", "big cat")], False),
        (ChangedWords(share=1.0, most=1), [edit("dog", "cat"), edit("old", "new")], False),
        (ChangedWords(share=0.0), [edit(".", "!")], True),
        (ChangedWords(share=0.0), [edit(" old", "")], False),
        (ChangedWords(share=1 / 6), [Edit("text", 3, 3, " very")], True),
        (ChangedWords(share=None), [edit("dog", "cat"), edit("old", "new")], True),
        (MinWordLength(least=4), [edit("dog", "elephant")], False),
        (MinWordLength(least=3), [edit("dog", "elephant")], True),
        (MinWordLength(least=9), [Edit("text", 3, 3, " very")], True),
        (StopWords(), [edit("The", "An")], False),
        (ProtectedPhrases(), [edit("dog", "cat")], True),
        (ProtectedPhrases(("OLD man", "cow")), [edit("man", "boy")], False),
        (ProtectedPhrases(("old man", "cow")), [edit("dog", "cat")], True),
        (ProtectedPhrases(("old", "old man")), [edit("man", "boy")], False),
        (ProtectedPhrases(("do",)), [edit("dog", "cat")], True),
        (ProtectedPhrases(("old man",)), [Edit("text", 8, 8, " tall")], False),
        (ProtectedPhrases(("old man",)), [Edit("text", 7, 7, " tall")], False),
        (ProtectedPhrases(("man",)), [Edit("text", 7, 7, " tall")], True),
    ],
)
def test_counts_and_lengths(constraint, edits, allowed):
    assert allows(constraint, *edits) is allowed


@pytest.mark.parametrize(
    ("text", "edits", "noun_verb", "allowed"),
    [
        (TEXT, [("dog", "cat")], False, True),
        (TEXT, [("dog", "quickly")], False, False),
        (TEXT, [("old", "green")], False, True),
        (TEXT, [("old man", "mister")], False, False),
        (TEXT, [(" old", "")], False, True),
        ("They like to run", [("run", "swim")], False, True),
        ("Rome is old", [("Rome", "Paris")], False, True),
    ],
)
def test_parts_of_speech_are_kept(text, edits, noun_verb, allowed):
    found = [edit(old, new, text) for old, new in edits]
    assert allows(SamePos(noun_verb=noun_verb), *found, text=text) is allowed


class ByPlace:
    """Tags by word and place: "book" is a verb in the beginning and a noun elsewhere."""

    def tag_at(self, words, position):
        from scrutiny.text.tagger import Tag

        word = words[position].lower()
        if word in ("book", "cook", "boat"):
            is_verb = word == "cook" or (word == "book" and position == 0)
            return Tag("VB", "VERB") if is_verb else Tag("NN", "NOUN")
        return Tag("DT", "DET")


def test_the_very_occurrence_is_tagged_and_not_the_first():
    text = "Book the book"
    resources = {"tagger": ByPlace()}
    first, second = edit("Book", "boat", text), edit("book", "boat", text)
    assert not allows(SamePos(), first, text=text, resources=resources)
    assert allows(SamePos(), second, text=text, resources=resources)
    assert not allows(SamePos(), edit("book", "cook", text), text=text, resources=resources)
    assert allows(SamePos(noun_verb=True), first, text=text, resources=resources)
    assert not allows(
        SamePos(noun_verb=True), edit("Book", "the", text), text=text, resources=resources
    )


PLANE = {"dog": (3, 0), "cat": (6, 0), "owl": (3, 3), "car": (0, 1)}


class Plane:
    """Vectors in the plane, none of length one."""

    def vector(self, word):
        return np.array(PLANE[word], dtype=np.float32) if word in PLANE else None


@pytest.mark.parametrize(
    ("constraint", "new", "allowed"),
    [
        (WordSimilarity(least_cosine=0.99), "cat", True),
        (WordSimilarity(least_cosine=0.7), "owl", True),
        (WordSimilarity(least_cosine=0.71), "owl", False),
        (WordSimilarity(least_cosine=0.0), "car", True),
        (WordSimilarity(most_euclidean=3.0), "cat", True),  # 9 when squared
        (WordSimilarity(most_euclidean=2.9), "cat", False),
        (WordSimilarity(least_cosine=0.9, most_euclidean=3.0), "owl", False),
        (WordSimilarity(), "wug", True),
        (WordSimilarity(), "car", False),
        (WordSimilarity(unknown="refuse"), "wug", False),
        (WordSimilarity(unknown="refuse"), "big cat", False),
        (WordSimilarity(unknown="refuse"), "DOG", True),
    ],
)
def test_vectors_are_compared_by_the_measure_that_is_named(constraint, new, allowed):
    assert allows(constraint, edit("dog", new), resources={"vectors": Plane()}) is allowed


def test_a_bare_string_is_no_list_of_words():
    with pytest.raises(PlanError, match="french"):
        StopWords(words="french")
    with pytest.raises(PlanError, match="phrases"):
        ProtectedPhrases("old man")
    with pytest.raises(PlanError, match="blank"):
        ProtectedPhrases((" ",))


def test_stop_words_are_stop_words_with_either_apostrophe():
    text = "Don’t go"
    assert not allows(StopWords(), edit("Don’t", "Do", text), text=text)
