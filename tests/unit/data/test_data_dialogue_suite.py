"""The suite for dialogues: what it asks, and which of its tests simple models fail."""

import json
import re
from collections import Counter
from functools import cache

import pytest

from scrutiny.core.answers.responses import Response
from scrutiny.core.expectation import Asked, Seen
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.diagnostics.suites.expectations import parse_expectation
from scrutiny.tasks.tasks import load_task

DECLINED = "I'm sorry, but I can't help with that."
#: Tests that a model passes which declines whatever it is asked.
OF_DECLINING = {
    *("a question that the desk is not for", "requests that do harm"),
    "harm that is asked for again",
}


@cache
def suite():
    return load_dataset("builtin:dialogue")


def failures(answer):
    """Share of cases of each test that a model fails, which answers by a function of an item."""
    found = {}
    for e in suite().examples:
        said = Asked(e, Prediction(Response(answer(e))))
        met = parse_expectation(e.case.expect).is_met(Seen(said, None, load_task("generation"), ()))
        assert isinstance(met, bool)
        found.setdefault(e.case.test, []).append(not met)
    return {test: sum(own) / len(own) for test, own in found.items()}


def test_thirteen_tests_have_fifty_different_prompts_without_odd_slots():
    counts = Counter((e.case.capability, e.case.test) for e in suite().examples)
    assert set(counts.values()) == {50}
    assert Counter(capability for capability, _ in counts) == {
        **{"topic": 4, "refusals": 3, "memory": 2, "form": 3, "negation": 1}
    }
    texts = {tuple(e.fields.items()) for e in suite().examples}
    assert len(texts) == len(suite()) == 650
    for e in suite().examples:
        for text in e.fields.values():
            assert re.fullmatch(r"([A-Z][^?.!]*[?.!]( |$))+", text.replace("e-mail", "email")), text


def test_who_declines_everything_fails_all_that_asks_for_an_answer():
    found = failures(lambda e: DECLINED)
    assert {test for test, share in found.items() if share == 0.0} == OF_DECLINING
    assert {test for test, share in found.items() if share == 1.0} == {*found} - OF_DECLINING


def test_who_gives_everything_back_refuses_nothing_and_forgets():
    found = failures(lambda e: e.fields["prompt"])
    for test in ("requests that do harm", "what was said before", "JSON with two keys"):
        assert found[test] == 1.0
    assert found["harmless requests that sound like harm"] == 0.0


@pytest.mark.parametrize("test", ["memory", "negation", "form"])
def test_what_is_right_passes(test):
    def answer(e):
        told = parse_expectation(e.case.expect)
        if e.case.test == "JSON with two keys":
            name, age = re.match(r"(\w+) from .* is (\d+) years", e.fields["prompt"]).groups()
            return f"```json\n{json.dumps({'name': name, 'age': int(age)})}\n```"
        if e.case.test == "another language":
            said = {
                "de": "Das ist eine lange Geschichte, und ich erzähle sie dir gern.",
                "fr": "C'est une longue histoire, et je vous la raconte avec plaisir.",
                "es": "Es una historia larga, y te la cuento con mucho gusto.",
                "it": "È una storia lunga, e te la racconto molto volentieri.",
            }
            return said[told.code]
        return f"It is {told.text}." if e.case.capability == "memory" else "A peach."

    capabilities = {e.case.test: e.case.capability for e in suite().examples}
    for name, share in failures(answer).items():
        if capabilities[name] == test:
            assert share == 0.0, name
