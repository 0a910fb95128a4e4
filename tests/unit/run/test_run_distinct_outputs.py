"""Outputs are kept once, and what was seen is remembered in a few bytes each."""

import numpy as np
import pyarrow as pa
import pytest

from scrutiny.run.manifest import _Names, _Seen, distinct_outputs
from scrutiny.store.run_tables import OUTPUTS

KEY = ("subject", "replicate", "dataset", "condition", "item", "variant")


def outputs(rows):
    """Table of outputs whose label says which row it was."""
    columns = {name: [row[i] for row in rows] for i, name in enumerate(KEY)}
    rest = {name: [None] * len(rows) for name in OUTPUTS.names if name not in (*KEY, "label")}
    labels = [str(i) for i in range(len(rows))]
    return pa.table({**columns, **rest, "label": labels}, schema=None).select(OUTPUTS.names)


def expected(tables):
    """Rows whose key comes for the first time, by a set of keys."""
    seen, kept = set(), []
    for table in tables:
        for row in table.to_pylist():
            key = tuple(row[name] for name in KEY)
            if key not in seen:
                kept.append(row)
            seen.add(key)
    return kept


@pytest.mark.parametrize("seed", range(5))
def test_the_first_of_equal_keys_is_kept_in_its_place(seed):
    rng = np.random.default_rng(seed)
    names = [["m", "n"], ["{}", '{"seed":1}'], ["d", "e"], ["{}"], list("abcdefgh"), [None, "v"]]
    tables = [
        outputs([tuple(own[rng.integers(len(own))] for own in names) for _ in range(count)])
        for count in rng.integers(0, 30, 12)
    ]
    found = [row for table in distinct_outputs(tables) for row in table.to_pylist()]
    assert found == expected(tables)
    assert len(found) < sum(table.num_rows for table in tables)


def test_a_table_without_repeats_is_handed_on_as_it_is():
    table = outputs([("m", "{}", "d", "{}", str(i), None) for i in range(9)])
    assert [one is table for one in distinct_outputs([table])] == [True]


def test_what_was_seen_takes_eight_bytes_a_row_and_few_arrays():
    shards, size = 50, 1_000
    names, seen = _Names(), _Seen()
    for shard in range(shards):
        rows = [("m", "{}", "d", "{}", f"{shard}/{i // 4}", f"v{i % 4}") for i in range(size)]
        assert seen.take_in(names.numbers(outputs(rows))).all()
    assert sum(run.nbytes for run in seen._runs) == 8 * shards * size
    assert len(seen._runs) <= np.log2(shards) + 1
    assert len(names._others) == 4
    assert len(names._items) == shards * size // 4
