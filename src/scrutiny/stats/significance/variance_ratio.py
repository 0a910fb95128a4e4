"""Comparison of seed variances: whether a diagnostic is less stable over seeds than the score."""

from dataclasses import dataclass

import scipy
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import finite, proper_level
from scrutiny.stats.errors import StatisticsError


@dataclass(frozen=True, slots=True)
class Spread:
    """Seed standard deviation of one quantity, and its item-sampling error.

    Parameters
    ----------
    sd
        Standard deviation over replicates (ddof 1).
    item_se
        Standard error of one replicate's value from sampling items.
    replicates
        How many.
    """

    sd: float
    item_se: float
    replicates: int

    @classmethod
    def of(cls, values: ArrayLike, *, item_se: float) -> "Spread":
        """Spread of values ``(replicate,)``, at least two."""
        each = finite(values, "values", ndim=1)
        if each.size < 2:
            raise StatisticsError("one replicate has no spread; two are the least.")
        if not item_se > 0:
            raise StatisticsError(f"item_se is {item_se}; it must be positive.")
        return cls(float(each.std(ddof=1)), float(item_se), each.size)

    @property
    def ratio(self) -> float:
        """Seed standard deviation in units of the item-sampling error."""
        return self.sd / self.item_se


@dataclass(frozen=True, slots=True)
class VarianceRatio:
    """Ratio of two seed-to-item ratios, with its F test.

    Parameters
    ----------
    ratio
        Diagnostic's ratio over the downstream score's; a ratio of standard deviations.
    low, high
        Interval of the ratio.
    p_value
        One-sided: the diagnostic is the less stable one.
    df
        Degrees of freedom, diagnostic and downstream.
    smallest_significant
        Ratio that has to be exceeded for p < .05; 2.5 with five seeds on both sides.
    """

    ratio: float
    low: float
    high: float
    p_value: float
    df: tuple[int, int]
    smallest_significant: float


def variance_ratio(diagnostic: Spread, downstream: Spread, *, level: float = 0.95) -> VarianceRatio:
    """F test of whether a diagnostic varies more over seeds than the score does.

    Parameters
    ----------
    diagnostic, downstream
        Spreads over replicates; each is measured in units of its own item-sampling error, so that
        a diagnostic with few items is not called unstable for that.
    level
        Nominal coverage of the interval.

    **Measures**: whether models alike downstream differ in the diagnosis by more than chance.

    **Misleads when**: accuracy is at the majority rate (models are alike because they learned
    nothing); replicates number five: power is .63 at a ratio of 3. The F test presumes normal
    values and independent sides.

    **References**: Snedecor & Cochran (1967), Statistical Methods, section 4.15.

    Examples
    --------
    >>> wide = Spread(sd=3.0, item_se=1.0, replicates=5)
    >>> found = variance_ratio(wide, Spread(sd=1.0, item_se=1.0, replicates=5))
    >>> round(found.ratio, 2), round(found.p_value, 3), round(found.smallest_significant, 2)
    (3.0, 0.028, 2.53)
    """
    if downstream.sd == 0.0:
        raise StatisticsError(
            "the downstream score does not vary over replicates; no ratio exists."
        )
    df = (diagnostic.replicates - 1, downstream.replicates - 1)
    ratio = diagnostic.ratio / downstream.ratio
    tail = (1.0 - proper_level(level)) / 2.0
    upper, lower = scipy.special.fdtri(*df, [1.0 - tail, tail])
    return VarianceRatio(
        ratio=ratio,
        low=float(ratio / upper**0.5),
        high=float(ratio / lower**0.5),
        p_value=float(scipy.special.fdtrc(*df, ratio**2)),
        df=df,
        smallest_significant=float(scipy.special.fdtri(*df, 0.95) ** 0.5),
    )


def variance_ratio_power(
    ratio: float, *, replicates: tuple[int, int], alpha: float = 0.05
) -> float:
    """Power of the one-sided F test for a true ratio of standard deviations.

    Parameters
    ----------
    ratio
        True ratio.
    replicates
        On the diagnostic's and on the downstream side.
    alpha
        One-sided level.

    **Measures**: ratios that the comparison of spreads can detect.

    **Misleads when**: values over seeds are not normal.

    **References**: as `variance_ratio`.

    Examples
    --------
    >>> round(variance_ratio_power(3.0, replicates=(5, 5)), 2)
    0.63
    """
    df = (replicates[0] - 1, replicates[1] - 1)
    critical = scipy.special.fdtri(*df, 1.0 - proper_level(alpha))
    return float(scipy.special.fdtrc(*df, critical / ratio**2))
