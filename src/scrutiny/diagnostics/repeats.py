"""The repeats diagnostic: the same texts asked again, of models that may answer otherwise."""

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from scrutiny.core.boundary.parameters import at_least, shares
from scrutiny.core.claim import Claim, Component, Risk
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Prediction
from scrutiny.reliability.row_statistics import Additive

#: Share of answers that are others when the same text is asked again: it stands beside the scores.
NOISE_FLOOR: Final = Additive(
    "noise_floor@1",
    "answers that change when the same text is asked again",
    ("changed",),
    scale="logit",
    higher_is="worse",
    tolerance=0.02,
    row_range=(0.0, 1.0),
    no_effect=0.0,
    is_mean=True,
    headline="noise floor",
)


@dataclass(frozen=True, slots=True)
class RepeatsParams:
    """How often is asked again.

    Parameters
    ----------
    times
        How often each text is asked again.
    tolerance
        Share of the answers that may change.
    """

    times: int = 1
    tolerance: float = 0.02

    def __post_init__(self) -> None:
        at_least(self, times=1)
        shares(self, "tolerance", zero=False)


class Repeats(Diagnostic[RepeatsParams]):
    """Share of answers that are others when the same text is asked again: the noise floor.

    Each text is asked once more (``times``), and the answer is compared with the first one. What a
    change of the text does to the answers of such a model can't be told from noise where it changes
    no more of them than this.

    **Measures**: answers that change although nothing has changed, in shares of the items.

    **Misleads when**: the service keeps answers and gives the kept one (then it shows less noise
    than two users would see); its load, and with it the batches that texts share, was another one.

    **References**: Atil et al. (2024), Non-determinism of "deterministic" LLM settings.
    """

    id = "repeats@1"
    needs = frozenset({"predict", "varies"})
    tolerates = MappingProxyType({"tolerance": NOISE_FLOOR.id})
    measures = (Measure("changed", unit="items"),)

    def design(self, params: RepeatsParams, inputs: Inputs) -> Design:
        """The share, and the claim that it is above 0."""
        return Design(
            estimates=(EstimateSpec("changed", NOISE_FLOOR.id),),
            claims=(
                Claim(
                    id="varies",
                    says="its answers change when the same text is asked again",
                    components=(Component("changed", 0.0),),
                    needs_control=False,
                    checks=("items", "seeds", "datasets"),
                    risk=Risk("noise floor", params.tolerance, "{} % of answers vary"),
                ),
            ),
            queries_per_item=1 + params.times,
            notes=(
                "The noise floor: the same text, asked again. A change of the text that changes no "
                "more answers than this can't be told from noise.",
            ),
        )

    def measure(
        self, params: RepeatsParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each item: the share of times at which its answer was another one."""
        first, *again = (ctx.predict(batch.examples, draw=time) for time in range(params.times + 1))
        for example, before, *now in zip(batch.examples, first, *again, strict=True):
            times = (before, *now)
            answered = [one for one in times if isinstance(one, Prediction)]
            failed = [one for one in times if isinstance(one, Failure)]
            others = sum(not answered[0].agrees(one) for one in answered[1:])
            yield RowKind().row(example.id, failed[0] if failed else (others / len(now),))
