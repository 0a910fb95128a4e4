"""Rules about estimates that run along axes; other rules are in test_run_comparing."""

from types import SimpleNamespace

import pyarrow as pa
import pytest

from scrutiny.core.boundary.json_text import plain
from scrutiny.core.design import EstimateSpec, Selector
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Measure
from scrutiny.reliability import assignment as planned
from scrutiny.reliability.assignment import Assignment
from scrutiny.reliability.row_statistics import Additive, divide
from scrutiny.run.estimating.gate import gate_run
from scrutiny.store.row_groups import RowGroups
from scrutiny.store.run_tables import RECORDS

RECALL = Additive("r@1", "", ("tp", "gold"), lambda m: m, lambda s: divide(s[..., 0], s[..., 1]))
MEASURES = (Measure("tp", (("layer", 2), ("head", 2))), Measure("gold"))
#: Layer 2, head 2 finds everything, the others nothing.
FOUND = [0.0, 0.0, 0.0, 1.0, 1.0]


@pytest.fixture
def folder(monkeypatch):
    """A run of one checkpoint whose heads are estimated one by one."""
    monkeypatch.setattr(planned, "metric_of", lambda name, measures: RECALL)
    row = {
        "kind": "heads@1#0", "subject": "m", "reference": None, "replicate": None, "dataset": "x",
        "condition": "{}", "role": "measured", "variant": None, "status": "ok", "reason": None,
    }  # fmt: skip
    records = [{**row, "item": f"i{n}", "values": FOUND} for n in range(60)]
    spec = EstimateSpec("heads/m/x/r", "r@1", sides={"": Selector()}, along=("layer", "head"))
    made = Assignment.of(
        spec, measure="heads", kind="heads@1#0", subject="m", dataset="x", measures=MEASURES
    )
    manifest = {
        "plan": {"seed": 0, "resampling": plain(Resampling(draws=200))},
        "specs": [made.to_json()],
        "contrasts": [],
    }
    items = pa.Table.from_pylist([{"dataset": "x", "item": f"i{n}"} for n in range(60)])
    measured = RowGroups.of_table(pa.Table.from_pylist(records, schema=RECORDS))
    return SimpleNamespace(
        manifest=manifest,
        measured=lambda: (measured, items),
        items=lambda: items,
        items_without_texts=lambda: items,
        has_verdicts_of_today=True,
        findings=list,
    )


def test_a_place_is_named_by_where(folder):
    best, other = gate_run(folder, ["r > 0.5 where layer=2,head=2", "r < 0.5 where layer=1,head=2"])
    assert (best.estimate.value, other.estimate.value) == (1.0, 0.0)
    assert best.estimate.key.condition == {"layer": 2, "head": 2}
    assert [c.estimate for c in best.claim.components] == ["heads/m/x/r/layer=2/head=2"]
    assert best.verdict == other.verdict == "supported"


def test_every_place_is_meant_where_none_is_named(folder):
    (every,) = gate_run(folder, ["r > 0.5"])
    assert len(every.claim.components) == 4
    assert every.verdict == "not supported"
