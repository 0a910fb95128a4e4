"""Vectors of texts, by layer and by what one vector is made of."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.model import Model
from scrutiny.core.queries.language import Passage, Represents
from scrutiny.models.answers.checked import AnswerError


@dataclass(frozen=True, slots=True, eq=False)
class ItemVectors:
    """Vectors of some items.

    Parameters
    ----------
    layers, poolings
        What was asked for; layers in ascending order.
    values
        ``(passage, layer, pooling, dimension)``; NaN where there is none.
    failure
        Why the model gave none at all; empty otherwise.
    passage
        ``(item,)`` passage of each item, where several items share one.
    """

    layers: tuple[int, ...]
    poolings: tuple[str, ...]
    values: NDArray[Any] = field(repr=False)
    failure: str = ""
    passage: Integers | None = field(default=None, repr=False)

    def of(self, layer: int | None, pooling: str) -> Floats:
        """Vectors ``(item, dimension)`` of a layer, or of the last one."""
        place = -1 if layer is None else self.layers.index(layer)
        found = self.values[:, place, self.poolings.index(pooling)].astype(np.float64)
        return np.asarray(found if self.passage is None else found[self.passage])


def answered_vectors(
    model: Model | None,
    passages: Sequence[Passage],
    *,
    layers: Sequence[int],
    poolings: tuple[str, ...],
    one_by_one: bool = False,
) -> ItemVectors:
    """Answers of a model that is asked for vectors of passages, in one query, or in one for each.

    A model that gives up (a passage that does not fit into memory) is a failure of all items.
    """
    layers = tuple(sorted(set(layers)))
    asked = [[passage] for passage in passages] if one_by_one else [passages]
    encoder = cast("Represents", model)
    try:
        values = np.concatenate(
            [encoder.representations(some, poolings=poolings, layers=layers) for some in asked]
        )
    except AnswerError as error:
        nothing = np.full((len(passages), len(layers), len(poolings), 1), np.nan)
        return ItemVectors(layers, poolings, nothing, error.reason)
    return ItemVectors(layers, poolings, values)
