"""Panels made by hand, and estimates with draws made by hand."""

import numpy as np

from scrutiny.core.claim import Claim, Component
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Counts, Measure
from scrutiny.reliability.estimate import Estimated, estimate
from scrutiny.reliability.panel import CODES, Panel, Side
from scrutiny.stats.intervals.crossed import crossed
from scrutiny.stats.resampling.resample import Resampled

KEY = EstimateKey("robustness@1#000000", "drop(accuracy)@1", "model", "reviews")
OK, UNDEFINED, SKIPPED, REFUSED, FAILED = (CODES[name] for name in CODES)


def names(count):
    return tuple(f'{{"seed":"{i}"}}' for i in range(1, count + 1)) if count > 1 else (None,)


def panel(replicates, items, measures=("hit",), **more):
    items = tuple(f"i{n}" for n in range(items))
    measures = tuple(m if isinstance(m, Measure) else Measure(m) for m in measures)
    return Panel(measures, names(replicates), items, **more)


def side(values, status=None):
    """Side of values (replicate, item) or (replicate, item, measure)."""
    array = np.asarray(values, dtype=np.float64)
    array = array[..., None] if array.ndim == 2 else array
    codes = np.zeros(array.shape[:2], np.int8) if status is None else np.asarray(status, np.int8)
    return Side(np.where((codes == OK)[..., None], array, np.nan), codes)


def drops(
    before, after, statistic, *, seed=0, draws=2000, key=KEY, status=None, others=(), **resampling
):
    """Estimate of a drop from hits (replicate, item); ``others`` are further draws of after."""
    before = np.asarray(before)
    more = {f"after#{n}": side(one) for n, one in enumerate(others, 1)}
    return estimate(
        panel(*before.shape),
        {"before": side(before), "after": side(after, status), **more},
        statistic=statistic,
        key=key,
        resampling=Resampling(draws=draws, **resampling),
        seed=seed,
    )


def made(point, *, sd=0.01, n=400, counts=None, dataset="reviews", row_range=(-1.0, 1.0), seed=0):
    """Estimated drop of replicates at these points, with normal draws of items of this sd."""
    rng = np.random.default_rng(seed)
    each = np.asarray(point, dtype=np.float64)
    draws = each + sd * rng.standard_normal((4000, 1))
    interval = crossed(each, draws, rng=rng, n_units=n)
    values = dict(zip(names(each.size), each.tolist(), strict=True))
    found = Estimate(
        key=EstimateKey(KEY.diagnostic, KEY.metric, KEY.subject, dataset),
        value=interval.point,
        low=interval.low,
        high=interval.high,
        level=0.95,
        method=f"{interval.method}@1",
        counts=counts or Counts(n),
        n_units=n,
        n_replicates=each.size,
        by_replicate={name or "{}": value for name, value in values.items()},
    )
    resampled = Resampled(each, draws, n, n, None, "id")
    return Estimated(found, interval, resampled, row_range=row_range)


def nothing(reason="no_items"):
    found = Estimate(KEY, None, None, None, 0.95, "crossed@1", Counts(0), 0, status="undefined")
    return Estimated(
        Estimate(**{f: getattr(found, f) for f in found.__slots__} | {"reason": reason})
    )


def claim(*components, name="c", **more):
    """Claim with components (estimate, limit) or (estimate, limit, against) or Component."""
    made_of = tuple(c if isinstance(c, Component) else Component(*c) for c in components)
    return Claim(name, "it hurts", "robustness", made_of, **more)
