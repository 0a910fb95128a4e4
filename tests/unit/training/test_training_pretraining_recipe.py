from dataclasses import replace

import pytest

from scrutiny.core.errors import PlanError
from scrutiny.training.pretraining.recipe import Phase, PretrainingRecipe, read_recipe, recipe_from


def test_learning_rate_rises_and_falls_to_nothing():
    recipe = PretrainingRecipe(steps=100, warmup=0.1, learning_rate=1.0)
    rates = [recipe.learning_rate_at(step) for step in range(100)]
    assert rates[0] == pytest.approx(0.1)
    assert max(rates) == rates[9] == 1.0
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[-1] == pytest.approx(1 / 90)


def test_a_run_of_one_step_has_a_rate():
    assert PretrainingRecipe(steps=1).learning_rate_at(0) > 0


def test_phases_follow_each_other():
    recipe = PretrainingRecipe(steps=10, phases=(Phase(0.3, 16, 8), Phase(1.0, 32, 4)))
    assert [recipe.phase_of(step).length for step in range(10)] == [16] * 3 + [32] * 7


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("heads", 3, "no multiple of heads"),
        ("steps", 0, "positive"),
        ("phases", (Phase(0.5, 16, 4),), "the last at 1"),
        ("phases", (Phase(1.0, 16, 4), Phase(0.5, 16, 4)), "rising"),
        ("phases", (Phase(1.0, 999, 4),), "positions"),
        ("masked_share", 0.0, "masked_share"),
        ("masking", "whole", "dynamic or static"),
        ("precision", "fp8", "bf16 or fp32"),
    ],
)
def test_what_does_not_fit_is_said(field, value, says):
    with pytest.raises(PlanError, match=says):
        replace(PretrainingRecipe(), **{field: value})


def test_fields_come_from_toml(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text("layers = 2\nphases = [[0.5, 16, 8], [1.0, 32, 4]]\nbetas = [0.8, 0.9]\n")
    recipe = read_recipe(path)
    assert (recipe.layers, recipe.phases[1], recipe.betas) == (2, Phase(1.0, 32, 4), (0.8, 0.9))
    assert recipe.hidden == PretrainingRecipe().hidden


def test_json_reads_back():
    recipe = PretrainingRecipe(layers=3)
    assert recipe_from(recipe.to_json()) == recipe


@pytest.mark.parametrize("content", ["layer = 2", "layers = ", "phases = [[1.0]]"])
def test_a_wrong_file_names_what_is_wrong(tmp_path, content):
    path = tmp_path / "recipe.toml"
    path.write_text(content)
    with pytest.raises(PlanError):
        read_recipe(path)


def test_an_unknown_field_lists_the_known():
    with pytest.raises(PlanError, match=r"no field 'layer'.*layers"):
        recipe_from({"layer": 2})
