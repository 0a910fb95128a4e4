"""Columns of a few names in many rows, as whole numbers.

A table of a million records repeats some dozen texts. Read as codes into a dictionary
(`RunFolder.coded`) a column takes four bytes a row, and comparing it costs no text; columns of
plain texts, as diagnostics give them, work as well.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


def coded(column: pa.ChunkedArray | pa.Array) -> tuple[pa.Array, NDArray[np.int64]]:
    """Distinct values by order of appearance, a missing one among them, and each row's code."""
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
    return names.take(pa.array(order)), place[codes]


def is_value(column: pa.ChunkedArray | pa.Array, value: object) -> NDArray[np.bool_]:
    """Whether each row has this value; None is the value of a row without one."""
    names, codes = _encoded(column)
    if value is None:
        return codes < 0
    place = pc.index(names, pa.scalar(value, names.type)).as_py()
    return np.zeros(len(codes), dtype=np.bool_) if place < 0 else codes == place


def is_among(column: pa.ChunkedArray | pa.Array, values: list[Any]) -> NDArray[np.bool_]:
    """Whether each row has one of these values, None among them or not."""
    names, codes = _encoded(column)
    wanted = [value for value in values if value is not None]
    known = pc.is_in(names, value_set=pa.array(wanted, names.type)).to_numpy(zero_copy_only=False)
    return np.append(known, None in values)[codes]  # -1 is the last


def _encoded(column: pa.ChunkedArray | pa.Array) -> tuple[pa.Array, NDArray[np.int64]]:
    """Dictionary of a column, and the code of each row: -1 where it has no value."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    return encoded.dictionary, codes.astype(np.int64)
