"""Spread over replicates, relative to item-sampling error."""

from collections.abc import Sequence
from dataclasses import dataclass

from scrutiny.stats.significance.multiplicity import holm
from scrutiny.stats.significance.variance_ratio import Spread, VarianceRatio, variance_ratio


@dataclass(frozen=True, slots=True)
class Ratio:
    """Spread of a diagnostic relative to that of a downstream score; None if that is constant."""

    found: VarianceRatio | None
    p_holm: float | None


def compare_spreads(diagnostics: Sequence[Spread], downstream: Spread) -> list[Ratio]:
    """F tests of each diagnostic's seed spread against one downstream score's, with Holm.

    Parameters
    ----------
    diagnostics
        Spreads over replicates, each in units of its own item-sampling error.
    downstream
        Spread of a score above majority: models that have learned nothing agree, too.

    **Measures**: whether models that are alike downstream differ in what is diagnosed of them.

    **Misleads when**: there are five replicates a side: only ratios above 2.5 can be significant.
    The tests share one denominator.

    **References**: as `scrutiny.stats.significance.variance_ratio`; Holm (1979).

    Examples
    --------
    >>> calm = Spread(sd=1.0, item_se=1.0, replicates=5)
    >>> [round(r.p_holm, 3) for r in compare_spreads([Spread(4.0, 1.0, 5), calm], calm)]
    [0.02, 0.5]
    """
    if downstream.sd == 0.0:
        return [Ratio(None, None)] * len(diagnostics)
    found = [variance_ratio(one, downstream) for one in diagnostics]
    if not found:
        return []
    adjusted = holm([ratio.p_value for ratio in found])
    return [Ratio(ratio, float(p)) for ratio, p in zip(found, adjusted, strict=True)]
