"""Max-T: tests of every head or layer, adjusted for all tests along the axes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scrutiny.reliability.estimate import Estimated
from scrutiny.stats.significance.multiplicity import max_t


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
    tested = [i for i, one in enumerate(found) if _is_tested(one)]
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


def _is_tested(one: Estimated) -> bool:
    drawn = one.resampled
    return one.interval is not None and drawn is not None and drawn.degrees > 0


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
