"""Integrated gradients: gradients along a straight path from a baseline to the text.

They are complete: they sum to what the answer's logit gains along the path. Where a text's miss it
by more than 5 %, its steps are doubled, and in the end the text fails by name.

References
----------
M. Sundararajan, A. Taly, Q. Yan (2017). Axiomatic attribution for deep networks. ICML.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.gradients import INCOMPLETE, Baseline, PathGradient, PathGradients
from scrutiny.diagnostics.attribution.methods.method import AttributionMethod, Effort, each
from scrutiny.diagnostics.attribution.read_texts import AskedModel, ReadText

#: Steps beyond which a path is given up.
MOST_STEPS: Final = 512


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
        found: list[Any] = ctx.ask("path_gradients", queries)
        while again := [i for i, one in enumerate(found) if _is_open(one, queries[i])]:
            for i in again:
                queries[i] = queries[i]._replace(steps=2 * queries[i].steps)
            asked = ctx.ask("path_gradients", [queries[i] for i in again])
            for i, one in zip(again, asked, strict=True):
                found[i] = one

        def of_words(i: int, path: PathGradients) -> Floats:
            return texts[i].of_pieces(path.pieces(queries[i]), path.attributions)

        return each(found, of_words)


def _is_open(answer: PathGradients | Failure, query: PathGradient) -> bool:
    """Whether a path needs more steps, and may have them."""
    is_short = isinstance(answer, Failure) and answer.reason == INCOMPLETE
    return is_short and 2 * query.steps <= MOST_STEPS


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
