"""Tolerances: what metrics declare, what is stated, and the margins that an audit gets of them."""

import pytest

from scrutiny.cli.plans import audit_from_flags
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.plan import DataPlan, ModelPlan
from scrutiny.core.registry import registry
from scrutiny.reliability.metrics import metric_of
from scrutiny.run.planning.audit import audit_plan
from scrutiny.run.planning.audit_profiles import read_tolerances, with_tolerances
from scrutiny.run.planning.loading import LoadedModels, Opened
from scrutiny.run.planning.resolve import resolve

FLAGS = {"plan": None, "models": ("builtin:sentiment",), "data": ("builtin:reviews",), "only": ()}
FLAGS |= {"task": "", "limit": 40, "seed": None, "on_bad_row": "skip"}


def margins(*stated):
    """Margins of the measurements of an audit, by measurement."""
    plan = audit_from_flags({**FLAGS, "tolerance": stated}, Opened(LoadedModels()))
    found = {m.id: m.params.get("tolerance") for m in plan.measure}
    return {name: margin for name, margin in found.items() if margin is not None}


def test_metrics_declare_what_nobody_minds():
    assert metric_of("accuracy").tolerance == metric_of("entity_f1").tolerance == 0.02
    assert metric_of("attack_success").tolerance == 0.05
    assert metric_of("calibration_error(15)").tolerance == 0.05
    assert metric_of("flip_rate").tolerance is None
    assert metric_of("drop(accuracy)").tolerance is None  # the level's is meant


def test_an_audit_takes_them_for_margins():
    assert margins() == {
        **{"robustness": 0.02, "attack": 0.05, "calibration": 0.05},
        **{"labels": 0.05, "leakage": 0.05},
    }


def test_what_is_stated_wins():
    stated = ("accuracy=0.1", "attack_success=20%", "calibration_error=.07", "share=1%")
    found = margins(*stated, "share(doubtful)=3%")
    assert found == {
        **{"robustness": 0.1, "attack": 0.2, "calibration": 0.07},
        **{"labels": 0.03, "leakage": 0.01},
    }
    plan = audit_from_flags({**FLAGS, "tolerance": ("accuracy=0.1",)}, Opened(LoadedModels()))
    risks = [c.risk for c in resolve(plan).claims if c.diagnostic == "robustness"]
    assert {risk.tolerance for risk in risks} == {0.1}


def test_what_the_audit_has_no_margin_of_is_refused():
    with pytest.raises(UnknownNameError, match="no metric with a tolerance in this audit"):
        margins("flip_rate=0.1")
    with pytest.raises(UnknownNameError, match="Did you mean 'accuracy'"):
        margins("acuracy=0.1")


@pytest.mark.parametrize(
    "text", ["accuracy", "accuracy=", "=0.1", "accuracy=much", "accuracy=-1", "accuracy=1", "a=nan"]
)
def test_what_is_no_tolerance_says_how_it_is_written(text):
    with pytest.raises(PlanError, match="METRIC=N"):
        read_tolerances([text])


def test_a_tolerance_that_stands_twice_is_refused():
    assert read_tolerances(["accuracy=2%", "accuracy@1=0.02"]) == {"accuracy": 0.02}
    with pytest.raises(PlanError, match="accuracy occurs twice"):
        read_tolerances(["accuracy=2%", "accuracy=3%"])


def test_every_margin_is_a_parameter_and_of_a_metric_that_declares_a_tolerance():
    plan = audit_plan((ModelPlan("m", "builtin:sentiment"),), (DataPlan("x", "builtin:reviews"),))
    named = {m.diagnostic for m in plan.measure}
    for name in registry().names("diagnostic"):
        diagnostic = registry().load("diagnostic", name)
        for param, metric in diagnostic.tolerates.items():
            assert param in diagnostic.Params.__dataclass_fields__
            if metric:
                assert metric_of(metric, diagnostic.measures).tolerance is not None
    assert {m.diagnostic for m in with_tolerances(plan, {}).measure} == named
