"""Frozen sets: the same content has the same digest, and a change is noticed."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrutiny.core.errors import DataError
from scrutiny.store.perturbation_set import freeze, load, save
from scrutiny.store.schemas import VARIANTS

DATASETS = {"dev": "f" * 32}


def variants(count=3, **changed):
    row = {
        "kind": "robustness@1#0",
        "dataset": "dev",
        "variant": "typos@1/0",
        "role": "measured",
        "control_of": None,
        "recipe": "typos@1",
        "draw": 0,
        "edits": '[["text",0,1,"x",[],false]]',
        "gold": '"positive"',
        "status": "ok",
        "reason": None,
        **changed,
    }
    rows = [{**row, "item": f"i{n}"} for n in range(count)]
    return pa.Table.from_pylist(rows, schema=VARIANTS)


def test_a_set_round_trips(tmp_path):
    frozen = freeze("demo", variants(), datasets=DATASETS)
    save(tmp_path / "deep" / "demo.parquet", frozen)
    again = load(tmp_path / "deep" / "demo.parquet", expected=frozen.digest)
    assert again.variants.equals(frozen.variants)
    assert (again.name, again.datasets, again.digest) == ("demo", DATASETS, frozen.digest)


def test_the_digest_is_of_the_content_alone():
    one = freeze("demo", variants(), datasets=DATASETS)
    pieces = pa.concat_tables([variants().slice(0, 1), variants().slice(1)])
    extra = pieces.append_column("more", pa.array([1, 2, 3]))
    assert freeze("demo", extra, datasets=DATASETS).digest == one.digest
    assert len(one.digest) == 32


@pytest.mark.parametrize("column", ["edits", "gold", "recipe", "variant", "role", "status"])
def test_every_column_counts(column):
    changed = {column: '["other"]'}
    one, other = (freeze("demo", v, datasets=DATASETS) for v in (variants(), variants(**changed)))
    assert one.digest != other.digest


def test_name_order_and_datasets_count():
    table = variants()
    digests = {
        freeze("demo", table, datasets=DATASETS).digest,
        freeze("other", table, datasets=DATASETS).digest,
        freeze("demo", table, datasets={"dev": "0" * 32}).digest,
        freeze("demo", table.take([1, 0, 2]), datasets=DATASETS).digest,
        freeze("demo", table.slice(0, 2), datasets=DATASETS).digest,
    }
    assert len(digests) == 5


def test_a_file_that_was_changed_is_refused(tmp_path):
    path = tmp_path / "demo.parquet"
    save(path, freeze("demo", variants(), datasets=DATASETS))
    table = pq.read_table(path)
    golds = pa.array(['"negative"'] * 3)
    changed = table.set_column(table.column_names.index("gold"), VARIANTS.field("gold"), golds)
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(DataError, match="was changed after it was frozen"):
        load(path)


def test_another_set_than_expected_is_refused(tmp_path):
    save(tmp_path / "demo.parquet", freeze("demo", variants(), datasets=DATASETS))
    with pytest.raises(DataError, match="abc was expected"):
        load(tmp_path / "demo.parquet", expected="abc")


def test_files_that_are_no_sets_are_named(tmp_path):
    pq.write_table(variants(), tmp_path / "plain.parquet")
    with pytest.raises(DataError, match="is no perturbation set"):
        load(tmp_path / "plain.parquet")
    (tmp_path / "torn.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match="does not read"):
        load(tmp_path / "torn.parquet")
    with pytest.raises(DataError, match="does not read"):
        load(tmp_path / "gone.parquet")


def test_what_cannot_be_a_set_is_refused():
    with pytest.raises(DataError, match="lack the columns edits"):
        freeze("demo", variants().drop_columns("edits"), datasets=DATASETS)
    with pytest.raises(DataError, match="'dev' of 'demo' has no fingerprint"):
        freeze("demo", variants(), datasets={})
    with pytest.raises(DataError, match="same dataset, item and name"):
        freeze("demo", pa.concat_tables([variants(1), variants(1)]), datasets=DATASETS)


def test_a_set_fits_its_own_data_only():
    frozen = freeze("demo", variants(), datasets=DATASETS)
    frozen.must_fit("dev", "f" * 32)
    with pytest.raises(DataError, match="made of another 'dev'"):
        frozen.must_fit("dev", "0" * 32)
    with pytest.raises(DataError, match="holds variants of dev, not of 'test'"):
        frozen.must_fit("test", "f" * 32)
