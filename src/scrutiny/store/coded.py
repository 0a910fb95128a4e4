"""Dictionary-encoded columns: few distinct names in many rows, as integer codes.

A table of a million records repeats some dozen texts. Read as codes into a dictionary
(`RunFolder.coded`) a column takes four bytes a row, and comparing it costs no text; columns of
plain texts, as diagnostics give them, work as well.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


def coded(column: pa.ChunkedArray | pa.Array) -> tuple[pa.Array, NDArray[np.int64]]:
    """Distinct values by order of appearance (a missing one counts), and the code of each row."""
    names, codes = _encoded(column)
    missing = codes < 0
    if missing.any():
        codes = np.where(missing, len(names), codes)
        names = pa.concat_arrays([names, pa.nulls(1, names.type)])
    first = np.full(len(names), len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last that is written stays
    order = np.argsort(first, kind="stable")[: int((first < len(codes)).sum())]
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(order.size)
    return names.take(_numbers(order)), place[codes]


def is_value(column: pa.ChunkedArray | pa.Array, value: object) -> NDArray[np.bool_]:
    """Mask of the rows that have this value; None matches rows without one."""
    names, codes = _encoded(column)
    if value is None:
        return codes < 0
    place = next((n for n, name in enumerate(names.to_pylist()) if name == value), None)
    return np.zeros(len(codes), dtype=np.bool_) if place is None else codes == place


def is_among(column: pa.ChunkedArray | pa.Array, values: list[Any]) -> NDArray[np.bool_]:
    """Mask of the rows of a coded column that have one of these values, which may include None."""
    names, codes = _encoded(column)
    wanted = [value for value in values if value is not None]
    known = pc.is_in(names, value_set=pa.array(wanted, names.type)).to_numpy(zero_copy_only=False)
    return np.append(known, None in values)[codes]  # -1 is the last


def counts_of(
    table: pa.Table, rows: NDArray[np.bool_], columns: Sequence[str]
) -> list[dict[str, Any]]:
    """Distinct values of coded columns in these rows, with ``count``, by first appearance."""
    at = np.flatnonzero(rows)
    if at.size == 0:
        return []
    pairs = [coded(table[name]) for name in columns]
    values = [names.to_pylist() for names, _ in pairs]
    shape = [len(names) for names in values]
    every = np.ravel_multi_index([codes[at] for _, codes in pairs], shape)
    found, first, count = np.unique(every, return_index=True, return_counts=True)
    order = np.argsort(first)
    places = zip(*np.unravel_index(found[order], shape), count[order].tolist(), strict=True)
    return [
        {name: names[i] for name, names, i in zip(columns, values, place, strict=True)}
        | {"count": n}
        for *place, n in places
    ]


def _encoded(column: pa.ChunkedArray | pa.Array) -> tuple[pa.Array, NDArray[np.int64]]:
    """Dictionary of a column, and the code of each row: -1 where it has no value."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
    return encoded.dictionary, _filled(encoded.indices).astype(np.int64)


def _numbers(values: NDArray[np.int64]) -> pa.Array:
    """Arrow array of integers; `pyarrow.array` would import pandas."""
    whole = np.ascontiguousarray(values, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(whole), [None, pa.py_buffer(whole)])


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
