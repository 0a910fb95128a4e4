from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset
from scrutiny.store import arrow

ROWS = [{"text": f"row {i}", "label": i % 2} for i in range(10_000)]


@pytest.fixture
def file(write, tmp_path):
    parquet.write_table(pa.Table.from_pylist(ROWS), write("d.parquet", b""), row_group_size=3000)
    return tmp_path / "d.parquet"


def test_rows_are_numbered_through_all_groups(file):
    data = load_dataset("d.parquet")
    assert len(data) == 10_000
    assert data.examples[-1].source == "d.parquet:10000"
    assert data.labels == ("0", "1")


def test_dictionary_columns(write):
    labels = pa.array(["x", "y", None]).dictionary_encode()
    table = pa.table({"text": ["a", "b", "c"], "label": labels})
    parquet.write_table(table, write("d.parquet", b""))
    data = load_dataset("d.parquet")
    assert [e.gold for e in data.examples] == ["x", "y"]
    assert data.bad_rows[0].reason == "label is missing"


def test_class_names_in_the_metadata(write):
    table = pa.table({"text": ["a", "b", "c", "d"], "label": [1, 0, 7, -1]})
    info = (
        b'{"info": {"features": {"label": {"names": ["no", "yes"], "_type": "ClassLabel"},'
        b' "text": {"dtype": "string", "_type": "Value"}}}}'
    )
    parquet.write_table(
        table.replace_schema_metadata({b"huggingface": info}), write("d.parquet", b"")
    )
    data = load_dataset("d.parquet")
    assert [e.gold for e in data.examples] == ["yes", "no", None]
    assert data.labels == ("no", "yes")
    assert data.bad_rows[0].reason == "the label 7 is not one of 0 to 1"
    assert data.doubts[0].startswith("1 row has the label -1")


@pytest.mark.parametrize("kept", [0.5, 0.999])
def test_truncated(file, failure, kept):
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * kept)])
    assert "no complete Parquet file; it may be cut off" in failure("d.parquet")


def test_damaged_inside(file, failure):
    whole = bytearray(file.read_bytes())
    whole[100:2000] = bytes(1900)
    file.write_bytes(bytes(whole))
    assert "no complete Parquet file" in failure("d.parquet")


def test_not_parquet_at_all(write, failure):
    write("d.parquet", "text,label\na,x\n")
    assert "is no Parquet file: it is a text, which csv:" in failure("d.parquet")
    write("e.parquet", "PAR1\x00cut")
    assert "no complete Parquet file" in failure("e.parquet")


def test_no_rows(write, failure):
    parquet.write_table(pa.table({"text": pa.array([], pa.string())}), write("d.parquet", b""))
    assert "holds no rows" in failure("d.parquet")


@pytest.mark.parametrize("info", [b"no json", b"[]", b'{"info": {"features": {"label": null}}}'])
def test_metadata_that_says_nothing(write, info):
    table = pa.table({"text": ["a"], "label": [1]})
    parquet.write_table(
        table.replace_schema_metadata({b"huggingface": info}), write("d.parquet", b"")
    )
    assert load_dataset("d.parquet").labels == ("1",)


def repeated_text(rows, length):
    """Column of one text that is kept once."""
    places = pa.array([0] * rows, pa.int32())
    return pa.DictionaryArray.from_arrays(places, pa.array(["x" * length]))


def test_a_small_file_that_fills_the_memory(write, failure):
    table = pa.table({"text": repeated_text(2000, 10_000_000), "label": ["a"] * 2000})
    path = write("d.parquet", b"")
    parquet.write_table(table, path, compression="zstd", store_schema=False)
    assert Path(path).stat().st_size < 2_000
    said = failure("d.parquet")
    assert "d.parquet unpacks from" in said
    assert "to more than 1 GB: it repeats long values" in said


@pytest.mark.parametrize("use_dictionary", [True, False])
@pytest.mark.parametrize(
    "column",
    [
        ["x" * 4000] * 1000,
        [["x" * 4000] * 2] * 500,
        [{"a": {"b": "x" * 4000}}] * 1000,
        [[{"a": "x" * 4000}]] * 1000,
        [b"x" * 4000] * 1000,
    ],
    ids=["text", "list", "object", "objects in lists", "bytes"],
)
def test_each_form_of_repeated_values(write, failure, monkeypatch, column, use_dictionary):
    monkeypatch.setattr(arrow, "MOST_UNPACKED", 2**21)
    table = pa.table({"more": column, "text": ["a"] * len(column), "label": ["a"] * len(column)})
    path = write("d.parquet", b"")
    how = {"use_dictionary": use_dictionary, "write_statistics": False}
    parquet.write_table(table, path, compression="zstd", **how)
    assert "unpacks from" in failure("d.parquet")


LONG = "x" * 4000


@pytest.mark.parametrize(
    "column",
    [
        repeated_text(1000, 4000),
        pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.uint8()), pa.array([[LONG]])),
        pa.RunEndEncodedArray.from_arrays(pa.array([1000], pa.int32()), pa.array([LONG])),
        pa.array([LONG] * 1000, pa.string_view()),
        pa.ListViewArray.from_arrays([0] * 1000, [4000] * 1000, pa.array([7] * 4000)),
    ],
    ids=["text", "lists", "runs", "views", "views of lists"],
)
def test_each_form_of_repeated_values_in_arrow(tmp_path, monkeypatch, column):
    monkeypatch.setattr(arrow, "MOST_UNPACKED", 2**21)
    monkeypatch.setattr(arrow, "MOST_TIMES", 0)
    table = pa.table({"more": column, "text": ["a"] * 1000, "label": ["a"] * 1000})
    path = tmp_path / "d.arrow"
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(DataError, match=r"d\.arrow unpacks from"):
        load_dataset(str(path))
    monkeypatch.setattr(arrow, "MOST_UNPACKED", 2**26)
    assert len(load_dataset(str(path))) == 1000


def test_repeated_keys_of_a_map(write, failure, monkeypatch):
    monkeypatch.setattr(arrow, "MOST_UNPACKED", 2**21)
    maps = pa.array([[("x" * 4000, 1)]] * 1000, pa.map_(pa.string(), pa.int64()))
    parquet.write_table(pa.table({"text": maps}), write("d.parquet", b""), compression="zstd")
    assert "unpacks from" in failure("d.parquet")


def test_what_packs_well_is_read(write, monkeypatch):
    """Real text packs to a thirtieth, and labels to less: the sizes of rows are what counts."""
    monkeypatch.setattr(arrow, "MOST_UNPACKED", 1000)
    rows = [{"text": f"row {i} " * 3, "label": "a" * 40} for i in range(5_000)]
    path = write("d.parquet", b"")
    parquet.write_table(pa.Table.from_pylist(rows), path, compression="zstd")
    assert len(load_dataset("d.parquet")) == 5_000


def test_values_of_every_type_are_as_they_were(write):
    """Batches are measured in another form than they are read in."""
    table = pa.table(
        {
            "text": pa.array(["a", None, "c"], pa.large_string()),
            "list": [["a", "b"], None, []],
            "object": [{"a": "q", "n": [{"z": "1"}]}, None, {"a": None, "n": None}],
            "number": pa.array([Decimal("1.5")] * 3),
            "class": pa.array(["u", None, "u"]).dictionary_encode(),
            "bytes": [b"\xff", None, b""],
        }
    )
    path = write("d.parquet", b"")
    parquet.write_table(table, path, row_group_size=2)
    batches = list(arrow.ForeignParquet(Path(path)).batches(2))
    assert [row for batch in batches for row in batch.to_pylist()] == table.to_pylist()


def test_fields_of_objects_are_columns(write, tmp_path):
    table = pa.table({"data": [{"by": {"text": "a"}}, {"by": {"text": "b"}}], "y": [1, 0]})
    parquet.write_table(table, write("d.parquet", b""))
    with pa.ipc.new_stream(str(tmp_path / "d.arrows"), table.schema) as writer:
        writer.write_table(table)
    for source in ("d.parquet", str(tmp_path / "d.arrows"), table):
        stated = {"text": "data.by.text", "label": "y"}
        if isinstance(source, str):
            data = load_dataset(f"{source}#text=data.by.text,label=y")
        else:
            data = load_dataset(source, columns=stated)
        assert [(e.text, e.gold) for e in data.examples] == [("a", "1"), ("b", "0")]


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_arrow_files_and_streams(tmp_path, kind):
    import pyarrow as pa

    table = pa.table({"text": ["a", "b"], "label": ["x", "y"]})
    path = tmp_path / ("d.feather" if kind == "file" else "d.arrow")
    make = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with make(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=1)
    found = load_dataset(str(path)).examples
    assert [(e.text, e.gold) for e in found] == [("a", "x"), ("b", "y")]
    assert found[1].source.endswith(":2")
    path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(DataError, match="no complete file of Arrow"):
        load_dataset(str(path))
    with make(str(path), table.schema):
        pass
    with pytest.raises(DataError, match="is empty"):
        load_dataset(str(path))
