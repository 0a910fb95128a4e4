"""Random trees and random edits of their sentences, for tests."""

from hypothesis import strategies as st

from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.edit import Edit, Piece
from scrutiny.core.example import Example

WORDS = st.text("abcé", min_size=1, max_size=5)


@st.composite
def trees(draw):
    """Example whose gold answer is a tree; every relation is the number of its word."""
    words = draw(st.lists(WORDS, min_size=1, max_size=7))
    order = draw(st.permutations(range(len(words))))
    heads = [ROOT] * len(words)
    for at, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, at - 1))]
    borders, text = [], ""
    for word in words:
        text += draw(st.sampled_from([" ", " ", ""])) if text else ""
        borders.append((len(text), len(text) + len(word)))
        text += word
    gold = Words("text", tuple(borders), tuple(heads), tuple(map(str, range(len(words)))))
    return Example("1", {"text": text}, gold=gold, tokens={"text": gold.borders})


@st.composite
def edit_sets(draw, example):
    """Disjoint edits: of words, with pieces or without, and of any stretch."""
    text, gold = example.text, example.gold
    borders, made, done = gold.borders, [], 0
    for start, end in borders:
        kind = draw(st.sampled_from(["", "", "replace", "delete", "insert", "split", "any"]))
        if start < done or not kind:
            continue
        new = draw(WORDS)
        head = borders[draw(st.integers(0, len(borders) - 1))][0]
        brought = Piece(0, len(new), (), draw(st.sampled_from([None, head])), None, f"new {new}")
        if kind == "replace":
            edit = Edit("text", start, end, new)
        elif kind == "delete":
            edit = Edit("text", max(done, start - 1), end, "")
        elif kind == "insert":
            edit = Edit("text", start, start, f"{new} ", pieces=(brought,))
        elif kind == "split":
            both = Piece(0, 1, (start,)), Piece(2, 3, (), None, 0, "new goeswith")
            edit = Edit("text", start, end, "a b", pieces=both)
        else:
            low = draw(st.integers(done, len(text)))
            high = draw(st.integers(low, min(len(text), low + 6)))
            edit = Edit("text", low, high, draw(st.text("ab ", max_size=4)))
        if made and edit.start == made[-1].start:
            continue
        made.append(edit)
        done = max(edit.end, done)
    return made


def heads_by_name(words):
    """Relation of each word, which is its identity, with that of its head."""
    names = words.relations
    return [
        (name, "root" if head == ROOT else names[head])
        for name, head in zip(names, words.heads, strict=True)
    ]
