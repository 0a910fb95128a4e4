"""Map of items by how far apart they are: metric multidimensional scaling (MDS)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.core.errors import MissingExtraError
from scrutiny.stats.arrays import FloatArray, finite
from scrutiny.stats.errors import StatisticsError


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """Points of a multidimensional scaling, with their stress.

    Parameters
    ----------
    points
        ``(item, dimension)``; turned and mirrored as it came out.
    stress
        Kruskal's stress-1: 0 is exact, above .2 the picture is poor.
    """

    points: FloatArray
    stress: float


def scaled_to_points(
    distances: ArrayLike, *, rng: np.random.Generator, dimensions: int = 2, restarts: int = 5
) -> Scaled:
    """Multidimensional scaling (MDS): points as far apart as the items, the best of several starts.

    Parameters
    ----------
    distances
        ``(item, item)``, symmetric, 0 on the diagonal.
    rng
        Source of the starts.
    dimensions, restarts
        Of the points; how many starts, 5 as published.

    Raises
    ------
    MissingExtraError
        Without scikit-learn.
    StatisticsError
        If the distances are no symmetric matrix.

    **Measures**: which items are near each other, drawn on a plane.

    **Misleads when**: the stress is high: neighbors in the picture then need not be near. Axes
    have no meaning, and distances between far groups little.

    **References**: Kruskal (1964), Multidimensional scaling by optimizing goodness of fit to a
    nonmetric hypothesis; de Leeuw (1977), Applications of convex analysis to multidimensional
    scaling (SMACOF).

    Examples
    --------
    >>> line = np.abs(np.subtract.outer([0.0, 1, 3], [0.0, 1, 3]))
    >>> scaled_to_points(line, rng=np.random.default_rng(0)).stress < 0.01
    True
    """
    d = finite(distances, "distances", ndim=2)
    if d.shape[0] != d.shape[1] or (d != d.T).any() or np.diagonal(d).any() or (d < 0).any():
        raise StatisticsError("distances must be symmetric, at least 0, and 0 on the diagonal.")
    try:
        from sklearn.manifold import smacof
    except ImportError as error:
        raise MissingExtraError("Multidimensional scaling", "clusters") from error
    points, _ = smacof(
        d,
        n_components=dimensions,
        n_init=restarts,
        random_state=int(rng.integers(2**31)),
        normalized_stress=False,
        eps=1e-6,
    )
    return Scaled(np.asarray(points, dtype=np.float64), _stress(points, d))


def _stress(points: FloatArray, distances: FloatArray) -> float:
    """Kruskal's stress-1, which scikit-learn reports from version 1.7 on only."""
    reached = np.sqrt(((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=-1))
    norm = float((reached**2).sum())
    return float(np.sqrt(((reached - distances) ** 2).sum() / norm)) if norm else 0.0
