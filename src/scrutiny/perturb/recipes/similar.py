"""How attacks ask that a sentence stays near what it was.

Published thresholds are those of the Universal Sentence Encoder, as a cosine or as an angular
similarity; the constraint names which. Under another encoder the same number means something else.
"""

from typing import Any, Final

from scrutiny.perturb.constraints.sentence_similarity import SentenceSimilarity
from scrutiny.perturb.recipes.attack import Given
from scrutiny.perturb.search.closeness import ByEncoder

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


def cosine(given: Given, least: float, *, window: int | None = None) -> tuple[Any, ...]:
    """Constraint on the cosine, of a window around the edit or of the text; none without encoder.

    Texts shorter than the window pass unseen.
    """
    if not given.has("encoder"):
        return ()
    short = window is not None
    return (SentenceSimilarity(least_cosine=least, window=window, skip_short=short),)


def angular(given: Given, least: float, *, window: int | None = None) -> tuple[Any, ...]:
    """Constraint on the angular similarity 1 - angle / 180 degrees; as `cosine` otherwise."""
    if not given.has("encoder"):
        return ()
    short = window is not None
    return (SentenceSimilarity(least_angular=least, window=window, skip_short=short),)


def closest(given: Given) -> Any:
    """What prefers the closest of several texts that fool the model; nothing without encoder."""
    return ByEncoder() if given.has("encoder") else None
