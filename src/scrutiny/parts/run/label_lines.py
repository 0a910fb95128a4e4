"""Scores of each class: number of items, recall, precision and F1."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from scrutiny.core.errors import ScrutinyError
from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.parts.wording.numbers import NO_VALUE, decimal_of, denominator, percent_of
from scrutiny.reliability.metrics import metric_of

#: Headlines of the numbers of a class, in the order of their columns.
_COLUMNS: Final = ("recall", "precision", "F1")


@dataclass(frozen=True, slots=True)
class LabelLine:
    """One label: its items, and its numbers in words.

    ``lowest`` is its F1, by which labels are ordered; ``given`` is how many answers have it, the
    mean over replicates.
    """

    label: str
    items: str
    given: str
    recall: str
    precision: str
    f1: str
    lowest: float


def label_lines(estimates: Sequence[Estimate]) -> dict[tuple[str, str], list[LabelLine]]:
    """Lines of a report on each label, the worst F1 first, by model and dataset of the run."""
    own = (e for e in estimates if _is_of_label(e))
    return {
        place: sorted(_lines(found), key=lambda line: line.lowest)
        for place, found in grouped(((e.key.subject, e.key.dataset), e) for e in own).items()
    }


def _is_of_label(estimate: Estimate) -> bool:
    key = estimate.key
    is_plain = (key.role, key.group, key.replicate) == ("measured", "all", None)
    return is_plain and set(key.condition) == {"label"} and headline_of(key.metric) in _COLUMNS


def headline_of(metric: str) -> str:
    """Name of a metric on the first screen; empty if it does not stand there."""
    try:
        return metric_of(metric).headline
    except ScrutinyError:  # of a plug-in that is not here
        return ""


def _lines(estimates: Sequence[Estimate]) -> Iterator[LabelLine]:
    by_label = grouped((str(e.key.condition.get("label")), e) for e in estimates)
    for label, found in by_label.items():
        recall, precision, f1 = (
            next((e for e in found if headline_of(e.key.metric) == column), None)
            for column in _COLUMNS
        )
        yield LabelLine(
            label=label,
            items=NO_VALUE if recall is None else denominator(recall),
            given=NO_VALUE if precision is None else denominator(precision),
            recall=percent_of(recall),
            precision=percent_of(precision),
            f1=decimal_of(f1),
            lowest=0.0 if f1 is None or f1.value is None else f1.value,
        )
