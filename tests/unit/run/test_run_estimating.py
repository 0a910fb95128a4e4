"""The estimator on records made by hand: axes, several datasets, and the family trained from."""

import json
from dataclasses import fields, replace

import numpy as np
import pyarrow as pa
import pytest

from scrutiny.core.boundary.json_text import plain
from scrutiny.core.design import EstimateSpec, Selector
from scrutiny.core.errors import PlanError
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Measure
from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.reliability import assignment as planned
from scrutiny.reliability.assignment import Assignment, PlacedContrast, assignments_in, from_json
from scrutiny.reliability.row_statistics import Additive, divide
from scrutiny.run.estimating.estimates import estimate_all
from scrutiny.run.estimating.estimator import Estimator, _base_of
from scrutiny.store.row_groups import RowGroups
from scrutiny.store.run_tables import RECORDS

KIND = "heads@1#0"
MEASURES = (Measure("tp", (("layer", 2), ("head", 2))), Measure("gold"))
RECALL = Additive("r@1", "", ("tp", "gold"), lambda m: m, lambda s: divide(s[..., 0], s[..., 1]))
MEAN = Additive("mean_head@1", "", ("tp",), lambda m: m, lambda s: s.mean(axis=-1))
CHANGE = Additive(
    "change@1",
    "",
    ("base.gold", "gold"),
    lambda m: m,
    lambda s: divide(s[..., 1] - s[..., 0], s[..., 0]),
)


class Spread(AdditiveStatistic):
    """Difference of two datasets' recall of the first head."""

    def components(self, measures):
        return measures

    def value(self, sums, weight):
        rates = divide(sums[..., 0], sums[..., -1])
        return rates[..., 0] - rates[..., 1]


SPREAD = Spread("spread@1", "", ("tp", "gold"), cells=("dataset",))


@pytest.fixture(autouse=True)
def statistics(monkeypatch):
    """The statistics of this file among the others."""
    own = {"r@1": RECALL, "mean_head@1": MEAN, "change@1": CHANGE, "spread@1": SPREAD}

    monkeypatch.setattr(planned, "metric_of", lambda name, measures: own[name])


def rows(subject, dataset, table, *, replicate=None):
    """Records of values by item."""
    common = {
        "kind": KIND, "subject": subject, "reference": None, "replicate": replicate,
        "dataset": dataset, "condition": '{"preset":"x"}', "role": "measured", "variant": None,
        "status": "ok", "reason": None,
    }  # fmt: skip
    return [{**common, "item": f"{dataset}{n}", "values": list(v)} for n, v in enumerate(table)]


def estimator(*parts, datasets=("a",), items=3):
    """Estimator over records; every dataset has as many items."""
    records = pa.Table.from_pylist([row for part in parts for row in part], schema=RECORDS)
    table = [
        {"dataset": d, "item": f"{d}{n}", "a_half": "AB"[n % 2]}
        for d in datasets
        for n in range(items)
    ]
    items = pa.Table.from_pylist(table)
    return Estimator(RowGroups.of_table(records), items, resampling=Resampling(draws=60), seed=0)


def assignment(metric, *, subject="m", base="", sides=None, **spec):
    sides = sides or {"": Selector("measured", {"preset": "x"})}
    place = {"measure": "heads", "kind": KIND, "subject": subject, "dataset": "a"}
    stated = EstimateSpec("e", metric, sides=sides, **spec)
    return Assignment.of(stated, measures=MEASURES, base=base, **place)


HEADS = [[1, 0, 2, 3, 4], [0, 1, 2, 1, 4], [2, 2, 0, 0, 2]]


def test_one_place_of_an_axis():
    found = estimator(rows("m", "a", HEADS)).estimate(assignment("r@1", at={"layer": 2, "head": 1}))
    assert found.estimate.value == pytest.approx(4 / 10)
    assert found.estimate.key.condition == {"layer": 2, "head": 1}


def test_the_whole_axis():
    found = estimator(rows("m", "a", HEADS)).estimate(assignment("mean_head@1"))
    assert found.estimate.value == pytest.approx((3 + 3 + 4 + 4) / 4)


def test_every_place_of_two_axes_is_a_row_and_draws_that_no_claim_names_are_let_go():
    rows_of, _ = estimate_all(
        estimator(rows("m", "a", HEADS)), [assignment("r@1", along=("layer", "head"))], []
    )
    by_place = {tuple(e.key.condition.values()): e.value for e in rows_of}
    assert by_place == {(1, 1): 0.3, (1, 2): 0.3, (2, 1): 0.4, (2, 2): 0.4}


def test_names_of_places_are_what_claims_call_them():
    found = estimator(rows("m", "a", HEADS)).along(
        assignment("r@1", at={"layer": 1}, along=("head",))
    )
    assert list(found) == ["e/layer=1/head=1", "e/layer=1/head=2"]


def test_several_datasets_in_one_value_are_drawn_each_by_itself():
    other = [[4, 0, 0, 0, 4], [4, 0, 0, 0, 4], [4, 0, 0, 0, 4]]
    made = estimator(rows("m", "a", HEADS), rows("m", "b", other), datasets=("a", "b"))
    found = made.estimate(assignment("spread@1", beside=("b",)))
    assert found.estimate.value == pytest.approx(0.3 - 1.0)
    assert found.estimate.key.dataset == "a+b"
    assert found.estimate.counts.n == 6
    assert found.resampled.n_strata == 2


def test_a_side_of_the_family_that_it_was_trained_from_stands_beside_each_replicate():
    base = rows("base", "a", [[0, 0, 0, 0, 1], [0, 0, 0, 0, 1], [0, 0, 0, 0, 2]])
    tuned = [
        rows("tuned", "a", np.full((3, 5), k), replicate=json.dumps({"run": str(k)}))
        for k in (2, 4)
    ]
    sides = {"": Selector("measured"), "base": Selector("measured", of="base")}
    found = estimator(base, *tuned).estimate(
        assignment("change@1", subject="tuned", base="base", sides=sides)
    )
    assert list(found.estimate.by_replicate.values()) == pytest.approx([6 / 4 - 1, 12 / 4 - 1])


def test_a_base_is_found_by_the_factors_that_a_replicate_shares_with_it():
    bases = ['{"seed":"1"}', '{"seed":"2"}']
    assert _base_of('{"run":"1","seed":"2"}', bases) == 1
    assert _base_of('{"run":"1"}', ['{"seed":"1"}']) == 0
    with pytest.raises(PlanError, match="its factors do not say which"):
        _base_of('{"run":"1"}', bases)


def test_groups_of_runs_are_compared_by_rank_as_well():
    def runs(subject, values):
        return [
            row
            for k, v in enumerate(values)
            for row in rows(subject, "a", np.full((3, 5), v), replicate=json.dumps({"run": str(k)}))
        ]

    made = estimator(runs("m", [3, 4, 5]), runs("n", [0, 1, 2]))
    pair = PlacedContrast(
        "c", assignment("mean_head@1"), assignment("mean_head@1", subject="n"), is_paired=False
    )
    across = made.contrast(pair).estimate.across
    assert across["rank_sum_p"] == pytest.approx(0.1)
    assert across["rank_sum_smallest_p"] == pytest.approx(0.1)
    assert across["superiority"] == 1.0


def test_an_assignment_survives_its_json():
    made = assignment(
        "change@1", base="b", along=("head",), at={"layer": 1}, beside=("b",),
        sides={"base": Selector("measured", {"preset": "x"}, of="base")},
    )  # fmt: skip
    assert from_json(json.loads(json.dumps(made.to_json()))) == made


def test_manifests_of_earlier_versions_have_the_estimate_in_a_table_of_its_own():
    made = assignment("change@1", along=("head",), where="a_half = A")
    kept = json.loads(json.dumps(made.to_json()))
    own = {one.name for one in fields(EstimateSpec)} - {"presupposes", "draws"}
    place = {name: value for name, value in kept.items() if name not in own}
    del place["draws"]
    earlier = {**place, "spec": {**{name: kept[name] for name in own}, "presupposes": []}}
    assert from_json(earlier) == made
    assert next(assignments_in({"specs": [earlier]})).key == made.key


def test_a_manifest_names_of_a_measure_what_is_not_usual():
    told = Measure(
        "cost", (("layer", 2),), "nats", "cost of a word", "log", "lower", 0.1, (0.0, 9.0), 1.0,
        ("attacked",), "n", (("mean", "mean_cost@1"),),
    )  # fmt: skip
    one = assignment("change@1")
    below = replace(one, measures=(told,))
    made = replace(one, measures=(Measure("hit"), told), presupposes=((below, 0.5),))
    kept = json.loads(json.dumps(made.to_json()))
    assert kept["measures"][0] == {"name": "hit", "axes": []}
    assert set(kept["measures"][1]) == {field.name for field in fields(Measure)}
    assert from_json(kept) == made
    # earlier manifests name all
    assert from_json({**kept, "measures": plain(list(made.measures))}) == made
