"""The leakage diagnostic: evaluation texts that occur in the training text, by letters.

What it has found of a dataset stands in a report's list of data, too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from scrutiny.blocks.numbers import interval, out_of
from scrutiny.blocks.section import ReportPart
from scrutiny.core.boundary.parameters import shares
from scrutiny.core.claim import Claim, Component, Risk
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, RowKind
from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import Estimate
from scrutiny.core.model import KnowsTrainingText
from scrutiny.core.record import Measure, Row
from scrutiny.data.overlap import overlap_with_hashes


@dataclass(frozen=True, slots=True)
class LeakageParams:
    """Tolerated overlap.

    Parameters
    ----------
    tolerance
        Share of items.
    """

    tolerance: float = 0.05

    def __post_init__(self) -> None:
        shares(self, "tolerance", zero=False)


class Leakage(Diagnostic[LeakageParams]):
    """Share of items that appear in the model's training data, compared by letters and numbers.

    Share of items whose text occurs in the training text, compared by letters and numbers only.

    **Measures**: whether the evaluation repeats what the model was trained on.

    **Misleads when**: the training text is known in part only, or was paraphrased: what is not
    found is not proven absent. Short texts match by chance.

    **References**: Elangovan et al. (2021), Memorization vs. generalization: quantifying data
    leakage in NLP performance evaluation.
    """

    id = "leakage@1"
    needs = frozenset({"training_hashes"})
    tolerates = MappingProxyType({"tolerance": "share@1"})
    measures = (Measure("value", unit="items", tolerance=0.05),)

    def design(self, params: LeakageParams, inputs: Inputs) -> Design:
        """One estimate, and the claim that it is small."""
        return Design(
            estimates=(EstimateSpec("overlap", "share@1"),),
            claims=(
                Claim(
                    id="overlap",
                    says="items appear in the training data",
                    components=(Component("overlap", 0.0),),
                    checks=("items", "datasets"),
                    needs_control=False,
                    risk=Risk("leakage", params.tolerance, "{} % of items trained on"),
                ),
            ),
            queries_per_item=0,
            notes=(
                "Texts are compared by letters and numbers, case folded, sentence by sentence; by "
                "letters alone for models that an earlier version trained, and the built-in ones.",
            ),
        )

    def measure(
        self, params: LeakageParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each item: 1 if any of its texts was found."""
        model = ctx.model
        if not isinstance(model, KnowsTrainingText):
            raise PlanError("leakage@1 needs a model whose training text is known.")
        hashes = model.training_hashes()
        found = [False] * len(batch.examples)
        for name in ctx.task.open_fields:
            texts = [example.fields.get(name, "") for example in batch.examples]
            for pair in overlap_with_hashes(texts, hashes).pairs:
                found[pair.a] = True
        for example, hit in zip(batch.examples, found, strict=True):
            yield RowKind().row(example.id, (hit,))


def _overlap(dataset: str, estimates: Sequence[Estimate]) -> str:
    """Overlap found for a dataset, in words; empty if nobody looked."""
    return "; ".join(
        f"{e.key.subject}: {interval(e)} of the items ({out_of(e)} looked up)"
        for e in estimates
        if e.key.diagnostic_name == "leakage"
        and e.key.dataset == dataset
        and e.key.replicate is None
        and e.status == "ok"
    )


PART: Final = ReportPart("Overlap with training text, in the list of data.", of_dataset=_overlap)
