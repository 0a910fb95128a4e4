"""Names and places that change together, and only where they are names and places."""

import re

import pytest

from scrutiny.core.example import Example, Span
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.recipe import recipe_of
from scrutiny.perturb.phrases.name_place_swap import NamePlaceSwap
from scrutiny.text.edits import apply_edits, apply_to_text
from scrutiny.text.entities import first_name_gender
from scrutiny.text.lexicon import countries, place_region


def changed(text, seed=0, **params):
    variant = perturb(Example("1", {"text": text}), recipe_of(NamePlaceSwap(**params)), seed=seed)
    return apply_to_text(text, variant.edits)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("text", "pattern", "gender"),
    [
        ("John said that he lost his book.", r"(\w+) said that she lost her book\.", "female"),
        ("John's dog barked.", r"(\w+)'s dog barked\.", "female"),
        ("Mark said so.", r"(\w+) said so\.", "female"),
        ("George Clooney and his brother left.", r"(\w+) Clooney and her sister left\.", "female"),
        ("Eddie George lost his way.", r"(\w+) George lost her way\.", "female"),
        ("Anna lost her book.", r"(\w+) lost his book\.", "male"),
    ],
)
def test_a_name_of_the_other_gender_with_its_pronouns(text, pattern, gender, seed):
    match = re.fullmatch(pattern, changed(text, seed, gender=gender))
    assert match is not None
    assert first_name_gender(match[1]) == gender


@pytest.mark.parametrize("seed", range(5))
def test_one_person_keeps_one_name_and_two_persons_two(seed):
    words = changed("David met Peter, and David left.", seed).replace(",", "").split()
    assert words[0] == words[4] != words[2]


@pytest.mark.parametrize("seed", range(5))
def test_places_move_to_the_region_and_keep_their_kind(seed):
    text = changed("I moved from London to Ireland, and London is far.", seed, change="place")
    match = re.fullmatch(r"I moved from ([^,]+) to ([^,]+), and ([^,]+) is far\.", text)
    assert match is not None
    assert match[1] == match[3]
    assert place_region(match[1]) == place_region(match[2]) == "Africa"
    assert match[2] in countries()
    assert match[1] not in countries()


@pytest.mark.parametrize("seed", range(5))
def test_the_article_goes_with_the_name_that_took_it(seed):
    text = changed("She went to the United States.", seed, change="place", region="Europe")
    assert re.fullmatch(r"She went to (?!the )[^,]+\.", text)


def test_annotations_follow_the_names():
    text = "Yesterday John Smith left."
    example = Example("1", {"text": text}, (Span("text", 10, 20, "PER"),))
    variant = perturb(example, recipe_of(NamePlaceSwap()), seed=1)
    after = apply_edits(example, variant.edits)
    (span,) = after.gold
    assert after.text[span.start : span.end].endswith(" Smith")
    assert first_name_gender(after.text[span.start : span.end].split()[0]) == "female"
    assert variant.gold == after.gold
