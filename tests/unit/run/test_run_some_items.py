"""A measurement of some of the items of its data: the same ones for every model and diagnostic."""

import pytest

from scrutiny.core.errors import PlanError
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.run.planning.resolve import designed, resolve
from scrutiny.run.reusing import plan_of_run


def planned(**items):
    """Plan whose measurements look at so many items each."""
    return Plan(
        data=(DataPlan("x", "builtin:reviews", limit=60),),
        models=(ModelPlan("m", "builtin:sentiment/seed-1"),),
        measure=tuple(
            MeasurePlan(f"n{n}", name, ("m",), ("x",), items=n)
            for name, n in ((key.replace("_", "."), value) for key, value in items.items())
        ),
        resampling=Resampling(draws=100),
    )


def items_by_kind(folder):
    table = folder.records().select(["kind", "item"]).to_pylist()
    found = {}
    for row in table:
        found.setdefault(row["kind"].partition("@")[0], []).append(row["item"])
    return found


def test_fewer_items_are_among_more_of_them(tmp_path):
    resolved = resolve(planned(performance=20, calibration=8, leakage=None))
    folder = run_plan(resolved, tmp_path / "run")
    found = items_by_kind(folder)
    assert {name: len(set(items)) for name, items in found.items()} == {
        "performance": 20,
        "calibration": 8,
        "leakage": 60,
    }
    assert set(found["calibration"]) < set(found["performance"])
    order = [e.id for e in resolved.datasets["x"].examples]
    assert found["performance"] == sorted(found["performance"], key=order.index)
    planned_items = {
        e.key.diagnostic.partition("@")[0]: e.counts.planned for e in folder.estimates()
    }
    assert planned_items["performance"] == 20
    assert folder.table("items").num_rows == 60


def test_designs_see_the_items_that_are_measured():
    resolved = resolve(planned(attack=30))
    whole = resolve(planned(attack=None))
    one, other = (next(iter(r.measurements.values())) for r in (resolved, whole))
    (few,), (all_of_them,) = one.designs.values(), other.designs.values()
    assert 30 * few.queries_per_item < 60 * all_of_them.queries_per_item
    assert one.size("x") == 30  # a search looks at its items together


def test_how_many_are_measured_decides_the_identity():
    whole = resolve(planned(performance=None))
    some = designed(whole, planned(performance=20))
    assert some.identity != whole.identity
    assert some.identity == resolve(planned(performance=20)).identity
    assert some.pairings == whole.pairings  # no model was loaded again


def test_a_run_that_is_asked_again_measures_as_many(tmp_path):
    folder = run_plan(resolve(planned(performance=20)), tmp_path / "run")
    again = plan_of_run(folder, ModelPlan("n", "builtin:sentiment/seed-2"))
    assert again.measure[0].items == 20


@pytest.mark.parametrize("items", [0, -3, 2.5, "some"])
def test_a_plan_that_measures_no_number_of_items_is_refused(items):
    written = {
        "models": {"m": {"source": "builtin:sentiment"}},
        "data": {"x": {"source": "builtin:reviews"}},
        "measure": [{"id": "p", "diagnostic": "performance", "items": items}],
    }
    with pytest.raises(PlanError, match="items"):
        plan_of(written)
