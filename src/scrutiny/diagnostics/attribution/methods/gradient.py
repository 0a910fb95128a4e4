"""Gradients by the vectors of words: their length, and their product with the vectors.

References
----------
K. Simonyan, A. Vedaldi, A. Zisserman (2014). Deep inside convolutional networks: visualising image
classification models and saliency maps. ICLR workshop.
M. Denil, A. Demiraj, N. de Freitas (2014). Extraction of salient sentences from labelled documents.
"""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.gradients import Gradients, TokenGradients
from scrutiny.diagnostics.attribution.methods.method import (
    AttributionMethod,
    Effort,
    each,
    own_label,
)
from scrutiny.diagnostics.attribution.read_texts import AskedModel, ReadText
from scrutiny.models.answers.checked import answer_or_fail


class Gradient(AttributionMethod):
    """Length of the gradient at each piece: how much its vector matters, in either direction."""

    name = "gradient"
    needs = (frozenset({"gradients"}),)
    of_labels = True

    def scores(
        self, texts: Sequence[ReadText], ctx: AskedModel, effort: Effort
    ) -> list[Floats | Failure]:
        """Sums over the pieces of each word."""
        model = cast("Gradients", ctx.model)

        def ask(some: Sequence[ReadText]) -> list[TokenGradients | Failure]:
            targets = [own_label(text.target, ctx) for text in some]
            return model.gradients([text.example for text in some], targets)

        def of_words(i: int, slopes: TokenGradients) -> Floats:
            return texts[i].of_pieces(slopes.pieces, self._of_pieces(slopes, model))

        return each(answer_or_fail(ask, texts, source=ctx.model.source), of_words)

    def _of_pieces(self, slopes: TokenGradients, model: Gradients) -> Any:
        return np.linalg.norm(slopes.gradient, axis=-1)


class GradientTimesInput(Gradient):
    """Gradient of the answer's log-probability times the vector: its effect to first order."""

    name = "gradient_x_input"

    def _of_pieces(self, slopes: TokenGradients, model: Gradients) -> Any:
        vectors = model.embeddings().matrix[list(slopes.ids)]
        return -(slopes.gradient * vectors).sum(-1)  # the gradient is that of the loss
