"""Recipes of changes that say what is right afterwards, alone and beside others."""

import pytest

from scrutiny.core.answers.texts import Extract, Text
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.tasks.aspects import AspectSentiment
from scrutiny.tasks.tasks import load_task


@pytest.mark.parametrize("recipe", ["same_mention+same_mention", "number_clash+antonym_clash"])
def test_two_of_them_are_refused(recipe):
    with pytest.raises(PlanError, match="two of its steps say what is right"):
        parse_recipe(recipe)


def test_where_it_cannot_tell_there_is_no_right_answer():
    example = Example("1", {"text": "Maria sleeps here."}, Text("Maria schläft."))
    edits = perturb(example, "same_word", seed=0).edits
    recipe, facts = parse_recipe("same_word"), load_task("translation").facts
    assert recipe.new_gold(example.gold, facts, example, edits) is not None
    assert recipe.new_gold(Text("Sie schläft."), facts, example, edits) is None


def test_an_opinion_turned_round_is_so_whatever_its_share():
    row = {"text": "Good food.", "aspect": "food", "opinions": [[0, 4]], "label": "positive"}
    item = AspectSentiment().parse(row, source="x")
    turned = perturb(item, "reverse_opinion(share=0.5)", seed=0, task="aspect-sentiment")
    assert turned.gold == "negative"


def test_no_answer_is_right_of_another_question():
    step = parse_recipe("other_question(share=1)").steps[0]
    example = Example("1", {"question": "Who?", "context": "Ada."}, Extract("Ada"))
    assert step.transformation.gold_after(example.gold, example, ()) == Extract("")
