"""Rules of a gate on two models carry an A/A certificate."""

import pytest
from small_runs import family, plan, run

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.core.plan import EstimatePlan, MeasurePlan, ModelPlan
from scrutiny.run.comparing.gate_certificates import gate_certificates
from scrutiny.run.estimating.gate import gate_run
from scrutiny.run.estimating.planned_rules import plan_rules

RULE = "accuracy >= -0.05 where reference=old"


def versions(base, seeds):
    """Run of two families on forty items, and their difference."""
    models = tuple(
        ModelPlan(name, family(base, every=every, name=name), seeds=seeds)
        for name, every in (("new", 11), ("old", 12))
    )
    sides = {"a": {"subject": "new"}, "b": {"subject": "old"}}
    own = (EstimatePlan("gain", "d", "accuracy", contrast=sides),)
    measure = (MeasurePlan("d", "performance", ("new", "old"), ("x",)),)
    return run(plan(models=models, measure=measure, estimate=own), base / "run")


@pytest.mark.parametrize(("seeds", "is_known"), [((1,), False), ((1, 2, 3), True)])
def test_a_rule_on_two_models_has_certificates(tmp_path, seeds, is_known):
    folder = versions(tmp_path, seeds)
    (found,) = gate_certificates(folder, gate_run(folder, [RULE])).values()
    assert [one.is_known for one in found] == ([True] if is_known else [False, False])
    assert all(0.0 < one.at_most < 0.05 for one in found)
    assert all(one.finds is None or one.finds > 0.05 for one in found)


def test_a_planned_rule_on_two_models_supposes_that_they_do_not_differ(tmp_path):
    folder = versions(tmp_path, (1,))
    (alike,) = plan_rules(folder, [RULE])
    assert (alike.is_alike, alike.value, alike.n_numbers) == (True, 0.0, 1)
    passes = [one.passes for one in alike.chances]
    assert passes == sorted(passes)
    assert passes[-1] > 3 * passes[0]
    (seen,) = plan_rules(folder, ["gain > 0"])
    assert not seen.is_alike


def test_other_rules_have_none(tmp_path):
    folder = versions(tmp_path, (1,))
    rules = ["accuracy > 0.5", "accuracy < 0.9", "gain > 0.1", "gain <= 0.2"]
    assert gate_certificates(folder, gate_run(folder, rules)) == {}


def test_the_gate_says_it_everywhere(tmp_path, capsys):
    folder = versions(tmp_path, (1, 2, 3))
    junit = tmp_path / "gate.xml"
    arguments = ["gate", str(folder.path), "--rule", RULE, "--junit", str(junit)]
    exit_code_of(group, arguments)
    said = "alls an unchanged system worse in at most"
    assert said in " ".join(capsys.readouterr().out.split())
    assert said in junit.read_text()
    exit_code_of(group, [*arguments, "--json"])
    assert '"at_most"' in capsys.readouterr().out
