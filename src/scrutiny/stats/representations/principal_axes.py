"""Principal axes of vectors: the directions in which they differ most, and coordinates along them.

Of vectors of any width, as many coordinates as wanted: so probes of two layers, or of two models,
have the same number of weights.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats
from scrutiny.stats.arrays import StatisticsError


@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """Directions of most variance of some vectors.

    Parameters
    ----------
    center
        ``(dimension,)``: their mean.
    directions
        ``(dimension, axis)``: orthonormal, the one of most variance first.
    spread
        ``(axis,)``: standard deviation of the vectors along each.
    """

    center: Floats
    directions: Floats
    spread: Floats

    def coordinates(self, vectors: NDArray[np.floating]) -> Floats:
        """Coordinates ``(vector, axis)``, in the unit of the vectors."""
        return np.asarray((vectors - self.center) @ self.directions)

    def standard(self, vectors: NDArray[np.floating]) -> Floats:
        """Coordinates ``(vector, axis)`` with variance 1 over the vectors that gave the axes."""
        return self.coordinates(vectors) / self.spread


def principal_axes(vectors: NDArray[np.floating], *, most: int) -> PrincipalAxes:
    """Principal axes of vectors, the most important ones; fewer where there are not as many.

    Parameters
    ----------
    vectors
        ``(vector, dimension)``.
    most
        Axes that are kept at most. Those along which nothing varies are left out.

    Raises
    ------
    StatisticsError
        Without a vector, or where all are alike.

    **Measures**: where vectors differ most.

    **Misleads when**: what is looked for lies in directions of little variance, which are cut off;
    one direction that all vectors share (the mean) is taken out.

    Examples
    --------
    >>> axes = principal_axes(np.array([[0.0, 1.0], [4.0, 1.0]]), most=2)
    >>> axes.spread.tolist(), np.abs(axes.directions).tolist()
    ([2.0], [[1.0], [0.0]])
    """
    if not len(vectors):
        raise StatisticsError("there are no vectors.")
    center = vectors.mean(axis=0, dtype=np.float64)
    moved = vectors - center
    values, directions = np.linalg.eigh(moved.T @ moved / len(vectors))
    values, directions = values[::-1][:most], directions[:, ::-1][:, :most]
    kept = values > 1e-12 * max(float(values[0]), 1e-300)
    if not kept.any() or values[0] <= 0:
        raise StatisticsError("all vectors are alike.")
    return PrincipalAxes(center, directions[:, kept], np.sqrt(values[kept]))
