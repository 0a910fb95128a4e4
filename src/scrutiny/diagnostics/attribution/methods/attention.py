"""Attention as an attribution: weights, weights through all layers, and weights times gradients.

Maps are of words that are cut one by one. Texts are cut at spaces for it, and where the pieces are
then others than those that the classifier reads, there are no scores.

Of a transformer, what is read is the row of the token that the answer is taken from: the first one,
or the last of a network that reads from left to right. Weights say where information could have
come from, not what it did there: they stand here to be tested.

References
----------
S. Abnar, W. Zuidema (2020). Quantifying attention flow in transformers. ACL.
H. Chefer, S. Gur, L. Wolf (2021). Generic attention-model explainability for interpreting bi-modal
and encoder-decoder transformers. ICCV.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Final, cast

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.attention import (
    AttendedText,
    AttentionLayer,
    AttentionMap,
    Weighting,
)
from scrutiny.core.queries.gradients import InputPiece
from scrutiny.diagnostics.attribution.methods.method import (
    AttributionMethod,
    Effort,
    each,
    own_label,
)
from scrutiny.diagnostics.attribution.read_texts import AskedModel, ReadText
from scrutiny.models.answers.checked import answer_or_fail

_LAYER = "attention_layer"
_MAPS: Final = frozenset({"attentions", "tokenizes"})


class OfAttention(AttributionMethod):
    """Base of methods that read attention, of many heads or of a single layer."""

    needs: ClassVar[tuple[frozenset[str], ...]] = (
        _MAPS,
        frozenset({_LAYER}),
    )
    of_one_text = True
    of_labels = True
    weighting: ClassVar[Weighting] = "raw"

    def scores(
        self, texts: Sequence[ReadText], ctx: AskedModel, effort: Effort
    ) -> list[Floats | Failure]:
        """Weights of the tokens of a single layer; else a row of the maps of all heads."""
        if _LAYER in ctx.model.capabilities:
            layer = cast("AttentionLayer", ctx.model)
            asked = [text.example.text for text in texts]
            found = answer_or_fail(layer.attention_layer, asked, source=ctx.model.source)

            def weights_of(i: int, attended: AttendedText) -> Floats | Failure:
                if len(attended.tokens) != len(texts[i]):
                    return Failure("other_words", "the layer reads other words")
                label = list(ctx.model.labels).index(own_label(texts[i].target, ctx))
                return self._of_layer(attended, layer, label)

            return each(found, weights_of)
        model = cast("Any", ctx.model)  # with maps, and with pieces
        asked = [text.example.text for text in texts]
        read = model.encode(asked) if asked else []
        at = -1 if ctx.model.is_causal else 0

        def row_of(i: int, found: AttentionMap) -> Floats | Failure:
            if found.ids != read[i].ids:
                what = "cut into words at spaces, the text has other pieces than the model reads"
                return Failure("other_pieces", what, "undefined")
            if self.weighting == "gradient" and not texts[i].is_own:
                what = "these gradients are of the model's own answer, which is another one"
                return Failure("other_answer", what, "undefined")
            (field,) = texts[i].example.fields
            pieces = [InputPiece(field, *place) for place in read[i].offsets]
            return texts[i].of_pieces(pieces, self._of_maps(found.weights.astype(np.float64))[at])

        maps = model.attentions([tuple(text.split()) for text in asked], weighting=self.weighting)
        return each([*maps], row_of)

    @abstractmethod
    def _of_maps(self, weights: Floats) -> Floats:
        """One map ``(piece, piece)`` of those of all layers and heads."""

    def _of_layer(self, attended: AttendedText, layer: AttentionLayer, label: int) -> Floats:
        """Scores ``(token,)`` of a single layer."""
        return np.asarray(attended.weights)


class Attention(OfAttention):
    """Weights of the last layer, the mean over its heads."""

    name = "attention"

    def _of_maps(self, weights: Floats) -> Floats:
        return np.asarray(weights[-1].mean(axis=0))


class AttentionRollout(OfAttention):
    """Weights through all layers: half of each layer's way goes past it, in the residual."""

    name = "attention_rollout"
    needs = (_MAPS,)

    def _of_maps(self, weights: Floats) -> Floats:
        same = np.eye(weights.shape[-1])
        rolled = same
        for layer in weights.mean(axis=1):
            rolled = (layer + same) / 2 @ rolled
        return rolled


class AttentionTimesGradient(OfAttention):
    """Weights times the gradient of the answer by them, added up through all layers.

    Of maps of many heads what is added up is the size of the products; Chefer et al. keep the
    positive ones alone.
    """

    name = "attention_x_gradient"
    weighting = "gradient"

    def _of_maps(self, weights: Floats) -> Floats:
        through = np.eye(weights.shape[-1])
        for layer in weights.mean(axis=1):
            through = through + layer @ through
        return through

    def _of_layer(self, attended: AttendedText, layer: AttentionLayer, label: int) -> Floats:
        direction = np.zeros((1, 1, len(attended.probabilities)))
        direction[..., label] = 1.0
        slopes = layer.reweighted_slopes([attended], attended.weights[None, None], direction)
        return np.asarray(attended.weights * slopes[0, 0])
