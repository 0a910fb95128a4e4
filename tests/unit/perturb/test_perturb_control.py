"""Matched controls: as much change, elsewhere, of no particular sort."""

from dataclasses import replace

import pytest

from scrutiny.core.edit import Edit
from scrutiny.core.example import Example, Span
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.control_material import _words_by_length, operations_of, random_word
from scrutiny.perturb.engine.controls import Controls
from scrutiny.perturb.engine.document import document_of
from scrutiny.text.edits import apply_edits
from scrutiny.text.lexicon import is_stop_word, zipf

TEXT = "The part where nothing special happens is not very good, and somebody says so twice."
EXAMPLE = Example("1", {"text": TEXT}, gold="negative")


def treated(*edits, example=EXAMPLE):
    """A variant made by hand."""
    return replace(perturb(example, "typos", seed=0), recipe="by hand", edits=edits)


def at(old, new, text=TEXT):
    start = text.index(old)
    return Edit("text", start, start + len(old), new)


def control_of(variant, example=EXAMPLE, seed=0):
    control = Controls(example).of(variant, seed=seed)
    return control, apply_edits(example, control.edits).text


@pytest.mark.parametrize(
    ("old", "new", "kinds", "deleted", "inserted"),
    [
        ("special", "specail", ["letters"], 1, 1),  # one letter goes and comes elsewhere
        ("ia", "ai", ["letters"], 2, 2),  # as the edit has it
        ("special", "spexial", ["letters"], 1, 1),
        ("special", "SPECIAL", ["case"], 7, 7),
        ("special", "Spxcial", ["letters", "case"], 2, 2),
        ("special", "curious", ["words"], 7, 7),
        ("special", "specials", ["words"], 7, 8),  # another known word
        ("is not", "isn't", ["letters"], 2, 1),
        ("nothing special", "a lot", ["words"], 15, 5),
        ("very ", "", ["words"], 5, 0),
        (".", "...", ["marks"], 0, 2),
        (",", "", ["marks"], 1, 0),
        ("twice", "2", ["words"], 5, 1),
    ],
)
def test_edits_are_read_as_what_they_are(old, new, kinds, deleted, inserted):
    found = operations_of(document_of(TEXT), [at(old, new)])
    assert [operation.kind for operation in found] == kinds
    assert sum(operation.deleted for operation in found) == deleted
    assert sum(len(operation.inserted) for operation in found) == inserted


@pytest.mark.parametrize(
    "edits",
    [
        (at("special", "specail"),),
        (at("special", "xx"), at("nothing", "nthng")),
        (at("special", "curious"), at("good", "great")),
        (Edit("text", 0, 0, "As far as I know, "),),
        (Edit("text", len(TEXT), len(TEXT), " Birds of a feather flock together."),),
        (Edit("text", 0, 0, "("), Edit("text", len(TEXT), len(TEXT), ")")),
        (at("is not", "isn't"),),
        (at("nothing special", "a lot"),),
        (at("The", "the"),),
    ],
)
def test_the_control_changes_as_many_code_points_at_another_place(edits, amount_changed):
    variant = treated(*edits)
    for seed in range(25):
        control, text = control_of(variant, seed=seed)
        assert (control.status, control.reason) == ("ok", None)
        assert amount_changed(EXAMPLE, control) == amount_changed(EXAMPLE, variant)
        assert text not in (TEXT, apply_edits(EXAMPLE, edits).text)


def test_an_omitted_word_costs_another_of_the_nearest_length(amount_changed):
    for seed in range(10):
        control, text = control_of(treated(at("very ", "")), seed=seed)
        assert control.status == "ok"
        assert abs(amount_changed(EXAMPLE, control) - 5) <= 1
        assert len(text.split()) == len(TEXT.split()) - 1


def test_a_replaced_word_gives_a_known_word_elsewhere():
    variant = treated(at("special", "curious"))
    for seed in range(10):
        control, _ = control_of(variant, seed=seed)
        (edit,) = control.edits
        assert edit.start != variant.edits[0].start
        assert zipf(edit.text) > 0
        assert not is_stop_word(edit.text)


def test_inserted_words_come_as_many_words_with_the_same_marks():
    variant = treated(Edit("text", 0, 0, "As far as I know, "))
    (edit,) = control_of(variant)[0].edits
    assert [len(word) for word in edit.text.split()] == [2, 3, 2, 1, 5]
    assert edit.text.endswith(", ")


def test_letters_keep_their_class_and_stay_within_one_word():
    variant = treated(at("special", "speci4l"))
    for seed in range(10):
        control, text = control_of(variant, seed=seed)
        (edit,) = control.edits
        assert edit.text.isdigit()
        assert len(text.split()) == len(TEXT.split())


def test_turned_letters_are_others_and_too_many_have_no_control():
    title = perturb(EXAMPLE, "word_case(case=title)", seed=0)
    control, text = control_of(title)
    assert text.lower() == TEXT.lower()
    treated_places = {e.start for e in title.edits}
    assert treated_places.isdisjoint(e.start for e in control.edits)
    upper = perturb(EXAMPLE, "word_case", seed=0)
    control, _ = control_of(upper)
    assert (control.status, control.reason, control.edits) == ("skipped", "no_room", ())


def test_protected_stretches_and_entities_are_kept():
    paris = TEXT.replace("nothing", "Parisii")
    gold = (Span("text", 15, 22, "LOC"),)
    example = Example("1", {"text": paris}, gold=gold, protected=(Span("text", 0, 8),))
    variant = perturb(example, "typos(share=0.4)", seed=0)
    for seed in range(20):
        control = Controls(example).of(variant, seed=seed)
        changed = apply_edits(example, control.edits)
        assert control.status == "ok"
        assert changed.text.startswith("The part")
        assert control.gold == changed.gold
        assert [changed.text[s.start : s.end] for s in control.gold] == ["Parisii"]


def test_a_control_says_what_it_controls_and_draws_of_its_own():
    variant = perturb(EXAMPLE, "typos", seed=0, draw=1)
    control = Controls(EXAMPLE).of(variant, seed=0)
    assert (control.role, control.control_of, control.draw) == ("control", "typos@1#1", 1)
    assert control.name == "typos@1#1/control"
    assert control.gold == "negative"
    assert Controls(EXAMPLE).of(variant, seed=0) == control
    assert Controls(EXAMPLE).of(variant, seed=1).edits != control.edits
    assert Controls(EXAMPLE).of(variant, seed=0, draw=2).edits != control.edits


def test_there_is_no_control_without_a_treatment():
    skipped = perturb(Example("1", {"text": "of it"}), "typos", seed=0)
    control = Controls(Example("1", {"text": "of it"})).of(skipped, seed=0)
    assert (control.status, control.reason, control.edits) == ("skipped", "no_treatment", ())


def test_other_languages_get_letters_of_their_script():
    example = Example("1", {"text": "очень хороший фильм"}, language="ru")
    variant = treated(Edit("text", 0, 5, "весьма"), example=example)
    control = Controls(example).of(variant, seed=0)
    assert control.status == "ok"
    assert all("а" <= char <= "я" for edit in control.edits for char in edit.text)


@pytest.mark.parametrize("length", [1, 2, 5, 11, 12, 23])
def test_random_words_have_the_length_that_was_asked(length):
    shares = [0.1 + 0.03 * i for i in range(length)]
    assert len(random_word(length, shares)) == length


def test_random_words_are_no_function_words_and_not_the_one_to_avoid():
    words = _words_by_length()[5]
    assert not any(is_stop_word(word) for word in words)
    assert random_word(5, [0.0], unlike=words[0]) == words[1]
