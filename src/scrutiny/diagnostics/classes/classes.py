"""Recall, precision and F1 of each class, and macro-F1 over classes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

import numpy as np

from scrutiny.core.design import Design, EstimateSpec, Inputs, Selector
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, NoParams, RowKind
from scrutiny.core.facts import ARCS, LABEL_SETS, LABELS, SPANS
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import ClassCounts
from scrutiny.reliability.metrics import Parametric
from scrutiny.reliability.row_statistics import Additive, Array, divide, ratio
from scrutiny.reliability.statistics import ENTITY_F1

#: Classes are unequal if the most frequent one has this many times an equal share of the items.
_UNEQUAL: Final = 1.25
_NONE: Final = ClassCounts()
#: Probability beyond one end of an interval, and its standard errors.
_TAIL: Final = 0.025
_Z: Final = 1.959964


class Classes(Diagnostic[NoParams]):
    """Recall, precision and F1 of each class, and macro-F1 if the classes are unequal.

    Recall is the share of the items of a class that the model finds, precision the share of the
    predictions of a class that are right, and F1 their harmonic mean. Macro-F1 is the mean of the
    F1 of all classes: a rare class has the same weight as a frequent one. A parser's classes are
    relations, and the items are words: one is found if its head is right, too. A tagger's are types
    of entities: one is found if its borders and its type are right.

    **Measures**: whether a good accuracy hides a class that the model gets wrong.

    **Misleads when**: a class has few items (its interval is then wide; check the denominators); a
    class is never found, or always (every draw of items says so again, so that the interval of
    macro-F1 adds the exact limits of its recall, and that of a difference those of both sides);
    the classes are more or less frequent here than in later texts, which changes precision and F1
    but not recall; gold labels are wrong.

    **References**: Sokolova & Lapalme (2009), A systematic analysis of performance measures for
    classification tasks; Opitz & Burst (2019), Macro F1 and macro F1 (this is the mean of F1).
    """

    id = "classes@1"
    needs = frozenset({"predict"})
    wants = (ARCS, LABEL_SETS, LABELS, SPANS)
    why_only = "other answers have no classes to count one by one"
    measures = (
        Measure("tp", unit="items", says="items of the class that are found"),
        Measure("fp", unit="items", says="items of other classes predicted as this one"),
        Measure("fn", unit="items", says="items of the class predicted as another"),
    )

    def design(self, params: NoParams, inputs: Inputs) -> Design:
        """Three numbers for each class, and macro-F1 if the classes are unequal."""
        labels = inputs.task.classes or inputs.data.labels
        are_labels = inputs.task.gives_labels and not inputs.task.classes
        if len(labels) < (2 if are_labels else 1):
            return Design(notes=("All items have the same class.",))
        are_unequal = len(labels) > 1  # as classes of parts, and those of a task's own, always are
        if are_labels:
            are_unequal = inputs.data.chance * len(labels) >= _UNEQUAL
        conditions = tuple({"label": label} for label in labels)
        estimates = list(specs((RECALL, PRECISION, LABEL_F1), conditions))
        if are_unequal:
            sides = {side_of(i): Selector("measured", one) for i, one in enumerate(conditions)}
            macro = EstimateSpec("macro_f1", f"macro_f1({len(labels)})@1", sides=sides)
            estimates = [macro, *estimates]
        return Design(
            conditions=conditions,
            estimates=tuple(estimates),
            notes=(
                "Each interval is for one class only; they do not hold for all classes at once. "
                "Macro-F1 is the mean of the F1 of all classes.",
            ),
        )

    def measure(self, params: NoParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """A row for each item and class: whether it is the gold class, and whether predicted."""
        labels = ctx.task.classes or ctx.labels
        kinds = {label: RowKind.of({"label": label}) for label in labels}
        for example, answer in zip(batch.examples, ctx.predict(batch.examples), strict=True):
            found: Mapping[str, ClassCounts] | Failure
            if isinstance(answer, Failure):
                found = answer
            elif example.gold is None:
                found = Failure("no_gold", status="skipped")
            else:
                found = ctx.task.class_counts(example.gold, answer.answer)
            for label, kind in kinds.items():
                own = found if isinstance(found, Failure) else found.get(label, _NONE)
                yield kind.row(example.id, own)


def specs(
    metrics: Iterable[Additive], conditions: Sequence[Mapping[str, object]]
) -> Iterator[EstimateSpec]:
    """Each metric in each condition, called by the metric and what the condition says last."""
    for metric, condition in product(metrics, conditions):
        *_, value = condition.values()
        yield EstimateSpec(f"{metric.id.partition('@')[0]}/{value}", metric.id, condition)


COUNTS: Final = ("tp", "fp", "fn")


def _found_of(name: str, others: str) -> Additive:
    """Share of what is found in a class: of it and of the other items that a measure counts."""
    return ratio(
        f"{name}@1",
        name,
        ("tp", others),
        lambda m: (m[..., 0], m[..., 0] + m[..., 1]),
        scale="logit",
        higher_is="better",
        tolerance=0.02,
        axis="label",
        headline=name,
    )


RECALL: Final = _found_of("recall", "fn")
PRECISION: Final = _found_of("precision", "fp")
#: F1 of one class: the formula of entity F1 on items.
LABEL_F1: Final = replace(
    ENTITY_F1, id="label_f1@1", says="F1 of a class", axis="label", headline="F1"
)


def _macro(labels: str, name: str) -> Additive:
    """Mean F1 over this many classes; each has its counts on its own side."""
    count = int(labels)
    if count < 2:
        raise ValueError(labels)

    def by_label(sums: Array) -> Array:
        """Counts ``(..., label, 3)``."""
        return sums.reshape(*sums.shape[:-1], count, len(COUNTS))

    def mean_f1(sums: Array) -> Array:
        """Mean over the classes that occur as gold labels or predictions."""
        each = ENTITY_F1.combine(by_label(sums))
        is_there = np.isfinite(each)
        return divide(np.where(is_there, each, 0.0).sum(axis=-1), is_there.sum(axis=-1))

    def things(sums: Array) -> Array:
        """Items over which one flip is spread: classes times the harmonic mean of their sizes."""
        tp, fp, fn = np.moveaxis(by_label(sums), -1, 0)
        sizes = tp + (fp + fn) / 2
        return divide(np.asarray(count**2), divide(np.asarray(1.0), sizes).sum(axis=-1))

    def hidden(sums: Array, crowding: float) -> Array:
        """What classes that are never found, or always, might add: no draw shows it.

        Their recall may be as high, or low, as its exact limit (Clopper & Pearson 1934); errors
        of single parts of a mean add up as squares (Zou & Donner 2008, MOVER).
        """
        tp, fp, fn = np.moveaxis(by_label(sums), -1, 0)
        size = tp + fn
        tail = _TAIL ** (crowding / np.maximum(size, 1.0))
        high = 2 * (1 - tail) * size / ((2 - tail) * size + fp + (size == 0))
        low = 2 * tail / (1 + tail)
        error = np.where(tp == 0, high, np.where(fp + fn == 0, 1 - low, 0.0))
        return np.where(size > 0, error, 0.0) / (_Z * count)

    return Additive(
        name,
        f"mean F1 over {count} classes",
        tuple(f"{side_of(i)}.{one}" for i in range(count) for one in COUNTS),
        lambda measures: measures,
        mean_f1,
        hidden,
        scale="logit",
        higher_is="better",
        tolerance=0.02,
        flips_over=things,
        headline="macro-F1",
    )


def side_of(place: int) -> str:
    """Name of the side with the counts of a class, by its position among the classes."""
    return f"label{place + 1}"


#: Mean of the F1 of all classes; each class has the same weight.
MACRO_F1: Final = Parametric("macro_f1@1", ("2",), _macro, "a number of classes, 2 or more")
