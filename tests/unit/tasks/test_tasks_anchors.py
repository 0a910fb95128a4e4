"""Texts that no change may touch: whole columns, and anchors where they stand in others."""

import pytest

from scrutiny.core.example import Span
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.recipes.attack import given_to_attacks
from scrutiny.tasks.classification import Classification
from scrutiny.tasks.tasks import LABEL, TEXT, load_task, text_role


class Stance(Classification):
    """A text, what it is about, and for or against."""

    name = "stance"
    roles = (TEXT, text_role("topic", "column of the topic", is_anchor=True), LABEL)


def item(text, topic="tax"):
    return Stance().parse({"text": text, "topic": topic, "label": "for"}, source="x:1")


@pytest.mark.parametrize(
    ("text", "topic", "places"),
    [
        ("The tax is fair, and taxes pay. TAX!", "tax", [(4, 7), (32, 35)]),
        ("No word of it.", "tax", []),
        ("Battery  life is short.", "battery life", [(0, 13)]),
        ("这里的服务很好", "服务", [(3, 5)]),
        ("c++ or C++?", "c++", [(0, 3), (7, 10)]),
    ],
)
def test_an_anchor_is_closed_wherever_it_stands(text, topic, places):
    found = item(text, topic).protected
    assert found[0] == Span("topic", 0, len(topic))
    assert [(one.start, one.end) for one in found[1:]] == places


def test_other_tasks_close_nothing():
    task = load_task("text-pair-classification")
    assert task.parse({"text": "a", "text_pair": "a", "label": "b"}, source="x").protected == ()


@pytest.mark.parametrize(
    "recipe", ["append_irrelevant", "typos(share=1)", "word_case(case=upper)", "delete_word"]
)
def test_changes_leave_an_anchor_alone(recipe):
    one = item("All in all the tax is fair to those who have to pay the tax every year .")
    for seed in range(5):
        variant = perturb(one, recipe, seed=seed)
        assert variant.status == "ok"
        assert {edit.field for edit in variant.edits} == {"text"}
        for edit in variant.edits:
            assert not any(s.start < edit.end and edit.start < s.end for s in one.protected[1:])


def test_a_change_of_a_closed_text_alone_has_no_place():
    variant = perturb(item("The tax is fair."), "typos(fields=topic)", seed=0)
    assert (variant.status, variant.reason) == ("skipped", "no_site")


def test_attacks_are_given_the_fields_that_may_change():
    assert given_to_attacks((), Stance()).fields == ("text",)
    assert given_to_attacks((), Stance()).last_field == ()
    assert given_to_attacks((), load_task("text-pair-classification")).last_field == ("text_pair",)
