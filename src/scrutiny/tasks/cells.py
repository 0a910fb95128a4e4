"""Cells of a row, converted to texts, labels and attributes, or to words and word indices."""

import math
from ast import literal_eval
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from scrutiny.core.boundary.json_text import parse_json
from scrutiny.core.boundary.printable import checked, is_storable
from scrutiny.core.errors import DataError
from scrutiny.core.languages import code_of

#: How several labels of one item are read.
READ_SEVERAL: Final = (
    "read all of them with task=multi-label-classification, or give each label a column of its own "
    "and name one"
)
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


def texts_of(row: Mapping[str, Any], name: str) -> list[str]:
    """Texts that a cell lists, two or more: a list, one of JSON, or bars between them.

    A mapping with a list of ``text``, as the hub's data sets have it, is read as well.

    Raises
    ------
    DataError
        If there are fewer, or one is blank or no text.
    """
    value = row.get(name)
    if isinstance(value, Mapping):
        value = value.get("text")
    if isinstance(value, str):
        value = _listed(value, "|")
    if not isinstance(value, list | tuple):
        what = "missing" if value is None else f"{_kind(value)}, not a list of texts"
        raise DataError(f"{name} is {what}")
    texts = [text_of({f"{name}[{i}]": one}, f"{name}[{i}]") for i, one in enumerate(value)]
    if len(texts) < 2:
        raise DataError(f"{name} holds {len(texts)} texts; there are two or more to choose from")
    return texts


def labels_of(row: Mapping[str, Any], name: str = "label") -> list[str] | None:
    """Labels that a cell lists: a list, one of JSON, or bars between them; None without a column.

    Raises
    ------
    DataError
        If one of them is no label.

    Examples
    --------
    >>> labels_of({"label": "joy|fear"}), labels_of({"label": [1, 0]}), labels_of({"label": ""})
    (['joy', 'fear'], ['1', '0'], [])
    """
    if name not in row:
        return None
    value = row[name]
    if value is None or _is_nan(value):
        raise DataError(f"{name} is missing")
    if isinstance(value, str):
        value = _listed(value, "|") if value.strip() else []
    labels = [label_in_cell(one) for one in (value if isinstance(value, list | tuple) else [value])]
    if not all(labels):
        raise DataError(f"{name} is {value!r:.60}: it is a list of labels, texts or integers")
    return [checked(label, name) for label in labels if label]


def _listed(text: str, sign: str) -> list[Any]:
    """Parts of a text: those of a list of JSON or Python, else what stands between signs."""
    if text.strip().startswith("["):
        for read in (parse_json, literal_eval):
            with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                return list(read(text))
    return [part.strip() for part in text.split(sign)]


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
    return f"{name} is a list: several labels of one item: {READ_SEVERAL}"


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


_BLANK = " \t\r\n"


def words_of(row: Mapping[str, Any], name: str = "words") -> list[str]:
    """Words of a cell, in order; a control character is a word, a blank is not.

    Raises
    ------
    DataError
        If the cell is missing or no list, or a word is empty or no text.
    """
    words = list_of(row, name)
    if not words:
        raise DataError(f"{name} is empty")
    for i, word in enumerate(words):
        if not isinstance(word, str) or not word.strip(_BLANK):
            raise DataError(f"{name}[{i}] is empty or no text")
    if not is_storable("".join(words)):
        for word in words:
            checked(word, name)
    return words


def list_of(row: Mapping[str, Any], name: str, *, n: int | None = None) -> list[Any]:
    """List in a cell, with one entry for each of ``n`` words where that is given.

    Raises
    ------
    DataError
        If the cell is missing, no list, or of another length.
    """
    value = row.get(name)
    if not isinstance(value, list | tuple):
        raise DataError(f"{name} is missing" if value is None else f"{name} is not a list")
    if n is not None and len(value) != n:
        raise DataError(f"there are {n} words and {len(value)} {name}")
    return list(value)


def indices_of(value: Any, name: str, *, n: int) -> list[int]:
    """Word indices, counted from 0, in the order listed.

    Raises
    ------
    DataError
        If it is no list of whole numbers from 0 to ``n - 1``.
    """
    if not isinstance(value, list | tuple):
        raise DataError(f"{name} is not a list of word indices")
    for index in value:
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < n:
            raise DataError(f"{name} holds {index!r}; words are counted from 0 to {n - 1}")
    return list(value)


def run_of_words(value: Any, name: str, *, n: int) -> tuple[int, int]:
    """First and last index of the words that a cell lists in a row.

    Raises
    ------
    DataError
        If there are none, or other words are between them.
    """
    found = sorted(set(indices_of(value, name, n=n)))
    if not found:
        raise DataError(f"{name} has no words")
    if found[-1] - found[0] != len(found) - 1:
        raise DataError(f"{name} holds {found}: other words are between them")
    return found[0], found[-1]


def runs_of_words(indices: Sequence[int]) -> list[tuple[int, int]]:
    """First and last index of each longest run of a cell's words; one listed twice is in two.

    Examples
    --------
    >>> runs_of_words([4, 1, 2, 2])
    [(1, 2), (4, 4), (2, 2)]
    """
    counts = Counter(indices)
    found: list[tuple[int, int]] = []
    while counts:
        for index in sorted(counts):
            if found and found[-1][1] == index - 1:
                found[-1] = found[-1][0], index
            else:
                found.append((index, index))
        counts -= Counter(list(counts))
    return found
