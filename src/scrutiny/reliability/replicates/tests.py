"""Significance tests of single replicates, as a study of one checkpoint would report."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.estimate import Estimate
from scrutiny.core.statistic import ReplicateTest
from scrutiny.stats.significance.mcnemar import mcnemar


def mcnemar_of_hits(
    hits: NDArray[np.float64], units: NDArray[np.int64] | None, rng: np.random.Generator
) -> Sequence[ReplicateTest]:
    """McNemar's mid-p of hits ``(item, before and after)``; never on pooled replicates.

    Examples
    --------
    >>> hits = np.array([[1.0, 0.0]] * 8 + [[1.0, 1.0]] * 4)
    >>> mcnemar_of_hits(hits, None, np.random.default_rng(0))[0].n_units
    8
    """
    lost = int(((hits[:, 0] == 1) & (hits[:, 1] == 0)).sum())
    gained = int(((hits[:, 0] == 0) & (hits[:, 1] == 1)).sum())
    test = mcnemar(gained, lost)
    return [
        ReplicateTest(
            "mcnemar@1",
            "mcnemar mid-p",
            test.p_value,
            gained + lost,
            {"gained": gained, "lost": lost, "smallest_p": test.smallest_p},
        )
    ]


def is_test(estimate: Estimate) -> bool:
    """Whether an estimate is a test of one replicate: its value is a p-value."""
    e = estimate
    return e.key.replicate is not None and e.low is None and "smallest_p" in e.across
