import pyarrow as pa
import pytest
from pyarrow import parquet

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset

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
    assert "no complete Parquet file" in failure("d.parquet")


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
