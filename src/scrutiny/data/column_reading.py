"""Reading a table by columns: a cell that occurs often is read once, for all rows that have it.

Rows in which every cell can be read, and nothing is doubtful, are taken together. Each other one
goes the way of a single row (`scrutiny.data.reading`), in its place.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import groupby
from typing import Any, Final, NamedTuple, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from scrutiny.core.columns.coded import Coded
from scrutiny.core.columns.item_packing import ItemBlock
from scrutiny.core.errors import DataError
from scrutiny.data.columns import Columns
from scrutiny.data.readers.parquet import batch_rows
from scrutiny.data.reading import REPEATS, Reading
from scrutiny.store.arrow import encoded
from scrutiny.tasks.cells import label_in_cell, language_of
from scrutiny.tasks.item_hashes import content_keys
from scrutiny.tasks.tasks import REPLACED, ByColumns

#: Roles whose cells are read by themselves.
_KINDS: Final = ("text", "gold", "id")
_IS_WORD: Final = (pa.types.is_string, pa.types.is_large_string)
_IS_CELL: Final = (*_IS_WORD, pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating)


class _ReadCells(NamedTuple):
    """Cells of a batch: what was read of them, by row or by distinct value."""

    ids: list[str] | None
    texts: Mapping[str, list[str]]
    keyed: Coded
    golds: Coded
    languages: Coded
    attributes: Mapping[str, Coded]
    is_plain: NDArray[np.bool_]


def reads_columns(reading: Reading) -> bool:
    """Whether a table can be read by columns: it comes in batches, and cells stand for themselves.

    Parameters
    ----------
    reading
        Open data source.
    """
    table, columns, task = reading.table, reading.columns, reading.task
    if table.batches is None or reading.permute is not None or table.is_suite or table.is_whole:
        return False
    return isinstance(task, ByColumns) and _are_apart(task, columns)


def _are_apart(task: ByColumns, columns: Columns) -> bool:
    """Whether no cell of these columns is read with another one."""
    own = {role.key: role for role in task.roles if role.key in columns.roles}
    plain = {key for key, role in own.items() if role.kind in _KINDS}
    others = {name for name in columns.roles if name.startswith(("a_", "u_")) and name not in own}
    known = plain | others | {"id", "language"}
    return task.has_cells_apart and set(columns.roles) | set(columns.constants) <= known


def blocks_of(reading: Reading) -> Iterator[tuple[ItemBlock, list[bytes]]]:
    """Items of a table in blocks, in order, each item with the key of its content.

    Raises
    ------
    DataError
        As for single rows: where the file breaks off, or a bad row ends the reading.
    """
    assert reading.table.batches is not None
    done = 0
    for batch in reading.table.batches:
        yield from _of_batch(reading, batch, done)
        done += batch.num_rows
    pa.default_memory_pool().release_unused()  # what Arrow keeps of decoding is as large as texts


def _of_batch(
    reading: Reading, batch: pa.RecordBatch, done: int
) -> Iterator[tuple[ItemBlock, list[bytes]]]:
    """Blocks of a batch: stretches of plain rows, and what is between them row by row."""
    parts = _read(reading, batch)
    is_plain = [False] * batch.num_rows if parts is None else parts.is_plain.tolist()
    for plain, own in groupby(range(batch.num_rows), is_plain.__getitem__):
        rows = [*own]
        start, stop = rows[0], rows[-1] + 1
        if plain and parts is not None:
            yield _block(reading, parts, start, stop, done)
            continue
        raw = (
            row._replace(line=row.line + done + start)
            for row in batch_rows([batch.slice(start, stop - start)])
        )
        if pairs := [*reading.parsed(raw)]:
            block = ItemBlock.of([example for example, _ in pairs])
            assert block is not None  # of a task whose cells stand for themselves
            yield block, [key for _, key in pairs]


def _read(reading: Reading, batch: pa.RecordBatch) -> _ReadCells | None:
    """Items of a batch as columns; None if one of them has to be read row by row."""
    columns, task = reading.columns, cast("ByColumns", reading.task)
    cells = {name: _column(batch, column) for name, column in columns.roles.items()}
    fields = {r.key: r.name for r in task.roles if r.kind == "text" and r.key in cells}
    are_cells = all(cell is not None for cell in cells.values())
    if not are_cells or not all(_is_of_words(cells[key]) for key in fields):
        return None
    if not _is_readable(batch):
        return None
    texts = {name: cells[key].to_pylist() for key, name in fields.items()}
    found = _PlainCells(
        cells, np.array([_are_texts(row) for row in zip(*texts.values(), strict=True)])
    )
    absent = np.zeros(batch.num_rows, dtype=np.int32)
    keyed = golds = Coded([None], absent)
    if task.answer in cells:
        keyed = found.of(task.answer, reading.answer_of)
        golds = found.renamed(keyed, reading)
    stated = columns.constants.get("language")
    groups = [name for name in cells if name.startswith(("a_", "u_"))]
    defaults = task.kept({}, {}, [])
    return _ReadCells(
        found.of("id", _identity).each() if "id" in cells else None,
        texts,
        keyed,
        golds,
        found.of("language", _language)
        if "language" in cells
        else Coded([_language(stated)], absent),
        {
            **{name: found.of(name, partial(_attribute, task, name)) for name in groups},
            **{n: Coded([v], absent) for n, v in defaults.items() if n not in groups},
        },
        found.is_plain,
    )


class _PlainCells:
    """Columns of a batch by role, and which of its rows are plain so far."""

    def __init__(self, cells: Mapping[str, Any], is_plain: NDArray[np.bool_]) -> None:
        self._cells = cells
        self.is_plain = is_plain

    def of(self, name: str, read: Callable[[Any], Any]) -> Coded:
        """Column by distinct values; rows whose value cannot be read are not plain."""
        words, codes = encoded(self._cells[name])
        values, fine = [], []
        for word in [*words.to_pylist(), None]:  # the last stands for missing ones
            try:
                values.append(read(word))
                fine.append(True)
            except (DataError, OverflowError):
                values.append(None)
                fine.append(False)
        places = np.where(codes < 0, len(words), codes).astype(np.int32)
        self.is_plain &= np.array(fine)[places]
        return Coded(values, places)

    def renamed(self, golds: Coded, reading: Reading) -> Coded:
        """Gold labels of the plain rows under the names of a label map."""
        values: list[Any] = [None] * len(golds.values)
        for code in np.unique(golds.codes[self.is_plain]).tolist():
            values[code], is_known = reading.renamed_or_none(golds.values[code])
            if not is_known:
                self.is_plain &= golds.codes != code
        return Coded(values, golds.codes)


def _attribute(task: ByColumns, name: str, word: Any) -> str | float | None:
    """Attribute in a cell; None where it is empty."""
    return task.kept({name: word}, {}, []).get(name)


def _is_of_words(column: Any) -> bool:
    return any(is_word(column.type) for is_word in _IS_WORD)


def _column(batch: pa.RecordBatch, name: str) -> Any:
    """Column of plain cells; None where there is none of this name, or of other cells."""
    place = batch.schema.get_field_index(name)
    if place < 0:
        return None
    column = batch.column(place)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column if any(is_cell(column.type) for is_cell in _IS_CELL) else None


def _is_readable(batch: pa.RecordBatch) -> bool:
    """Whether Python can hold every cell, whether it is used or not."""
    try:
        batch.validate(full=True)
        for column in batch.columns:
            if not any(is_cell(column.type) for is_cell in _IS_CELL):
                column.to_pylist()
    except (pa.ArrowException, ValueError, OverflowError):
        return False
    return True


def _are_texts(row: tuple[str | None, ...]) -> bool:
    """Whether the cells of a row are different texts without doubt."""
    for text in row:
        if not text or text.isspace() or REPLACED in text:
            return False
    return len(row) < 2 or len({*row}) == len(row)


def _identity(word: Any) -> str:
    """Identity in a cell.

    Raises
    ------
    DataError
        If there is none.
    """
    name = label_in_cell(word)
    if not name:
        raise DataError("no identity")
    return name


def _language(word: Any) -> str:
    """Language that a cell states; empty where it states none."""
    return language_of({"language": word}) if label_in_cell(word) is not None else ""


def _block(
    reading: Reading, parts: _ReadCells, start: int, stop: int, done: int
) -> tuple[ItemBlock, list[bytes]]:
    """Block of plain rows, without those whose identity was there before."""
    own = slice(start, stop)
    fields = {name: texts[own] for name, texts in parts.texts.items()}
    keys = content_keys(fields, parts.keyed.at(own))
    lines = range(done + start + 1, done + stop + 1)
    sources = [reading.place(line) for line in lines]
    known = reading.identifiers
    ids: list[str | None] = []
    if parts.ids is None:
        for key, line, source in zip(keys, lines, sources, strict=True):
            name = known.of_content(key, line=line)
            ids.append(name)
            if "-" in name:
                reading.doubts.add(REPEATS, source)
    else:
        for name, line, source in zip(parts.ids[own], lines, sources, strict=True):
            try:
                ids.append(known.of_user(name, line=line))
            except DataError as error:
                reading.reject(source, str(error))
                ids.append(None)
    kept = [i for i, name in enumerate(ids) if name is not None]
    at = np.array(kept, dtype=np.int64) + start

    block = ItemBlock(
        [name for name in ids if name is not None],
        [sources[i] for i in kept],
        fields
        if len(kept) == len(ids)
        else {name: [texts[i] for i in kept] for name, texts in fields.items()},
        parts.golds.at(at),
        parts.languages.at(at),
        _in_order({name: column.at(at) for name, column in parts.attributes.items()}),
    )
    return block, [keys[i] for i in kept]


def _in_order(attributes: Mapping[str, Coded]) -> dict[str, Coded]:
    """Attributes that some of the rows have, by the first row that has them."""

    def first(column: Coded) -> int:
        is_there = np.array([value is not None for value in column.values])[column.codes]
        return int(is_there.argmax()) if is_there.any() else -1

    found = {name: first(column) for name, column in attributes.items()}
    return {
        name: attributes[name] for name in sorted(found, key=found.__getitem__) if found[name] >= 0
    }
