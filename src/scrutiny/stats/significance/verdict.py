"""P-values of a claim whose components must all hold: intersection-union."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from scrutiny.stats.arrays import finite
from scrutiny.stats.errors import StatisticsError


@dataclass(frozen=True, slots=True)
class ClaimTest:
    """P-values of one claim, for and against.

    Parameters
    ----------
    p_plus
        That *every* component lies beyond its limit: the largest of the one-sided p-values.
    p_minus
        That *some* component lies on the other side: the smallest reverse p, times the number of
        components (Bonferroni), at most 1.
    """

    p_plus: float
    p_minus: float


def intersection_union(p_for: ArrayLike, p_against: ArrayLike) -> ClaimTest:
    """Intersection-union test of a claim whose components must all hold.

    Parameters
    ----------
    p_for
        ``(component,)`` one-sided p-values of "beyond the limit": theta minus reference, theta
        minus each control, on each dataset and declared choice.
    p_against
        ``(component,)`` one-sided p-values of "on the other side of the limit".

    **Measures**: whether the claim survives its weakest comparison. No adjustment is needed for
    ``p_plus``: all components have to pass.

    **Misleads when**: components were added or dropped after looking.

    **References**: Berger (1982), Multiparameter hypothesis testing and acceptance sampling.

    Examples
    --------
    >>> intersection_union([0.001, 0.02], [0.999, 0.98])
    ClaimTest(p_plus=0.02, p_minus=1.0)
    """
    plus, minus = finite(p_for, "p_for", ndim=1), finite(p_against, "p_against", ndim=1)
    if plus.size != minus.size:
        raise StatisticsError(f"{plus.size} p-values for and {minus.size} against the claim.")
    if min(plus.min(), minus.min()) < 0 or max(plus.max(), minus.max()) > 1:
        raise StatisticsError("p-values must lie in [0, 1].")
    return ClaimTest(float(plus.max()), min(1.0, plus.size * float(minus.min())))
