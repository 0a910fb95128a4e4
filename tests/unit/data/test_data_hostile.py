"""Files that are damaged, ambiguous or odd: a row or the file is refused, and nothing crashes."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrutiny.core.errors import DataError
from scrutiny.data.dataset import load_dataset

HALF = "\ud800"


def reasons(data: object, **options: object) -> list[str]:
    return [row.reason for row in load_dataset(data, **options).bad_rows]


def jsonl(folder: Path, *rows: object) -> str:
    path = folder / "rows.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join([*lines, '{"text": "fine", "label": "a"}']) + "\n")
    return f"jsonl:{path}"


def no_utf8(values: list[bytes | None]) -> pa.Array:
    """Array of strings whose bytes nobody has checked."""
    offsets = [0]
    for value in values:
        offsets.append(offsets[-1] + len(value or b""))
    buffers = [
        None,
        pa.array(offsets, pa.int32()).buffers()[1],
        pa.py_buffer(b"".join(value or b"" for value in values)),
    ]
    return pa.Array.from_buffers(pa.string(), len(values), buffers)


def test_a_text_of_parquet_that_is_no_utf8_is_a_bad_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    texts = no_utf8([b"fine", b"sch\xf6n", b"good"])
    pq.write_table(pa.table({"text": texts, "label": ["a", "b", "a"]}), path)
    data = load_dataset(f"parquet:{path}")
    assert [e.fields["text"] for e in data.examples] == ["fine", "good"]
    (bad,) = data.bad_rows
    assert bad.source.endswith("rows.parquet:2")
    assert bad.reason == "text is no UTF-8: byte 0xf6 at offset 3 does not fit"


def test_lists_and_dictionaries_of_parquet_are_looked_at_too(tmp_path: Path) -> None:
    words = pa.ListArray.from_arrays([0, 1, 2], no_utf8([b"\xff", b"O"]))
    pq.write_table(pa.table({"tokens": words, "tags": words}), tmp_path / "lists.parquet")
    assert "tokens is no UTF-8" in reasons(f"parquet:{tmp_path / 'lists.parquet'}")[0]
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), no_utf8([b"x\xff", b"y"]))
    table = pa.table({"text": coded, "label": pa.chunked_array([["a", "b", "c"]])})
    assert len(reasons(table)) == 2
    pq.write_table(table, tmp_path / "coded.parquet")
    with pytest.raises(DataError, match="holds text that is no UTF-8, in the name of a column or"):
        load_dataset(f"parquet:{tmp_path / 'coded.parquet'}")


def test_a_date_that_python_lacks_is_a_bad_row(tmp_path: Path) -> None:
    dates = pa.array([0, 10**15], pa.timestamp("ms"))
    table = pa.table({"text": ["one", "two"], "label": ["a", "b"], "seen": dates})
    pq.write_table(table, tmp_path / "dates.parquet")
    (reason,) = reasons(f"parquet:{tmp_path / 'dates.parquet'}")
    assert reason.startswith("seen cannot be read")


def test_of_two_columns_of_one_name_none_is_taken(tmp_path: Path) -> None:
    twice = pa.table([["one"], ["two"], ["a"]], names=["text", "text", "label"])
    pq.write_table(twice, tmp_path / "twice.parquet")
    for data in (f"parquet:{tmp_path / 'twice.parquet'}", twice, {1: ["a"], "1": ["b"]}):
        with pytest.raises(DataError, match=r"two columns named '(text|1)', so neither"):
            load_dataset(data)
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="two columns named 'text', so neither"):
        load_dataset(pd.DataFrame([["one", "two", "a"]], columns=["text", "text", "label"]))


def test_keys_that_stand_twice_make_a_bad_row(tmp_path: Path) -> None:
    text = '{"text": "one", "text": "two", "label": "a"}'
    (reason,) = reasons(jsonl(tmp_path, text))
    assert reason == "no valid JSON (the key 'text' occurs twice in one object at column 1)"
    path = tmp_path / "rows.json"
    path.write_text(f'[\n{{"text": "fine", "label": "a"}},\n{text}]')
    with pytest.raises(DataError, match=r"rows\.json:3:1: no valid JSON \(the key 'text' occurs"):
        load_dataset(f"json:{path}")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("[" * 50_000, "values within values, too deep"),
        ('{"text": "x", "label": ' + "9" * 5000 + "}", "a number of thousands of digits"),
        ({"text": "x", "label": 10**400}, "label is a number of hundreds of digits, neither"),
        ({"text": "x", "label": "a", "g": 10**400}, "g is a number of hundreds of digits"),
        ('{"text": "x", "label": "a", "g": 1e999}', "g is a number (inf), neither text nor a fin"),
        ({"text": HALF, "label": "a"}, "text holds half a surrogate pair at character 0"),
        ({"text": "x", "label": "a" + HALF}, "label holds half a surrogate pair at character 1"),
        ({"text": "x", "label": "a", "g": HALF}, "g holds half a surrogate pair"),
        ({"text": "x", "label": "a", "lang": HALF}, "language holds half a surrogate pair"),
        ({"text": "x", "label": "a", "id": ""}, "id is missing"),
        ({"text": "x", "label": "a", "id": "  "}, "id is missing"),
        ({"text": "x", "label": "a", "id": HALF}, "id holds half a surrogate pair"),
        ({"text": "x", "label": "a", "id": []}, "id is a list, neither text nor an integer"),
    ],
)
def test_rows_that_no_file_could_keep(tmp_path: Path, row: object, words: str) -> None:
    data = jsonl(tmp_path, row)
    last = '{"text": "fine", "label": "a", "id": "z", "g": 1, "lang": "en"}\n'
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]) + last)
    options = ",".join(f"{o}={n}" for o, n in (("id", "id"), ("group", "g"), ("language", "lang")))
    whole = {"id": "k", "g": 1, "lang": "en"}
    if isinstance(row, dict):
        path.write_text(json.dumps(whole | row) + "\n" + last)
    elif row.startswith('{"text"'):
        path.write_text(row.replace("{", '{"id": "k", "lang": "en", ', 1) + "\n" + last)
    (reason,) = reasons(f"{data}#{options}")
    assert words in reason
    assert len(reason) < 200


@pytest.mark.parametrize("limit", [10**30, f"0:{10**30}", "9" * 30])
def test_a_limit_beyond_all_data_is_all_of_it(tmp_path: Path, limit: int | str) -> None:
    assert len(load_dataset(jsonl(tmp_path), limit=limit)) == 1


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("rot13", "There is no encoding 'rot13'"),
        ("hex", "There is no encoding 'hex'"),
        ("undefined", "There is no encoding 'undefined'"),
        ("utf-16", "is not utf-16: "),
        ("a%00b", "There is no encoding"),
    ],
)
def test_encodings_that_files_of_text_do_not_have(
    tmp_path: Path, encoding: str, words: str
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("text,label\nfine,a\n")
    with pytest.raises(DataError, match=words):
        load_dataset(f"csv:{path}#encoding={encoding}")


def test_a_label_of_thousands_of_digits_is_a_name() -> None:
    rows = [{"text": "one", "label": "9" * 5000}, {"text": "two", "label": "1"}]
    assert load_dataset(rows).labels == ("1", "9" * 5000)


def test_a_path_with_a_null_character_is_refused() -> None:
    with pytest.raises(DataError, match="cannot be read: embedded null"):
        load_dataset("csv:a\0b.csv")


def test_what_stands_behind_a_list_is_not_lost_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text('[{"text": "a", "label": "x"}]\n[{"text": "b", "label": "y"}]\n')
    with pytest.raises(DataError, match=r"rows\.json:2:1: no valid JSON \(Text behind the list\)"):
        load_dataset(f"json:{path}")
    path.write_text("{}")
    with pytest.raises(DataError, match="is an object without keys: it holds no rows"):
        load_dataset(f"json:{path}")
