"""Texts as the mean of the vectors of their words: an encoder without a network."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from scrutiny.perturb.resources.capabilities import Vectors
from scrutiny.text.tokens import token_texts


class MeanVectors:
    """Encoder that takes the mean of word vectors, as a "thought vector".

    Parameters
    ----------
    vectors
        Words without a vector there do not count; they are looked up as they stand, then in lower
        case.

    Notes
    -----
    **Misleads when**: order or negation carry the meaning, which a mean does not see.

    **References**: Kuleshov et al. (2018), Adversarial examples for natural language classification
    problems.
    """

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Array of shape (text, dimension); zeros for a text without a known word."""
        rows = [self._known(text) for text in texts]
        width = next((len(row[0]) for row in rows if row), 1)
        zero = np.zeros(width, dtype=np.float32)
        means = [np.mean(row, axis=0, dtype=np.float64) if row else zero for row in rows]
        return np.asarray(means, dtype=np.float32)

    def _known(self, text: str) -> list[Any]:
        found = []
        for word in token_texts(text):
            vector = self._vectors.vector(word)
            vector = self._vectors.vector(word.lower()) if vector is None else vector
            if vector is not None:
                found.append(vector)
        return found
