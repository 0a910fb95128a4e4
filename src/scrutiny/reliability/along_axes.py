"""Estimates along axes, every layer and head, with tests adjusted for all of them (max-T)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import generator
from scrutiny.core.record import Measure
from scrutiny.core.statistic import Statistic
from scrutiny.reliability.estimate import Estimated, blank, of_draws, resample_joined
from scrutiny.reliability.joining import join
from scrutiny.reliability.panel import Panel, Side
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.significance.combined_tests import max_t


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
        See `scrutiny.reliability.joining.join`.
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
    asked = [
        (
            replace(key, condition={**key.condition, **place}),
            join(panel, sides, needs=statistic.needs, at=place),
        )
        for place in places
    ]
    if not asked or asked[0][1].rows.size == 0:
        return [blank(own, joined, resampling, "no_items") for own, joined in asked]
    first = asked[0][1]
    width = len(first.names)
    # places are drawn like so many replicates: one product of weights and sums serves them all
    stacked = replace(first, values=np.concatenate([one.values for _, one in asked], axis=0))
    try:
        drawn = resample_joined(
            panel, stacked, statistic, dataset=key.dataset, draws=resampling.draws, seed=seed
        )
    except StatisticsError:
        return [blank(own, joined, resampling, "no_value") for own, joined in asked]
    found = []
    for k, (own, joined) in enumerate(asked):
        mine = drawn.select(slice(k * width, (k + 1) * width))
        made = of_draws(own, joined, mine, statistic=statistic, resampling=resampling, seed=seed)
        found.append(made)
    if statistic.no_effect is None:
        return found
    rng = generator(seed, "max-t", name=statistic.drawn_as, item=key.dataset)
    return with_max_t(found, no_effect=statistic.no_effect, rng=rng, is_fixed=resampling.is_held)


def with_max_t(
    found: Sequence[Estimated],
    *,
    no_effect: float,
    rng: np.random.Generator,
    is_fixed: bool = False,
) -> list[Estimated]:
    """Estimates along axes, each with its adjusted p-value.

    ``max_t_p`` is two-sided, of the value being ``no_effect``; ``max_t_smallest_p`` the smallest
    that so many draws can give, ``max_t_tests`` how many places were tested together. Draws of
    items are shared, and have the tails of a t by the number of units. Replicates add a t of each
    place's own to them: taking places as independent there makes the largest of them larger, and
    so the test stricter, than it would be.

    Parameters
    ----------
    found
        Estimates of one statistic at several places, on the same draws. Those without an interval
        are left alone; so are all with two replicates, which carry no test.
    no_effect
        Value under the null.
    rng
        Of the replicates' part.
    is_fixed
        Whether it is said of these very replicates: items alone are drawn then.

    **Measures**: which heads stand out, with the chance of any false one held at the level.

    **Misleads when**: heads of several pre-training seeds are averaged by their place, which is all
    that they share; a replicate's part outweighs that of the items: the power is small then.

    **References**: Westfall & Young (1993), Resampling-Based Multiple Testing; Romano & Wolf
    (2005), Stepwise multiple testing as formalized data snooping.
    """
    tested = [
        i
        for i, one in enumerate(found)
        if one.interval is not None and one.resampled is not None and one.resampled.degrees > 0
    ]
    table = _draws([found[i] for i in tested], rng, is_fixed=is_fixed)
    if table is None:
        return list(found)
    point, draws = table
    adjusted = max_t(point, draws, limit=no_effect).tolist()
    numbers = {
        "max_t_smallest_p": 1.0 / (1 + draws.shape[0]),
        "max_t_tests": float(len(tested)),
    }
    several = list(found)
    for i, p in zip(tested, adjusted, strict=True):
        estimate = several[i].estimate
        across = {**estimate.across, "max_t_p": p, **numbers}
        several[i] = replace(several[i], estimate=replace(estimate, across=across))
    return several


def _draws(
    tested: Sequence[Estimated], rng: np.random.Generator, *, is_fixed: bool
) -> tuple[np.ndarray, np.ndarray] | None:
    """Means over replicates ``(place,)`` and their draws ``(draw, place)``; None without a test."""
    drawn = [one.resampled for one in tested if one.resampled is not None]
    if len(drawn) < 2:
        return None
    each = np.stack([one.point for one in drawn], axis=-1)  # (replicate, place)
    count = len(each)
    if count == 2 and not is_fixed:
        return None
    of_items = np.stack([one.draws.mean(axis=-1) for one in drawn], axis=-1)
    of_items = of_items[np.isfinite(of_items).all(axis=-1)]
    if len(of_items) < 2:
        return None
    point = each.mean(axis=0)
    # draws of items are as wide as a normal's; a multivariate t has the tails of their estimate
    degrees = drawn[0].degrees
    widened = ((degrees + 1) / rng.chisquare(degrees, size=(len(of_items), 1))) ** 0.5
    draws = point + (of_items - of_items.mean(axis=0)) * widened
    if count > 2 and not is_fixed:
        of_mean = (each.var(axis=0, ddof=1) / count) ** 0.5
        draws = draws + of_mean * rng.standard_t(count - 1, size=draws.shape)
    return point, draws
