"""Integrated gradients: gradients along a straight path from a baseline to the text.

They are complete: they sum to what the answer's logit gains along the path. Where a text's miss it
by more than 5 %, its steps are doubled, and in the end the text fails by name.

References
----------
M. Sundararajan, A. Taly, Q. Yan (2017). Axiomatic attribution for deep networks. ICML.
"""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.gradients import (
    Baseline,
    PathGradient,
    PathGradients,
    complete_paths,
)
from scrutiny.diagnostics.attribution.methods.method import AttributionMethod, Effort, each
from scrutiny.diagnostics.attribution.read_texts import AskedModel, ReadText


class IntegratedGradients(AttributionMethod):
    """Integrated gradients from vectors of zeros."""

    name = "integrated_gradients"
    needs = (frozenset({"path_gradients"}),)
    of_labels = True
    baseline: ClassVar[Baseline] = "zeros"

    def scores(
        self, texts: Sequence[ReadText], ctx: AskedModel, effort: Effort
    ) -> list[Floats | Failure]:
        """Sums over the pieces of each word, of paths that are complete."""
        queries = [
            PathGradient.of(text.example, text.target, baseline=self.baseline, steps=effort.steps)
            for text in texts
        ]
        found = complete_paths(partial(ctx.ask, "path_gradients"), queries)

        def of_words(i: int, path: PathGradients) -> Floats:
            return texts[i].of_pieces(path.pieces(found[i][0]), path.attributions)

        return each([answer for _, answer in found], of_words)


class FromPadding(IntegratedGradients):
    """Integrated gradients from the vector of padding."""

    name = "integrated_gradients/pad"
    baseline = "pad"


class FromMask(IntegratedGradients):
    """Integrated gradients from the vector of the mask."""

    name = "integrated_gradients/mask"
    baseline = "mask"


class FromMean(IntegratedGradients):
    """Integrated gradients from the mean vector of the vocabulary."""

    name = "integrated_gradients/mean"
    baseline = "mean"
