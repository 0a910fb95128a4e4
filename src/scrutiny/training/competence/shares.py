"""Means with their interval over clusters, whole and by source."""

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrutiny.stats.intervals.bootstrap import bootstrap
from scrutiny.stats.resampling.weights import Units

LEVEL: Final = 0.95


def share(values: ArrayLike, clusters: ArrayLike) -> dict[str, Any]:
    """Mean of values with its interval over clusters.

    Parameters
    ----------
    values
        (row,) any numbers.
    clusters
        (row,) what is resampled.
    """
    table = np.column_stack([values, np.ones(len(np.asarray(values)))])
    units = Units.of(len(table), clusters)
    found = bootstrap(
        table,
        lambda sums, _weight: sums[..., 0, 0] / sums[..., 0, 1],
        rng=np.random.default_rng(0),
        draws=2000,
        units=units,
    )
    n_units = len(np.unique(units.code))
    return {
        "value": found.point,
        "low": found.low,
        "high": found.high,
        "level": LEVEL,
        "method": "percentile bootstrap over clusters",
        "n": len(table),
        "n_units": n_units,
    }


def by_source(rows: dict[str, tuple[NDArray[Any], NDArray[Any]]]) -> dict[str, Any]:
    """Mean over all sources with its interval, and those of each (values and clusters by name)."""
    values = np.concatenate([v for v, _ in rows.values()])
    clusters = np.concatenate([c for _, c in rows.values()])
    return share(values, clusters) | {"by_source": {k: share(*pair) for k, pair in rows.items()}}


def named(source: str, document: NDArray[Any]) -> NDArray[Any]:
    """Documents of several sources under names of their own."""
    return np.array([f"{source}/{number}" for number in document])
