"""Entities renamed throughout a text: shape, casing, spans, and what stands beside them."""

import os
from functools import cache
from pathlib import Path

import pytest

from scrutiny.core.example import Example, Span
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.recipe import recipe_of
from scrutiny.perturb.phrases.entity_swap import EntitySwap
from scrutiny.text.edits import apply_edits
from scrutiny.text.entities import entity_label, first_name_gender
from scrutiny.text.lexicon import cities, countries, listed

DATA = Path(os.environ.get("SCRUTINY_DATA", Path(__file__).parents[4] / "shared" / "data"))


def example(text, *entities):
    """Example with the first or a further occurrence of each (surface, label) annotated."""
    spans, done = [], 0
    for surface, label in entities:
        start = text.index(surface, done)
        done = start + len(surface)
        spans.append(Span("text", start, done, label))
    return Example("1", {"text": text}, tuple(spans))


def swapped(given, seed=0):
    variant = perturb(given, recipe_of(EntitySwap()), seed=seed)
    after = apply_edits(given, variant.edits)
    return variant, after, [after.text[s.start : s.end] for s in after.gold]


CASES = [
    ("I live in Dublin.", [("Dublin", "LOC")], [cities()]),
    ("I live in Ireland.", [("Ireland", "LOC")], [countries()]),
    ("I live in Ireland.", [("Ireland", "GPE")], [countries()]),
    ("She works for Google.", [("Google", "ORG")], [listed("organizations")]),
    ("She works for Google.", [("Google", "corporation")], [listed("organizations")]),
    ("Then Smith left.", [("Smith", "person")], [listed("last_names")]),
    ("Dublin is wet.", [("Dublin", "LOC")], [cities()]),  # at the head of a sentence
    ("\u201cDublin\u201d, he said", [("Dublin", "LOC")], [cities()]),  # between quotes
    ("Dublin's rain", [("Dublin", "LOC")], [cities()]),  # the possessive stays
    ("from Dublin, Ireland", [("Dublin", "LOC"), ("Ireland", "LOC")], [cities(), countries()]),
    ("Google sued Apple .", [("Google", "ORG"), ("Apple", "ORG")], [listed("organizations")] * 2),
    ("Smith met Jones", [("Smith", "PER"), ("Jones", "PER")], [listed("last_names")] * 2),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("text", "entities", "tables"), CASES)
def test_a_name_of_the_same_kind_with_the_old_label(text, entities, tables, seed):
    given = example(text, *entities)
    variant, after, names = swapped(given, seed)
    assert variant.status == "ok"
    for name, (surface, label), table, span in zip(
        names, entities, tables, after.gold, strict=True
    ):
        assert name in table
        assert name != surface
        assert span.label == label
    start, end = given.gold[0].start, given.gold[-1].end
    assert after.text[:start] == text[:start]
    assert after.text[after.gold[-1].end :] == text[end:]


@pytest.mark.parametrize("seed", range(5))
def test_first_names_keep_their_gender_and_the_person_its_parts(seed):
    text = "John Smith left. Later Smith came back, and John slept."
    given = example(text, ("John Smith", "PER"), ("Smith", "PER"), ("John", "PER"))
    names = swapped(given, seed)[2]
    first, last = names[0].split(" ", 1)
    assert names[1:] == [last, first]
    assert first_name_gender(first) == "male"


def test_the_casing_of_the_mention_is_kept():
    lower = swapped(example("i love dublin", ("dublin", "LOC")))[2][0]
    upper = swapped(example("I LOVE DUBLIN", ("DUBLIN", "LOC")))[2][0]
    assert lower.islower()
    assert upper.isupper()


def test_adjacent_entities_survive_and_others_stay_as_they_are():
    text = "Jack Chen Paris Java"
    given = example(text, ("Jack Chen", "PER"), ("Paris", "LOC"), ("Java", "product"))
    _, after, names = swapped(given)
    assert [s.label for s in after.gold] == ["PER", "LOC", "product"]
    assert names[2] == "Java"
    assert after.text == " ".join(names)


def test_the_article_goes_with_the_place_that_took_it():
    _, after, names = swapped(example("In the Netherlands.", ("Netherlands", "LOC")))
    assert after.text == f"In {names[0]}."


def test_without_entities_there_is_nothing_to_do():
    variant = perturb(Example("1", {"text": "nothing here"}, ()), "entity_swap", seed=0)
    assert (variant.status, variant.reason) == ("skipped", "no_site")


def test_a_finder_serves_where_nothing_is_annotated():
    class Finder:
        def entities(self, text):
            start = text.index("Dublin")
            return [Span("text", start, start + 6, "LOC")]

    given = Example("1", {"text": "I left Dublin."})
    variant = perturb(given, "entity_swap", seed=0, resources={"entities": Finder()})
    assert variant.edits[0].text in cities()


@pytest.mark.parametrize(
    ("label", "kind"), [("B-PER", "PER"), ("geo-loc", "LOC"), ("company", "ORG"), ("date", None)]
)
def test_labels_of_common_taggings(label, kind):
    assert entity_label(label) == kind


@cache
def wnut():
    """Sentences with entities."""
    return [one for one in read_wnut() if one.gold]


def read_wnut():
    path = DATA / "wnut17" / "emerging.test.annotated"
    if not path.is_file():
        pytest.skip("needs SCRUTINY_DATA/wnut17")
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line.strip()]
        words, tags = [r[0] for r in rows], [r[-1] for r in rows]
        tokens, place = [], 0
        for word in words:
            tokens.append((place, place + len(word)))
            place += len(word) + 1
        spans = []
        for (start, end), tag in zip(tokens, tags, strict=True):
            if tag.startswith("B-"):
                spans.append(Span("text", start, end, tag[2:]))
            elif tag.startswith("I-") and spans:
                spans[-1] = spans[-1]._replace(end=end)
        text = " ".join(words)
        if text:
            yield Example(
                str(len(text)), {"text": text}, tuple(spans), tokens={"text": tuple(tokens)}
            )


@pytest.mark.parametrize(
    "recipe",
    [
        "entity_swap",
        "synonym_wordnet",
        "insert_adverb",
        "tense(unit=sentence)",
        "reverse_negation(plain=false)",
    ],
)
def test_on_wnut17_every_entity_that_no_edit_touches_stays_as_it_was(recipe):
    count = 0
    for given in wnut():
        variant = perturb(given, recipe, seed=0)
        if variant.status != "ok":
            continue
        after = apply_edits(given, variant.edits)
        assert [s.label for s in after.gold] == [s.label for s in given.gold]
        for old, new in zip(given.gold, after.gold, strict=True):
            touched = any(e.start < old.end and old.start < e.end for e in variant.edits)
            if not touched:
                assert after.text[new.start : new.end] == given.text[old.start : old.end]
                count += 1
    assert count > 100


@pytest.mark.parametrize(
    "text",
    ["He crossed the Gulf of Mexico.", "The Olympic Committee met.", "ROME (Reuters) - It rained."],
)
def test_what_the_finder_sees_in_a_longer_name_or_a_dateline_stays(text):
    variant = perturb(Example("1", {"text": text}), recipe_of(EntitySwap()), seed=0)
    assert variant.edits == ()


def test_a_country_becomes_a_country_and_no_province():
    given = example("It rained in Ireland.", ("Ireland", "LOC"))
    names = {swapped(given, seed)[2][0] for seed in range(40)}
    assert names & {"Peru", "Kenya", "Spain", "Japan", "Chile"} or len(names) > 10
    assert not names & {"Ontario", "Tripura", "Saxony", "Bavaria", "Florida"}


def test_spans_that_are_no_names_hide_none():
    """An aspect states nothing of names, right answers of all of them, of whatever types."""
    aspect = (Span("text", 12, 16, "aspect"),)
    text = "Ida said the food in Nairobi was good."
    given = Example("1", {"text": text}, "positive", spans=aspect)
    variant = perturb(given, "entity_swap", seed=0, task="aspect-sentiment")
    assert "Nairobi" not in apply_edits(given, variant.edits).text
    tagged = example("Red Rum ran in Nairobi.", ("Red Rum", "WORK_OF_ART"))
    assert perturb(tagged, "entity_swap", seed=0, task="token-tagging").edits == ()
