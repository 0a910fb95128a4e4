"""Outputs are kept once, and what was seen is remembered in stretches."""

import numpy as np
import pyarrow as pa
import pytest

from scrutiny.store.distinct_outputs import _Names, _Seen, distinct_outputs
from scrutiny.store.name_column import NameColumn
from scrutiny.store.run_tables import OUTPUTS

KEY = ("subject", "replicate", "dataset", "condition", "item", "variant")


def outputs(rows):
    """Table of outputs whose label says which row it was."""
    columns = {name: [row[i] for row in rows] for i, name in enumerate(KEY)}
    rest = {name: [None] * len(rows) for name in OUTPUTS.names if name not in (*KEY, "label")}
    labels = [str(i) for i in range(len(rows))]
    return pa.table({**columns, **rest, "label": labels}, schema=None).select(OUTPUTS.names)


def names_of(names):
    return NameColumn(pa.chunked_array([[*names]], pa.string()))


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
    items = {"d": names_of("bcdef"), "e": names_of("gfa")}  # and others that no dataset has
    found = [row for table in distinct_outputs(tables, items) for row in table.to_pylist()]
    assert found == expected(tables)
    assert len(found) < sum(table.num_rows for table in tables)


def test_a_table_without_repeats_is_handed_on_as_it_is():
    table = outputs([("m", "{}", "d", "{}", str(i), None) for i in range(9)])
    assert [one is table for one in distinct_outputs([table], {})] == [True]


def test_what_was_seen_of_items_in_a_row_takes_one_stretch():
    shards, size = 50, 1_000
    items = names_of(f"{shard}/{i}" for shard in range(shards) for i in range(size // 4))
    names, seen = _Names({"d": items}), _Seen()
    for shard in range(shards):
        rows = [("m", "{}", "d", "{}", f"{shard}/{i // 4}", f"v{i % 4}") for i in range(size)]
        assert seen.take_in(names.numbers(outputs(rows))).all()
        assert sum(map(len, seen._runs)) == 4
    assert len(names._others) == 4
    assert names._new == {}


def test_what_was_seen_here_and_there_takes_few_runs():
    rng, seen, known = np.random.default_rng(0), _Seen(), set()
    for _ in range(60):
        numbers = rng.integers(0, 5_000, 100)
        wanted = [n not in known and n not in numbers[:i] for i, n in enumerate(numbers)]
        assert seen.take_in(numbers).tolist() == wanted
        known |= {*numbers.tolist()}
    assert len(seen._runs) <= np.log2(60) + 1
    covered = [n for run in seen._runs for a, b in run.tolist() for n in range(a, b)]
    assert sorted(covered) == sorted(known)
