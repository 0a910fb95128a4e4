"""Subsample of a dataset, drawn by hashes of item names: the same for every model and seed."""

from collections.abc import Sequence
from functools import lru_cache

from scrutiny.core.boundary.canonical import digest
from scrutiny.core.example import Example


def drawn(examples: Sequence[Example], items: int | None) -> tuple[Example, ...]:
    """Subsample: the items with the smallest hashes, in their order; all if ``items`` is None.

    Smaller subsamples are part of larger ones, so that measurements of several sizes share items.

    Examples
    --------
    >>> some = [Example(str(i), {"text": "x"}) for i in range(9)]
    >>> [e.id for e in drawn(some, 3)] == [e.id for e in drawn(some[::-1], 3)][::-1]
    True
    """
    if items is None or items >= len(examples):
        return tuple(examples)
    kept = set(_ranked(tuple(example.id for example in examples))[:items])
    return tuple(example for example in examples if example.id in kept)


@lru_cache(maxsize=16)
def _ranked(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of items by their hashes; a budget tries many sizes of one dataset."""
    return tuple(sorted(names, key=lambda name: digest("attack", name)))  # the word keeps the draw
