"""Plans made in Python: every value is of the type that its field declares, or is named."""

from dataclasses import replace

import pytest

from scrutiny.core.boundary.given import must_be_declared
from scrutiny.core.claim import Claim, Component
from scrutiny.core.errors import PlanError
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.published import PublishedPlan

PLAN = Plan(
    data=(DataPlan("x", "csv:x.csv", limit="3:9"),),
    models=(ModelPlan("m", "hf:m", seeds=(1, 2), labels={"a": "b"}),),
    measure=(MeasurePlan("d", "performance", ("m",), ("x",), {"draws": [1]}),),
    claim=(Claim("c", "it is", "plan", (Component("e", 1),), competence=(("e", 0.5),)),),
    published=(PublishedPlan("p", "0.5"),),
)


def test_sound_plans_pass_also_with_lists():
    must_be_declared(PLAN, where="The plan")
    must_be_declared(replace(PLAN, models=list(PLAN.models)), where="The plan")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"measure": 42}, "measure is 42, and it must be a list, each of its items a MeasurePlan"),
        ({"measure": (42,)}, r"measure is \(42,\)"),
        ({"seed": "3"}, "seed is '3', and it must be a whole number"),
        ({"seed": True}, "seed is True"),
        ({"resampling": 3}, "resampling is 3, and it must be a Resampling"),
        ({"resampling": Resampling(level="0.9")}, r"resampling\.level is '0.9', .* a number"),
        ({"on_bad_row": "zzz"}, "must be one of 'skip', 'fail'"),
        ({"models": (ModelPlan("m", "hf:m", seeds="a"),)}, r"models\.0\.seeds is 'a'"),
        (
            {"models": (ModelPlan("m", "hf:m", labels={"a": 3}),)},
            "a dict, each of its values a text",
        ),
        ({"measure": (MeasurePlan("d", "p", ("m",), ("x",), 3),)}, r"params is 3, .* a dict\."),
        (
            {"data": (DataPlan("x", "y", limit=1.0),)},
            "limit is 1.0, .* or a text or nothing",
        ),
        ({"data": (DataPlan("x", 10**80),)}, "source is 1000.*…, and"),
    ],
)
def test_values_of_other_types_are_named_with_their_place(changed, said):
    with pytest.raises(PlanError, match=f"^The plan: .*{said}"):
        must_be_declared(replace(PLAN, **changed), where="The plan")
