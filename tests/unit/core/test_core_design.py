from dataclasses import replace

import pytest

from scrutiny.core.design import EstimateSpec, Selector

TYPOS = {"change": "typos"}
DROP = EstimateSpec("d", "drop(accuracy)@1", TYPOS)
SIDES = ["before", "after"]


def test_records_of_each_side_follow_from_the_metric():
    found = DROP.reading([*SIDES, "control"])
    assert found.sides == {
        "before": Selector("baseline"),
        "after": Selector("measured", TYPOS),
        "control": Selector("control", TYPOS),
    }
    assert found.fallback == {"after": "before", "control": "before"}
    assert EstimateSpec("e", "accuracy@1", TYPOS).reading([""]).sides == {
        "": Selector("measured", TYPOS)
    }


@pytest.mark.parametrize("role", ["control", "null", "baseline"])
def test_a_side_of_an_estimates_own_has_its_role(role):
    found = replace(DROP, role=role).reading(SIDES)
    assert found.sides == {"before": Selector("baseline"), "after": Selector(role, TYPOS)}


def test_items_that_did_not_change_count_only_where_all_do():
    assert replace(DROP, group="changed").reading(SIDES).fallback == {}
    assert replace(DROP, fallback={}).reading(SIDES).fallback == {}
    assert DROP.reading(["after"]).fallback == {}


def test_a_stand_in_is_read_though_the_metric_does_not_need_it():
    found = replace(DROP, fallback={"": "before"}).reading([""])
    assert found.sides == {"": Selector("measured", TYPOS), "before": Selector("baseline")}


def test_draws_are_sides_of_their_own():
    found = replace(DROP, draws=2).reading([*SIDES, "control"])
    assert found.sides == {
        "before": Selector("baseline"),
        "after": Selector("measured", {**TYPOS, "draw": 0}),
        "after#1": Selector("measured", {**TYPOS, "draw": 1}),
        "control": Selector("control", {**TYPOS, "draw": 0}),
        "control#1": Selector("control", {**TYPOS, "draw": 1}),
    }


def test_what_is_stated_is_kept_and_other_names_have_to_be():
    stated = {"before": Selector("baseline", TYPOS)}
    found = replace(DROP, sides=stated).reading(SIDES)
    assert found.sides == {**stated, "after": Selector("measured", TYPOS)}
    assert found.reading(SIDES) == found
    assert DROP.reading(["first", "other"]).sides == {}
