"""How much is measured."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CompetenceSettings:
    """How much is measured.

    Parameters
    ----------
    length
        Pieces of a held-out row; fewer for a model with fewer positions.
    masked_share
        Hidden at once for masked accuracy.
    passages
        Rows of each source for pseudo-perplexity, which asks once for each piece.
    segment_pairs
        Of each source.
    seed
        Of masks and segment pairs.
    """

    length: int = 64
    masked_share: float = 0.15
    passages: int = 150
    segment_pairs: int = 500
    seed: int = 0
