"""Whether a verdict stays when every missing row is given the worst value there could be."""

import numpy as np
import scipy
from numpy.typing import NDArray

from scrutiny.core.claim import Component
from scrutiny.reliability.cases import ClaimCase
from scrutiny.reliability.estimate import Estimated
from scrutiny.stats.significance.verdict import Judgment


def survives_imputation(case: ClaimCase, judgment: Judgment, *, n_family: int) -> bool:
    """Whether the outcome stays; p-values are multiplied by the size of the family.

    Only a mean over rows can be imputed (`Additive.row_range`): one missing row may hold any share
    of the entities that an F1 counts, so an F1 never survives.
    """
    is_supported = judgment.outcome == "supported"
    p = []
    for component, part in case.parts:
        if part.interval is None:
            continue
        found = _worst_p(component, part, reverse=not is_supported)
        if found is None:
            return False
        p.append(found)
    combined = max(p) if is_supported else len(p) * min(p)
    return n_family * combined <= (1 - case.claim.level) / 2


def _worst_p(component: Component, part: Estimated, *, reverse: bool) -> float | None:
    """One-sided p after the missing rows were given the least favorable value."""
    share = part.estimate.counts.missing_share
    draws = None if part.interval is None else part.interval.test_draws
    if draws is None and part.interval is not None:
        draws = part.interval.draws
    if draws is None or part.row_range is None:
        return None
    up = component.operator.startswith(">") != reverse
    worst = part.row_range[0 if up else 1]
    filled = (1 - share) * draws + share * worst + _of_the_missing(part, draws, worst)
    wrong = filled <= component.limit if up else filled >= component.limit
    return float((1 + np.count_nonzero(wrong)) / (1 + filled.size))


def _of_the_missing(
    part: Estimated, draws: NDArray[np.float64], worst: float
) -> NDArray[np.float64]:
    """Noise ``(draw,)`` from which rows happen to be missing.

    Other items would have other gaps: the share of worst values in a resample is binomial. Without
    this, 23 right answers of 23, and 17 missing, would pass for 23 of 40 known exactly.
    """
    counts = part.estimate.counts
    asked = counts.n + counts.undefined + counts.failed
    share = counts.missing_share
    sd = abs(float(draws.mean()) - worst) * (share * (1 - share) / max(1, asked)) ** 0.5
    grid = (np.arange(draws.size) + 0.5) / draws.size
    shuffled = np.random.default_rng(0).permutation(grid)  # any fixed order: apart from the draws
    return np.asarray(sd * scipy.special.ndtri(shuffled), dtype=np.float64)
