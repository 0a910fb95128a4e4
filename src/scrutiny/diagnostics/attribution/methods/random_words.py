"""Random attributions: the null that every method has to beat."""

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.diagnostics.attribution.read_texts import AskedModel, ReadText


def random_scores(text: ReadText, ctx: AskedModel, draw: int) -> Floats:
    """Scores of one draw, the same for every model and replicate."""
    rng = ctx.rng("random words", "attribution", text.example.id, draw)
    return np.asarray(rng.standard_normal(len(text)))


def ranking(scores: Floats, text: ReadText, ctx: AskedModel) -> list[int]:
    """Words from the highest score down; equal ones in an order that is drawn.

    Words that a method cannot tell apart must not be in the order of the text, which may be one
    that matters.
    """
    ties = ctx.rng("ties", "attribution", text.example.id).permutation(len(text))
    return [int(i) for i in np.lexsort((ties, -scores))]
