"""Vectors of word types for probes: the model's own input embeddings, brought to few dimensions."""

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np

from scrutiny.core.arrays import Integers, Singles
from scrutiny.core.attention import Words
from scrutiny.core.language import Passage, Represents

_AT_A_TIME: Final = 1024


def vocabulary(sentences: Sequence[Words]) -> tuple[list[str], list[list[int]]]:
    """Word types in the order of their appearance, and the types of each sentence's words.

    Examples
    --------
    >>> vocabulary([("a", "b"), ("b", "b")])
    (['a', 'b'], [[0, 1], [1, 1]])
    """
    number: dict[str, int] = {}
    types = [[number.setdefault(word, len(number)) for word in words] for words in sentences]
    return list(number), types


def embeddings_of(model: Any, types: Sequence[str]) -> Singles:
    """Input embeddings ``(type, dimension)``: layer 0 of each word by itself, pieces averaged.

    A word without a piece is zero.
    """
    parts = [
        cast("Represents", model).representations(
            [Passage(word, (0, len(word))) for word in types[start : start + _AT_A_TIME]],
            poolings=("word",),
            layers=(0,),
        )[:, 0, 0]
        for start in range(0, len(types), _AT_A_TIME)
    ]
    found: Singles = np.nan_to_num(np.concatenate(parts)).astype(np.float32)
    return found


def reduced(embeddings: Singles, known: Integers, *, dimensions: int) -> Singles:
    """Principal components ``(type, dimension)`` of the known types, of all types.

    Coordinates have a mean square of 1 over the known types; fewer come back where there are not
    as many types or dimensions.

    Parameters
    ----------
    embeddings
        Of all types.
    known
        Types that the components are found on: those of the training half.
    dimensions
        How many are kept.
    """
    centered = embeddings - embeddings[known].mean(axis=0)
    _, _, axes = np.linalg.svd(centered[known], full_matrices=False)
    found = centered @ axes[:dimensions].T
    scale = float(np.sqrt(np.mean(found[known].astype(np.float64) ** 2)))
    scaled: Singles = (found / (scale or 1.0)).astype(np.float32)
    return scaled
