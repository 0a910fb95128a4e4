"""Groups of items that a plain look at the text tells apart."""

import pickle

import pytest

from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.data import attribute as attributes
from scrutiny.data import opening
from scrutiny.data.attribute import Tokens, Training, TrainingSets, attribute, tokens_of
from scrutiny.data.dataset import load_dataset
from scrutiny.data.item_values import Items
from scrutiny.data.parts.part_attribute import Surroundings, load_part_attribute
from scrutiny.data.parts.part_counts import PartCounts
from scrutiny.data.slices import MOST_VALUES, slices_for
from scrutiny.perturb.resources import item_perplexity


def example(text, number=0, **more):
    return Example(f"i{number}", {"text": text}, **more)


CASES = [
    ("negated", "I can’t say.", "A knot in a rope."),
    ("negated", "is n't it", "It noted this."),
    ("negated", "Nobody came.", "Everybody came."),
    ("question", "Who came?", "Ask who came."),
    ("exclamation", "Come!", "Come."),
    ("number", "Row 4b", "No one came first."),
    ("number", "It took forty minutes.", "It took some minutes."),
    ("capitals", "A BAD day", "A Bad day, OK?"),
    ("name", "We saw Lima.", "We left. Then it rained."),
    ("rare_word", "a thaumaturgic plot", "a good plot"),
    ("contrast", "Slow but sure.", "Slow and sure."),
    ("condition", "If it rains, stay.", "It rains, stay."),
    ("comparison", "Better than before.", "Good as before."),
    ("first_person", "I'm late.", "It is late."),
    ("quotation", "She said “no”.", "She said no."),
    ("quotation", "the 'best' one", "it's the dogs' day"),
    ("address", "see www.example.org", "see the site"),
    ("emoji", "fine 🙂", "fine"),
    ("emoji", "fine :)", "at 5:30)"),
    ("drawn_out", "sooo good", "so good"),
    ("drawn_out", "what?!", "what?"),
    ("other_letters", "naïve", "naive"),
    ("several_sentences", "It rained. We left.", "It rained and we left."),
    ("no_function_word", "bright red lamp", "the bright lamp"),
]


@pytest.mark.parametrize(("name", "inside", "outside"), CASES)
def test_each_attribute_tells_what_it_says(name, inside, outside):
    holds = registry().load("attribute", name)
    assert holds(example(inside)) is True
    assert holds(example(outside)) is False


def test_every_attribute_that_answers_yes_or_no_has_a_case():
    known = {n.partition("@")[0]: n for n in registry().names("attribute")}
    asked = {
        n for n, full in known.items() if registry().load("attribute", full).gives == "yes or no"
    }
    assert asked == {name for name, _, _ in CASES} | {"in_training"}


def test_all_fields_are_looked_at_or_the_one_that_is_named():
    pair = Example("1", {"text": "It rains.", "text_pair": "It does not."})
    items = Items.of([pair])
    asked = ("negated", "negated(text)", "negated(text_pair)", "length(text_pair) = 3")
    assert [items.inside(text) for text in asked] == [[True], [False], [True], [True]]
    with pytest.raises(UnknownNameError, match="text_pair"):
        items.inside("negated(text_pear)")


TEXTS = [
    example("word " * k, k, attributes={"a_topic": "film" if k % 2 else "arts"})
    for k in range(1, 11)
]


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("length > 7", [8, 9, 10]),
        ("length >= 7 and topic = film", [7, 9]),
        ("not topic = film and length<4", [2]),
        ("a_topic != film, length = 4.0", [4]),
        ("length in lowest 20%", [1, 2]),
        ("length in highest third", [7, 8, 9, 10]),
        ("length in middle third", [4, 5, 6]),
        ("length in 20% to 40%", [3, 4]),
        ('has "word WORD" and length < 4', [2, 3]),
        ("not (length > 2 and topic = arts) and length < 5", [1, 2, 3]),
    ],
)
def test_a_predicate_holds_of_its_items(text, members):
    inside = Items.of(TEXTS).inside(text)
    assert [k for k, is_in in enumerate(inside, 1) if is_in] == members


def test_an_item_without_a_value_is_neither_inside_nor_outside():
    items = Items.of([example("so", 0), example("so", 1, attributes={"a_year": 2010.0})])
    assert items.inside("year > 2000") == [None, True]
    assert items.inside("not year = 2010") == [None, False]
    assert items.inside("year > 2020 and length > 5") == [False, False]
    assert Items.of([example("nicht", language="de")]).inside("negated") == [None]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("negtaed", "Did you mean 'negated'"),
        ("length", "length is a number, so a slice compares it with a value: length > 20"),
        ("length > long", "'long' is not a number"),
        ("topic > 3", "topic is a word"),
        ("topic", "topic = "),
        ("unseen_words > 0.1", "none is given"),
    ],
)
def test_what_a_slice_cannot_say_is_told(text, said):
    with pytest.raises((PlanError, UnknownNameError), match=said):
        Items.of(TEXTS).inside(text)


def test_a_value_that_no_item_has_is_refused_with_those_there_are():
    with pytest.raises(PlanError, match="No item has topic = cinema; there are arts, film"):
        Items.of(TEXTS).must_have("length > 3 and topic = cinema", where="No item")


def test_a_training_set_tells_what_was_seen():
    training = Training([example("It is fine.", gold="up"), example("It is bad.", gold="down")])
    items = Items.of(
        [example("it is FINE", gold="up"), example("a bad day", 1, gold="up")], lambda: training
    )
    assert items.inside("in_training") == [True, False]
    assert items.inside("unseen_words > 0.5") == [False, True]
    assert items.inside("label_share = 0.5") == [True, True]


def test_words_and_names_have_a_gender():
    told = registry().load("attribute", "gender")
    texts = ["She left.", "Bill met his aunt.", "The waiter came.", "It rained."]
    assert [told(example(text)) for text in texts] == ["woman", "both", "man", "none"]


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
    assert (one.name, members.tolist()) == ("negation", [False, True] * 5)


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
        for one, members in slices_for(examples, asked=("has Refund",), fewest=5)
    )
    assert found['has "Refund"'] == 24
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


def test_named_words_are_found_in_any_case():
    items = Items.of([example("DON'T do it"), example("I don't")])
    assert items.inside('has "don’t"') == [True, True]
    assert items.inside("has do") == [True, False]


def test_slices_by_english_words_are_for_english_alone():
    texts = ["Not so!" if k % 2 else "So." for k in range(20)]
    german = [example(text, k, language="de") for k, text in enumerate(texts)]
    assert [one.name for one, _ in slices_for(german, fewest=5)] == ["exclamation"]
    english = [example(text, k, language="en-GB") for k, text in enumerate(texts)]
    assert slices_for(english, fewest=5)[0][0].name == "negation"


def test_slices_by_english_words_stay_where_few_items_are_in_another_language():
    english = [example("Not so!" if k % 2 else "So.", k, language="en") for k in range(40)]
    others = [example("Nicht so!", 50 + k, language="de") for k in range(2)]
    (first, members), *_ = slices_for([*english, *others], fewest=5)
    assert (first.name, members.sum(), members[-2:].any()) == ("negation", 20, False)
    assert slices_for([*english, *others, *others], fewest=5)[0][0].name != "negation"


@pytest.mark.parametrize(("language", "unit"), [("zh", "characters"), ("de", "words"), ("th", "")])
def test_thirds_are_by_what_a_language_counts(language, unit):
    texts = ["好" * (1 + k) if language == "zh" else "gut " * (1 + k) for k in range(30)]
    items = [example(text, k, language=language) for k, text in enumerate(texts)]
    said = [one.says for one, _ in slices_for(items, fewest=5)]
    assert said == ([f"of fewer than 11 {unit}", f"of more than 21 {unit}"] if unit else [])


def test_words_are_not_counted_where_they_cannot_be_told_apart():
    thai, english = example("หนังเรื่องนี้ไม่ดี", language="th"), example("not so good")
    assert Items.of([thai, english]).inside("length > 2") == [None, True]


def test_numbers_in_words_are_english():
    polish, english = example("ten film", language="pl"), example("ten films")
    assert Items.of([polish, english]).inside("number") == [False, True]


def test_attributes_that_are_looked_at_together_are_what_each_alone_gives() -> None:
    """Item by item, each text is cut once; columns and unknown names are none of these."""
    texts = ["Is it not good?", "A plain film.", "", "SOOO 12 .", "Nobody came, did they?"]
    examples = [
        Example(f"i{k}", {"text": text, "more": "NOT."}, "up", language="en" if k % 3 else "th")
        for k, text in enumerate(texts * 4)
    ]
    slices = ["negated", "question", "length > 3", "label = up", "drawn_out", "capitals"]
    together, alone = Items.of(examples), Items.of(examples)
    together.look_at([*slices, "nowhere = 1"])
    for one in slices:
        assert together.inside(one) == alone.inside(one)
    assert {"negated", "question", "length"} <= {name for name, *_ in together._values}


@attribute("with a whole number of marks", of_token=True)
def marks(token: str) -> int:
    return int(token in "!?")


def test_an_attribute_of_a_token_is_found_or_summed_over_the_tokens_of_all_texts():
    pair = Example("1", {"premise": "So! WHY?", "hypothesis": "Well!"})
    assert marks(pair) == 3
    assert registry().load("attribute", "capitals")(pair) is True
    tokens = Tokens()
    for language in ("en", "de"):
        tokens.add(tokens_of(pair), language)
    tokens.add((), "en")
    assert tokens.valued(marks).each() == [3, 3, 0]
    assert tokens.valued(registry().load("attribute", "negated")).each() == [False, None, False]


def test_thirds_by_length_are_left_out_where_items_have_a_column_of_this_name():
    items = [example("gut " * (1 + k), k, attributes={"a_length": str(k % 2)}) for k in range(30)]
    assert {one.name for one, _ in slices_for(items, fewest=5)} == {"length 0", "length 1"}


def test_perplexity_is_a_column_of_the_model_that_the_data_string_names(tmp_path, monkeypatch):
    (tmp_path / "model.txt").write_text("dog\ndog\n", encoding="utf-8")
    rows = [{"text": text, "label": "ab"[k]} for k, text in enumerate(("dog", "dog dog"))]
    asked = {"perplexity": f"ngram:{tmp_path}/model.txt"}
    data = load_dataset(rows, columns=asked)
    # a word, or the end: 4/9 by itself, (2 + 4/9) / 3 after one word, (2 + 22/27) / 3 after two;
    # a second "dog" 4/9/3/3, and the end after two that were never there as after one
    likely = 76 / 81 * 76 / 81, 76 / 81 * 4 / 81 * 22 / 27
    values = [example.attributes["a_perplexity"] for example in data.examples]
    assert values == pytest.approx([likely[0] ** (-1 / 2), likely[1] ** (-1 / 3)], rel=5e-5)
    with monkeypatch.context() as patched:  # read one at a time, asked in stretches
        patched.setattr(opening, "_STRETCH", 1)
        assert tuple(opening.iter_examples(rows, columns=asked)) == data.examples
    items = Items.of(data.examples)
    assert items.inside("perplexity in highest 50%") == [False, True]
    by = load_part_attribute("perplexity")
    around = Surroundings(PartCounts(data.examples))
    units = [one for e in data.examples for one in by.units(e.gold, e, around).values()]
    assert [by.function(one) for one in units] == values
    without = load_dataset(rows)
    assert without.fingerprint == data.fingerprint
    with pytest.raises(PlanError, match="behind the data string: #perplexity=MODEL"):
        Items.of(without.examples).inside("perplexity > 20")
    with pytest.raises(PlanError, match="in the data string: #perplexity=MODEL"):
        by.groups_of(without.examples, Surroundings(PartCounts(())))
    with pytest.raises(PlanError, match="resource 'perplexity' cannot be 'dog'"):
        load_dataset(rows, columns={"perplexity": "dog"})


def test_texts_of_no_or_one_token_have_no_perplexity(monkeypatch):
    class Scorer:
        def perplexity(self, texts):
            assert texts == ["a", "b c", "d e"]  # all at once, and each once
            return [1.0, 31.123456, 2.0]

    monkeypatch.setattr(item_perplexity, "load_resource", lambda name, spec: Scorer())
    items = [Example("1", {"x": t}) for t in ("a", "", "b c", "b c")]
    items.append(Example("2", {"premise": "d", "hypothesis": "e"}))
    assert item_perplexity.perplexities(items, "m") == [None, None, 31.123, 31.123, 2.0]


def test_words_between_the_marked_parts_of_a_relation():
    rows = [
        {"text": "<e1>Ida</e1> left, for good, <e2>Rome</e2>.", "label": "left"},
        {"text": "<e2>Rome</e2><e1>Ida</e1> saw at last.", "label": "saw"},
    ]
    data = load_dataset(rows, columns={"task": "relation-classification"})
    items = Items.of([*data.examples, example("She left.", 3)])
    assert items.inside("marked_distance = 3") == [True, False, None]
    assert items.inside("marked_distance = 0") == [False, True, None]


def test_a_training_set_is_read_once_and_by_each_worker_itself(monkeypatch):
    read = []

    def load(source, task):
        read.append((source, task))
        return Training([example("It rains.")])

    monkeypatch.setattr(attributes, "load_training", load)
    sets = TrainingSets()
    first = sets.of("csv:a.csv", "text-classification")
    assert sets.of("csv:a.csv", "text-classification") is first
    assert pickle.loads(pickle.dumps(sets)).of("csv:a.csv", "") is not first
    assert read == [("csv:a.csv", "text-classification"), ("csv:a.csv", "")]
