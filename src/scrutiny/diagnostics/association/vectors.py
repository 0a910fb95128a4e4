"""Vectors of all items of a batch; each distinct passage is encoded once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.diagnostic import Context
from scrutiny.core.example import Example
from scrutiny.diagnostics.association.params import Kind, Layers, asked_layers
from scrutiny.diagnostics.association.word_sets import passages_of
from scrutiny.models.answers.checked import AnswerError

if TYPE_CHECKING:
    from scrutiny.core.queries.language import Represents

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class BatchVectors:
    """Vectors of the items of a batch.

    Parameters
    ----------
    layers, representations
        What was asked for, in order.
    values
        ``(passage, layer, representation, dimension)``; NaN where there is no vector.
    passage
        ``(item,)`` passage of each item.
    failure
        Reason why the model gave none at all; empty otherwise.
    """

    layers: tuple[int, ...]
    representations: tuple[str, ...]
    values: NDArray[Any] = field(repr=False)
    passage: NDArray[np.int64] = field(repr=False)
    failure: str = ""

    def of(self, kind: Kind) -> Floats:
        """Vectors ``(item, dimension)`` of one kind; NaN for missing ones."""
        layer = len(self.layers) - 1 if kind.layer is None else self.layers.index(kind.layer)
        values = self.values[:, layer, self.representations.index(kind.representation)]
        return np.asarray(values.astype(np.float64)[self.passage])


def vectors_of(
    examples: Sequence[Example],
    ctx: Context,
    *,
    representations: tuple[str, ...],
    layers: Layers,
    as_published: bool = False,
) -> BatchVectors:
    """Vectors of the examples, from one query to the model.

    As published: texts in lower case, one forward pass for each. Vectors of one text in several
    batches differ in their last digits, which shows where associations hardly vary. A model that
    gives up (a passage that does not fit into memory) is a failure of all items.
    """
    model = cast("Represents", ctx.model)
    numbers = asked_layers(layers, model.n_layers)
    passages, places = passages_of(
        examples, lower=as_published, needs_word="word" in representations
    )
    asked = [[passage] for passage in passages] if as_published else [passages]
    try:
        values = np.concatenate(
            [
                model.representations(some, poolings=representations, layers=numbers)
                for some in asked
            ]
        )
    except AnswerError as error:
        nothing = np.full((len(passages), len(numbers), len(representations), 1), np.nan)
        return BatchVectors(numbers, representations, nothing, places, error.reason)
    return BatchVectors(numbers, representations, values, places)


def has_direction(vectors: Floats) -> NDArray[np.bool_]:
    """Whether each vector of ``(item, dimension)`` exists and is not zero."""
    lengths = np.linalg.norm(vectors, axis=1)
    return np.asarray(np.isfinite(lengths) & (lengths > 0))
