"""A run on disk: tables, estimates, findings, arrays, and what a damaged one says."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrutiny.core.claim import Check, Claim, Component, Finding
from scrutiny.core.errors import DataError
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import Counts
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.run_tables import (
    ESTIMATES,
    ROW_GROUP,
    estimate_from_row,
    estimate_to_row,
    estimates_to_table,
    finding_from_json,
    finding_to_json,
)

SCHEMA = pa.schema([pa.field("x", pa.int64()), pa.field("s", pa.string())])
ESTIMATE = Estimate(
    key=EstimateKey(
        "robustness@1#5f3a9c",
        "drop(accuracy)@1",
        "ours",
        "dev",
        reference="theirs",
        replicate='{"seed":"3"}',
        role="contrast",
        condition={"transformation": "typos@1", "draw": 0, "share": 0.1},
        group="changed",
    ),
    value=0.1 + 0.2,
    low=-0.0,
    high=1 / 3,
    level=0.95,
    method="crossed@1",
    counts=Counts(5, 1, 2, skipped=3, refused=4),
    n_units=5,
    n_replicates=5,
    variance={"seeds": 1e-9, "items": 0.1},
    by_replicate={'{"seed":"3"}': 0.1},
    across={"sd": 0.1},
    resample_id="id",
    reason="few_clusters",
)
NO_VALUE = replace(ESTIMATE, value=None, low=None, high=None, status="undefined", reason="no_items")
CLAIM = Claim(
    "id",
    "says",
    "robustness",
    (Component("e", 0.01), Component("f", 0.02, "control: x", "<")),
    family="fam",
    level=0.9,
    checks=("items", "choices:draw"),
    competence=(("level", 0.5), ("other", 0.25)),
    gates=("fivegram",),
    refused="below a gate",
    needs_control=False,
    post_hoc=True,
)
FINDING = Finding(
    claim=CLAIM,
    estimate=ESTIMATE,
    control=NO_VALUE,
    verdict="undecided",
    scope="this recipe",
    reason="because",
    checks=(Check("items", "no", "1 of 2"),),
    p_supported=0.01,
    p_not_supported=0.99,
    minimum_detectable_effect=0.02,
    evidence={"reference": ESTIMATE.key},
)


@pytest.fixture
def folder(tmp_path):
    made = RunFolder(tmp_path)
    made.write_manifest({"status": "done"})
    return made


def rows(count, start=0):
    return pa.table({"x": range(start, start + count), "s": ["a"] * count}, schema=SCHEMA)


@pytest.mark.parametrize(
    "cuts", [[1] * 10, [5, 5], [10], [3, 0, 7]], ids=["ones", "halves", "whole", "empty between"]
)
def test_bytes_do_not_depend_on_how_the_work_was_cut(folder, cuts):
    count, start, parts = ROW_GROUP // 5, 0, []
    for cut in cuts:
        parts.append(rows(cut * count, start))
        start += cut * count
    assert folder.write_table("cut", parts, schema=SCHEMA) == 10 * count
    folder.write_table("whole", [rows(10 * count)], schema=SCHEMA)
    cut, whole = ((folder.path / f"{n}.parquet").read_bytes() for n in ("cut", "whole"))
    assert cut == whole
    groups = pq.ParquetFile(folder.path / "cut.parquet").metadata
    sizes = [groups.row_group(i).num_rows for i in range(groups.num_row_groups)]
    assert sizes == [ROW_GROUP, 10 * count - ROW_GROUP]


def test_a_table_without_rows_is_a_table(folder):
    assert folder.write_table("none", [], schema=SCHEMA) == 0
    assert folder.table("none").schema.names == ["x", "s"]


def test_the_footer_holds_what_the_values_mean(folder):
    folder.write_table("records", [rows(1)], schema=SCHEMA, footer={"k": ["hit"]})
    assert json.loads(folder.table("records").schema.metadata[b"scrutiny"]) == {"k": ["hit"]}


def test_a_write_that_fails_leaves_the_old_table(folder):
    folder.write_table("records", [rows(3)], schema=SCHEMA)

    def torn():
        yield rows(ROW_GROUP)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        folder.write_table("records", torn(), schema=SCHEMA)
    assert folder.table("records").num_rows == 3
    assert sorted(p.name for p in folder.path.iterdir()) == ["manifest.json", "records.parquet"]


def test_a_damaged_table_is_named(folder):
    folder.write_table("records", [rows(100)], schema=SCHEMA)
    path = folder.path / "records.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"records.parquet is damaged"):
        folder.records()


def test_a_table_that_is_not_there_yet_says_how_to_get_it(folder):
    with pytest.raises(DataError, match="the run is not finished"):
        folder.records()


@pytest.mark.parametrize("name", ["seed=1", "a b", "é"])
def test_names_of_folders_add_no_columns(tmp_path, name):
    odd = RunFolder(tmp_path / name)
    odd.path.mkdir()
    odd.write_table("records", [rows(2)], schema=SCHEMA)
    assert odd.table("records").column_names == ["x", "s"]


def test_a_manifest_that_does_not_read_is_named(folder):
    (folder.path / "manifest.json").write_text('{"half":')
    with pytest.raises(DataError, match=r"manifest.json cannot be read"):
        _ = folder.manifest


@pytest.mark.parametrize("text", ["[", "[{}]", '{"a": 1}', "[1]"])
def test_findings_that_do_not_read_are_named(folder, text):
    (folder.path / "findings.json").write_text(text)
    with pytest.raises(DataError, match=r"findings.json cannot be read"):
        folder.findings()


@pytest.mark.parametrize(
    "estimate", [ESTIMATE, NO_VALUE, replace(ESTIMATE, reason=None, denominator=7.5)]
)
def test_estimates_round_trip(folder, estimate):
    assert estimate_from_row(estimate_to_row(estimate)) == estimate
    folder.write_estimates([estimate, ESTIMATE])
    assert folder.estimates() == [estimate, ESTIMATE]


def test_estimates_of_older_runs_are_divided_by_their_rows():
    row = estimate_to_row(replace(ESTIMATE, denominator=7.5))
    del row["denominator"]
    assert estimate_from_row(row).divided_by == ESTIMATE.counts.n


def test_planned_stands_beside_its_parts():
    row = estimate_to_row(ESTIMATE)
    parts = ("n", "undefined", "failed", "skipped", "refused")
    assert row["planned"] == sum(row[name] for name in parts) == 15
    assert list(row) == ESTIMATES.names
    assert estimates_to_table([]).schema == ESTIMATES


@pytest.mark.parametrize(
    "finding",
    [
        FINDING,
        replace(FINDING, estimate=None, control=None, p_supported=None, p_not_supported=None),
        replace(FINDING, minimum_detectable_effect=None, evidence={}, checks=()),
    ],
)
def test_findings_round_trip(folder, finding):
    assert finding_from_json(json.loads(json.dumps(finding_to_json(finding)))) == finding
    folder.write_findings([finding])
    assert folder.findings() == [finding]


def test_claims_of_an_earlier_version_are_those_with_the_defaults():
    data = finding_to_json(FINDING)
    for name in ("gates", "refused", "needs_control"):
        del data["claim"][name]
    claim = replace(CLAIM, gates=(), refused="", needs_control=True)
    assert finding_from_json(data).claim == claim


def test_without_findings_there_are_none(folder):
    assert folder.findings() == []


@pytest.mark.parametrize("value", [np.arange(6.0).reshape(2, 3), np.zeros((0, 4), np.float32)])
def test_arrays_round_trip(folder, value):
    folder.write_array("task/one", value)
    found = folder.array("task/one")
    assert found.dtype == value.dtype
    assert np.array_equal(found, value)
    with pytest.raises(DataError, match="cannot be read"):
        folder.array("task/none")


def test_arrays_of_objects_are_not_unpickled(folder):
    path = folder.path / "arrays" / "bad.npy"
    path.parent.mkdir()
    np.save(path, np.array([object()]), allow_pickle=True)
    with pytest.raises(DataError, match="cannot be read"):
        folder.array("bad")


def test_texts_are_read_as_codes_and_say_the_same(folder):
    count = ROW_GROUP + 7
    folder.write_table("records", [rows(count)], schema=SCHEMA, footer={"k": ["hit"]})
    found = folder.coded("records")
    assert pa.types.is_dictionary(found.schema.field("s").type)
    assert found["s"].num_chunks == 1
    assert found["s"].to_pylist() == folder.records()["s"].to_pylist()
    assert found["x"].to_pylist() == folder.records()["x"].to_pylist()
    assert json.loads(found.schema.metadata[b"scrutiny"]) == {"k": ["hit"]}
    assert folder.coded("records", ["s", "no_such"]).column_names == ["s"]


def test_single_rows_are_read_from_their_row_groups_only(folder, monkeypatch):
    count = 3 * ROW_GROUP
    folder.write_table("records", [rows(count)], schema=SCHEMA)
    whole = folder.records().to_pylist()
    read, original = [], pq.ParquetFile.read_row_group

    def counted(file, group, **more):
        read.append(group)
        return original(file, group, **more)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", counted)
    places = [count - 1, 5, 3, ROW_GROUP - 1]
    assert folder.rows("records", places, ["x", "s"]) == [whole[place] for place in places]
    assert read == [0, 2]
    assert folder.rows("records", [], ["x"]) == []


def test_some_columns_come_in_the_order_asked_for(folder):
    folder.write_table("records", [rows(3)], schema=SCHEMA)
    assert folder.table("records", columns=["x", "s"]).column_names == ["x", "s"]
    with pytest.raises(DataError, match="it has no column 'x, y'"):
        folder.table("records", columns=["x, y"])


def test_original_answers_are_picked_from_one_row_group_after_the_other(folder):
    names = ["subject", "replicate", "condition", "dataset", "item", "answer"]
    count = ROW_GROUP + 5
    table = pa.table(
        {name: [f"{name} {i}" for i in range(count)] for name in names[:-1]}
        | {
            "answer": [None if i % 4 == 0 else "yes" for i in range(count)],
            "variant": [None if i % 2 == 0 else "typos" for i in range(count)],
        }
    )
    folder.write_table("outputs", [table], schema=table.schema)
    found = folder.original_answers()
    assert found.column_names == names
    assert found["item"].to_pylist() == [f"item {i}" for i in range(0, count, 2)]
    assert folder.original_answers("variant")["variant"].null_count == found.num_rows
    folder.write_table("outputs", [], schema=table.schema)
    assert folder.original_answers().num_rows == 0


def test_what_is_not_there_or_damaged_is_named_whoever_reads_it(folder):
    for read in (
        lambda: folder.coded("records"),
        lambda: folder.rows("records", [0], ["x"]),
        lambda: folder.table("records", columns=["x"]),
    ):
        (folder.path / "records.parquet").unlink(missing_ok=True)
        with pytest.raises(DataError, match="the run is not finished"):
            read()
        (folder.path / "records.parquet").write_bytes(b"PAR1 no more")
        with pytest.raises(DataError, match=r"records.parquet is damaged"):
            read()


def test_items_are_estimated_on_without_their_texts(folder):
    items = pa.table({"dataset": ["d"], "item": ["i"], "gold": ["1"], "fields": ["{}"]})
    folder.write_table("items", [items], schema=items.schema)
    folder.write_table("records", [rows(2)], schema=SCHEMA)
    records, read = folder.measured()
    assert read.column_names == ["dataset", "item", "gold"]
    assert [part.num_rows for part in records.where()] == [2]


def test_texts_as_codes_are_the_table(folder):
    folder.write_table("records", [rows(70_000)], schema=SCHEMA, footer={"kind": 1})
    plain, read = folder.table("records"), folder.coded("records")
    assert read.schema.metadata == plain.schema.metadata
    assert read.column_names == plain.column_names
    assert read.cast(plain.schema).equals(plain)
    assert all(column.num_chunks == 1 for column in read.columns)
    folder.write_table("records", [rows(0)], schema=SCHEMA)
    assert folder.coded("records").num_rows == 0


@pytest.mark.parametrize("name", ["~", "\udcff", "a:b", "file:x", "%7E", "ü#?*"])
def test_names_are_those_of_folders_and_nothing_else(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = RunFolder(Path(name))
    folder.path.mkdir()
    table = pa.table({"x": [1, 2]})
    folder.write_table("records", [table], schema=table.schema)
    assert folder.table("records").column("x").to_pylist() == [1, 2]
    assert [path.name for path in folder.path.iterdir()] == ["records.parquet"]
    assert not (tmp_path / "home").exists()
