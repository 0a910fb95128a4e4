"""The diagnostic ``certainty``: how far the likeliest answer lies before the next."""

from collections.abc import Iterable
from dataclasses import dataclass

from scrutiny.plugin import (
    Batch,
    Cell,
    Claim,
    Component,
    Context,
    Design,
    Diagnostic,
    EstimateSpec,
    Failure,
    Inputs,
    Measure,
    Row,
    facts,
)


@dataclass(frozen=True, slots=True)
class CertaintyParams:
    """What can be set.

    Parameters
    ----------
    limit
        Median margin that the claim says is exceeded.
    """

    limit: float = 0.05


class Certainty(Diagnostic[CertaintyParams]):
    """Median margin between the two likeliest answers.

    **Measures**: how decided the model is, right or wrong.

    **Misleads when**: probabilities are not calibrated; the model gives none.

    **References**: none; it is here to try the kernel.
    """

    id = "certainty@1"
    Params = CertaintyParams
    wants = (facts.ONE_TEXT,)
    measures = (Measure("margin", unit="probability"),)

    def design(self, params: CertaintyParams, inputs: Inputs) -> Design:
        """One estimate and one claim."""
        del inputs
        claim = Claim(
            id="decided",
            says=f"the median margin exceeds {params.limit:g}",
            diagnostic="certainty",
            components=(Component("margin", params.limit, "reference"),),
            checks=("items", "seeds", "datasets"),
        )
        return Design(
            estimates=(EstimateSpec("margin", "median_margin@1"),),
            claims=(claim,),
            notes=("The margin is the largest probability minus the second largest.",),
        )

    def measure(
        self, params: CertaintyParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each item; undefined where the model gives no probabilities."""
        del params, cell
        for example, answer in zip(batch.examples, ctx.predict(batch.examples), strict=True):
            if isinstance(answer, Failure):
                yield Row(example.id, None, "measured", "{}", "failed", answer.reason, None)
            elif answer.scores is None:
                yield Row(example.id, None, "measured", "{}", "undefined", "no_scores", None)
            else:
                second, first = sorted(answer.scores)[-2:]
                yield Row(example.id, None, "measured", "{}", "ok", None, (first - second,))
