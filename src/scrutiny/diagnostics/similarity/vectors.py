"""One vector for every text and layer of a model, and the selection of items."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.queries.language import Passage
from scrutiny.models.answers.checked import AnswerError

if TYPE_CHECKING:
    from scrutiny.core.queries.language import Represents

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ItemVectors:
    """Vectors of some items.

    Parameters
    ----------
    layers, poolings
        What was asked for, in order.
    values
        ``(item, layer, pooling, dimension)``; NaN where there is none.
    failure
        Why the model gave none at all; empty otherwise.
    """

    layers: tuple[int, ...]
    poolings: tuple[str, ...]
    values: NDArray[Any] = field(repr=False)
    failure: str = ""

    def of(self, layer: int, pooling: str) -> Floats:
        """Vectors ``(item, dimension)``."""
        place = self.layers.index(layer), self.poolings.index(pooling)
        return np.asarray(self.values[:, place[0], place[1]].astype(np.float64))


def vectors_of(
    model: Model | None,
    examples: Sequence[Example],
    *,
    layers: Sequence[int],
    poolings: tuple[str, ...],
) -> ItemVectors:
    """Vectors of examples, from one query to the model; equal texts have equal vectors."""
    asked = tuple(sorted(set(layers)))
    passages = [passage_of(example) for example in examples]
    try:
        values = cast("Represents", model).representations(
            passages, poolings=poolings, layers=asked
        )
    except AnswerError as error:
        nothing = np.full((len(passages), len(asked), len(poolings), 1), np.nan)
        return ItemVectors(asked, poolings, nothing, error.reason)
    return ItemVectors(asked, poolings, values)


def passage_of(example: Example) -> Passage:
    """Text of an item for the encoder: two fields as a pair, more joined in sequence.

    Examples
    --------
    >>> passage_of(Example("1", {"text": "It rains.", "text_pair": "It is wet."}))
    Passage(text='It rains.', word=None, pair='It is wet.')
    """
    texts = tuple(example.fields.values())
    return Passage(texts[0], pair=texts[1]) if len(texts) == 2 else Passage(" ".join(texts))


def units_of(examples: Sequence[Example], unit: str) -> Ints:
    """Unit ``(item,)`` of each item: a column's values, or every item by itself.

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


def drawn(units: Ints, most: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Items ``(item,)`` to compare: all, or whole units drawn until there are enough."""
    if units.size <= most:
        return np.ones(units.size, dtype=bool)
    sizes = np.bincount(units)
    order = rng.permutation(sizes.size)
    kept = order[np.cumsum(sizes[order]) <= most]
    return np.isin(units, kept)
