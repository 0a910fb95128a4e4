"""Names by lists: what is found, and what is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.text.entities import EntityFinder, default_entity_finder

FINDER = default_entity_finder()

CASES = {
    "full name": ("Yesterday Mary Jones left.", [("Mary Jones", "PER")]),
    "first name": ("I met George there.", [("George", "PER")]),
    "title": ("Dr. Qwertz and Mr Xyz spoke.", [("Qwertz", "PER"), ("Xyz", "PER")]),
    "initials": ("John A. Smith came", [("John A. Smith", "PER")]),
    "initials first": ("by J. K. Rowling", [("J. K. Rowling", "PER")]),
    "possessive": ("Anna's car", [("Anna", "PER")]),
    "curly possessive": ("in London’s streets", [("London", "LOC")]),
    "places": ("from New York to Costa Rica", [("New York", "LOC"), ("Costa Rica", "LOC")]),
    "the longest place": ("New York City is big", [("New York City", "LOC")]),
    "person, not place": ("Florence Baker sang", [("Florence Baker", "PER")]),
    "place, not person": ("born in Florence", [("Florence", "LOC")]),
    "listed organization": (
        "The BBC and Morgan Stanley",
        [("BBC", "ORG"), ("Morgan Stanley", "ORG")],
    ),
    "ending": ("he joined Foo Bar Inc. today", [("Foo Bar Inc", "ORG")]),
    "University of": ("the University of Leeds won", [("University of Leeds", "ORG")]),
    "part of an unknown name": ("the Perth Glory played", []),
    "months": ("In April and June, 2007", []),
    "ordinary words": ("The dog ate. Good food! I agree.", []),
    "lower case": ("george went to london", []),
    "nothing": ("", []),
}


@pytest.mark.parametrize("name", CASES)
def test_entities(name):
    text, expected = CASES[name]
    found = [(text[e.start : e.end], e.label) for e in FINDER.entities(text)]
    assert found == expected


def test_it_is_an_entity_finder():
    assert isinstance(FINDER, EntityFinder)


PIECES = ["Mr", ".", " ", "Anna", "The", "London", "A", "I", "'s", "of", "University", "Inc", "中"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=20))
def test_entities_are_disjoint_and_not_empty(text):
    found = FINDER.entities(text)
    position = 0
    for start, end, label in found:
        assert position <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert label in ("PER", "LOC", "ORG")
        position = end
