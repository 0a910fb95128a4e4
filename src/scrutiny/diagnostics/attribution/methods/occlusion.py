"""Occlusion: what the answer's probability loses without each word (leave-one-out).

References
----------
M. D. Zeiler, R. Fergus (2014). Visualizing and understanding convolutional networks. ECCV.
J. Li, W. Monroe, D. Jurafsky (2016). Understanding neural networks through representation erasure.
"""

from collections.abc import Sequence

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.diagnostics.attribution.methods.method import (
    USUAL_WORDS,
    AttributionMethod,
    Effort,
    each,
)
from scrutiny.diagnostics.attribution.read_texts import AskedModel, ReadText, ask_scores


class Occlusion(AttributionMethod):
    """Loss of the answer's probability without each word, one at a time."""

    name = "occlusion"

    def cost(self, effort: Effort) -> int:
        """As many as it asks about."""
        return USUAL_WORDS

    def scores(
        self, texts: Sequence[ReadText], ctx: AskedModel, effort: Effort
    ) -> list[Floats | Failure]:
        """As many changed texts as words."""
        changed = [[text.without({i}) for i in range(len(text))] for text in texts]
        return each(ask_scores(texts, changed, ctx), lambda i, after: texts[i].score - after)
