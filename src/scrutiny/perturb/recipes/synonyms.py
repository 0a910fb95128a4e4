"""Words of a like meaning: by vectors where they are given, by WordNet otherwise."""

from typing import Any, Final

from scrutiny.perturb.recipes.attack import Given
from scrutiny.perturb.words.vector_neighbors import VectorNeighbors
from scrutiny.perturb.words.wordnet_all import WordnetAll

#: What an attack says where it is not given vectors.
NO_VECTORS: Final = (
    "No vectors are given, so WordNet synonyms of the word's part of speech stand in for the "
    "nearest counter-fitted vectors, and no cosine is asked for."
)


def synonyms(given: Given, *, top: int, least_cosine: float = 0.0) -> Any:
    """Transformation that proposes them, the nearest first."""
    if given.has("vectors"):
        return VectorNeighbors(top=top, least_cosine=least_cosine)
    return WordnetAll(pos="tagged")
