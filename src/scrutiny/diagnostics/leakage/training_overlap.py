"""Overlap with training text, in the list of data."""

from collections.abc import Sequence
from typing import Final

from scrutiny.blocks.numbers import interval, out_of
from scrutiny.blocks.section import ReportPart
from scrutiny.core.estimate import Estimate


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
