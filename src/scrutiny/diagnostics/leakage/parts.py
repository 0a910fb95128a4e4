"""Overlap with training text, in the list of data."""

from collections.abc import Sequence
from typing import Final

from scrutiny.core.estimate import Estimate
from scrutiny.parts.part import ReportPart
from scrutiny.parts.wording.numbers import interval, out_of


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


PART: Final = ReportPart(__doc__, of_dataset=_overlap)
