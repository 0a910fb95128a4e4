"""From records to panels: dense arrays, codes, selectors."""

import numpy as np
import pyarrow as pa
import pytest

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.design import Selector
from scrutiny.core.errors import PlanError
from scrutiny.core.record import Measure
from scrutiny.reliability.panel import CODES, NOT_PLANNED
from scrutiny.store.panels import PanelKey, read_panel
from scrutiny.store.row_groups import RowGroups
from scrutiny.store.run_tables import RECORDS

MEASURES = (Measure("hit"), Measure("loss"))
KEY = PanelKey("d@1#0", "m", "x", MEASURES)
ITEMS = pa.table(
    {
        "dataset": ["x", "x", "x", "other"],
        "item": ["c", "a", "b", "c"],
        "u_story": ["s2", "s1", "s2", "s9"],
        "a_side": ["left", "left", "right", "left"],
    }
)


def record(item, values, **more):
    row = {
        "kind": "d@1#0",
        "subject": "m",
        "reference": None,
        "replicate": None,
        "dataset": "x",
        "condition": "{}",
        "role": "measured",
        "item": item,
        "variant": None,
        "status": "ok" if values else "failed",
        "reason": None if values else "model_error",
        "values": values,
    }
    return {**row, **more}


def panel(*rows, key=KEY):
    records = RowGroups.of_table(pa.Table.from_pylist(list(rows), schema=RECORDS))
    return read_panel(records, ITEMS, key)


def test_values_stand_where_item_and_replicate_say():
    seeds = ['{"seed":"2"}', '{"seed":"1"}']
    found = panel(
        record("a", [1, 0.5], replicate=seeds[0]),
        record("b", None, replicate=seeds[0]),
        record("a", [0, 0.1], replicate=seeds[1]),
        record("b", [1, 0.2], replicate=seeds[1]),
    )
    assert found.panel.items == ("c", "a", "b")
    assert found.panel.replicates == tuple(seeds)  # in plan order, not sorted
    side = found.sides["{}", "measured"]
    nan = np.nan
    expected = [[[nan, nan], [1, 0.5], [nan, nan]], [[nan, nan], [0, 0.1], [1, 0.2]]]
    assert np.array_equal(side.values, expected, equal_nan=True)
    ok, failed = CODES["ok"], CODES["failed"]
    assert side.status.tolist() == [[NOT_PLANNED, ok, failed], [NOT_PLANNED, ok, ok]]


def test_other_kinds_subjects_and_datasets_stay_out():
    found = panel(
        record("a", [1, 1]),
        record("a", [0, 0], kind="d@1#1"),
        record("a", [0, 0], subject="other"),
        record("c", [0, 0], dataset="other"),
    )
    assert found.sides["{}", "measured"].values[0, 1].tolist() == [1, 1]
    assert found.sides["{}", "measured"].status[0, 0] == NOT_PLANNED


def test_conditions_and_roles_are_sides():
    typos = canonical_json({"draw": 0, "transformation": "typos@1"})
    found = panel(
        record("a", [1, 1], role="baseline"),
        record("a", [0, 0], condition=typos),
        record("a", [1, 0], condition=typos, role="control"),
    )
    assert set(found.sides) == {("{}", "baseline"), (typos, "measured"), (typos, "control")}
    assert found.conditions[typos] == {"draw": 0, "transformation": "typos@1"}


@pytest.fixture
def steps():
    return panel(
        *(
            record("a", [n, n], condition=canonical_json({"step": str(n), "draw": d}))
            for n in (1, 2)
            for d in (0, 1)
        ),
        record("a", [9, 9], condition=canonical_json({"step": "1"})),
    )


def test_a_selector_is_contained_in_the_condition(steps):
    side = steps.select(Selector(condition={"draw": 1}), {"step": "2"})
    assert side.values[0, 1].tolist() == [2, 2]


def test_the_very_condition_wins_over_those_that_contain_it(steps):
    assert steps.select(Selector(), {"step": "1"}).values[0, 1].tolist() == [9, 9]


def test_several_conditions_are_refused_by_name(steps):
    with pytest.raises(PlanError, match=r'not of one condition: \{"draw":0,"step":"1"\}'):
        steps.select(Selector(condition={"draw": 0}), {})


def test_no_condition_is_refused(steps):
    with pytest.raises(PlanError, match="not of one condition: none"):
        steps.select(Selector(role="control"), {})


def test_conditions_may_hold_lists():
    found = panel(record("a", [1, 1], condition=canonical_json({"range": [1, 2]})))
    assert found.select(Selector(condition={"range": [1, 2]}), {}).values[0, 1, 0] == 1


def test_units_strata_and_cells_are_codes_in_order_of_appearance():
    key = PanelKey(
        "d@1#0",
        "m",
        "x",
        MEASURES,
        "u_story",
        strata="a_side",
        cells=("u_story", "a_side"),
    )
    found = panel(record("a", [1, 1]), key=key).panel
    assert found.units.tolist() == [0, 1, 0]
    assert found.strata.tolist() == [0, 0, 1]
    assert found.cells.tolist() == [0, 1, 2]
    assert panel(record("a", [1, 1])).panel.units is None


def test_a_column_that_is_not_there_is_named_with_those_that_are():
    key = PanelKey("d@1#0", "m", "x", MEASURES, "u_word")
    with pytest.raises(PlanError, match=r"no column 'u_word'; they have .*u_story.*#unit=COLUMN"):
        panel(record("a", [1, 1]), key=key)


def test_two_records_of_one_item_are_refused_since_one_would_hide():
    with pytest.raises(PlanError, match="several records with condition"):
        panel(record("a", [1, 1], variant="v1"), record("a", [0, 0], variant="v2"))


def test_no_records_make_an_empty_panel():
    found = panel(record("a", [1, 1], subject="other"))
    assert found.panel.replicates == ()
    assert found.sides == {}
