"""Texts and what the transformations of the surface make of them, by hand."""

import json
import re
from pathlib import Path

import pytest

from scrutiny.core.example import Example
from scrutiny.perturb.engine.apply import perturb
from scrutiny.text.edits import apply_to_text

CASES = Path(__file__).parent / "cases"
NAMES = (
    "add_fact",
    "add_sentence",
    "ambiguous_word",
    "append_irrelevant",
    "contraction",
    "double_denial",
    "drop_sentence",
    "keyboard",
    "known_name_swap",
    "number_swap",
    "ocr",
    "passive",
    "prefix_swap",
    "punctuation",
    "sentence_order",
    "social_media",
    "spelling_error",
    "tautology",
    "typos",
    "word_case",
)


def read(name):
    return json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))


def outputs(case, seeds):
    """Texts and statuses that come out under several seeds."""
    example = Example("1", {"text": case["text"]})
    for seed in range(seeds):
        variant = perturb(example, case["recipe"], seed=seed)
        yield apply_to_text(case["text"], variant.edits), variant.status


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=f"{c['recipe']}: {c['text']}") for name in NAMES for c in read(name)],
)
def test_a_text_turns_into_what_is_written_down(case):
    if case["recipe"] == "passive":
        pytest.importorskip("spacy")
    status = case.get("status", "ok")
    made = set()
    for text, found in outputs(case, 400 if "reaches" in case else 12):
        assert found == status, (text, found)
        made.add(text)
    if status == "ok":
        assert case["text"] not in made
    if "one_of" in case:
        assert made <= set(case["one_of"]), case["why"]
    if "matches" in case:
        assert all(re.fullmatch(case["matches"], text) for text in made), (made, case["why"])
    assert made.issuperset(case.get("reaches", ())), case["why"]


@pytest.mark.parametrize("name", NAMES)
def test_there_are_ten_cases_at_least(name):
    assert len(read(name)) >= 10
