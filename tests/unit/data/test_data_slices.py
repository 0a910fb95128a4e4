"""Groups of items that a plain look at the text tells apart."""

import pytest

from scrutiny.core.example import Example
from scrutiny.data.slices import MOST_VALUES, SLICES, slices_for, word_slice

BY_NAME = {one.name: one for one in SLICES}


def example(text, number=0, **more):
    return Example(f"i{number}", {"text": text}, **more)


CASES = [
    ("negation", "I can’t say.", "A knot in a rope."),
    ("negation", "is n't it", "It noted this."),
    ("negation", "Nobody came.", "Everybody came."),
    ("question", "Who came?", "Ask who came."),
    ("exclamation", "Come!", "Come."),
    ("number", "Row 4b", "No one came first."),
    ("number", "It took forty minutes.", "It took some minutes."),
    ("capitals", "A BAD day", "A Bad day, OK?"),
    ("name", "We saw Lima.", "We left. Then it rained."),
    ("rare word", "a thaumaturgic plot", "a good plot"),
    ("contrast", "Slow but sure.", "Slow and sure."),
    ("condition", "If it rains, stay.", "It rains, stay."),
    ("comparison", "Better than before.", "Good as before."),
    ("first person", "I'm late.", "It is late."),
    ("quotation", "She said “no”.", "She said no."),
    ("quotation", "the 'best' one", "it's the dogs' day"),
    ("address", "see www.example.org", "see the site"),
    ("emoji", "fine 🙂", "fine"),
    ("emoji", "fine :)", "at 5:30)"),
    ("drawn out", "sooo good", "so good"),
    ("drawn out", "what?!", "what?"),
    ("other letters", "naïve", "naive"),
    ("sentences", "It rained. We left.", "It rained and we left."),
    ("no function word", "bright red lamp", "the bright lamp"),
]


@pytest.mark.parametrize(("name", "inside", "outside"), CASES)
def test_each_slice_holds_what_it_says(name, inside, outside):
    holds = BY_NAME[name].holds
    assert holds(example(inside))
    assert not holds(example(outside))


def test_every_declared_slice_has_a_case():
    assert set(BY_NAME) == {name for name, _, _ in CASES}


def test_all_fields_are_looked_at():
    pair = Example("1", {"text": "It rains.", "text_pair": "It does not."})
    assert BY_NAME["negation"].holds(pair)


def test_small_slices_and_their_small_complements_are_left_out():
    texts = ["It is not so."] * 4 + ["It is so."] * 16
    examples = [example(text, k) for k, text in enumerate(texts)]
    assert [one.name for one, _ in slices_for(examples, fewest=4)] == ["negation"]
    assert slices_for(examples, fewest=5) == []
    mostly = [example(text, k) for k, text in enumerate(["Not so."] * 18 + ["So."] * 2)]
    assert slices_for(mostly, fewest=4) == []


def test_members_stand_in_the_order_of_the_items():
    examples = [example("Not so." if k % 2 else "So.", k) for k in range(10)]
    ((one, members),) = slices_for(examples, fewest=3)[:1]
    assert (one.name, members) == ("negation", (False, True) * 5)


def test_labels_columns_lengths_and_named_words():
    examples = [
        example(
            "a refund " + "word " * k,
            k,
            gold="up" if k % 3 else "down",
            attributes={"a_topic": "food" if k < 6 else "arts", "u_text": "x", "a_id": f"{k}"},
        )
        for k in range(24)
    ]
    examples += [example("a thing " + "word " * k, 24 + k) for k in range(6)]
    found = dict(
        (one.name, sum(members))
        for one, members in slices_for(examples, words=("Refund",), fewest=5)
    )
    assert found["word Refund"] == 24
    assert (found["label up"], found["label down"]) == (16, 8)
    assert (found["topic food"], found["topic arts"]) == (6, 18)
    assert found["short"] > 5 < found["long"]
    assert not any(name.startswith(("id ", "text ")) for name in found)


def test_a_column_of_many_values_is_no_group():
    examples = [example("so", k, gold=f"g{k % (MOST_VALUES + 1)}") for k in range(200)]
    assert slices_for(examples, fewest=2) == []


def test_slices_of_the_same_items_stand_once():
    examples = [example("Why not?" if k % 2 else "So.", k) for k in range(20)]
    names = [one.name for one, _ in slices_for(examples, fewest=5)]
    assert names[0] == "negation"  # the same items are questions as well, and longer
    assert "question" not in names
    assert slices_for([]) == []


def test_a_named_word_is_found_in_any_case():
    assert word_slice("don’t").holds(example("DON'T do it"))
    assert not word_slice("do").holds(example("I don't"))


def test_slices_by_english_words_are_for_english_alone():
    texts = ["Not so!" if k % 2 else "So." for k in range(20)]
    german = [example(text, k, language="de") for k, text in enumerate(texts)]
    assert [one.name for one, _ in slices_for(german, fewest=5)] == ["exclamation"]
    english = [example(text, k, language="en-GB") for k, text in enumerate(texts)]
    assert slices_for(english, fewest=5)[0][0].name == "negation"
