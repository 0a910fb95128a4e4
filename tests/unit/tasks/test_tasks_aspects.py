"""Sentiment about aspects: what is read, what edits carry, what no change touches."""

import pytest

from scrutiny.core.edit import Edit
from scrutiny.core.errors import DataError
from scrutiny.core.example import Span
from scrutiny.data.dataset import load_dataset
from scrutiny.perturb.engine.apply import perturb
from scrutiny.tasks.aspects import AspectSentiment, aspects_of, opposite_of, sign_of
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edits import apply_edits

TEXT = "The food was good, but the waiter was slow and rude. Food!"
ROW = {
    "text": TEXT,
    "aspect": "food",
    "label": "positive",
    "opinions": [[13, 17]],
    "others": [{"place": [27, 33], "label": "negative", "opinions": [[38, 42], [47, 51]]}],
}


def item(**changed):
    return AspectSentiment().parse({**ROW, **changed}, source="x:1")


def said(example, spans):
    return [example.text[s.start : s.end] for s in spans]


def test_an_item_has_its_aspects_and_what_is_said_of_them():
    one = item()
    own, other = aspects_of(one)
    assert (own.place[1:3], own.polarity, said(one, own.opinions)) == ((4, 8), "positive", ["good"])
    assert said(one, [other.place, *other.opinions]) == ["waiter", "slow", "rude"]
    assert other.polarity == "negative"
    assert load_task("aspect-sentiment").facts.grounds == ("anchor", "label")


def test_a_place_is_where_it_is_stated_if_the_aspect_stands_there():
    assert aspects_of(item(place=[53, 57]))[0].place.start == 53
    assert aspects_of(item(place=[0, 3]))[0].place.start == 4  # it does not: the first mention
    assert aspects_of(item(aspect="price", opinions=[]))[0].place is None
    doubts = [*AspectSentiment().doubts({**ROW, "place": [0, 3]}, item())]
    assert doubts == ["have an aspect that does not stand at its place in the text"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"opinions": [[13, 99]]}, "outside the text"),
        ({"opinions": [[13]]}, "a place is"),
        ({"opinions": [[True, 4]]}, "a place is"),
        ({"opinions": "good"}, "opinions is not a list"),
        ({"others": ["waiter"]}, "another aspect is an object"),
        ({"others": [{"label": "negative"}]}, "a place is None"),
        ({"aspect": " "}, "aspect is empty"),
    ],
)
def test_what_cannot_be_read_is_named(changed, said):
    with pytest.raises(DataError, match=said):
        item(**changed)


def test_edits_carry_all_aspects_and_lose_an_opinion_that_they_cross():
    one = item()
    moved = apply_edits(one, [Edit("text", 0, 3, "All of the")])
    own, other = aspects_of(moved)
    assert said(moved, [own.place, *own.opinions]) == ["food", "good"]
    assert said(moved, [other.place, *other.opinions]) == ["waiter", "slow", "rude"]
    crossed = apply_edits(one, [Edit("text", 36, 41, "as slo")])
    assert said(crossed, aspects_of(crossed)[1].opinions) == ["rude"]
    gone = apply_edits(one, [Edit("text", 12, 17, "")])
    assert aspects_of(gone)[0].opinions == ()


def test_no_change_touches_the_aspect_and_all_may_touch_opinions():
    touched = set()
    for seed in range(30):
        variant = perturb(item(), "typos(share=1)", seed=seed, task="aspect-sentiment")
        for edit in variant.edits:
            touched.update(range(edit.start, edit.end))
    assert not touched & {*range(4, 8), *range(53, 57)}
    assert not touched & {*range(27, 33)}, "another aspect is an annotation"
    assert touched & {*range(13, 17)}
    assert touched & {*range(38, 42)}


@pytest.mark.parametrize(
    ("name", "sign", "other"),
    [
        ("positive", 1, "negative"),
        ("NEG", -1, "POS"),
        ("Neutral", 0, "Neutral"),
        ("conflict", None, "conflict"),
        ("against", None, "against"),
    ],
)
def test_polarities_by_their_names(name, sign, other):
    assert (sign_of(name), opposite_of(name)) == (sign, other)


def test_spans_of_other_tasks_are_no_aspects():
    marked = load_task("relation-classification").parse(
        {"text": "<e1>Ida</e1> left <e2>Rome</e2>", "label": "positive"}, source="x"
    )
    assert [(a.place, a.opinions) for a in aspects_of(marked)] == [(None, ())]


def test_rows_of_a_text_and_an_aspect_tell_the_task(write):
    write("a.csv", "text,aspect,label\nGood food.,food,positive\nBad food.,food,negative\n")
    data = load_dataset("csv:a.csv")
    assert data.task == "aspect-sentiment"
    assert data.examples[0].spans == (Span("text", 5, 9, "aspect"),)
