"""Changes that use the other items of the data: what follows, and names of another type.

In the published toolkit a name directly before another one is lost, types beside PER, ORG, LOC and
MISC end the run, and one bad item does.
"""

from dataclasses import replace

import pytest

from scrutiny.core.answers.words import ROOT, WORDS, Words
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.facts import ARCS, ONE_TEXT, SPANS
from scrutiny.diagnostics.robustness.robustness import Robustness
from scrutiny.diagnostics.robustness.robustness_recipes import RobustnessParams
from scrutiny.perturb.engine.apply import Setting, perturb
from scrutiny.perturb.engine.batch import perturb_stream
from scrutiny.perturb.engine.controls import Controls
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.resources.loading import load_resource
from scrutiny.perturb.resources.other_items import OtherItems, with_items
from scrutiny.tasks.tags import spans_of, token_borders
from scrutiny.tasks.tasks import load_task
from scrutiny.testing.checking import ToyContext
from scrutiny.text.edits import apply_edits

ROWS = (
    ("Jack Chen Paris won .", "B-PER I-PER B-LOC O O"),
    ("She saw the Kenya game in Nairobi .", "O O O B-GPE O O B-GPE O"),
    ("Anna Smith joined Acme Corp .", "B-PER I-PER O B-ORG I-ORG O"),
    ("The Ring is long .", "B-creative-work I-creative-work O O O"),
    ("It rained .", "O O O"),
)
PLACES = ("Kenya", "Nairobi")


def tagged(number, text, tags):
    borders = token_borders(text.split())
    gold = spans_of(tags.split(), borders)
    return Example(f"i{number}", {"text": text}, gold, tokens={"text": borders})


ITEMS = [tagged(number, *row) for number, row in enumerate(ROWS)]
TREES = [
    Example(
        f"t{number}",
        {"text": text},
        Words("text", borders, heads, relations, upos=("X",) * len(heads)),
        tokens={"text": borders},
    )
    for number, (text, heads, relations) in enumerate(
        [
            ("She left.", (1, ROOT, 1), ("nsubj", "root", "punct")),
            ("He didn't.", (1, ROOT, 1, 1), ("nsubj", "root", "advmod", "punct")),
        ]
    )
    for borders in ([((0, 3), (4, 8), (8, 9)), ((0, 2), (3, 6), (6, 9), (9, 10))][number],)
]


def changed(recipe, examples, number, seed=0, task="token-tagging"):
    """A variant, the item after it, and the names in it with their types."""
    example = examples[number]
    variant = perturb(example, recipe, seed=seed, resources=with_items({}, examples), task=task)
    after = apply_edits(example, variant.edits)
    gold = () if variant.gold is None or isinstance(variant.gold, Words) else variant.gold
    return variant, after, [(after.text[s.start : s.end], s.label) for s in gold]


def test_what_follows_brings_its_entities_and_the_words_of_the_data():
    variant, after, names = changed("concatenate", ITEMS, 1)
    assert after.text == " ".join(ROWS[i][0] for i in (1, 2, 3))
    assert names == [
        ("Kenya", "GPE"),
        ("Nairobi", "GPE"),
        ("Anna Smith", "PER"),
        ("Acme Corp", "ORG"),
        ("The Ring", "creative-work"),
    ]
    assert after.tokens["text"] == token_borders(after.text.split())
    assert variant.gold == after.gold
    assert len(variant.edits) == 1  # the text itself is untouched
    assert variant.edits[0].start == len(ITEMS[1].text)


def test_behind_the_last_item_comes_the_first_and_never_itself():
    _, after, _ = changed("concatenate(count=1)", ITEMS, 4)
    assert after.text == f"{ROWS[4][0]} {ROWS[0][0]}"
    _, after, _ = changed("concatenate(count=9)", ITEMS, 4)
    assert after.text.count(ROWS[4][0]) == 1
    variant, *_ = changed("concatenate", ITEMS[:1], 0)
    assert (variant.status, variant.reason, variant.edits) == ("skipped", "unchanged", ())


def test_words_that_a_treebank_cuts_stay_cut_and_each_tree_keeps_its_root():
    variant, after, _ = changed("concatenate(count=1)", TREES, 0, task="dependency-arcs")
    gold = variant.gold
    assert after.text == "She left. He didn't."
    assert [after.text[a:b] for a, b in gold.borders] == "She left . He did n't .".split()
    assert gold.heads == (1, ROOT, 1, 4, ROOT, 4, 4)
    assert gold.relations == tuple("nsubj root punct nsubj root advmod punct".split())
    assert gold.upos == ("X",) * 7
    assert after.tokens["text"] == gold.borders
    assert WORDS.check(gold, after) is None


def test_an_item_without_the_same_kind_of_answer_does_not_follow():
    bare = replace(ITEMS[2], gold=None)
    german = replace(ITEMS[3], language="de")
    _, after, names = changed("concatenate(count=3)", [ITEMS[1], bare, german, ITEMS[4]], 0)
    assert after.text == f"{ROWS[1][0]} {ROWS[4][0]}"
    assert len(names) == 2


@pytest.mark.parametrize("recipe", ["concatenate", "entity_type_swap"])
def test_any_order_and_any_block_of_items_gives_the_same(recipe):
    setting = Setting(3, resources=with_items({}, ITEMS), facts=load_task("token-tagging").facts)
    one_way = {e.id: v for e, (v,) in perturb_stream(ITEMS, [recipe], setting)}
    other_way = {e.id: v for e, (v,) in perturb_stream(ITEMS[::-1], [recipe], setting, chunk=2)}
    assert one_way == other_way
    params = RobustnessParams(transformations=(recipe,), control=False)
    context = ToyContext(load_task("token-tagging"), seed=3)
    context.dataset = ITEMS
    blocks = [Robustness().prepare(params, ITEMS[a : a + 2], context) for a in (0, 2, 4)]
    assert {v.item: v for block in blocks for v in block} == one_way


def test_a_control_adds_as_many_words_and_no_name():
    variant, _, _ = changed("concatenate", ITEMS, 1)
    control = Controls(ITEMS[1]).of(variant, seed=0)
    assert control.status == "ok"
    assert [s.label for s in control.gold] == ["GPE", "GPE"]
    assert sum(len(e.text) for e in control.edits) == sum(len(e.text) for e in variant.edits)


def test_a_name_of_another_type_brings_its_type_as_the_data_call_it():
    seen = set()
    for seed in range(30):
        variant, _, names = changed("entity_type_swap", ITEMS, 2, seed)
        assert variant.status == "ok"
        (one, kind), (other, _) = names
        assert one in {"GPE": PLACES, "LOC": ("Paris",), "ORG": ("Acme Corp",)}[kind]
        assert other != "Acme Corp"
        seen |= set(names)
    assert ("Jack Chen", "PER") in seen  # "Anna Smith" stands in the text
    assert {label for _, label in seen} == {"GPE", "LOC", "PER"}


def test_neighboring_names_stay_two():
    for seed in range(10):
        _, _, names = changed("entity_type_swap", ITEMS, 0, seed)
        assert len(names) == 2
        assert names[0][1] in ("GPE", "LOC", "ORG")
        assert names[1][1] in ("PER", "ORG", "GPE")


def test_types_that_we_have_no_names_for_end_nothing():
    variant, *_ = changed("entity_type_swap", ITEMS, 3)
    assert (variant.status, variant.reason) == ("skipped", "no_site")
    variant, *_ = changed("entity_swap(names=unseen)", ITEMS, 3)
    assert (variant.status, variant.reason) == ("skipped", "no_site")


def test_a_name_stays_where_other_words_say_what_it_is():
    for text, place in (
        ("the village of Nairobi .", 3),
        ("the company Nairobi .", 2),
        ("Nairobi is a city .", 0),
        ("a party ( Nairobi ) .", 3),
        ("the Nairobi .", 1),
    ):
        tags = ["B-LOC" if i == place else "O" for i in range(len(text.split()))]
        example = tagged(9, text, " ".join(tags))
        variant, *_ = changed("entity_type_swap", [example, *ITEMS], 0)
        assert (variant.reason, variant.edits) == ("no_site", ()), text


def test_nobody_stands_behind_a_preposition_of_place():
    example = tagged(9, "It rained in Nairobi .", "O O O B-LOC O")
    for seed in range(20):
        _, _, ((_, kind),) = changed("entity_type_swap", [example, *ITEMS], 0, seed)
        assert kind == "ORG"


def test_names_with_two_types_in_the_data_are_none():
    twice = tagged(7, "Nairobi won .", "B-ORG O O")
    names = OtherItems([*ITEMS, twice]).names
    assert names["GPE"] == ("Kenya",)
    assert "Nairobi" not in names["ORG"]


def test_what_is_declared_is_what_is_scored():
    swap, following = parse_recipe("entity_type_swap"), parse_recipe("concatenate")
    assert swap.effect(SPANS) == "sets"
    assert (swap.is_scored(SPANS), swap.is_scored(ONE_TEXT)) == (True, False)
    assert (following.is_scored(SPANS), following.is_scored(ARCS)) == (True, True)
    assert not following.is_scored(ONE_TEXT)


def test_a_plan_may_name_other_data(tmp_path):
    path = tmp_path / "other.conll"
    path.write_text("Rome\tB-LOC\nwon\tO\n\nHe\tO\nleft\tO\n", encoding="utf-8")
    given = {"items": f"conll:{path}"}
    assert with_items(given, ITEMS) is given
    starts = set()
    for seed in range(12):
        variant = perturb(
            ITEMS[4], "concatenate(count=1)", seed=seed, resources=given, task="token-tagging"
        )
        starts.add(variant.edits[0].text)
    assert starts == {" Rome won", " He left"}


def test_a_text_alone_has_no_others():
    assert load_resource("items").following("x", 3) == []
    assert perturb("It rained.", "concatenate", seed=0).reason == "unchanged"
    with pytest.raises(PlanError):
        load_resource("vectors")


def test_spans_of_a_second_field_do_not_come_along():
    pair = [Example(n, {"a": "x", "b": "y"}, (Span("b", 0, 1, "LOC"),)) for n in "12"]
    variant = perturb(
        pair[0],
        "concatenate(fields=a)",
        seed=0,
        resources=with_items({}, pair),
        task="token-tagging",
    )
    assert [s.field for s in variant.gold] == ["b"]


def test_no_space_stands_between_texts_of_a_script_without_any():
    items = [Example(str(n), {"text": text}, "x", language="zh") for n, text in enumerate("好大")]
    found = perturb(
        items[0], "concatenate(count=1)", seed=0, resources={"items": OtherItems(items)}
    )
    assert apply_edits(items[0], found.edits).text == "好大"


def test_a_name_that_stands_in_the_text_already_is_not_given_to_another():
    rows = [("Anna lives in Nairobi .", "B-PER O O B-LOC O"), ("Nairobi won .", "B-LOC O O")]
    items = [tagged(n, *row) for n, row in enumerate(rows)]
    given = {"items": OtherItems(items)}
    for seed in range(20):
        found = perturb(items[0], "entity_type_swap", seed=seed, resources=given)
        assert apply_edits(items[0], found.edits).text.count("Nairobi") <= 1
