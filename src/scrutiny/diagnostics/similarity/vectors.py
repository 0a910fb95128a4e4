"""Texts as passages for an encoder, and the selection of items."""

from collections.abc import Sequence

import numpy as np

from scrutiny.core.arrays import Booleans, Integers
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.queries.language import Passage


def passage_of(example: Example) -> Passage:
    """Text of a similarity's item for the encoder: two fields as a pair, more joined in sequence.

    Examples
    --------
    >>> passage_of(Example("1", {"text": "It rains.", "text_pair": "It is wet."}))
    Passage(text='It rains.', word=None, pair='It is wet.')
    """
    texts = tuple(example.fields.values())
    return Passage(texts[0], pair=texts[1]) if len(texts) == 2 else Passage(" ".join(texts))


def similarity_units(examples: Sequence[Example], unit: str) -> Integers:
    """Unit of each item of a similarity ``(item,)``: a column's values, or the item by itself.

    Raises
    ------
    PlanError
        If the items have no such column.
    """
    names = list(dict.fromkeys(name for e in examples for name in e.attributes))
    if unit and unit not in names:
        raise PlanError(f"unit {unit!r} is no column of the items; they have {', '.join(names)}.")
    candidates = [unit] if unit else [name for name in names if name.startswith("u_")]
    for name in candidates:
        values = [str(e.attributes.get(name)) for e in examples]
        codes = {value: i for i, value in enumerate(dict.fromkeys(values))}
        if len(codes) > 1 or unit:
            return np.array([codes[value] for value in values], dtype=np.int64)
    return np.arange(len(examples))


def compared_items(units: Integers, most: int, rng: np.random.Generator) -> Booleans:
    """Items ``(item,)`` of a similarity: all, or whole units drawn until there are enough."""
    if units.size <= most:
        return np.ones(units.size, dtype=bool)
    sizes = np.bincount(units)
    order = rng.permutation(sizes.size)
    return np.isin(units, order[np.cumsum(sizes[order]) <= most])
