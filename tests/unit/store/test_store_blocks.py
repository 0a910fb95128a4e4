"""What a task gives: contracts checked, and tables that read back."""

import numpy as np
import pytest

from scrutiny.core.diagnostic import Cell
from scrutiny.core.edit import Edit, Variant
from scrutiny.core.errors import ConformanceError
from scrutiny.core.example import Example, Span
from scrutiny.core.record import Row
from scrutiny.core.task import Prediction
from scrutiny.store.item_tables import items_table
from scrutiny.store.run_tables import (
    array_of,
    array_table,
    outputs_table,
    records_table,
    variants_of,
    variants_table,
)

CELL = Cell("m", '{"seed":"1"}', "x", condition={"step": "10"})


def row(**changed):
    base = Row("i", None, "measured", "{}", "ok", None, (1.0, 0.0))
    return base._replace(**changed)


def records(*rows, width=2):
    return records_table("d@1#0", CELL, rows, width=width).to_pylist()


def test_a_row_gets_its_cell():
    found = records(row(condition='{"draw":0}'))[0]
    assert found["condition"] == '{"draw":0,"step":"10"}'
    assert (found["subject"], found["replicate"], found["dataset"]) == ("m", '{"seed":"1"}', "x")
    assert found["values"] == [1.0, 0.0]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_none_make_a_failed_row(bad):
    found = records(row(values=(1.0, bad)))[0]
    assert (found["status"], found["reason"], found["values"]) == ("failed", "non_finite", None)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"status": "fine"}, "gave status 'fine'"),
        ({"role": "hero"}, "role 'hero'"),
        ({"values": None}, "exactly if its status is ok"),
        ({"status": "failed"}, "exactly if its status is ok"),
        ({"values": (1.0,)}, "gave 1 values, it declares 2"),
        ({"values": ()}, "gave 0 values"),
    ],
)
def test_a_row_that_breaks_the_contract_is_refused(changed, says):
    with pytest.raises(ConformanceError, match=says):
        records(row(**changed))


VARIANTS = [
    Variant(
        "i",
        "typos@1/0",
        "measured",
        None,
        "typos@1",
        (
            Edit("text", 0, 1, "é", (Span("text", 0, 1, "PER"),), inside=True),
            Edit("text", 3, 3, ""),
        ),
        "positive",
    ),
    Variant("i", "c", "control", "typos@1/0", "typos@1", (), None, "skipped", "no_room", draw=2),
    Variant("j", "typos@1/0", "measured", None, "typos@1", (), (Span("text", 0, 2, "LOC"),)),
    Variant("j", "none", "measured", None, "typos@1", (), ()),
]


def test_variants_round_trip_by_item_and_in_order():
    table = variants_table("d@1#0", "x", VARIANTS)
    assert variants_of(table) == {"i": tuple(VARIANTS[:2]), "j": tuple(VARIANTS[2:])}
    assert variants_of(table.slice(0, 0)) == {}


def test_outputs_name_the_condition_of_their_model():
    answers = {
        ("i", None): Prediction("a", (0.25, 0.75)),
        ("i", "v"): Prediction((Span("text", 0, 1, "PER"),)),
    }
    found = outputs_table(CELL, answers).to_pylist()
    assert [r["condition"] for r in found] == ['{"step":"10"}'] * 2
    assert found[0]["scores"] == [0.25, 0.75]
    assert found[1]["answer"] == '[["text",0,1,"PER"]]'


def test_items_keep_their_groups_and_units():
    table = items_table(
        [
            Example("a", {"text": "x"}, gold="1", attributes={"a_len": 3.0, "u_story": "s"}),
            Example(
                "b", {"text": "y"}, gold=(Span("text", 0, 1, "P"),), attributes={"u_story": "t"}
            ),
        ],
        "dev",
    )
    found = table.to_pylist()
    assert [r["position"] for r in found] == [0, 1]
    assert [r["a_len"] for r in found] == ["3.0", None]
    assert found[1]["gold"] == '[["text",0,1,"P"]]'
    assert found[0]["fields"] == '{"text":"x"}'


@pytest.mark.parametrize(
    "value", [np.arange(6, dtype=np.int32).reshape(2, 3), np.array(1.5), np.zeros((0, 2))]
)
def test_arrays_round_trip(value):
    found = array_of(array_table(value))
    assert (found.dtype, found.shape) == (value.dtype, value.shape)
    assert np.array_equal(found, value)
