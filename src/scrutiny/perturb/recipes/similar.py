"""Similarity in the recipes: vector neighbors, synonyms, closeness to the original.

Published thresholds are those of the Universal Sentence Encoder, as a cosine or as an angular
similarity; the constraint names which. Under another encoder the same number means something else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scrutiny.perturb.constraints.meaning import SentenceSimilarity
from scrutiny.perturb.recipes.attack import Given
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.search.state import State
from scrutiny.perturb.words.vectors import VectorNeighbors
from scrutiny.perturb.words.wordnet import WordnetAll

#: Words around an edit that are compared, where a paper compares a window.
WINDOW: Final = 15
#: What an attack says where it is not given an encoder.
NO_ENCODER: Final = (
    "No encoder is given, so no sentence similarity is asked for, and of several texts that fool "
    "the model the one with the highest score is taken."
)
#: What every attack says that asks for a similarity.
OTHER_ENCODER: Final = (
    "The published threshold is that of the Universal Sentence Encoder; it is kept as a number "
    "whatever encoder is given."
)


def similar(given: Given, *, window: int | None = None, **least: float) -> tuple[Any, ...]:
    """Constraint on the similarity of a window around the edit, or of the text.

    ``least_cosine`` or ``least_angular`` (1 - angle / 180 degrees) says how alike they stay. Texts
    shorter than the window pass unseen; without an encoder there is no constraint.
    """
    if not given.has("encoder"):
        return ()
    return (SentenceSimilarity(**least, window=window, skip_short=window is not None),)


def closest(given: Given) -> Any:
    """Preference for the closest of several successful texts; `None` without an encoder."""
    return ByEncoder() if given.has("encoder") else None


#: What an attack says where it is not given vectors.
NO_VECTORS: Final = (
    "No vectors are given, so WordNet synonyms of the word's part of speech stand in for the "
    "nearest counter-fitted vectors, and no cosine is asked for."
)


def synonyms(given: Given, *, top: int, least_cosine: float = 0.0) -> Any:
    """Transformation that proposes similar words, the nearest first."""
    if given.has("vectors"):
        return VectorNeighbors(top=top, least_cosine=least_cosine)
    return WordnetAll(pos="tagged")


@dataclass(frozen=True, slots=True)
class ByEncoder:
    """Cosine to the base by the resource ``encoder``, over all fields joined by a space.

    Examples
    --------
    >>> ByEncoder().id
    'by_encoder@1'
    """

    id = "by_encoder@1"
    resources = ("encoder",)

    def closeness(self, states: Sequence[State]) -> Sequence[float]:
        """Cosine of each text; 0 for a zero vector."""
        origin = states[0].origin
        encoder = find_resource(origin.resources or {}, "encoder")
        texts = [" ".join(origin.texts), *(" ".join(state.texts) for state in states)]
        vectors = np.asarray(encoder.encode(texts), dtype=np.float64)
        lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(vectors[0])
        dots = vectors @ vectors[0]
        found = np.divide(dots, lengths, out=np.zeros(len(dots)), where=lengths > 0)
        return [float(value) for value in found[1:]]
