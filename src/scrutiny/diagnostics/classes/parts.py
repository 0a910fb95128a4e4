"""F1 of groups of parts: entities or words by their length, or by whether training had them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.errors import PlanError
from scrutiny.core.facts import SEGMENTS, SPANS
from scrutiny.core.record import Row
from scrutiny.data.attribute import Training, part_attribute, parts_of
from scrutiny.diagnostics.classes.classes import LABEL_F1, PRECISION, RECALL, Classes


@dataclass(frozen=True, slots=True)
class PartsParams:
    """Parameters of `parts@1`.

    Parameters
    ----------
    by
        Attribute of parts: ``length`` in tokens, or ``unseen`` in the training data.
    """

    by: str = "length"

    def __post_init__(self) -> None:
        part_attribute(self.by)


class Parts(Diagnostic[PartsParams]):
    """Recall, precision and F1 of groups of entities or words: by length, by seen in training.

    A part is in the group that its attribute says: a gold part is found or missed there, and one
    that the model gives and is wrong counts against the group that *it* is in: a long entity that
    was cut short is missed among the long ones, and a wrong one among the short ones.

    **Measures**: which kinds of parts a good F1 hides: long ones, those that training never had.

    **Misleads when**: a group has few parts (see the denominators); attributes go together (long
    entities are seldom seen in training), so that a low F1 has more than one cause.

    **References**: Fu, Liu & Neubig (2020), Interpretable multi-dataset evaluation for named entity
    recognition; Augenstein, Derczynski & Bontcheva (2017), Generalisation in named entity
    recognition: a quantitative analysis (unseen entities).
    """

    id = "parts@1"
    needs = frozenset({"predict"})
    wants = (SPANS, SEGMENTS)
    measures = Classes.measures

    def __init__(self) -> None:
        self._training: Training | None = None

    def reads_training(self, params: PartsParams) -> bool:
        """Whether the attribute needs the training set."""
        return part_attribute(params.by).of_training

    def design(self, params: PartsParams, inputs: Inputs) -> Design:
        """Three numbers for each group."""
        attribute = part_attribute(params.by)
        conditions = tuple({"by": params.by, "bucket": group} for group in attribute.groups)
        return Design(
            conditions=conditions,
            estimates=tuple(
                EstimateSpec(f"{metric.id.partition('@')[0]}/{one['bucket']}", metric.id, one)
                for metric in (PART_F1, PART_RECALL, PART_PRECISION)
                for one in conditions
            ),
            notes=(
                f"Parts by {attribute.says}: gold parts count for recall where they are, those of "
                "the model for precision. Each interval is for one group only.",
            ),
        )

    def measure(self, params: PartsParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """A row for each item and group: parts found, given but wrong, missed."""
        attribute = part_attribute(params.by)
        kinds = {g: RowKind.of({"by": params.by, "bucket": g}) for g in attribute.groups}
        training = None
        if attribute.of_training:
            if not ctx.training:
                raise PlanError("parts@1 needs training data for this attribute.")
            training = self._training  # look-ups, made once
            if training is None or training.examples is not ctx.training:
                training = self._training = Training(ctx.training)
        for example, answer in zip(batch.examples, ctx.predict(batch.examples), strict=True):
            if isinstance(answer, Failure) or example.gold is None:
                no_gold = Failure("no_gold", status="skipped")
                lacking = answer if isinstance(answer, Failure) else no_gold
                yield from (kind.row(example.id, lacking) for kind in kinds.values())
                continue
            wanted, got = parts_of(example.gold), parts_of(answer.answer)
            found, wrong, missed = (
                attribute.counted(sorted(parts), example, training)
                for parts in (wanted & got, got - wanted, wanted - got)
            )
            for group, kind in kinds.items():
                yield kind.row(example.id, (found[group], wrong[group], missed[group]))


PART_F1: Final = replace(
    LABEL_F1, id="part_f1@1", says="F1 of a group of parts", axis="bucket", headline=""
)
PART_RECALL: Final = replace(
    RECALL, id="part_recall@1", says="recall of a group of parts", axis="bucket", headline=""
)
PART_PRECISION: Final = replace(
    PRECISION,
    id="part_precision@1",
    says="precision of a group of parts",
    axis="bucket",
    headline="",
)
