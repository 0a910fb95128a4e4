"""Tests of one replicate at a time: what a reader of a single checkpoint would have been told."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrutiny.stats.significance.mcnemar import mcnemar


@dataclass(frozen=True, slots=True)
class ReplicateTest:
    """A test of one replicate's rows.

    Parameters
    ----------
    metric
        Versioned name of its row among the estimates ("mcnemar@1").
    method
        How it was done ("mcnemar mid-p").
    p_value
        Of the null hypothesis of no effect.
    n_units
        How many exchangeable things it rests on.
    numbers
        What else it says; "smallest_p" is the smallest p that it could have given.
    """

    metric: str
    method: str
    p_value: float
    n_units: int
    numbers: Mapping[str, float] = field(default_factory=dict)


#: Tests of measures ``(row, need)``, units ``(row,)`` or nothing, and a source of randomness.
ReplicateTests = Callable[
    [NDArray[np.float64], NDArray[np.int64] | None, np.random.Generator], Sequence[ReplicateTest]
]

#: Tests of measures ``(row, need)`` between cells ``(row,)``: datasets beside one another.
CellTests = Callable[[NDArray[np.float64], NDArray[np.int64]], Sequence[ReplicateTest]]


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
    del units, rng
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


def tests_of(statistic: Any) -> ReplicateTests | None:
    """Tests that a statistic brings, or nothing."""
    found: ReplicateTests | None = getattr(statistic, "tests", None)
    return found


def cell_tests_of(statistic: Any) -> CellTests | None:
    """Tests between cells that a statistic brings, or nothing."""
    found: CellTests | None = getattr(statistic, "cell_tests", None)
    return found
