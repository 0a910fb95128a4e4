"""Changes of texts with clusters: mentions are words as others, and what is lost has a name."""

import pytest

from scrutiny.core.answers.clusters import CLUSTERS, clusters_of
from scrutiny.core.example import Example, Span
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.control_material import Ground
from scrutiny.perturb.engine.document import TextDocument, tokens_where
from scrutiny.text.edits import apply_edits
from scrutiny.text.tokens import token_spans

TEXT = (
    "Elizabeth Bennet did not see her dearest aunt in the big city yesterday . She had walked "
    "to the large house of her old friend , and he did not open the heavy door for 20 minutes ."
)
BENNET, HER, AUNT, SHE, HIS = (0, 16), (29, 32), (29, 45), (74, 77), (113, 127)
GOLD = clusters_of("text", [[BENNET, HER, SHE], [AUNT], [HIS]])
ITEM = Example("1", {"text": TEXT}, GOLD, tokens={"text": tuple(token_spans(TEXT))})
DOCUMENT = TextDocument(ITEM, "text")


def changed(recipe, seed=0):
    variant = perturb(ITEM, recipe, seed=seed, task="coreference")
    return variant, apply_edits(ITEM, variant.edits)


ASKED = (
    "contraction insert_adverb keyboard ocr punctuation social_media spelling_error "
    "synonym_wordnet tense(unit=sentence) typos typos(share=1) word_case"
)


@pytest.mark.parametrize("recipe", ASKED.split())
def test_clusters_follow_what_an_audit_asks(recipe):
    variant, after = changed(recipe)
    if variant.status == "ok":
        assert CLUSTERS.check(variant.gold, after) is None
        assert variant.gold == after.gold
        assert list(map(len, variant.gold.clusters)) == list(map(len, GOLD.clusters))
    else:
        assert (recipe, variant.reason) == ("contraction", "crosses_span")


def test_words_of_mentions_are_changed_as_others_are():
    every = range(len(DOCUMENT.tokens))
    assert tokens_where(DOCUMENT, "around") == list(every)
    inside = tokens_where(DOCUMENT, "within")
    assert {DOCUMENT.words[i] for i in inside} >= {"Elizabeth", "dearest", "She"}
    assert 0 < len(inside) < len(every)
    _, after = changed("typos(share=1)")
    start, end = after.gold.clusters[0][0]
    assert after.text[start:end] != "Elizabeth Bennet"


def test_annotations_besides_the_answer_are_still_left_alone():
    name = Span("text", 0, 9, "PER")
    document = TextDocument(Example("1", {"text": TEXT}, GOLD, spans=(name,)), "text")
    assert 0 not in tokens_where(document, "around")
    assert 1 in tokens_where(document, "around")


def test_random_words_do_not_take_the_place_of_mentions():
    free = {DOCUMENT.words[i] for i in Ground(DOCUMENT, "around").free}
    assert "walked" in free
    assert free.isdisjoint({"Elizabeth", "She", "aunt"})


@pytest.mark.parametrize(
    "recipe", ["append_irrelevant", "entity_swap", "mention_swap", "tautology"]
)
def test_what_brings_or_parts_mentions_leaves_no_gold_answer(recipe):
    variant, _ = changed(recipe)
    assert variant.gold is None


def test_a_change_that_makes_two_mentions_one_is_refused_by_name():
    """And where another place can be changed, that one is."""
    gold = clusters_of("text", [[(0, 8)], [(4, 8)]])
    alone, more = (Example("1", {"text": t}, gold) for t in ("old Anna", "old Anna slept"))
    reasons, texts = set(), set()
    for seed in range(20):
        reasons.add(perturb(alone, "delete_word", seed=seed, task="coreference").reason)
        found = perturb(more, "delete_word", seed=seed, task="coreference")
        texts.add(apply_edits(more, found.edits).text)
    assert reasons == {"merged_mentions", "crosses_span"}
    assert texts == {"old Anna"}
