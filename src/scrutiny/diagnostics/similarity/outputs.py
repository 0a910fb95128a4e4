"""Two models' answers to the same items: agreement, errors, flips, divergences, noise floor.

===================  ==========================================================================
agreement, kappa     the same answer; of labels beyond what both models' frequencies give
likeness             of other answers: the task's score of the target's, were the reference's right
error_consistency    the same items wrong, beyond what both accuracies give
nfr, pfr, flips      right for the reference and wrong now; the other way round; both
accuracy_change      accuracy of the target minus the reference's, with McNemar's test; its size
capa, capa_labels    agreement of probabilities, and of labels, beyond both accuracies
jsd, tv, kl          how far the probabilities lie apart
p_gold               change of the right answer's probability: its mean and its root mean square
level, entropy       skill of each; how many labels the target uses
floor/...            agreement, and divergence, minus those of the reference's own runs
===================  ==========================================================================

Claims: the errors of both coincide beyond their accuracies; the target is right no less often (its
score is no lower), but for the margin; and, where the reference has several runs, the target gives
its answers as often as another run of it would, but for the margin. A model without skill, or that
always says the same, is refused. Nothing is claimed of a family beside itself: it is the noise
floor.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from scrutiny.core.boundary.parameters import shares
from scrutiny.core.boundary.printable import points
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, reference_of
from scrutiny.core.expressions import metric_of_metric
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.similarity.outputs_records import (
    MEASURES,
    OF_BOTH,
    OF_GOLD,
    OF_GOLD_PROBABILITIES,
    OF_LABELS,
    OF_PROBABILITIES,
    OF_REFERENCE,
    OF_TARGET,
    OfItem,
)
from scrutiny.models.answers.compared_answers import LabelPair, has_variety, skill_of_both
from scrutiny.reliability.metrics import metric_of
from scrutiny.tasks.scores import score_of


@dataclass(frozen=True, slots=True)
class OutputsParams:
    """Losses that are accepted.

    Parameters
    ----------
    tolerance
        Loss of the task's score (accuracy, F1, LAS, chrF) below which a target is no worse than the
        reference; the task's own tolerance unless told.
    floor_margin
        Loss of agreement below which a target is as near to the reference as its own runs are.
    """

    tolerance: float | None = None
    floor_margin: float = 0.02

    def __post_init__(self) -> None:
        shares(self, "tolerance", "floor_margin")


class SimilarityOutputs(Diagnostic[OutputsParams]):
    """Similarity of a model's answers to a reference's: agreement, errors, flips.

    Agreement of a model's answers with those of a reference, one row for each item.

    Where the reference is the family itself, each of its runs stands beside the next one: the
    noise floor of everything else.

    **Measures**: how often both say the same, beyond their label frequencies (kappa) and beyond
    their accuracies (error consistency, CAPA); which right answers a change of models breaks and
    which it mends; how far their probabilities lie apart. Of spans, arcs, clusters, extracts and
    written texts: how often the whole answer is the same, and how the target would score if the
    reference's answers were the right ones (F1, LAS, chrF).

    **Misleads when**: read without the noise floor: two runs of one recipe differ on a share of
    the items, too. Labels are lopsided: agreement is high and kappa low whatever the models do.
    Error consistency of models of different accuracy is bounded by it, and few errors make it
    anything. CAPA is read against 1: an unsure model with itself is far below. Two long answers
    are hardly ever wholly the same: read their score beside each other.

    **References**: Cohen (1960), A coefficient of agreement for nominal scales; Geirhos, Meding &
    Wichmann (2020), Beyond accuracy; Yan et al. (2021), Positive-congruent training; Dutta et al.
    (2024), Accuracy is not all you need; Goel et al. (2025), Great models think alike and this
    undermines AI oversight; McNemar (1947).
    """

    id = "similarity.outputs@1"
    needs = frozenset({"predict"})
    tolerates = MappingProxyType({"tolerance": ""})
    measures = MEASURES
    wants_reference = True
    pairs_apart = True

    def measured(self, task: Task) -> tuple[Measure, ...]:
        """Measures of two answers, and those of the task for both models' skill."""
        return (*MEASURES, *task.measures)

    def design(self, params: OutputsParams, inputs: Inputs) -> Design:
        """Estimates and claims for one family and its reference."""
        usual = score_of(inputs.task).tolerance
        tolerance = usual if params.tolerance is None else params.tolerance
        margin = params.floor_margin
        one, other, data = inputs.subject.name, inputs.second.name, inputs.data.name
        estimates = tuple(_estimates(inputs))
        names = {spec.id for spec in estimates}
        has_floor = not inputs.is_self and inputs.second.n_replicates > 1
        claims = [] if inputs.is_self else list(_claims(tolerance, inputs))
        if has_floor:
            runs = (
                f"{one} gives the answers of {other} as often as other runs of {other} do, "
                f"within {points(margin)}"
            )
            again = Component("floor/agreement", -margin, "control: the reference's own runs")
            claims.append(_claim("floor", runs, again, inputs, needs_control=True))
        conditions = [condition for condition, _ in _OF]
        families = {  # summaries of the claims, for the first line of a report
            "errors": f"{one} and {other} err on the same items of {data}, beyond their accuracies",
            "labels": f"{one} and {other} agree on {data} beyond their label frequencies",
            "no-worse": f"{one} is no worse than {other} on {data}, but for {points(tolerance)}",
            "floor": f"{one} is as near to {other} on {data} as its other runs are, but for "
            f"{points(margin)}",
        }
        return Design(
            conditions=tuple(conditions if inputs.task.gives_labels else (OF_LABELS, OF_BOTH)),
            estimates=estimates,
            claims=tuple(claims),
            queries_per_item=2,
            notes=tuple(_notes(inputs)),
            families=families,
            contrasts=tuple(
                ContrastSpec(f"floor/{name}", name, name, minus="reference")
                for name in _FLOORS
                if has_floor and name in names
            ),
        )

    def measure(
        self, params: OutputsParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """Rows of both models' answers, item by item."""
        reference = reference_of(ctx)
        labels = LabelPair(reference.labels, ctx.labels)
        both = reference.predict(batch.examples), ctx.predict(batch.examples)
        for example, a, b in zip(batch.examples, *both, strict=True):
            yield from OfItem(example, ctx.task, labels, a, b).rows()


_OF: Final = (
    (OF_LABELS, ("agreement", "kappa")),
    (
        OF_GOLD,
        (
            "error_consistency",
            "accuracy_change",
            "accuracy_gap",
            "nfr",
            "pfr",
            "correctness_flips",
            "capa_of_labels",
        ),
    ),
    (OF_GOLD_PROBABILITIES, ("capa", "p_gold_change", "p_gold_rms")),
    (OF_PROBABILITIES, ("jsd", "tv", "kl_ab", "kl_ba")),
)
#: What the reference's own runs are a floor to.
_FLOORS: Final = ("agreement", "likeness", "jsd")


def _estimates(inputs: Inputs) -> Iterator[EstimateSpec]:
    """Specifications in the order of the report."""
    gives_labels = inputs.task.gives_labels
    for condition, names in _OF if gives_labels else ((OF_LABELS, ("agreement",)),):
        if _has_gold(inputs) or condition not in (OF_GOLD, OF_GOLD_PROBABILITIES):
            for name in names:
                yield EstimateSpec(name, f"{name}@1", sides=_read("measured", condition))
    if not gives_labels:
        yield EstimateSpec("likeness", score_of(inputs.task).level, OF_BOTH)
    if _has_gold(inputs):
        level = score_of(inputs.task).level
        for name, condition in (("level", OF_TARGET), ("level_reference", OF_REFERENCE)):
            yield EstimateSpec(name, level, condition, role="baseline")
        if not gives_labels:
            sides = {
                "before": Selector("baseline", OF_REFERENCE),
                "after": Selector("baseline", OF_TARGET),
            }
            yield EstimateSpec("drop", metric_of_metric("drop", level), sides=sides, fallback={})
    if has_variety(inputs.task):
        labels = _read("measured", OF_LABELS)
        for name in ("label_entropy", "commonest_label"):
            yield EstimateSpec(name, f"{name}@1", sides=labels, role="baseline")


def _read(role: str, condition: Mapping[str, str]) -> dict[str, Selector]:
    return {"": Selector(role, condition)}


def _has_gold(inputs: Inputs) -> bool:
    """Whether gold answers are known; the score without skill is above 0 then, of labels."""
    return inputs.data.chance > 0 or not inputs.task.gives_labels


def _claims(tolerance: float, inputs: Inputs) -> Iterator[Claim]:
    """Claims about the target compared with the reference."""
    one, other = inputs.subject.name, inputs.second.name
    if not inputs.task.gives_labels:
        score = metric_of(score_of(inputs.task).level).says
        yield _claim(
            "no-worse",
            f"{score} of {one} is no lower than that of {other}, by less than {points(tolerance)}",
            Component("drop", tolerance, "reference", "<"),
            inputs,
        )
    elif _has_gold(inputs):
        yield _claim(
            "errors",
            f"{one} and {other} make the same errors more often than their accuracies explain",
            Component("error_consistency", 0.0),
            inputs,
        )
        yield _claim(
            "no-worse",
            f"{one} is right no less often than {other}, by less than {points(tolerance)}",
            Component("accuracy_change", -tolerance),
            inputs,
        )
    else:
        yield _claim(
            "labels",
            f"{one} and {other} agree more than their label frequencies give",
            Component("kappa", 0.0),
            inputs,
        )


def _claim(
    name: str, says: str, component: Component, inputs: Inputs, *, needs_control: bool = False
) -> Claim:
    """Claim with the gates that all claims share.

    Chance, or the other model itself, is the reference of the others: nothing is left to control
    for.
    """
    return Claim(
        id=name,
        says=says,
        components=(component,),
        family=name,
        checks=("items", "seeds", "datasets"),
        competence=skill_of_both(inputs, "label_entropy"),
        needs_control=needs_control,
    )


def _notes(inputs: Inputs) -> Iterator[str]:
    """Sentences for "how this was measured"."""
    yield (
        "Both models were asked about the same items, and everything is paired by item: "
        "McNemar's test for each pair of replicates, intervals over items and replicates."
    )
    if inputs.is_self:
        yield (
            f"{inputs.second.name} compared with itself is the noise floor: each run with the next "
            "one. Each run is in two pairs, so the spread over pairs is slightly too small."
        )
    if not inputs.task.gives_labels:
        score = metric_of(score_of(inputs.task).level).says
        yield (
            f"Two answers agree if they are wholly the same; the {score} of both answers is what "
            "the target would score if the reference were right. Such answers have no kappa."
        )
