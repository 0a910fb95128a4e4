"""Trees of UD English EWT outlive nearly every change, and the rest is lost by name."""

import runpy
from collections import Counter
from pathlib import Path

import pytest

from scrutiny.core.answers.words import ROOT, WORDS
from scrutiny.core.facts import ARCS
from scrutiny.core.languages import speaks
from scrutiny.core.registry import registry
from scrutiny.data.dataset import load_dataset
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.resources.loading import RESOURCES
from scrutiny.text.edits import apply_edits

TOOL = runpy.run_path(str(Path(__file__).parents[3] / "tools" / "transformation_table.py"))
FILE = "en_ewt-ud-dev.conllu"
LEAST = dict.fromkeys(
    ("contraction@1", "insert_adverb@1", "delete_word@1", "reverse_negation@1"), 0.95
)
# the tags that the data state are not always those of the tagger, which a bare text has
LEAST |= {"ambiguous_word@1": 0.9, "prefix_swap@1": 0.9, "double_denial@1": 0.9}
# other words in another order; titles and names of another form
NO_TREE = {"back_translation@1", "known_name_swap@1", "entity_type_swap@1"}
LOST = {
    "`split_word`",
    "`new_word`",
    "`regrouped_words`",
    "`merged_phrases`",
    "`lost_head`",
    "`no_site`",
}
NAMES = [
    name
    for name in registry().names("transformation")
    if speaks(registry().load("transformation", name).languages, "en")
    and all(RESOURCES[r].default for r in parse_recipe(name).resources)
    and name not in NO_TREE
    and parse_recipe(name).is_scored(ARCS)
]


@pytest.fixture(params=[("", 50), ("#spacing=raw", 75)], ids=["spaced", "as written"])
def sentences(request, shared_data):
    spacing, limit = request.param
    path = shared_data("ud_english_ewt") / FILE
    return load_dataset(f"conllu:{path}{spacing}", limit=limit).examples


@pytest.mark.data("ud_english_ewt")
def test_nearly_all_sentences_that_change_keep_their_tree(sentences):
    assert len(NAMES) > 25
    recipes = [parse_recipe(name) for name in NAMES]
    for name, found in TOOL["found"]("dependency-arcs", sentences, recipes, {}).items():
        assert found.carried >= LEAST.get(name, 0.99) * found.changed, name
        assert set(found.lost) <= LOST, name
    assert all(recipe.keeps("arcs") for recipe in recipes)


@pytest.mark.data("ud_english_ewt")
def test_what_comes_out_is_a_tree_of_the_same_words(sentences):
    """Every old word keeps its relation, and its head is the word that it was."""
    seen = Counter()
    for name in NAMES:
        recipe = parse_recipe(name)
        for example in sentences[:25]:
            variant = perturb(example, recipe, seed=1, task="dependency-arcs")
            if variant.status != "ok":
                continue
            after, gold = apply_edits(example, variant.edits), variant.gold
            assert WORDS.check(gold, after) is None
            new = Counter(gold.relations)
            new.subtract(example.gold.relations)
            brought = sum(count for count in new.values() if count > 0)
            gone = -sum(count for count in new.values() if count < 0)
            assert len(gold.borders) == len(example.gold.borders) + brought - gone
            seen[name, brought > 0, gone > 0] += 1
            roots = gold.heads.count(ROOT)
            assert roots == example.gold.heads.count(ROOT)
            for word in range(len(gold.heads)):
                steps = 0
                while word is not None and word != ROOT:
                    word, steps = gold.heads[word], steps + 1
                    assert steps <= len(gold.heads)
    with_new = {name for name, is_brought, _ in seen if is_brought}
    assert {"insert_adverb@1", "punctuation@1", "social_media@1", "split_word@1"} <= with_new
    assert {name for name, *both in seen if both == [False, True]} >= {"delete_word@1"}
