"""Arrow: files opened whatever their names are and unpack to, and dictionary-encoded columns.

Given a name, Arrow looks for a file system in it: it takes ``~`` for the home folder, and refuses
names that are no UTF-8.

A table of a million records repeats some dozen texts. Read as codes into a dictionary
(`RunFolder.coded`) a column takes four bytes a row, and comparing it costs no text; columns of
plain texts, as diagnostics give them, work as well.
"""

import math
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import parquet

#: Bytes that a foreign file may unpack to, and how many times its size, before it is refused: text
#: packs to a tenth or a thirtieth, and what packs to less than a two-hundredth repeats one value.
MOST_UNPACKED: Final = 2**30
MOST_TIMES: Final = 200


class UnpacksToTooMuchError(Exception):
    """A small file unpacks to more than the memory of most machines."""


class _NoPandas:
    """Finder of modules that says pandas is not there."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Raise for pandas; any other module is for the next finder."""
        if name == "pandas":
            raise ModuleNotFoundError(name)


def leave_pandas_out() -> None:
    """Let Arrow do without pandas in this process, which it imports with its first array.

    Nothing here makes data frames, and the import takes .4 s. For commands in which no code of
    users runs: theirs may hand data frames to Arrow.
    """
    if "pandas" in sys.modules:
        return
    sys.meta_path.insert(0, _NoPandas())
    try:
        pa.array([None])  # Arrow looks for pandas once, and remembers what it found
    finally:
        sys.meta_path.pop(0)


def reading(path: Path) -> pa.OSFile:
    """Open a file for reading."""
    return pa.OSFile(os.fsencode(path), "rb")


def writing(path: Path) -> pa.OSFile:
    """Open a new file for writing."""
    return pa.OSFile(os.fsencode(path), "wb")


class ForeignParquet:
    """Parquet file from anywhere; its texts are unpacked only as far as a machine can hold them.

    A column may keep its distinct values and where they stand, and so repeat a long value at no
    cost: the sizes that the file states do not bound what it unpacks to. So each batch is first
    read in that form and measured.

    Parameters
    ----------
    path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self._size = path.stat().st_size
        self._file = parquet.ParquetFile(reading(path))
        told = self._file.metadata
        self.schema: pa.Schema = self._file.schema_arrow
        self.n_rows: int = told.num_rows
        self._stated = sum(told.row_group(i).total_byte_size for i in range(told.num_row_groups))
        # paths of the columns of texts, which can be kept as distinct values
        columns = [told.schema.column(i) for i in range(told.num_columns)]
        texts = [
            column.path
            for column in columns
            if column.physical_type == "BYTE_ARRAY" and column.logical_type.type != "DECIMAL"
        ]
        self._packed = parquet.ParquetFile(reading(path), read_dictionary=texts)

    def batches(
        self, size: int = 4096, *, columns: Sequence[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Rows, in batches of so many at most; of some columns, where they are named.

        Raises
        ------
        UnpacksToTooMuchError
            If they would be too large, before they are unpacked.
        """
        _look_at(self._stated, self._size)
        packed = self._packed.iter_batches(batch_size=size, columns=columns)
        whole = self._file.iter_batches(batch_size=size, columns=columns)
        measured, read, unpacked = 0, 0, 0
        while True:
            while measured < read + size and (batch := next(packed, None)) is not None:
                measured += batch.num_rows
                unpacked += sum(_unpacked(column) for column in batch.columns)
                _look_at(unpacked, self._size)
            batch = next(whole, None)
            if batch is None:
                return
            read += batch.num_rows
            yield batch


def measured(batches: Iterable[pa.RecordBatch], size: int) -> Iterator[pa.RecordBatch]:
    """Batches of a foreign Arrow file of so many bytes, each before its values are unpacked.

    Raises
    ------
    UnpacksToTooMuchError
        If they would be too large.
    """
    unpacked = 0
    for batch in batches:
        unpacked += sum(_unpacked(column) for column in batch.columns)
        _look_at(unpacked, size)
        yield batch


def _look_at(unpacked: int, size: int) -> None:
    """Raise if a file of so many bytes unpacks to too much."""
    if unpacked > max(MOST_UNPACKED, MOST_TIMES * size):
        raise UnpacksToTooMuchError(
            f"unpacks from {size:,} bytes to more than {MOST_UNPACKED / 2**30:g} GB: it repeats "
            "long values, as files do that are made to fill memory. If it is what it should be, "
            "write it anew with shorter texts, or fewer rows."
        )


def _unpacked(array: pa.Array) -> int:
    """Bytes of an array once every value stands for itself."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _repeated(
            array.dictionary, np.bincount(array.indices.drop_null().to_numpy().astype(np.int64))
        )
    if pa.types.is_run_end_encoded(kind):
        return _repeated(array.values, np.diff(array.run_ends.to_numpy(), prepend=0))
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        lengths = np.frombuffer(array.buffers()[1], np.int32)[4 * array.offset :: 4]
        return int(lengths[: len(array)].sum())
    if pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        each = _unpacked(array.values) / max(1, len(array.values))
        return int(each * (pc.sum(array.sizes).as_py() or 0))
    if pa.types.is_struct(array.type):
        return sum(_unpacked(part) for part in array.flatten())
    if pa.types.is_map(array.type):
        return _unpacked(array.keys) + _unpacked(array.items)
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        return _unpacked(array.flatten())
    return int(array.nbytes)


def _repeated(values: pa.Array, times: npt.NDArray[np.int64]) -> int:
    """Bytes of values that are repeated so many times each; of the last ones, never."""
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind):
        sizes = pc.binary_length(values).fill_null(0).to_numpy()
        return int(np.dot(sizes[: len(times)].astype(np.int64), times[: len(sizes)]))
    return int(times.sum() * _unpacked(values) / max(1, len(values)))


def coded(column: pa.ChunkedArray | pa.Array) -> tuple[pa.Array, NDArray[np.int64]]:
    """Distinct values by order of appearance (a missing one counts), and the code of each row."""
    names, codes = encoded(column)
    missing = codes < 0
    if missing.any():
        codes = np.where(missing, len(names), codes)
        names = pa.concat_arrays([names, pa.nulls(1, names.type)])
    order, codes = _by_appearance(codes, len(names))
    # `pyarrow.array` would import pandas
    whole = np.ascontiguousarray(order, dtype=np.int64)
    numbers = pa.Array.from_buffers(pa.int64(), len(whole), [None, pa.py_buffer(whole)])
    return names.take(numbers), codes


def _by_appearance(codes: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], ...]:
    """Codes that occur in a column, of so many, by first appearance; and each row's place there."""
    first = np.full(size, len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last that is written stays
    there = np.flatnonzero(first < len(codes))
    order = there[np.argsort(first[there])]
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(order.size)
    return order, place[codes]


def is_value(column: pa.ChunkedArray | pa.Array, value: object) -> NDArray[np.bool_]:
    """Mask of the rows that have this value; None matches rows without one."""
    names, codes = encoded(column)
    if value is None:
        return codes < 0
    place = next((n for n, name in enumerate(names.to_pylist()) if name == value), None)
    return np.zeros(len(codes), dtype=np.bool_) if place is None else codes == place


def is_among(column: pa.ChunkedArray | pa.Array, values: list[Any]) -> NDArray[np.bool_]:
    """Mask of the rows of a coded column that have one of these values, which may include None."""
    names, codes = encoded(column)
    wanted = [value for value in values if value is not None]
    known = pc.is_in(names, value_set=pa.array(wanted, names.type)).to_numpy(zero_copy_only=False)
    return np.append(known, None in values)[codes]  # -1 is the last


def combined(
    table: pa.Table, columns: Sequence[str]
) -> tuple[list[tuple[Any, ...]], NDArray[np.int64]]:
    """Distinct combinations of the values of columns, and the code of each row's.

    They stand by first appearance; a missing value counts as one.
    """
    pairs = [coded(table[name]) for name in columns]
    shape = [max(len(names), 1) for names, _ in pairs]
    every = np.ravel_multi_index([codes for _, codes in pairs], shape)
    found = np.arange(math.prod(shape)) if math.prod(shape) <= len(every) else None
    if found is None:
        found, every = np.unique(every, return_inverse=True)
    order, code = _by_appearance(every, len(found))
    values = [names.to_pylist() for names, _ in pairs]
    rows = zip(*np.unravel_index(found[order], shape), strict=True)
    return [tuple(of[i] for of, i in zip(values, at, strict=True)) for at in rows], code


def counts_of(
    table: pa.Table, rows: NDArray[np.bool_], columns: Sequence[str]
) -> list[dict[str, Any]]:
    """Distinct values of coded columns in these rows, with ``count``, by first appearance."""
    found, code = combined(table.select(columns).filter(pa.array(rows)), columns)
    counts = np.bincount(code).tolist()
    return [
        {**dict(zip(columns, values, strict=True)), "count": n}
        for values, n in zip(found, counts, strict=True)
    ]


def encoded(column: pa.ChunkedArray | pa.Array) -> tuple[pa.Array, NDArray[np.int64]]:
    """Dictionary of a column, and the code of each row: -1 where it has no value."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
    return encoded.dictionary, _filled(encoded.indices).astype(np.int64)


def _filled(indices: pa.Array) -> NDArray[np.signedinteger[Any]]:
    """Indices with -1 for missing ones; a scalar of Arrow would import pandas, too."""
    kind, (valid, values) = indices.type.to_pandas_dtype(), indices.buffers()
    if len(indices) == 0:
        return np.zeros(0, dtype=kind)
    own = slice(indices.offset, indices.offset + len(indices))
    found = np.frombuffer(values, dtype=kind)[own]
    if valid is None:
        return found
    is_there = np.unpackbits(np.frombuffer(valid, dtype=np.uint8), bitorder="little")[own]
    return np.where(is_there, found, kind(-1))
