"""Recall, precision and F1 of groups of parts: entities, words, mentions, arcs, whole texts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import ARCS, CLUSTERS, LABELS, SEGMENTS, SPANS
from scrutiny.core.record import Row
from scrutiny.core.task import Task
from scrutiny.data.attribute import Training
from scrutiny.data.parts.buckets import Buckets, Groups
from scrutiny.data.parts.part_attribute import PartAttribute, Surroundings, load_part_attribute
from scrutiny.data.parts.part_counts import PartCounts
from scrutiny.diagnostics.classes.classes import LABEL_F1, PRECISION, RECALL, Classes, specs
from scrutiny.reliability.row_statistics import Additive


@dataclass(frozen=True, slots=True)
class PartsParams:
    """Parameters of `parts@1`.

    Parameters
    ----------
    by
        Attribute of parts (`scrutiny list part_attributes`), or an attribute of their items.
    buckets
        How its values are divided: ``fixed``, ``values``, ``mass``, ``discrete``; or
        ``interpreteval`` for that paper's released code, and ``interpreteval_open`` without
        gold parts at the open end; empty: as the attribute says.
    edges
        Upper ends of fixed buckets, or values that have a bucket of their own.
    count
        How many buckets, where edges alone do not say.
    known_words
        File of words, one a line, that ``unseen_density`` counts as seen instead of those of the
        training data; empty without one.
    """

    by: str = "length"
    buckets: str = ""
    edges: tuple[float, ...] = ()
    count: int = 4
    known_words: str = ""

    def __post_init__(self) -> None:
        _ = self.attribute
        if self.edges and not self.buckets:
            raise PlanError('edges need buckets = "fixed", "values" or "interpreteval".')
        if self.known_words and self.by.partition("@")[0] != "unseen_density":
            raise PlanError(
                f"known_words = {self.known_words!r} with by = {self.by!r}: only "
                'by = "unseen_density" asks which words are known. Leave known_words out.'
            )

    @property
    def attribute(self) -> PartAttribute:
        """The attribute, divided as asked."""
        how: Any = self.buckets
        asked = Buckets(how, tuple(self.edges), self.count) if how else None
        return load_part_attribute(self.by, asked)

    def seen_words(self) -> frozenset[str]:
        """Words of the file; none without one.

        Raises
        ------
        PlanError
            If it cannot be read.
        """
        if not self.known_words:
            return frozenset()
        try:
            return frozenset(Path(self.known_words).read_text(encoding="utf-8").split("\n")) - {""}
        except (OSError, UnicodeDecodeError) as error:
            raise PlanError(
                f"known_words = {self.known_words!r} cannot be read: {error}. It names a text file "
                "of words, one a line, in UTF-8."
            ) from error


class _Known(NamedTuple):
    """What is looked up once for a dataset and its training set."""

    examples: Sequence[Example]
    training: Sequence[Example]
    params: PartsParams
    beside: Surroundings
    groups: Groups

    @classmethod
    def of(
        cls, params: PartsParams, examples: Sequence[Example], training: Sequence[Example]
    ) -> "_Known":
        """Groups of the gold parts of items."""
        trained = Training(training) if params.attribute.of_training else None
        beside = Surroundings(PartCounts(examples), trained, params.seen_words())
        return cls(examples, training, params, beside, params.attribute.groups_of(examples, beside))


class Parts(Diagnostic[PartsParams]):
    """Recall, precision and F1 of groups of entities, words, mentions or arcs, by an attribute.

    A part is in the group that its attribute says: a gold part is found or missed there, and one
    that the model gives and is wrong counts against the group that *it* is in: a long entity that
    was cut short is missed among the long ones, and a wrong one among the short ones. Edges of
    groups come from gold parts. A label is one part, the whole text; F1 is then accuracy, except by
    attributes of the label itself, which a wrong answer has otherwise.

    **Measures**: which kinds of parts a good F1 hides: long ones, those that training never had or
    labels otherwise.

    **Misleads when**: a group has few parts (see the denominators); attributes go together (long
    entities are seldom seen in training), so that a low F1 has more than one cause; the best and
    the worst of several groups are compared without what chance alone puts between them.

    **References**: Fu, Liu & Neubig (2020), Interpretable multi-dataset evaluation for named entity
    recognition; Fu, Liu, Zhang & Huang (2020), RethinkCWS; Liu et al. (2021), ExplainaBoard; Fu,
    Liu & Zhang (2020), Rethinking generalization of neural models (coverage); Augenstein,
    Derczynski & Bontcheva (2017), Generalisation in named entity recognition (unseen entities).
    """

    id = "parts@1"
    needs = frozenset({"predict"})
    wants = (SPANS, SEGMENTS, ARCS, CLUSTERS, LABELS)
    why_only = "other answers have no parts that are right or wrong one by one"
    measures = Classes.measures

    def __init__(self) -> None:
        self._known: _Known | None = None

    def reads_training(self, params: PartsParams) -> bool:
        """Whether the attribute needs the training set."""
        return params.attribute.of_training

    def audit_params(self, task: Task) -> Any:
        """Arcs by their length, texts with one label by theirs, and other parts by their own."""
        by = {ARCS: "distance", LABELS: "text_length"}
        return {"by": next((by[f] for f in by if f.are_of(task.facts)), "length")}

    def design(self, params: PartsParams, inputs: Inputs) -> Design:
        """Three numbers for each group."""
        attribute = params.attribute
        training = inputs.data.training() if attribute.of_training else ()
        groups = self._looked_up(params, inputs.data.items(), training).groups
        conditions = tuple({"by": params.by, "bucket": name} for name in groups.names)
        counted = "Words of parts" if attribute.of_words else "Parts"
        return Design(
            conditions=conditions,
            estimates=tuple(specs((PART_F1, PART_RECALL, PART_PRECISION), conditions)),
            notes=(
                f"{counted} by {attribute.says}: gold ones count for recall where they are, those "
                "of the model for precision. Each interval is for one group only.",
            ),
        )

    def measure(self, params: PartsParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """A row for each item and group: parts found, given but wrong, missed."""
        attribute = params.attribute
        if attribute.of_training and not ctx.training:
            raise PlanError("parts@1 needs training data for this attribute.")
        training = ctx.training if attribute.of_training else ()
        known = self._looked_up(params, ctx.dataset or batch.examples, training)
        kinds = {g: RowKind.of({"by": params.by, "bucket": g}) for g in known.groups.names}
        for example, answer in zip(batch.examples, ctx.predict(batch.examples), strict=True):
            if isinstance(answer, Failure) or example.gold is None:
                no_gold = Failure("no_gold", status="skipped")
                lacking = answer if isinstance(answer, Failure) else no_gold
                yield from (kind.row(example.id, lacking) for kind in kinds.values())
                continue
            found = attribute.counted(
                example.gold, answer.answer, example, known.beside, known.groups
            )
            for group, kind in kinds.items():
                yield kind.row(example.id, found[group])

    def _looked_up(
        self, params: PartsParams, examples: Sequence[Example], training: Sequence[Example]
    ) -> _Known:
        """Look-ups of a dataset, which are made once for all its batches."""
        known = self._known
        if (
            known is None
            or known.examples is not examples
            or known.training is not training
            or known.params != params
        ):
            known = self._known = _Known.of(params, examples, training)
        return known


def _of_parts(metric: Additive, name: str) -> Additive:
    """The same metric of a group of parts."""
    says = f"{name} of a group of parts"
    return replace(metric, id=f"part_{name.lower()}@1", says=says, axis="bucket", headline="")


PART_F1: Final = _of_parts(LABEL_F1, "F1")
PART_RECALL: Final = _of_parts(RECALL, "recall")
PART_PRECISION: Final = _of_parts(PRECISION, "precision")
