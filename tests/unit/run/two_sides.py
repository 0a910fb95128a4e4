"""Two runs as arrays: hits that are drawn, and slices with known members."""

from functools import cache

import numpy as np

from scrutiny.core.example import Example
from scrutiny.core.plan import Resampling
from scrutiny.data.slices import Slice
from scrutiny.diagnostics.similarity.side_by_side.sides import Sides
from scrutiny.stats.resampling.weights import Units


def sides(first, second, *, seed=0, is_paired=False, metric="accuracy@1", unit=None, sign=1):
    """Sides of values (replicate, item)."""
    values = [np.asarray(side, dtype=float) for side in (first, second)]
    names = tuple(
        (None,) if len(side) == 1 else tuple(f'{{"seed":"{k}"}}' for k in range(len(side)))
        for side in (first, second)
    )
    n = values[0].shape[1]
    drawn_by = (
        Units.of(n, unit),
        examples_of(n),
        metric,
        is_paired,
        Resampling(draws=500),
        seed,
        sign,
    )
    return Sides(*values, names, *drawn_by)


@cache
def examples_of(n):
    """So many items."""
    return tuple(Example(f"i{k}", {"text": f"text {k}"}, gold="yes") for k in range(n))


def drawn(rng, right, *, replicates=1, spread=0.0):
    """Hits (replicate, item) with these chances of being right; each replicate is shifted."""
    shift = spread * rng.standard_normal((replicates, 1))
    return rng.random((replicates, right.size)) < np.clip(right + shift, 0.0, 1.0)


def slice_of(name, members):
    """A slice with these members (bools)."""
    return Slice(name, f"with {name}"), np.array(members, dtype=np.bool_)


def random_slices(rng, n, count=20):
    """Slices that have nothing to do with anything."""
    return [slice_of(f"s{k}", rng.random(n) < rng.uniform(0.05, 0.6)) for k in range(count)]
