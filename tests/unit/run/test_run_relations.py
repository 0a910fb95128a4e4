"""``[[relate]]``: two estimates over the replicates of a run."""

from dataclasses import replace

import numpy as np
import pytest
from small_runs import family, plan, rows, run

from scrutiny.core.errors import PlanError
from scrutiny.core.plan import DataPlan, MeasurePlan, RelatePlan
from scrutiny.run.planning.file import plan_of

SEEDS = (1, 2, 3, 4, 5, 6)
DATA = {"x": rows(40), "y": rows(75)[40:]}


def related(tmp_path, a, b, *, seeds=SEEDS):
    measures = tuple(
        MeasurePlan(n, "performance", ("m",), (d,)) for n, d in [("d", "x"), ("e", "y")]
    )
    made = plan(
        family(tmp_path, every=11),
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


def test_a_plan_file_states_relations():
    made = plan_of({"relate": [{"id": "r", "a": side("d"), "b": side("e", where={"group": "x"})}]})
    assert made.relate[0].a["from"] == "d"
    assert made.relate[0].b["where"] == {"group": "x"}
    with pytest.raises(PlanError, match=r"relate\.0\.a\.metric"):
        plan_of({"relate": [{"id": "r", "a": {"from": "d"}, "b": side("e")}]})
