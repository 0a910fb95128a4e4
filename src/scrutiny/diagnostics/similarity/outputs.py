"""Two models' answers to the same items: agreement, errors, flips, divergences, noise floor."""

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType

from scrutiny.core.boundary.limits import shares
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, reference_of
from scrutiny.core.facts import LABELS, SPANS
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.similarity.outputs_design import make_outputs_design
from scrutiny.diagnostics.similarity.outputs_rows import MEASURES, OfItem
from scrutiny.models.answers.label_pair import Labels
from scrutiny.tasks.scored import score_of


@dataclass(frozen=True, slots=True)
class OutputsParams:
    """Margins within which a difference is accepted.

    Parameters
    ----------
    margin
        Loss of accuracy (of F1) below which a target is no worse than the reference; the task's
        own unless told, 1 point of accuracy and 2 of F1.
    floor_margin
        Loss of agreement below which a target is as near to the reference as its own runs are.
    """

    margin: float | None = None
    floor_margin: float = 0.02

    def __post_init__(self) -> None:
        shares(self, "margin", "floor_margin")


class SimilarityOutputs(Diagnostic[OutputsParams]):
    """Similarity of a model's answers to a reference's: agreement, errors, flips.

    Agreement of a model's answers with those of a reference, one row for each item.

    Where the reference is the family itself, each of its runs stands beside the next one: the
    noise floor of everything else.

    **Measures**: how often both say the same, beyond their label frequencies (kappa) and beyond
    their accuracies (error consistency, CAPA); which right answers a change of models breaks and
    which it mends; how far their probabilities lie apart.

    **Misleads when**: read without the noise floor: two runs of one recipe differ on a share of
    the items, too. Labels are lopsided: agreement is high and kappa low whatever the models do.
    Error consistency of models of different accuracy is bounded by it, and few errors make it
    anything. CAPA is read against 1: an unsure model with itself is far below. Taggers are the
    same only where all spans are.

    **References**: Cohen (1960), A coefficient of agreement for nominal scales; Geirhos, Meding &
    Wichmann (2020), Beyond accuracy; Yan et al. (2021), Positive-congruent training; Dutta et al.
    (2024), Accuracy is not all you need; Goel et al. (2025), Great models think alike and this
    undermines AI oversight; McNemar (1947).
    """

    id = "similarity.outputs@1"
    needs = frozenset({"predict"})
    tolerates = MappingProxyType({"margin": ""})
    wants = (LABELS, SPANS)
    measures = MEASURES
    wants_reference = True
    pairs_apart = True

    def measured(self, task: Task) -> tuple[Measure, ...]:
        """Measures of two answers, and those of the task for both models' skill."""
        return (*MEASURES, *task.measures)

    def design(self, params: OutputsParams, inputs: Inputs) -> Design:
        """Estimates and claims for one family and its reference."""
        margin = score_of(inputs.task).tolerance if params.margin is None else params.margin
        return make_outputs_design(margin, params.floor_margin, inputs)

    def measure(
        self, params: OutputsParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """Rows of both models' answers, item by item."""
        reference = reference_of(ctx)
        labels = Labels(reference.labels, ctx.labels)
        answers = zip(
            batch.examples,
            reference.predict(batch.examples),
            ctx.predict(batch.examples),
            strict=True,
        )
        for example, a, b in answers:
            yield from OfItem(example, ctx.task, labels, a, b).rows()
