"""Baselines of anchored annotations by themselves: no model is asked, whichever is named."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from scrutiny.core.boundary.limits import known
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, RowKind
from scrutiny.core.facts import ANCHORED_SPANS
from scrutiny.core.queries.annotation import AnchoredSpans
from scrutiny.core.record import Measure, Row
from scrutiny.diagnostics.attention.heads.baselines import SPAN_BASELINES, span_baselines
from scrutiny.diagnostics.attention.heads.scored import (
    LEFT_OUT,
    UNSCORED,
    cases_of,
    gold_of,
    is_unscored,
)
from scrutiny.diagnostics.attention.metrics.scores import KINDS

BASELINE: Final = ("baseline", len(SPAN_BASELINES))


@dataclass(frozen=True, slots=True)
class BaselinesParams:
    """Parts of an annotation that are left out of the scores.

    Parameters
    ----------
    unscored
        ``empty``: examples without a target; ``anchors``: the anchor's own words.

    Raises
    ------
    UnknownNameError
        For anything else.
    """

    unscored: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        known("unscored part", self.unscored, UNSCORED)


class Baselines(Diagnostic[BaselinesParams]):
    """Baselines of an annotation that need no model: fixed offsets from the cue.

    Precision, recall and F1 of what `attention.heads` compares heads with, by the place in this
    order: all words, offsets -3 to -1 and +1 to +3, everything behind the anchor, uniform choice.

    **Measures**: how much of an annotation (a negation's scope) follows from the place of the
    anchor alone. It is the same for every model.

    **Misleads when**: the best baseline is chosen on the examples that it is scored on; a target
    that is listed twice counts twice, as in the released code.

    **References**: Zhao & Bethard (2020), How does BERT's attention change when you fine-tune? An
    analysis methodology and a case study in negation scope, table 1; Clark et al. (2019), What does
    BERT look at?
    """

    id = "attention.baselines@1"
    wants = (ANCHORED_SPANS,)
    measures = (
        Measure("baseline_tp", (BASELINE,), unit="words"),
        Measure("baseline_predicted", (BASELINE,), unit="words"),
        Measure("gold", unit="words"),
    )

    def design(self, params: BaselinesParams, inputs: Inputs) -> Design:
        """Every baseline, the average and the best fixed offset; no claims."""
        left_out = " and ".join(UNSCORED[name] for name in params.unscored)
        return Design(
            estimates=(
                *(
                    EstimateSpec(f"baseline({kind})", f"baseline({kind})@1", along=("baseline",))
                    for kind in KINDS
                ),
                *(
                    EstimateSpec(name, f"{name}@1")
                    for metric in ("mean_offset", "best_offset")
                    for name in (f"{metric}({kind})" for kind in KINDS)
                ),
            ),
            queries_per_item=0,
            notes=(
                f"Baselines by number: {', '.join(SPAN_BASELINES)}.",
                *((f"Not scored: {left_out}.",) if left_out else ()),
            ),
        )

    def measure(
        self, params: BaselinesParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each example."""
        for example in batch.examples:
            view = AnchoredSpans.of(example)
            if is_unscored(view, params.unscored):
                yield RowKind().row(example.id, LEFT_OUT)
                continue
            cases = cases_of(view, params.unscored)
            counts = span_baselines(view, cases)
            gold = gold_of(view, cases, is_listed=True)
            yield RowKind().row(example.id, (*counts.flat, gold))
