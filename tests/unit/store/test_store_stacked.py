"""Datasets under one another: items keep to their dataset, replicates to their names."""

import numpy as np
import pyarrow as pa
import pytest

from scrutiny.core.errors import PlanError
from scrutiny.core.record import Measure
from scrutiny.reliability.panel import Panel, Side
from scrutiny.store.panels import Recorded, stack

KEY = ("{}", "measured")


def recorded(values, *, replicates=(None,), units=None, strata=None, key=KEY):
    """Records of one measure ``(replicate, item)``."""
    array = np.asarray(values, dtype=float)[..., None]
    items = tuple(f"i{k}" for k in range(array.shape[1]))
    panel = Panel(
        (Measure("hit"),),
        tuple(replicates),
        items,
        None if units is None else np.array(units),
        None if strata is None else np.array(strata),
    )
    side = Side(array, np.zeros(array.shape[:2], dtype=np.int8))
    return Recorded(panel, {key: side}, {key[0]: {}}, lambda: pa.table({"item": list(items)}))


def test_items_stand_under_one_another_and_datasets_are_strata_and_cells():
    whole = stack({"cd": recorded([[1, 2]]), "sfu": recorded([[3, 4, 5]])}, cells=("dataset",))
    assert whole.sides[KEY].values[0, :, 0].tolist() == [1, 2, 3, 4, 5]
    assert whole.panel.items == ("cd/i0", "cd/i1", "sfu/i0", "sfu/i1", "sfu/i2")
    assert whole.panel.strata.tolist() == whole.panel.cells.tolist() == [0, 0, 1, 1, 1]
    assert whole.panel.units is None
    assert whole.table.num_rows == 5


def test_units_and_strata_of_two_datasets_are_never_the_same():
    one = recorded([[1, 2, 3]], units=[0, 0, 1], strata=[0, 0, 1])
    other = recorded([[4, 5]], units=[0, 0])
    panel = stack({"a": one, "b": other}, cells=()).panel
    assert panel.units.tolist() == [0, 0, 1, 2, 2]
    assert panel.strata.tolist() == [0, 0, 1, 2, 2]
    assert panel.cells is None


def test_replicates_are_joined_by_name():
    one = recorded([[1], [2], [3]], replicates=("a", "b", "c"))
    other = recorded([[30], [10]], replicates=("c", "a"))
    whole = stack({"x": one, "y": other}, cells=())
    assert whole.panel.replicates == ("a", "c")
    assert whole.sides[KEY].values[..., 0].tolist() == [[1, 10], [3, 30]]


@pytest.mark.parametrize(
    ("other", "cells", "says"),
    [
        (recorded([[1]], replicates=("z",)), (), "share no replicate"),
        (recorded([[1]], key=('{"preset":"x"}', "measured")), (), "share no replicate and cond"),
        (recorded([[1]]), ("a_half",), "keeps a_half apart"),
    ],
)
def test_what_does_not_fit_together_is_refused(other, cells, says):
    with pytest.raises(PlanError, match=says):
        stack({"x": recorded([[1]]), "y": other}, cells=cells)
