"""Contrasts of models whose training missed the goal that they presuppose."""

import json

import pytest

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import EstimateSpec
from scrutiny.core.model import Family, Replicate
from scrutiny.reliability.assignment import Assignment, PlacedContrast
from scrutiny.run.planning.presuppositions import _trained, refused_on_goals

GOAL = {
    "name": "larger above smaller",
    "of": "large",
    "beside": ["small"],
    "is_reached": False,
    "found": "-.016",
}


@pytest.fixture
def families(tmp_path):
    """Make families, each of one checkpoint with a record, or trained from one that has it."""
    _trained.cache_clear()

    def make(goal=GOAL, **trained_from):
        found = {}
        for name in ("large", "small", "other"):
            folder = tmp_path / name
            folder.mkdir(exist_ok=True)
            record = {"gates": {}, "family": name, "goals": [goal] if goal else []}
            (folder / "competence.json").write_text(json.dumps(record))
            found[name] = family(name, folder)
        for name, base in trained_from.items():
            folder = tmp_path / name
            folder.mkdir()
            text = json.dumps({"base": {"source": f"hf:{tmp_path / base}"}})
            (folder / "training.json").write_text(text)
            found[name] = family(name, folder)
        return found

    return make


def family(name, folder):
    return Family(name, f"hf:{folder}", (Replicate(f"hf:{folder}", {"seed": "1"}),))


def side(subject, reference=None):
    spec = EstimateSpec("e", "accuracy@1")
    return Assignment.of(
        spec,
        measure="m",
        kind="d@1#1",
        subject=subject,
        dataset="x",
        measures=(),
        reference=reference,
    )


def refused(families, a, b):
    """Why a claim on the difference of two sides is refused; one on something else is not."""
    claims = [Claim(name, "says", components=(Component(name, 0.0),)) for name in ("gain", "own")]
    contrasts = [PlacedContrast("gain", side(*a), side(*b), is_paired=True)]
    gain, own = refused_on_goals(claims, contrasts, families)
    assert own.refused == ""
    return gain.refused


def test_a_missed_goal_refuses_the_contrast_whichever_side_is_subtracted(families):
    made = families()
    for a, b in (("large", "small"), ("small", "large")):
        assert refused(made, (a,), (b,)) == (
            "large and small differ in how much they learned: the goal 'larger above smaller' of "
            "their competence records is missed (-.016)"
        )


def test_a_reached_goal_and_other_contrasts_do_not(families):
    assert refused(families(), ("large",), ("other",)) == ""
    assert refused(families(), ("large",), ("large",)) == ""
    assert refused(families(), ("large", "other"), ("large", "other")) == ""
    _trained.cache_clear()
    assert refused(families({**GOAL, "is_reached": True}), ("large",), ("small",)) == ""
    _trained.cache_clear()
    assert refused(families(None), ("large",), ("small",)) == ""


def test_both_directions_of_two_models_are_one_reason(families):
    said = refused(families(), ("small", "large"), ("large", "small"))
    assert said.count("is missed") == 1


def test_references_are_contrasted_as_well(families):
    assert "is missed" in refused(families(), ("other", "large"), ("other", "small"))


def test_what_was_fine_tuned_has_the_goals_of_its_base(families):
    made = families(tuned_large="large", tuned_small="small")
    said = refused(made, ("tuned_large",), ("tuned_small",))
    assert said.startswith("tuned_large and tuned_small differ in how much they learned")


def test_models_without_a_record_are_contrasted(families):
    toys = {n: Family(n, n, (Replicate(f"builtin:sentiment/seed-{n}"),)) for n in "12"}
    assert refused(families() | toys, ("1",), ("2",)) == ""
