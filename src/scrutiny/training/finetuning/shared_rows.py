"""Rows and texts that stand in the training data and in the data that a training is scored on."""

from collections.abc import Sequence

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.data.dataset import Dataset
from scrutiny.data.overlap import overlap


def refuse_shared(
    examples: Sequence[Example], own: Dataset, other: Dataset, *, what: str
) -> list[str]:
    """Note on texts that training data share with data to score on; raises for shared rows.

    Raises
    ------
    PlanError
        If both are the same data, or hold the same rows of the same file.
    """
    rows = {_row(example) for example in other.examples}
    shared = sum(_row(example) in rows for example in examples)
    if own.fingerprint == other.fingerprint or shared:
        raise PlanError(
            f"{what} ({other.source}) holds {shared or len(examples):,} of the rows that "
            f"{own.source} gives for training and choosing: a score on them says nothing. Name "
            "other data, or split_off_dev the file and name one part for each."
        )
    found = overlap([_joined(e) for e in examples], [_joined(e) for e in other.examples], near=None)
    if not found.n_overlapping:
        return []
    return [
        f"{found.n_overlapping:,} of {len(examples):,} texts of {own.source} stand in "
        f"{other.source} too, by their letters."
    ]


def _row(example: Example) -> tuple[str, ...]:
    """Place and texts of an example: objects have no place of their own."""
    return (example.source, *example.fields.values())


def _joined(example: Example) -> str:
    return " ".join(example.fields.values())
