import numpy as np
import pyarrow as pa
import pytest

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset

ROWS = [{"text": "a b", "label": 1}, {"text": "c", "label": 0}, {"text": "", "label": 0}]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}


class Frame:
    """What any data frame library gives: an Arrow stream."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def pandas_frame():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(ROWS, index=["r1", "r2", "r3"])


def hub_dataset():
    return pytest.importorskip("datasets").Dataset.from_list(ROWS)


MAKERS = {
    "list": lambda: ROWS,
    "tuple": lambda: tuple(ROWS),
    "dict": lambda: COLUMNS,
    "arrays": lambda: {k: np.array(v) for k, v in COLUMNS.items()},
    "arrow": lambda: pa.Table.from_pylist(ROWS),
    "stream": lambda: Frame(pa.Table.from_pylist(ROWS)),
    "pandas": pandas_frame,
    "datasets": hub_dataset,
}


@pytest.mark.parametrize("kind", MAKERS)
def test_all_kinds_give_the_same_data(kind):
    value = MAKERS[kind]()
    data = load_dataset(value)
    place = type(value).__name__
    assert [(e.text, e.gold) for e in data.examples] == [("a b", "1"), ("c", "0")]
    assert [e.source for e in data.examples] == [f"{place}:1", f"{place}:2"]
    assert data.bad_rows[0].source == f"{place}:3"
    assert data.source == f"object:{place}"
    assert data.data_string == ""
    assert data.fingerprint == load_dataset(ROWS).fingerprint


def test_columns_argument():
    data = load_dataset([{"s": "a", "y": "x"}], columns={"text": "s", "label": "y"}, name="mine")
    assert data.name == "mine"
    assert data.examples[0].gold == "x"


def test_integers_that_pandas_made_floats():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": ["a", "b"], "label": [1.0, np.nan]})
    data = load_dataset(frame)
    assert data.labels == ("1",)
    assert data.bad_rows[0].reason == "label is missing"


def test_pandas_column_of_mixed_types(failure):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": ["a", 3], "label": ["x", "y"]})
    assert "mixes types" in failure(frame)


def test_hub_class_labels_and_lists():
    datasets = pytest.importorskip("datasets")
    tags = datasets.List(datasets.ClassLabel(names=["O", "B-PER"]))
    features = datasets.Features({"tokens": datasets.List(datasets.Value("string")), "tags": tags})
    rows = {"tokens": [["Ada", "ran"], ["x"]], "tags": [[1, 0], [0]]}
    data = load_dataset(datasets.Dataset.from_dict(rows, features=features))
    assert data.labels == ("PER",)
    assert data.examples[0].gold[0][:3] == ("text", 0, 3)


def test_order_of_class_labels_is_the_files():
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["z", "a"])}
    )
    value = datasets.Dataset.from_dict({"text": ["a", "b"], "label": [1, 0]}, features=features)
    assert load_dataset(value).labels == ("z", "a")


def test_several_splits_are_refused(failure):
    datasets = pytest.importorskip("datasets")
    value = datasets.DatasetDict(train=hub_dataset(), test=hub_dataset())
    assert "several splits (train, test)" in failure(value)


@pytest.mark.parametrize(
    ("value", "phrase"),
    [
        (3, "Examples cannot be read from an object of type int"),
        ([], "holds no rows"),
        (["a", "b"], "the row is of type str, not a dict"),
        ({"text": ["a"], "label": ["x", "y"]}, "differ in length: text 1, label 2"),
        ({"text": "a"}, "not one of columns"),
        ({}, "is an object without keys"),
    ],
)
def test_objects_that_hold_no_table(failure, value, phrase):
    assert phrase in failure(value)


def test_scalars_of_numpy_and_keys_that_are_no_text_are_read():
    rows = [{"text": np.str_("a"), "label": np.int64(1), 0: np.float32(2)}]
    (example,) = load_dataset(rows, columns={"group": "0"}).examples
    assert (example.text, example.gold, example.attributes) == ("a", "1", {"a_0": 2.0})
    (row,) = load_dataset([*rows, {"text": "b", "label": "x", "0": 1, 0: 2}]).bad_rows
    assert row.reason == "two keys are named '0'"


def test_what_pandas_calls_missing_is_missing():
    pandas = pytest.importorskip("pandas")
    rows = [{"text": "a", "label": value} for value in (pandas.NA, pandas.NaT, float("nan"), "x")]
    assert [row.reason for row in load_dataset(rows).bad_rows] == ["label is missing"] * 3
    columns = {"text": ["a", "b"], "label": pandas.array(["x", None], dtype="string")}
    assert len(load_dataset(columns, columns={"unlabeled": "keep"}).examples) == 2


def test_frames_that_arrow_cannot_hold_are_refused():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="mixes types that Arrow cannot hold together"):
        load_dataset(pandas.DataFrame({"text": ["a", "b"], "label": [10**30, 0]}))
    with pytest.raises(DataError, match="A Series is one column, not a table"):
        load_dataset(pandas.Series(["a", "b"]))
