"""Wilson's interval of a share of independent trials."""

import scipy

from scrutiny.stats.arrays import proper_level
from scrutiny.stats.errors import StatisticsError
from scrutiny.stats.interval import Interval


def wilson(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """Wilson score interval of a share.

    Parameters
    ----------
    successes, trials
        Counts; trials at least 1.
    level
        Nominal coverage.

    **Measures**: the share in the population that independent trials were drawn from.

    **Misleads when**: trials come in clusters (variants of one item, sentences of one story), or
    the same items are counted once a seed: it is then far too narrow.

    **References**: Wilson (1927), Probable inference; Brown, Cai & DasGupta (2001), Interval
    estimation for a binomial proportion.

    Examples
    --------
    >>> found = wilson(9, 10)
    >>> round(found.low, 4), round(found.high, 4)
    (0.5958, 0.9821)
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise StatisticsError(f"{successes} successes of {trials} trials is not a share.")
    z = float(scipy.special.ndtri((1.0 + proper_level(level)) / 2.0))
    share = successes / trials
    scale = 1.0 + z * z / trials
    middle = (share + z * z / (2 * trials)) / scale
    half = z / scale * (share * (1 - share) / trials + z * z / (4 * trials**2)) ** 0.5
    return Interval(
        point=share,
        low=0.0 if successes == 0 else middle - half,
        high=1.0 if successes == trials else middle + half,
        level=level,
        method="wilson",
        se=float((share * (1 - share) / trials) ** 0.5),
    )
