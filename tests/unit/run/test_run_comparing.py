"""Two runs side by side, and runs judged by rules."""

from dataclasses import replace

import pytest
from small_runs import family, plan, rows, run

from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.estimate import Limits
from scrutiny.core.plan import DataPlan, EstimatePlan, MeasurePlan, ModelPlan, Resampling
from scrutiny.run.comparing.paired_numbers import compare_runs
from scrutiny.run.comparing.whole_comparison import detectable_of
from scrutiny.run.estimating.gate import gate_run
from scrutiny.testing import FlakyClassifier


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A family, the same again, a worse one, a single member of the first."""
    base = tmp_path_factory.mktemp("runs")
    good = plan(family(base, name="good"), seeds=(1, 2, 3, 4))
    poor = plan(family(base, every=2, name="poor"), seeds=(1, 2, 3))
    single = plan(family(base, name="good"), seeds=(1,))
    made = {"good": good, "again": good, "poor": poor, "single": single}
    return {name: run(one, base / f"run-{name}") for name, one in made.items()}


def test_a_run_against_itself_differs_in_nothing(runs):
    found = compare_runs(runs["good"], runs["again"])
    assert [f.verdict for f in found.findings] == ["undecided"]
    estimate = found.findings[0].estimate
    assert estimate.value == 0
    assert estimate.method == "crossed@1"  # the same models: paired
    assert found.n_shared == {"x": 40}
    assert (found.differences, found.n_unmatched) == ((), {})


def test_what_could_be_shown_goes_by_the_limits_that_are_printed(runs):
    limits = Limits((0.01, 0.05), (-0.10, 0.16), 1, 0.2)
    found = compare_runs(runs["good"], runs["poor"]).findings[0]
    own = replace(found.estimate, low=0.01, high=0.05)
    here = replace(found, estimate=own, limits=(limits,), minimum_detectable_effect=0.2)
    assert detectable_of(here) == pytest.approx(0.02 * (1 + 0.84 / 1.96), rel=1e-3)
    wide = replace(here, estimate=replace(own, low=-0.10, high=0.16))
    assert detectable_of(wide) == 0.2
    assert detectable_of(replace(here, limits=(None,))) == 0.2


def test_a_planted_difference_is_found_in_both_directions(runs):
    worse = compare_runs(runs["good"], runs["poor"]).findings[0]
    better = compare_runs(runs["poor"], runs["good"]).findings[0]
    assert (worse.verdict, better.verdict) == ("supported", "not supported")  # "lower"
    assert worse.estimate.value == pytest.approx(-better.estimate.value)
    assert worse.estimate.value < 0  # second minus first
    assert worse.estimate.method == "crossed_unpaired@1"
    assert worse.claim.post_hoc
    assert (worse.estimate.key.role, worse.scope) == ("contrast", "this recipe")


def test_paired_by_order_where_it_is_said(runs):
    with pytest.raises(PlanError, match="m has 3 replicates and m has 4"):
        compare_runs(runs["good"], runs["poor"], paired=True)
    found = compare_runs(runs["good"], runs["again"], paired=False).findings[0]
    assert found.estimate.method == "crossed_unpaired@1"


def test_single_models_speak_of_these_checkpoints(runs):
    found = compare_runs(runs["single"], runs["poor"]).findings[0]
    assert found.scope == "this checkpoint"
    assert found.estimate.n_replicates == 1


def test_items_shared_only_partly(tmp_path, runs):
    base = family(tmp_path, every=2, name="poor")
    other = run(plan(base, seeds=(1, 2, 3)), tmp_path / "out", data={"x": rows(60)[20:]})
    found = compare_runs(runs["good"], other)
    assert found.n_shared == {"x": 20}
    assert found.n_unmatched == {"x": (20, 20)}
    assert "20 of the first run (" in found.differences[0]
    assert "20 of the second run (" in found.differences[0]
    assert found.findings[0].estimate.counts.n == 20
    assert any("other content (40 and 40 items)" in text for text in found.differences)


def test_runs_without_a_common_item_or_estimate_are_refused(tmp_path, runs):
    model = family(tmp_path)
    elsewhere = [{**r, "id": f"other-{r['id']}"} for r in rows()]
    other = run(plan(model, seeds=(1,)), tmp_path / "items", data={"x": elsewhere})
    with pytest.raises(PlanError, match="have no item in common"):
        compare_runs(runs["good"], other)
    params = {"transformations": ["typos"]}
    robust = run(plan(model, seeds=(1,), diagnostic="robustness", params=params), tmp_path / "r")
    with pytest.raises(PlanError, match="share no estimate"):
        compare_runs(runs["good"], robust)


def test_rows_that_failed_on_one_side_are_missing_in_the_comparison(tmp_path):
    def flaky(out, fails_on):
        model = FlakyClassifier(fails_on)
        return run(plan("python:object:F"), tmp_path / out, models={"m": model})

    one, other = flaky("one", {f"i{n}" for n in range(10)}), flaky("other", ())
    found = compare_runs(one, other).findings[0]
    counts = found.estimate.counts
    assert (counts.n, counts.failed, counts.planned) == (30, 10, 40)


def test_other_seeds_and_datasets_are_said(tmp_path, runs):
    made = replace(plan(family(tmp_path), seeds=(1,)), seed=5)
    named = replace(
        made,
        data=(DataPlan("dev", "object:dev"),),
        measure=(replace(made.measure[0], data=("dev",)),),
    )
    other = run(named, tmp_path / "out", data={"dev": rows()})
    found = compare_runs(runs["good"], other)  # datasets pair by position
    assert found.n_shared == {"x": 40}
    assert "seed: 0 and 5" in found.differences


def test_rules_are_judged_like_claims(runs):
    good, poor = (gate_run(runs[n], ["accuracy >= 60%"])[0] for n in ("good", "poor"))
    assert good.verdict == "supported"
    assert poor.verdict in ("undecided", "not supported")
    assert good.claim.says == "accuracy >= 60%"
    assert (good.claim.family, good.claim.post_hoc) == ("gate", True)
    known = next(e for e in runs["good"].estimates() if e.key.metric == "accuracy@1")
    assert (good.estimate.key, good.estimate.value) == (known.key, known.value)


def test_rules_about_one_number_have_its_limits_however_many_they_are(runs):
    alone = gate_run(runs["poor"], ["accuracy < 0.95"])[0]
    among = gate_run(runs["poor"], ["accuracy < 0.95", *["accuracy > 0.9"] * 30])
    assert alone.p_supported == among[0].p_supported
    assert alone.limits == among[0].limits
    assert alone.limits[0].n_rows == 1


def test_rules_may_say_where(runs):
    assert gate_run(runs["good"], ["accuracy > 0.5 where dataset=x,subject=m"])[0].estimate
    with pytest.raises(PlanError, match="No estimate of this run fits the rule"):
        gate_run(runs["good"], ["accuracy > 0.5 where dataset=y"])


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """Two families on one dataset, and two differences of them that the plan declares."""
    base = tmp_path_factory.mktemp("versions")
    models = tuple(
        ModelPlan(name, family(base, every=every, name=name), seeds=(1, 2, 3, 4))
        for name, every in (("new", 11), ("old", 2))
    )
    sides = {"a": {"subject": "new"}, "b": {"subject": "old"}}
    own = (
        EstimatePlan("gain", "d", "accuracy", contrast=sides),
        EstimatePlan("loss", "d", "accuracy", contrast={"a": sides["b"], "b": sides["a"]}),
        EstimatePlan("level", "d", "accuracy", where={"subject": "new"}),
        EstimatePlan("each", "d", "accuracy"),
    )
    measure = (MeasurePlan("d", "performance", ("new", "old"), ("x",)),)
    return run(plan(models=models, measure=measure, estimate=own), base / "run")


def test_differences_that_the_plan_declares_are_judged_by_name(versions):
    gain, loss = gate_run(versions, ["gain > 10%", "loss > 10%"])
    assert (gain.verdict, loss.verdict) == ("supported", "not supported")
    computed = next(e for e in versions.estimates() if e.key.reference == "old")
    assert gain.estimate == computed
    assert gain.claim.components[0].against == "of new minus old, x"


def test_differences_are_meant_where_a_reference_is_said(versions):
    (gain,) = gate_run(versions, ["accuracy > 0.1 where reference=old"])
    assert (gain.estimate.key.subject, gain.estimate.key.reference) == ("new", "old")
    (level,) = gate_run(versions, ["accuracy > 0.1"])
    ids = [component.estimate for component in level.claim.components]
    assert ids[:2] == ["d/new/x/level", "d/old/x/level"]
    assert not {"gain", "loss"} & set(ids)
    with pytest.raises(PlanError, match=r"No estimate of this run fits.*reference=old"):
        gate_run(versions, ["accuracy > 0.1 where reference=other"])
    with pytest.raises(PlanError, match="No estimate of this run fits the rule 'gain > 0"):
        gate_run(versions, ["gain > 0 where reference=new"])


def test_estimates_of_the_plan_are_judged_by_name(versions):
    (level,) = gate_run(versions, ["level > 0.5"])
    assert [c.estimate for c in level.claim.components] == ["level"]
    (each,) = gate_run(versions, ["each > 0.1"])
    assert [c.estimate for c in each.claim.components] == ["each/new/x", "each/old/x"]
    (one,) = gate_run(versions, ["each > 0.1 where subject=old"])
    assert [c.estimate for c in one.claim.components] == ["each/old/x"]
    with pytest.raises(UnknownNameError):
        gate_run(versions, ["d > 0.1"])  # a measurement is no estimate


def test_rules_that_name_nothing_of_the_run(runs):
    with pytest.raises(UnknownNameError, match="no metric in this run named 'entity_f1'"):
        gate_run(runs["good"], ["entity_f1 > 0.5"])
    with pytest.raises(UnknownNameError, match=r"\[\[estimate\]\] with from = .* = 'entity_f1'"):
        gate_run(runs["good"], ["entity_f1 > 0.5"])
    with pytest.raises(UnknownNameError, match="no statistic named 'acuracy'"):
        gate_run(runs["good"], ["acuracy > 0.5"])
    with pytest.raises(PlanError, match="at least one rule"):
        gate_run(runs["good"], [])


def test_the_first_runs_draws_are_used(tmp_path, runs):
    fine = replace(
        plan(family(tmp_path), seeds=(1, 2)), resampling=Resampling(draws=150, level=0.9)
    )
    other = run(fine, tmp_path / "out")
    assert compare_runs(other, runs["good"]).findings[0].estimate.level == 0.9
