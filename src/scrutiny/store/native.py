"""Files opened by Arrow, whatever their names are and whatever they unpack to.

Given a name, Arrow looks for a file system in it: it takes ``~`` for the home folder, and refuses
names that are no UTF-8.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

#: Bytes that a foreign file may unpack to, and how many times its size, before it is refused: text
#: packs to a tenth or a thirtieth, and what packs to less than a two-hundredth repeats one value.
MOST_UNPACKED: Final = 2**30
MOST_TIMES: Final = 200


class UnpacksToTooMuchError(Exception):
    """A small file unpacks to more than the memory of most machines."""


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
        self._packed = parquet.ParquetFile(reading(path), read_dictionary=_texts_of(told))

    def batches(self, size: int = 4096) -> Iterator[pa.RecordBatch]:
        """Rows, in batches of so many at most.

        Raises
        ------
        UnpacksToTooMuchError
            If they would be too large, before they are unpacked.
        """
        _look_at(self._stated, self._size)
        packed = self._packed.iter_batches(batch_size=size)
        whole = self._file.iter_batches(batch_size=size)
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


def _texts_of(metadata: Any) -> list[str]:
    """Paths of the columns of texts, which can be kept as distinct values."""
    columns = [metadata.schema.column(i) for i in range(metadata.num_columns)]
    return [
        column.path
        for column in columns
        if column.physical_type == "BYTE_ARRAY" and column.logical_type.type != "DECIMAL"
    ]


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
