"""Claims that compare two families are refused for a checkpoint of either."""

import json
from dataclasses import replace

import pytest

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design
from scrutiny.core.model import Family, Replicate
from scrutiny.core.plan import ModelPlan
from scrutiny.run.planning.design_numbers import PlacedDesign
from scrutiny.run.planning.plan_claims import _named
from scrutiny.run.planning.presuppositions import _gates_of

CLAIM = Claim(
    "C5", "says", "heads", (Component("control/f1", 0.02),), gates=("task_skill",), family="x"
)
MODELS = {
    "tuned": ModelPlan("tuned", "hf:tuned", base="base"),
    "control": ModelPlan("control", "hf:control", role="control", control_of="tuned", base="base"),
    "other": ModelPlan("other", "hf:other", role="control", control_of="else"),
    "base": ModelPlan("base", "hf:base"),
}


@pytest.fixture
def places(tmp_path):
    """Make places of families, each of which has passed the gate or not."""

    def make(**passed):
        _gates_of.cache_clear()
        return [_place(tmp_path, name, ok=ok) for name, ok in passed.items()]

    return make


def _place(folder, name, *, ok):
    where = folder / name
    where.mkdir()
    if ok is not None:
        (where / "competence.json").write_text(json.dumps({"gates": {"task_skill": ok}}))
    family = Family(name, MODELS[name].source, (Replicate(f"hf:{where}", {"seed": "1"}, {}),))
    contrasts = (
        ContrastSpec("control/f1", "f1", "f1", minus="control"),
        ContrastSpec("base/f1", "f1", "f1", minus="base"),
    )
    return PlacedDesign(
        measure="heads",
        model=MODELS[name],
        kind="heads@1#1",
        family=replace(family, role=MODELS[name].role),
        dataset="cd",
        within={},
        measures=(),
        unit="item",
        design=Design(contrasts=contrasts),
    )


def refused(everywhere, claim=CLAIM):
    return _named(claim, everywhere[0], everywhere).refused


def test_it_stands_where_both_have_passed(places):
    assert refused(places(tuned=True, control=True, other=False, base=None)) == ""


def test_it_is_refused_for_its_own_family(places):
    said = refused(places(tuned=False, control=True))
    assert said == 'below the gate \'task_skill\' of the competence record: {"seed":"1"}'


def test_it_is_refused_for_the_family_that_it_is_compared_with(places):
    assert refused(places(tuned=True, control=False)).startswith("control: below the gate")


def test_only_families_of_its_own_comparisons_count(places):
    against_base = replace(CLAIM, components=(Component("base/f1", 0.02),))
    everywhere = places(tuned=True, control=False, base=None)
    assert refused(everywhere, against_base) == ""
    assert refused(everywhere, replace(CLAIM, gates=())) == ""


@pytest.mark.parametrize(("ok", "gates"), [(True, ("task_skill",)), (None, ())])
def test_it_keeps_the_gates_that_its_family_has_on_record(places, ok, gates):
    everywhere = places(tuned=ok)
    assert _named(CLAIM, everywhere[0], everywhere).gates == gates
