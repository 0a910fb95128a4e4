"""Text files of rows: comma- and tab-separated, plain text line by line; and Excel workbooks.

TSV files are not quoted unless ``quote=double`` says so: the field's TSV files (GLUE's among
them) hold single quotation marks, which a quoting reader takes for the start of a field. Of plain
text each nonblank line is a passage.
"""

import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from scrutiny.core.errors import DataError, MissingExtraError
from scrutiny.data.readers.files import existing_file, files_in, lines
from scrutiny.data.readers.formats import object_format, other_format, text_format
from scrutiny.data.source import DataSource
from scrutiny.data.table import RawRow, Table, corpus_table, takes
from scrutiny.tasks.annotated import Passages

_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "bar": "|"}
_LONGEST_FIELD = 2**27


@takes("encoding", "quote", "header", "delimiter")
def read_csv(source: DataSource) -> Table:
    """Rows of a comma-separated file; fields may be quoted and span lines."""
    return _read(source, delimiter=",", quote="double")


@takes("encoding", "quote", "header", "delimiter")
def read_tsv(source: DataSource) -> Table:
    """Rows of a tab-separated file; not quoted by default."""
    return _read(source, delimiter="\t", quote="none")


@takes("header", sheet="name of the sheet of a workbook; the only one by default")
def read_xlsx(source: DataSource) -> Table:
    """Rows of a sheet of an Excel workbook (``.xlsx``), read one at a time; line 1 has the names.

    Formulas are read as the values that Excel stored with them.

    Raises
    ------
    MissingExtraError
        If ``openpyxl`` is not installed.
    DataError
        If the file is no workbook, or has several sheets and none is named.
    """
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError("Reading Excel workbooks", "xlsx") from None
    path = existing_file(source)
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        names = [sheet.title for sheet in book.worksheets]
    except Exception as error:  # whatever the library and its parsers raise
        raise DataError(_no_workbook(source, error)) from error
    if not names:
        raise DataError(f"{source.target} is empty: it has no sheet of cells.")
    name = source.option("sheet") or (names[0] if len(names) == 1 else "")
    if name not in names:
        said = f"has no sheet {name!r}" if name else "has several sheets"
        raise DataError(
            f"{source.target} {said}: it has {', '.join(names)}. Name one, as in "
            f"{source.stating({'sheet': names[0]})}."
        )
    columns, cells = _header(source, _of_sheet(source, book[name]), "")
    return Table(columns=columns, rows=_rows(cells, columns), place=source.target)


def _no_workbook(source: DataSource, error: Exception) -> str:
    other = other_format(source.path, source.target) or text_format(source.path, source.target)
    if other and "xlsx:" not in other.partition("(")[0]:
        return f"{source.target} is no Excel workbook: it {other}."
    said = " ".join(str(error).split()) or type(error).__name__
    return (
        f"{source.target} is no Excel workbook (.xlsx), or damaged: {said:.200}. Save it anew as "
        ".xlsx, or export it as CSV."
    )


def _rows_of_sheet(source: DataSource, sheet: Any) -> Iterator[Sequence[Any]]:
    """Rows of a sheet, whatever the library's parsers raise at one of them."""
    try:
        yield from sheet.iter_rows(values_only=True)
    except Exception as error:
        raise DataError(_no_workbook(source, error)) from error


def _of_sheet(source: DataSource, sheet: Any) -> "_Cells":
    """Rows of a sheet that have a cell, without empty columns behind the last of the first row."""
    width = 0
    for number, row in enumerate(_rows_of_sheet(source, sheet), 1):
        cells = [one.isoformat() if hasattr(one, "isoformat") else one for one in row]
        filled = max((at for at, one in enumerate(cells, 1) if one is not None), default=0)
        if not filled:
            continue
        if not width:
            width = filled
            cells = ["" if one is None else str(one) for one in cells]
        yield number, (cells + [None] * width)[: max(width, filled)], ""


def _read(source: DataSource, *, delimiter: str, quote: str) -> Table:
    stated = source.option("delimiter", delimiter)
    delimiter = _DELIMITERS.get(stated, stated)
    if len(delimiter) != 1:
        raise DataError(
            f"delimiter={stated} in {source}: it is one character, or one of "
            f"{', '.join(_DELIMITERS)}."
        )
    quote = source.option("quote", quote)
    if quote not in ("none", "double"):
        raise DataError(f"quote={quote} in {source}: it is none or double.")
    text = lines(source)
    if quote == "none":
        bare = ((n, line.rstrip("\n").removesuffix("\r")) for n, line in enumerate(text, 1))
        cells: _Cells = ((n, line.split(delimiter), "") for n, line in bare if line)
    else:
        csv.field_size_limit(_LONGEST_FIELD)  # long documents; the default refuses 128 KiB
        cells = _parse(text, delimiter)
    columns, cells = _header(source, cells, delimiter)
    return Table(columns=columns, rows=_rows(cells, columns), place=source.target)


_Cells = Iterator[tuple[int, list[Any], str]]  # line, cells, problem


def _parse(text: Iterator[str], delimiter: str) -> _Cells:
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield start, [], _csv_problem(str(error), start, reader.line_num)
            continue
        if cells:
            yield start, cells, ""


def _csv_problem(message: str, start: int, end: int) -> str:
    if "unexpected end of data" in message:
        return (
            f"a quotation mark opened here is never closed: it swallowed the lines up to {end}; "
            "if the file is not quoted, add quote=none"
        )
    if "new-line character" in message:
        return "a carriage return is in an unquoted field"
    if "expected after" in message:
        return "text follows a closing quotation mark; inside a field, double it"
    return f"the row cannot be read ({message})" if start == end else message


def _header(source: DataSource, cells: _Cells, delimiter: str) -> tuple[tuple[str, ...], _Cells]:
    first = next(cells, None)
    if first is None:
        raise DataError(f"{source.target} is empty: it has only blank lines.")
    line, names, problem = first
    if problem:
        raise DataError(f"{source.target}:{line}: the header cannot be read: {problem}.")
    if source.scheme != "xlsx" and names and names[0].lstrip()[:1] in ("{", "["):
        said = object_format(next(lines(source), ""), source.target)
        if said:
            raise DataError(f"{source.target} {said}.")
    if source.option("header") == "none":
        return tuple(str(i) for i in range(len(names))), chain([first], cells)
    columns = tuple(name.strip() for name in names)
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise DataError(
            f"{source.target}:{line}: the header has {', '.join(map(repr, twice))} twice. Name the "
            "columns apart, or write header=none and number them from 0."
        )
    if len(columns) == 1:
        others = [d for d in (",", "\t", ";", "|") if d != delimiter and d in columns[0]]
        if others:
            word = next(k for k, v in _DELIMITERS.items() if v == others[0])
            raise DataError(
                f"{source.target}: the header {columns[0]!r} is a single column. It looks "
                f"separated by {word}s: add delimiter={word} to the data string."
            )
    return columns, cells


def _rows(cells: _Cells, columns: tuple[str, ...]) -> Iterator[RawRow]:
    width = len(columns)
    for line, values, problem in cells:
        if problem:
            yield RawRow(line, {}, problem)
        elif len(values) != width:
            yield RawRow(line, {}, f"the row has {len(values)} columns, the header {width}")
        else:
            yield RawRow(line, dict(zip(columns, values, strict=True)))


_OF_PASSAGES = ("text", "document")


@takes("encoding")
def read_text(source: DataSource) -> Table:
    """Passages of a file, or of all ``.txt`` files of a folder by name.

    The file's name without its suffix is the ``document`` that passages share.

    Raises
    ------
    DataError
        If the folder has no .txt file.
    """
    return corpus_table(
        source,
        Passages.name,
        _OF_PASSAGES,
        _passages(source, files_in(source, "*.txt", ".txt file")),
    )


def _passages(source: DataSource, files: list[DataSource]) -> Iterator[RawRow]:
    for file in files:
        place = "" if file is source else file.target
        for number, line in enumerate(lines(file), 1):
            text = line.strip()
            if text:
                yield RawRow(number, {"text": text, "document": file.path.stem}, place=place)
