"""Worst-case imputation: does a verdict stay whatever the missing rows are."""

import scipy

from scrutiny.core.claim import Spoken
from scrutiny.reliability.verdicts.cases import ClaimCase, Part, Place, outcome_of, place_of
from scrutiny.stats.intervals.families import tail_of


def survives_imputation(case: ClaimCase, outcome: Place, spoken: Spoken) -> bool:
    """Whether the outcome of a claim stays under worst-case imputation."""
    there = [part for part in case.parts if part.found.interval is not None]
    if any(part.found.row_range is None for part in there):
        return False
    places = []
    for part in there:
        is_low = part.component.operator.startswith(">") == (outcome == "beyond")
        ends = worst_ends(part, spoken, is_low=is_low, level=case.claim.level)
        places.append("undecided" if ends is None else place_of(part.component, ends))
    return outcome_of(places) == outcome


def worst_ends(
    part: Part, spoken: Spoken, *, is_low: bool, level: float
) -> tuple[float, float] | None:
    """Limits if all missing rows had the lowest, or the highest, possible value.

    Only a mean over rows can be imputed (`Additive.row_range`): one missing row may hold any share
    of the entities that an F1 counts, so an F1 has none. Other items would have other gaps: the
    share of worst values is binomial, which widens the limits. Without this, 23 right answers of
    23, and 17 missing, would pass for 23 of 40 known exactly.
    """
    found, span, limits = part.found.estimate, part.found.row_range, part.limits
    ends = None if limits is None else limits.of(spoken)
    if ends is None or span is None or limits is None or found.value is None:
        return None
    worst, share = span[0 if is_low else 1], found.counts.missing_share
    asked = found.counts.n + found.counts.undefined + found.counts.failed
    spread = abs(found.value - worst) * (share * (1 - share) / max(1, asked)) ** 0.5
    times = -float(scipy.special.ndtri(tail_of(limits.n_rows, level)))
    middle = (1 - share) * found.value + share * worst
    low, high = (
        middle + sign * (((1 - share) * (end - found.value)) ** 2 + (times * spread) ** 2) ** 0.5
        for sign, end in zip((-1, 1), ends, strict=True)
    )
    return low, high
