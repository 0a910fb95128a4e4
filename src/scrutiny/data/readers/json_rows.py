"""JSON files: one object per line, one list of objects, or one object of columns."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from scrutiny.core.boundary.json_text import parse_json, parse_json_from
from scrutiny.core.errors import DataError
from scrutiny.data.readers.files import lines
from scrutiny.data.readers.formats import is_squad, names_beside
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, takes, with_columns

_SPACE = " \t\r\n"
_PEEKED = 1000


@takes("encoding")
def read_jsonl(source: DataSource) -> Table:
    """Rows of a file with one JSON object on each line."""
    rows = _object_lines(lines(source))
    first = next(rows, None)
    if first is not None and first.problem:
        _refuse_json(source, first.line)
    if first is not None and is_squad(first.values):
        _refuse_squad(first.values["data"], source)
    table = with_columns(rows if first is None else chain([first], rows), source.target)
    return replace(table, class_names=names_beside(source.path))


@takes("encoding", "field")
def read_json(source: DataSource) -> Table:
    """Rows of a JSON file: a list of objects, a list inside an object, or an object of columns.

    Objects one after another are rows, too, and so are those inside an object, by their keys, which
    are the ``id`` of those that have none.

    The file is read whole; for millions of rows use ``jsonl:``.
    """
    text = "".join(lines(source))
    start = _skip_space(text, 0)
    if start == len(text):
        raise DataError(f"{source.target} is empty: it holds white space only.")
    try:
        rows = _document(text, start, source)
    except json.JSONDecodeError as error:
        rest = ". A file with one object on each line is jsonl:."
        raise no_json(source, error, rest) from None
    table = with_columns(iter(rows), source.target)
    return replace(table, class_names=names_beside(source.path))


def no_json(source: DataSource, error: json.JSONDecodeError, rest: str = ".") -> DataError:
    """Error for a file that is no JSON, at its place; ``rest`` ends the sentence."""
    place = f"{source.target}:{error.lineno}:{error.colno}"
    return DataError(f"{place}: no valid JSON ({error.msg}){rest}")


def _refuse_json(source: DataSource, line: int) -> None:
    """Raise where a file's first line is no object, but its text is what ``json:`` reads."""
    head = "".join(islice(lines(source), line - 1, line + _PEEKED)).lstrip(_SPACE)
    try:
        value, _ = parse_json_from(head, 0)
    except ValueError:
        sign = next((s for s in ("\t", ",") if s in head.partition("\n")[0]), "")
        if sign and "{" not in head:
            scheme = "csv" if sign == "," else "tsv"
            raise DataError(
                f"{source.target} holds no JSON, but columns: {scheme}:{source.target} reads it."
            ) from None
        return
    is_list = isinstance(value, list) and bool(value) and isinstance(value[0], dict)
    if is_list or isinstance(value, dict):
        what = "a list of objects" if is_list else "objects that span lines"
        raise DataError(
            f"{source.target} holds {what}, not one object on each line: "
            f"json:{source.target} reads it."
        )


def _object_lines(text: Iterator[str]) -> Iterator[RawRow]:
    for number, line in enumerate(text, 1):
        if line.isspace():
            continue
        try:
            value = parse_json(line)
        except json.JSONDecodeError as error:
            yield RawRow(number, {}, f"no valid JSON ({error.msg} at column {error.colno})")
            continue
        yield _row(number, value)


def _row(line: int, value: Any) -> RawRow:
    if isinstance(value, dict):
        return RawRow(line, value)
    return RawRow(line, {}, f"the row is {_called(value)}, not an object")


def _called(value: Any) -> str:
    """Name in JSON of the type of a value that is no object."""
    names = {bool: "true or false", list: "a list", str: "a text", type(None): "null"}
    return names.get(type(value), "a number")


def _document(text: str, start: int, source: DataSource) -> list[RawRow]:
    field = source.option("field")
    if text[start] == "[":
        if field:
            raise DataError(f"field={field}: {source.target} is a list, so it has no fields.")
        rows, end = _array(text, start)
        if _skip_space(text, end) < len(text):
            raise json.JSONDecodeError("Text behind the list", text, _skip_space(text, end))
        return rows
    value, end = parse_json_from(text, start)
    if isinstance(value, dict) and text[_skip_space(text, end) :][:1] == "{" and not field:
        return _one_after_another(text, start)
    value = parse_json(text)
    if not isinstance(value, dict):
        raise DataError(f"{source.target} holds {_called(value)} alone, not rows.")
    if field and field not in value:
        raise DataError(
            f"field={field}: {source.target} has no such key. It has: {', '.join(value)}."
        )
    lists = [k for k, v in value.items() if isinstance(v, list) and v and isinstance(v[0], dict)]
    if not field and _are_rows(value):
        return _rows_by_id(value)
    if field and isinstance(inside := value[field], dict):
        return _rows_by_id(inside) if _are_rows(inside) else column_rows(inside, source.target)
    if field or len(lists) == 1:
        _refuse_squad(value.get(field or lists[0]), source)
        place = value_offset(text, start, field or lists[0])
        if text[place] != "[":
            raise DataError(
                f"field={field}: that key of {source.target} holds {_called(value[field])}, "
                "not rows."
            )
        return array_rows(text, place)
    return column_rows(value, source.target)


def _rows_by_id(value: Mapping[str, Any]) -> list[RawRow]:
    """Rows, numbered from 1, of an object of objects, whose keys are their ids."""
    return [RawRow(n, {"id": k, **v}) for n, (k, v) in enumerate(value.items(), 1)]


def _are_rows(value: Mapping[str, Any]) -> bool:
    """Whether an object holds rows by their ids, and not columns or an object of columns."""
    return bool(value) and all(
        isinstance(row, dict) and not all(isinstance(cell, list) for cell in row.values())
        for row in value.values()
    )


def _one_after_another(text: str, start: int) -> list[RawRow]:
    """Objects of a text that follow one another, with their line numbers."""
    rows: list[RawRow] = []
    line, counted = 1, 0
    while start < len(text):
        line += text.count("\n", counted, start)
        counted = start
        value, end = parse_json_from(text, start)
        rows.append(_row(line, value))
        start = _skip_space(text, end)
    return rows


def _refuse_squad(rows: Any, source: DataSource) -> None:
    """Raise for articles in SQuAD's format, whose questions stand inside paragraphs."""
    if is_squad({"data": rows}):
        raise DataError(
            f"{source.target} is in SQuAD's format, articles of paragraphs with questions: "
            f"squad:{source.target} reads it."
        )


def column_rows(columns: Mapping[str, Any], place: str) -> list[RawRow]:
    """Rows, numbered from 1, of an object of columns.

    Raises
    ------
    DataError
        If the values are not lists of one length.
    """
    odd = [str(key) for key, value in columns.items() if not isinstance(value, list | tuple)]
    if not columns:
        raise DataError(f"{place} is an object without keys: it holds no rows.")
    if odd:
        raise DataError(
            f"{place} is an object, but not one of columns: "
            f"{', '.join(odd)} {'hold' if len(odd) > 1 else 'holds'} no list. "
            "If the rows are under one of its keys, name it: field=NAME."
        )
    if len({len(value) for value in columns.values()}) > 1:
        lengths = ", ".join(f"{key} {len(value)}" for key, value in columns.items())
        raise DataError(f"The columns of {place} differ in length: {lengths}.")
    cells = zip(*columns.values(), strict=True)
    return [RawRow(i, dict(zip(columns, row, strict=True))) for i, row in enumerate(cells, 1)]


def array_rows(text: str, start: int) -> list[RawRow]:
    """Objects of the array that starts at this offset, with their line numbers."""
    return _array(text, start)[0]


def _array(text: str, start: int) -> tuple[list[RawRow], int]:
    """Rows of the array that starts at this offset, and the offset of its end."""
    rows: list[RawRow] = []
    line = text.count("\n", 0, start) + 1
    counted = start
    place = _skip_space(text, start + 1)
    while place < len(text) and text[place] != "]":
        line += text.count("\n", counted, place)
        counted = place
        value, end = parse_json_from(text, place)
        rows.append(_row(line, value))
        place = _skip_space(text, end)
        if text[place : place + 1] == ",":
            place = _skip_space(text, place + 1)
        elif text[place : place + 1] != "]":
            raise json.JSONDecodeError("Expecting ',' or ']'", text, place)
    if place >= len(text):
        raise json.JSONDecodeError("The list is not closed", text, max(0, len(text) - 1))
    return rows, place + 1


def value_offset(text: str, start: int, wanted: str) -> int:
    """Offset of a key's value in the text of a JSON data file, inside a well-formed object."""
    place = _skip_space(text, start + 1)
    while True:
        key, place = parse_json_from(text, place)
        place = _skip_space(text, _skip_space(text, place) + 1)  # over the colon
        if key == wanted:
            return place
        _, place = parse_json_from(text, place)
        place = _skip_space(text, _skip_space(text, place) + 1)  # over the comma


def _skip_space(text: str, place: int) -> int:
    while place < len(text) and text[place] in _SPACE:
        place += 1
    return place
