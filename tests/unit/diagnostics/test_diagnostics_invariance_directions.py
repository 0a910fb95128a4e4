"""Both directions of shared invariances as one claim, with the control in it."""

from dataclasses import replace

import pytest
from design_inputs import inputs_of
from toy_invariance import Constant, Linear, rows, swapping

from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.registry import registry
from scrutiny.diagnostics.invariance.scope_capabilities import ScopeParams
from scrutiny.diagnostics.invariance.shared_invariance import SharedInvariance
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve

TASK = registry().load("task", "text-classification")()
A = Linear(0)
PARAMS = {"capabilities": ["word"], "trials": 2, "candidates": 12}


def design(params=None, **known):
    known = {"subject": "b", "reference": "a", "chance": 0.5, **known}
    return SharedInvariance().design(params or ScopeParams(), inputs_of(TASK, **known))


def both_ways(models):
    """Plan that measures the first beside the second, and the other way round."""
    first, second = models
    one = MeasurePlan("one", "invariance.scope", (second,), ("x",), PARAMS, reference=first)
    return Plan(
        resampling=Resampling(draws=300),
        data=(DataPlan("x", "object:x"),),
        models=tuple(ModelPlan(name, f"python:object:{name}") for name in models),
        measure=(one, replace(one, id="two", models=(first,), reference=second)),
    )


@pytest.fixture
def found(tmp_path, monkeypatch):
    """Findings and contrasts of both directions, by identifier."""
    swapping(monkeypatch)

    def run(**models):
        plan, data = both_ways(tuple(models)), rows(A, 120, noise=0.1)
        resolved = resolve(plan, data={"x": data}, models=models)
        folder = run_plan(resolved, tmp_path / "out", models=models)
        contrasts = [e for e in folder.estimates() if e.key.role == "contrast"]
        differences = {e.key.metric: e for e in contrasts if "-" in str(e.key.condition)}
        values = {
            (e.key.metric, e.key.subject): e.value
            for e in folder.estimates()
            if not e.key.condition.get("reference")
        }
        claims = {f.claim.id: f for f in folder.findings() if "/less/" in f.claim.id}
        return claims, differences, values

    return run


def test_only_the_first_direction_claims_it_and_not_where_losses_are_claimed():
    assert not design().contrasts
    made = design(is_first_way=True)
    assert [c.id for c in made.claims if c.family == "less"] == ["less/synonym/1", "less/typo/1"]
    assert {(c.minus, c.is_paired) for c in made.contrasts} == {("exchanged", True)}
    assert "less" in made.families
    kept = design(ScopeParams(loss=0.02), is_first_way=True)
    assert {c.minus for c in kept.contrasts} == {"reference"}


def test_it_says_who_shares_less_by_how_much_and_beyond_which_control():
    claim = next(c for c in design(is_first_way=True).claims if c.family == "less")
    assert claim.says == (
        "synonym in 1 place: b shares less of the invariances of a than the other way round, "
        "by 2 points"
    )
    raw, beyond = claim.components
    assert (raw.estimate, raw.operator, raw.limit) == ("less/hard/synonym/1", "<", -0.02)
    assert (beyond.estimate, beyond.against) == ("less/lift/synonym/1", "control: random change")
    assert [name for name, _ in claim.competence] == ["level", "level_reference", "entropy"]


def test_it_is_the_difference_of_both_directions_on_the_same_items(found):
    claims, differences, values = found(a=A, b=Linear(1, like=A, share=0.8, scale=3.0))
    (finding,) = claims.values()
    for metric in ("hard_scope@1", "scope_lift@1"):
        one = differences[metric]
        assert one.value == pytest.approx(values[metric, "b"] - values[metric, "a"])
        assert one.low < one.value < one.high
        assert one.n_units == 120
        assert one.key.condition["reference"] == "a - b"
    assert finding.estimate.key.metric == "hard_scope@1"
    assert finding.control.key.metric == "scope_lift@1"
    assert finding.verdict in ("undecided", "not supported")


def test_a_model_that_only_answers_alike_shares_everything_and_the_control_refuses_it(found):
    claims, differences, _ = found(constant=Constant(5), a=A)
    (finding,) = claims.values()
    # the constant keeps every answer of a, and a keeps fewer of its: hard alone would say so
    assert differences["hard_scope@1"].high < -0.02
    assert finding.verdict == "refused"
    assert "no skill" in finding.reason
