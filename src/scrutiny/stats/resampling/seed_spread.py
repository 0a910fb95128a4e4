"""How far scores of replicates lie apart beyond single answers, as far as few of them show it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from scrutiny.stats.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class SeedSpread:
    """Standard deviation of replicates' scores beyond what draws of single answers make of it.

    It is known as well as a variance of few numbers is: what fits it are the values of
    ``variance * degrees / chi2 - own``, none of them below 0.

    Parameters
    ----------
    variance
        Of the scores of replicates, as it was seen.
    own
        What draws of single answers make of it.
    degrees
        Replicates less one, of all sides; infinite where the spread is stated.

    **Measures**: how far the scores of other seeds may lie apart, and how little is known of it.

    **Misleads when**: replicates are no independent draws, such as checkpoints of one training.

    **References**: Weerahandi (1993), Generalized confidence intervals (variance components).
    """

    variance: float = 0.0
    own: float = 0.0
    degrees: float = np.inf

    @classmethod
    def of(cls, sides: Sequence[FloatArray], *, is_paired: bool = False) -> "SeedSpread":
        """Spread of what was seen.

        Parameters
        ----------
        sides
            ``(replicate, item)`` of each side; one with a single replicate says nothing.
        is_paired
            Whether replicate k of both sides is one model. What both share is no error of their
            difference, whose spread is then that of two sides.

        Examples
        --------
        >>> alike = np.tile([[1.0, 0.0], [0.0, 1.0]], (1, 50))
        >>> SeedSpread.of([alike]).at(0.9)
        0.0
        >>> apart = np.repeat([[1.0, 0.0], [1.0, 1.0]], 50, axis=1)
        >>> [round(SeedSpread.of([apart]).at(share), 2) for share in (0.1, 0.5, 0.9)]
        [0.21, 0.52, 2.81]
        """
        if is_paired:
            sides = [(sides[1] - sides[0]) / 2.0**0.5]
        variance = own = degrees = 0.0
        for side in sides:
            count, n = side.shape
            if count < 2:
                continue
            variance += (count - 1) * float(side.mean(axis=1).var(ddof=1))
            own += (count - 1) * float(side.var(axis=0, ddof=1).sum()) / n**2
            degrees += count - 1
        return cls(variance / degrees, own / degrees, degrees) if degrees else cls()

    @property
    def is_known(self) -> bool:
        """Whether it is one number."""
        return bool(np.isinf(self.degrees))

    def at(self, share: float) -> float:
        """Spread that is at least as large as this share of those that fit."""
        if self.is_known:
            return float(max(0.0, self.variance - self.own) ** 0.5)
        beyond = self.degrees / float(scipy.special.chdtri(self.degrees, share))
        return float(max(0.0, self.variance * beyond - self.own) ** 0.5)

    def fixed(self, share: float) -> "SeedSpread":
        """That of those that fit, as if it were known."""
        return SeedSpread(self.at(share) ** 2)

    def drawn(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Spreads ``(pair,)`` that fit."""
        if self.is_known:
            return np.full(count, self.at(0.5))
        beyond = self.degrees / rng.chisquare(self.degrees, count)
        return np.asarray(np.sqrt(np.maximum(0.0, self.variance * beyond - self.own)))
