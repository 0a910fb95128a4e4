"""Texts and what the transformations that need a lexicon make of them, by hand."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.recipe import Recipe, step_of
from scrutiny.text.edits import apply_to_text

CASES = Path(__file__).parent / "cases"
NAMES = ("antonym_swap", "name_place_swap", "reverse_negation", "synonym_wordnet", "tense")


def _cases():
    for name in NAMES:
        for case in json.loads((CASES / f"{name}.json").read_text(encoding="utf-8")):
            yield pytest.param(name, case, id=f"{name}: {case['text']}")


@pytest.mark.parametrize(("name", "case"), list(_cases()))
def test_a_text_turns_into_one_of_those_written_down(name, case):
    transformation = registry().load("transformation", name)(**case["params"])
    step = step_of(transformation, intensity=replace(transformation.intensity, share=1.0))
    made = set()
    for seed in range(6):
        example = Example("1", {"text": case["text"]})
        one = replace(step.intensity, most=1)
        variant = perturb(example, Recipe((replace(step, intensity=one),)), seed=seed)
        assert variant.status in ("ok", "skipped"), (variant.status, variant.reason)
        made.add(apply_to_text(case["text"], variant.edits))
    assert made <= set(case["one_of"]), case["why"]


@pytest.mark.parametrize("name", NAMES)
def test_there_are_ten_cases_at_least(name):
    assert len(json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))) >= 10
