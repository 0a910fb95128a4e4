"""How attacks ask that a sentence stays near what it was.

Published thresholds are those of the Universal Sentence Encoder, as a cosine or as an angular
similarity 1 - arccos(cosine) / pi; both are stated as a cosine here, so that they cannot be taken
for one another. Under another encoder the same number means something else.
"""

from math import cos, pi
from typing import Any, Final

from scrutiny.perturb.constraints.embedding_similarity import EmbeddingSimilarity
from scrutiny.perturb.recipes.attack import Given
from scrutiny.perturb.search.closeness import ByEncoder

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


def cosine_of_angular(similarity: float) -> float:
    """Cosine of an angular similarity.

    Examples
    --------
    >>> round(cosine_of_angular(0.840845), 4), round(cosine_of_angular(1.0), 4)
    (0.8776, 1.0)
    """
    return cos(pi * (1.0 - similarity))


def at_least(given: Given, cosine: float) -> tuple[Any, ...]:
    """Constraint on the cosine; none without an encoder."""
    return (EmbeddingSimilarity(least=cosine),) if given.has("encoder") else ()


def closest(given: Given) -> Any:
    """What prefers the closest of several texts that fool the model; nothing without encoder."""
    return ByEncoder() if given.has("encoder") else None
