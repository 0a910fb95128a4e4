"""What an exact test answers: its p, and the smallest p it could have given."""

from dataclasses import dataclass
from typing import Literal

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")
TIE = 1e-9  # relative: values closer than this are ties


@dataclass(frozen=True, slots=True)
class ExactTest:
    """A test's p-value together with how small it could have been.

    Parameters
    ----------
    statistic
        The value that was compared with its distribution.
    p_value
        Of the alternative.
    smallest_p
        Smallest p attainable with these sizes and ties. Above the level of the test, no result
        can be significant, and the test must not be read as evidence of no effect.
    n
        Observations that carry information (discordant pairs, non-zero differences, units).
    method
        "exact", "mid-p", "normal" or "sampled".
    alternative
        "two-sided", "greater" or "less".
    """

    statistic: float
    p_value: float
    smallest_p: float
    n: int
    method: str
    alternative: str

    def can_reject_at(self, alpha: float) -> bool:
        """Whether some result of this size could have been significant at ``alpha``."""
        return self.smallest_p <= alpha


def two_sided(lower: float, upper: float) -> float:
    """Two-sided p: twice the smaller of two tails, each with the observed value."""
    return min(1.0, 2.0 * min(lower, upper))
