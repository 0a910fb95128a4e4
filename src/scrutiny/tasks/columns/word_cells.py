"""Cells of annotated rows converted to words and word indices."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from scrutiny.core.boundary.storable import checked
from scrutiny.core.errors import DataError

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
