"""Scores that no model is asked for: baselines of an annotation, and published scores of heads."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from scrutiny.core.boundary.parameters import known
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector, Subtracted
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, NoParams, RowKind
from scrutiny.core.errors import ModelError
from scrutiny.core.facts import ANCHORED_SPANS, HEAD_COUNTS
from scrutiny.core.queries.annotation import AnchoredWords
from scrutiny.core.record import HEADS, LAYERS, Measure, Row
from scrutiny.diagnostics.attention.encodings import (
    LEFT_OUT,
    SPAN_BASELINES,
    UNSCORED,
    cases_of,
    gold_of,
    is_unscored,
    span_baselines,
)
from scrutiny.diagnostics.attention.head_counts import KINDS
from scrutiny.diagnostics.attention.presets import measures_of_heads, spec_of, specs_of

if TYPE_CHECKING:
    from scrutiny.core.queries.attention import KnowsHeadCounts


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


class SpanBaselines(Diagnostic[BaselinesParams]):
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
        along = {"baseline": ("baseline",), "mean_offset": (), "best_offset": ()}
        metrics = {f"{name}({kind})": axes for name, axes in along.items() for kind in KINDS}
        return Design(
            estimates=tuple(specs_of({}, metrics)),
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
            view = AnchoredWords.of(example)
            if is_unscored(view, params.unscored):
                yield RowKind().row(example.id, LEFT_OUT)
                continue
            cases = cases_of(view, params.unscored)
            counts = span_baselines(view, cases).ravel().tolist()
            yield RowKind().row(example.id, (*counts, gold_of(view, cases, is_listed=True)))


#: Families whose values are subtracted: those of the control task, and before fine-tuning.
_MINUS: Final[tuple[Subtracted, ...]] = ("control", "base")
_NOTES: Final = (
    "Precision, recall and F1 were published and the texts were not: the counts behind them are "
    "sums over a whole corpus, so that no sentence can be resampled.",
    "Intervals are over replicates, on these very sentences; a single model has none, and no claim "
    "about other texts can be decided.",
    "best_head is chosen and scored on the same data, as published; base_best_head is the head "
    "that was best before tuning, which is what tables of tuned models follow.",
)


class Stored(Diagnostic[NoParams]):
    """Published scores of attention heads, evaluated without a model.

    Estimates of a published study of attention heads, from its scores of every head.

    Records hold the counts of words that each head predicted and got right on a whole corpus.

    **Measures**: the average and the best head, what tuning and a control task change in them,
    whether heads rank alike on two corpora, and whether good heads gain more.

    **Misleads when**: intervals are read as being about other texts: they are over replicates, on
    the very sentences that were published; heads that were chosen and scored on the same data are
    read as found. Where a family and the one it was trained from were scored on slightly
    different words, gains in recall and F1 take the family's own number of words for both.

    **References**: Zhao & Bethard (2020), How does BERT's attention change when you fine-tune? An
    analysis methodology and a case study in negation scope, ACL.
    """

    id = "attention.stored@1"
    needs = frozenset({"head_counts"})
    wants = (HEAD_COUNTS,)
    measures = measures_of_heads("words", (LAYERS, HEADS))

    def design(self, params: NoParams, inputs: Inputs) -> Design:
        """Every head, the average and the best one, ranks between corpora; no claims."""
        heads = specs_of({}, {f"head({kind})": ("layer", "head") for kind in KINDS})
        single = list(_single(inputs))
        return Design(
            conditions=({},),
            estimates=(*heads, *single),
            notes=_NOTES,
            contrasts=tuple(
                ContrastSpec(f"{who}/{spec.id}", spec.id, spec.id, minus=who)
                for spec in single
                for who in _MINUS
                if who == "control" or "base" not in spec.sides
            ),
        )

    def measure(self, params: NoParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """One row for each corpus: its published counts."""
        model = cast("KnowsHeadCounts", ctx.model)
        for example in batch.examples:
            try:
                counts = model.head_counts(example.text)
            except ModelError:
                yield RowKind().row(example.id, Failure("no_scores"))
                continue
            flat = np.concatenate([counts.tp.ravel(), counts.predicted.ravel(), [counts.gold]])
            yield RowKind().row(example.id, flat.astype(np.float64).tolist())


def _single(inputs: Inputs) -> Iterator[EstimateSpec]:
    """Estimates of one number: of this corpus, between it and each later one, of every layer."""
    base = {"base": Selector(of="base")}
    for kind in KINDS:
        for metric in ("mean_head", "best_head"):
            yield spec_of({}, f"{metric}({kind})")
        for metric in ("base_best_head", "gain_tau") if inputs.base else ():
            yield spec_of({}, f"{metric}({kind})", sides=base)
    for other in inputs.data.beside:
        for kind in KINDS:
            yield spec_of({}, f"heads_tau({kind})", other, beside=(other,))
    for layer in range(1, inputs.subject.n_layers + 1):
        yield spec_of({}, "mean_head(f1)", f"layer={layer}", at={"layer": layer})
