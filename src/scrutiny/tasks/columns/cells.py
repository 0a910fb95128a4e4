"""Cells of a row converted to texts, labels and attributes."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from scrutiny.core.boundary.storable import checked
from scrutiny.core.errors import DataError
from scrutiny.core.languages import code_of

#: Bits of a whole number that can be computed with, and written.
_LONGEST: Final = 1000


def text_of(row: Mapping[str, Any], name: str) -> str:
    """Text of a cell, unchanged.

    Raises
    ------
    DataError
        If it is missing, blank, not text, or no valid Unicode.
    """
    value = row.get(name)
    if value is None:
        raise DataError(f"{name} is missing")
    if not isinstance(value, str):
        raise DataError(f"{name} is {_kind(value)}, not text")
    if not value or value.isspace():
        raise DataError(f"{name} is empty")
    return checked(value, name)


def label_of(row: Mapping[str, Any], name: str = "label") -> str | None:
    """Label of a cell as text, stripped; ``None`` if there is no column.

    Raises
    ------
    DataError
        If the cell is empty or neither text nor an integer.
    """
    if name not in row:
        return None
    label = label_in_cell(row[name])
    if label is None:
        raise DataError(f"{name} is missing")
    if not label and name != "id" and isinstance(row[name], list | tuple):
        raise DataError(_several(name, row[name]))
    if not label:
        raise DataError(f"{name} is {_kind(row[name])}, neither text nor an integer")
    return checked(label, name)


def _several(name: str, cell: Sequence[Any]) -> str:
    """Reason why a list is no label: spans of the text, or several labels."""
    if cell and all(isinstance(one, list | tuple | Mapping) for one in cell):
        return f"{name} is a list of spans, which the reader spans: reads (spans:FILE)"
    return (
        f"{name} is a list: several labels of one item, which are not yet a task; give each label "
        "a column of its own, and name one"
    )


def label_in_cell(value: Any) -> str | None:
    """Label in a cell of a column: ``None`` if missing, empty if it cannot be a label.

    Whole floats count as integers, because a column of integers with a gap becomes one of floats.

    Examples
    --------
    >>> [label_in_cell(value) for value in (" 1", 1.0, True, float("nan"), 0.5)]
    ['1', '1', 'true', None, '']
    """
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if value.bit_length() <= _LONGEST else ""
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if value.is_integer() else ""
    return None if value is None else ""


def attributes_of(row: Mapping[str, Any]) -> dict[str, str | float]:
    """Attributes in the cells of a row: groups (``a_*``) and units of resampling (``u_*``).

    A missing group is left out.

    Raises
    ------
    DataError
        If a unit is missing, or a value is neither text nor a number.
    """
    found: dict[str, str | float] = {}
    for name, value in row.items():
        if not name.startswith(("a_", "u_")):
            continue
        if value is None or value == "" or _is_nan(value):
            if name.startswith("u_"):
                raise DataError(f"the unit {name[2:]} is missing")
            continue
        if isinstance(value, str):
            found[name] = checked(value, name[2:])
        elif isinstance(value, bool):
            found[name] = "true" if value else "false"
        elif isinstance(value, int | float) and _is_finite(value):
            # A unit is a name even where it is written as a number.
            found[name] = str(value) if name.startswith("u_") else float(value)
        else:
            raise DataError(f"{name[2:]} is {_kind(value)}, neither text nor a finite number")
    return found


def id_of(row: Mapping[str, Any]) -> str:
    """Identifier of a row; empty if there is no such column.

    Raises
    ------
    DataError
        If the column is there and the cell is empty or neither text nor an integer.
    """
    return label_of(row, "id") or ""


def language_of(row: Mapping[str, Any]) -> str:
    """Language that a row states, by code or name; English by default.

    Raises
    ------
    DataError
        If the cell is neither.
    """
    value = row.get("language")
    if value is None or value == "" or _is_nan(value):
        return "en"
    code = code_of(checked(value, "language")) if isinstance(value, str) else ""
    if not code:
        raise DataError(f"language is {value!r}, neither the code of a language (de) nor its name")
    return code


def _is_finite(value: float) -> bool:
    """Whether a number is finite and representable as a float."""
    if isinstance(value, int):
        return value.bit_length() <= _LONGEST
    return math.isfinite(value)


def _kind(value: Any) -> str:
    if _is_nan(value):
        return "missing (NaN)"
    if isinstance(value, int) and not _is_finite(value):
        return "a number of hundreds of digits"
    if isinstance(value, bool | int | float):
        return f"a number ({value})"
    if isinstance(value, dict):
        return "an object"
    return f"a {type(value).__name__}"


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
