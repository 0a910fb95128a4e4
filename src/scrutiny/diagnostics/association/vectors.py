"""Vectors of all items of a batch; each distinct passage is encoded once."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scrutiny.core.arrays import Booleans, Floats
from scrutiny.core.diagnostic import Context
from scrutiny.core.example import Example
from scrutiny.diagnostics.association.params import Layers, asked_layers
from scrutiny.diagnostics.association.word_sets import passages_of
from scrutiny.models.answers.vectors import ItemVectors, vectors_of


def vectors_of_items(
    examples: Sequence[Example],
    ctx: Context,
    *,
    representations: tuple[str, ...],
    layers: Layers,
    as_published: bool = False,
) -> ItemVectors:
    """Vectors of the examples, from one query to the model.

    As published: texts in lower case, one forward pass for each. Vectors of one text in several
    batches differ in their last digits, which shows where associations hardly vary.
    """
    passages, places = passages_of(
        examples, lower=as_published, needs_word="word" in representations
    )
    found = vectors_of(
        ctx.model,
        passages,
        layers=asked_layers(layers, ctx.model.n_layers),
        poolings=representations,
        one_by_one=as_published,
    )
    return replace(found, passage=places)


def has_direction(vectors: Floats) -> Booleans:
    """Whether each vector of ``(item, dimension)`` exists and is not zero."""
    lengths = np.linalg.norm(vectors, axis=1)
    return np.asarray(np.isfinite(lengths) & (lengths > 0))
