"""``[[relate]]``: two estimates over the replicates of a run."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from small_runs import family, plan, rows, run

from scrutiny.core.errors import PlanError
from scrutiny.core.plan import DataPlan, MeasurePlan, RelatePlan
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.stats.intervals.seed_error import Spread, variance_ratio
from scrutiny.store.run_folder import RunFolder

SEEDS = (1, 2, 3, 4, 5, 6)
DATA = {"x": rows(40), "y": rows(75)[40:]}


def related(tmp_path, a, b, *, seeds=SEEDS, every=11):
    measures = tuple(
        MeasurePlan(n, "performance", ("m",), (d,)) for n, d in [("d", "x"), ("e", "y")]
    )
    made = plan(
        family(tmp_path, every=every),
        seeds=seeds,
        measure=measures,
        data=(DataPlan("x", "object:x"), DataPlan("y", "object:y")),
    )
    return replace(made, relate=(RelatePlan("both", a, b),))


def side(measure, **more):
    return {"from": measure, "metric": "accuracy@1", **more}


def found_in(folder):
    return next(e for e in folder.estimates() if e.key.metric == "correlation@1")


def test_a_relation_is_the_correlation_of_the_replicates_values(tmp_path):
    folder = run(related(tmp_path, side("d"), side("e")), tmp_path / "out", data=DATA)
    levels = {e.key.dataset: e for e in folder.estimates() if e.key.metric == "accuracy@1"}
    x, y = (list(levels[name].by_replicate.values()) for name in "xy")
    found = found_in(folder)
    assert found.value == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert (found.counts.n, found.n_replicates) == (6, 6)
    assert found.across["smallest_p"] > 0
    assert found.across["detectable"] > 0.8
    assert found.key.group == "both"
    assert found.key.condition == {"of": "d/m/x/level", "with": "e/m/y/level"}


def test_three_replicates_relate_nothing(tmp_path):
    made = related(tmp_path, side("d"), side("e"), seeds=(1, 2, 3))
    found = found_in(run(made, tmp_path / "out", data=DATA))
    assert (found.status, found.value, found.reason) == ("undefined", None, "too_few_replicates")


@pytest.mark.parametrize(
    ("a", "says"),
    [
        (side("nowhere"), "relate|no measurement"),
        ({"from": "d", "metric": "no_such@1"}, "no_such"),
        (side("d", where={"dataset": "y"}), "nothing fits"),
    ],
)
def test_a_side_that_names_nothing_is_refused(tmp_path, a, says):
    with pytest.raises(Exception, match=says):
        run(related(tmp_path, a, side("e")), tmp_path / "out", data=DATA)


def related_how(tmp_path, how, *, rule, seeds=SEEDS, b=True, skill=None, every=11):
    """Finding of a claim on a relation of the accuracies, and its estimate."""
    made = related(tmp_path, side("d"), side("e"), seeds=seeds, every=every)
    one = replace(made.relate[0], how=how, b=made.relate[0].b if b else None)
    stated = {"id": "c", "says": "so", "estimate": "both", "rule": rule, "skill": skill or {}}
    claim = plan_of({"claim": [stated]}).claim
    folder = run(replace(made, relate=(one,), claim=claim), tmp_path / "out", data=DATA)
    finding = next(f for f in folder.findings() if f.claim.id == "c")
    return finding, next(e for e in folder.estimates() if e.key.is_relation)


def test_a_claim_on_a_correlation_reads_its_interval(tmp_path):
    finding, found = related_how(tmp_path, "correlation", rule="> -1.1")
    assert (finding.verdict, finding.scope) == ("supported", "this recipe")
    assert (finding.estimate.low, finding.estimate.high) == pytest.approx((found.low, found.high))


def test_a_ratio_of_spreads_is_that_of_the_f_test(tmp_path):
    finding, found = related_how(tmp_path, "spread", rule="> 1")
    sides = found.across
    own, other = (Spread(sides[f"{n}sd"], sides[f"{n}item_error"], 6) for n in ("", "other_"))
    expected = variance_ratio(own, other)
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.ratio, expected.low, expected.high)
    )
    assert finding.p_supported == pytest.approx(expected.p_value, abs=5e-3)
    assert (finding.verdict, finding.scope) == ("undecided", "this recipe")
    assert found.n_replicates == 6


def test_equivalence_of_seeds_is_that_of_each_pair(tmp_path):
    finding, found = related_how(tmp_path, "difference", rule="< 60%", b=False)
    assert (finding.verdict, finding.scope) == ("supported", "these checkpoints")
    assert 0 <= found.low < found.value < found.high < 0.6
    assert found.counts.n == 40
    assert found.key.condition == {"of": "d/m/x/level"}


@pytest.mark.parametrize(("least", "verdict"), [(0.5, "supported"), (0.99, "refused")])
def test_claims_presuppose_the_skills_that_they_name(tmp_path, least, verdict):
    finding, _ = related_how(
        tmp_path, "difference", rule="< 60%", b=False, skill={"m/x/level": least}
    )
    assert finding.verdict == verdict
    assert ("no skill" in finding.reason) is (verdict == "refused")


def test_seeds_are_shown_to_differ_where_a_pair_does(tmp_path):
    finding, found = related_how(tmp_path, "difference", rule="< 1%", b=False, seeds=(1, 6))
    assert finding.verdict == ("not supported" if found.low > 0.01 else "undecided")
    assert found.low <= found.value


def test_disagreement_is_the_share_of_items_that_not_all_answer_alike(tmp_path):
    finding, found = related_how(tmp_path, "disagreement", rule="> 5%", b=False)
    hits = defaultdict(set)
    for row in RunFolder.open(tmp_path / "out").table("records").to_pylist():
        if row["dataset"] == "x":
            hits[row["item"]].add(row["values"][0])
    assert found.value == pytest.approx(sum(len(one) > 1 for one in hits.values()) / len(hits))
    assert 0 < found.low < found.value < found.high < 1
    assert (found.counts.n, found.n_replicates) == (40, 6)
    assert (finding.verdict, finding.scope) == ("supported", "these checkpoints")


def test_two_seeds_have_no_spread(tmp_path):
    finding, found = related_how(tmp_path, "spread", rule="> 1", seeds=(1, 2))
    assert (found.reason, finding.verdict) == ("too_few_replicates", "undecided")


def test_scores_that_other_items_would_not_change_have_no_spread_in_units_of_them(tmp_path):
    finding, found = related_how(tmp_path, "spread", rule="> 1", every=1000)
    assert (found.reason, finding.verdict) == ("does_not_vary", "undecided")


@pytest.mark.parametrize(
    ("how", "b"), [("difference", True), ("disagreement", True), ("spread", False)]
)
def test_sides_that_a_relation_lacks_or_has_too_many_are_refused(tmp_path, how, b):
    with pytest.raises(PlanError, match=f"relate 'both': a {how} is of "):
        related_how(tmp_path, how, rule="> 0", b=b)


def test_a_plan_file_states_relations():
    made = plan_of({"relate": [{"id": "r", "a": side("d"), "b": side("e", where={"group": "x"})}]})
    assert made.relate[0].a["from"] == "d"
    assert made.relate[0].b["where"] == {"group": "x"}
    alone = plan_of({"relate": [{"id": "r", "a": side("d"), "how": "difference"}]}).relate[0]
    assert (alone.b, alone.how) == (None, "difference")
    with pytest.raises(PlanError, match=r"relate\.0\.a\.metric"):
        plan_of({"relate": [{"id": "r", "a": {"from": "d"}, "b": side("e")}]})
