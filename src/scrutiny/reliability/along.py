"""Estimates along axes of the measures: every layer and head, on the same draws."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.record import Measure
from scrutiny.core.statistic import Statistic
from scrutiny.reliability.adjusted_along import with_max_t
from scrutiny.reliability.derive import join
from scrutiny.reliability.estimate import Estimand, Estimated, of_draws, resample_joined
from scrutiny.reliability.panel import Panel, Side
from scrutiny.stats.errors import StatisticsError


def places_along(measures: Sequence[Measure], axes: Sequence[str]) -> Iterator[dict[str, int]]:
    """Indices along some axes, counted from 1, the last axis fastest."""
    lengths = {name: length for measure in measures for name, length in measure.axes}
    for place in product(*(range(1, lengths.get(axis, 0) + 1) for axis in axes)):
        yield dict(zip(axes, place, strict=True))


def estimate_along(
    panel: Panel,
    sides: Mapping[str, Side],
    *,
    statistic: Statistic,
    key: EstimateKey,
    resampling: Resampling,
    seed: int,
    places: Sequence[Mapping[str, int]],
) -> list[Estimated]:
    """Estimate of a statistic at each index of its measures' axes.

    Parameters
    ----------
    panel, sides
        See `scrutiny.reliability.derive.join`.
    statistic, key, resampling, seed
        See `scrutiny.reliability.estimate.estimate`; a place stands in its estimate's condition.
    places
        Places on all axes, counted from 1.

    Returns
    -------
    list of Estimated
        In the order of the places; the draws of items are those of any estimate on this dataset.
        Where the statistic says what no effect is, each has its max-T adjusted p-value.
    """
    asked = []
    for place in places:
        joined = join(panel, sides, needs=statistic.needs, at=place)
        names = panel.names(joined)
        asked.append(Estimand(joined, names, replace(key, condition={**key.condition, **place})))
    if not asked or asked[0].joined.rows.size == 0:
        return [one.blank("no_items", resampling) for one in asked]
    width = len(asked[0].names)
    # places are drawn like so many replicates: one product of weights and sums serves them all
    stacked = replace(
        asked[0].joined, values=np.concatenate([one.joined.values for one in asked], axis=0)
    )
    rng = generator(seed, "bootstrap", name=key.dataset, item="items")
    try:
        drawn = resample_joined(panel, stacked, statistic, draws=resampling.draws, rng=rng)
    except StatisticsError:
        return [one.blank("no_value", resampling) for one in asked]
    found = []
    for k, one in enumerate(asked):
        mine = drawn.select(slice(k * width, (k + 1) * width))
        found.append(of_draws(one, mine, statistic=statistic, resampling=resampling, seed=seed))
    if statistic.no_effect is None:
        return found
    rng = generator(seed, "max-t", name=statistic.drawn_as, item=key.dataset)
    return with_max_t(found, no_effect=statistic.no_effect, rng=rng, is_fixed=resampling.is_held)
