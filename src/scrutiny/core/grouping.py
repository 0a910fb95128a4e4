"""Grouping of values by a key."""

from collections.abc import Iterable
from typing import TypeVar

K = TypeVar("K")
T = TypeVar("T")


def grouped(values: Iterable[tuple[K, T]]) -> dict[K, list[T]]:
    """Values by name, both in the order of appearance.

    Parameters
    ----------
    values
        Pairs of a name and a value; a name may come again, anywhere.

    Examples
    --------
    >>> grouped((word[0], word) for word in ["ant", "bee", "asp"])
    {'a': ['ant', 'asp'], 'b': ['bee']}
    """
    found: dict[K, list[T]] = {}
    for name, value in values:
        found.setdefault(name, []).append(value)
    return found
