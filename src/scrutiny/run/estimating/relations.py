"""Estimates of relations over replicates: correlation, spread, difference, disagreement."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.randomness import generator
from scrutiny.core.record import Counts
from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.reliability.assignment import Assignment, Relation
from scrutiny.reliability.estimate import Estimated, resample_joined, without_value
from scrutiny.reliability.intervals import interval_of
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.row_statistics import Additive, scale_of, value_of
from scrutiny.run.estimating.estimator import Estimator
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association.correlation import correlation_over_replicates, fisher_limits
from scrutiny.stats.intervals.contrast import largest_difference
from scrutiny.stats.intervals.interval import Interval
from scrutiny.stats.intervals.seed_error import Spread, variance_ratio

#: Estimates of each side of a relation.
Sides = Sequence[Sequence[Estimated]]
Rng = Callable[..., np.random.Generator]
_FEWEST: Final = 3  # replicates of a spread
METRICS: Final = {
    "correlation": "correlation@1",
    "spread": "spread_ratio@1",
    "difference": "largest_difference@1",
    "disagreement": "disagreement@1",
}


def relate(relation: Relation, known: Mapping[str, Estimated], estimator: Estimator) -> Estimated:
    """Estimate of a relation from the replicates' values of its sides.

    Parameters
    ----------
    relation
        Relation to compute.
    known
        Estimates by the full names of their specifications.
    estimator
        Of the run: its records, draws and seed.

    Returns
    -------
    Estimated
        Undefined with too few replicates, or where a side does not vary. ``n`` counts the items of
        the first side, of a correlation replicates. ``across`` holds, of a correlation, Spearman's
        rho, the permutation p with the smallest it could have been, and the correlation that would
        have been shown with 80 % power; of a ratio of spreads, both sides' seed and item errors.
    """
    sides = [[known[one.id] for one in side] for side in (relation.a, relation.b)]
    one, other = relation.a[0], next(iter(relation.b), relation.a[0])
    key = EstimateKey(
        diagnostic=one.kind,
        metric=METRICS[relation.how],
        subject=one.subject,
        dataset=one.dataset,
        reference=other.subject if other.subject != one.subject else None,
        role="contrast",
        condition={"of": one.id, **({"with": other.id} if relation.b else {})},
        group=relation.id,
    )
    if relation.how == "disagreement":
        return _disagreement(key, one, estimator)
    method, made = _MADE[relation.how]
    first = sides[0][0].estimate
    blank = without_value(key, first.counts, first.n_replicates, estimator.resampling, "no_value")
    blank = replace(blank, method=method, n_units=first.n_units)
    return made(blank, sides, partial(generator, estimator.seed, "relation", name=relation.id))


def _correlated(blank: Estimate, sides: Sides, rng: Rng) -> Estimated:
    """Correlation of both sides, replicates joined by their names, step by step."""
    values = [[one.estimate.by_replicate for one in side] for side in sides]
    first = values[0][0]
    names = [n for n in first if all(n in one for side in values for one in side)]
    count = len(names)
    counts = Counts(n=count, undefined=len(first) - count)
    blank = replace(blank, counts=counts, n_units=count, n_replicates=max(1, count))
    if not names:
        return Estimated(blank)
    a, b = (np.array([[one[name] for one in side] for name in names]) for side in values)
    try:
        found = correlation_over_replicates(a, b, rng=rng(item="replicates"), level=blank.level)
    except StatisticsError as error:
        few = "replicates carry" in str(error)
        return Estimated(replace(blank, reason="too_few_replicates" if few else "does_not_vary"))
    across = {
        "steps": float(found.steps),
        "spearman": found.rank,
        "p_value": found.p_value,
        "smallest_p": found.smallest_p,
        "detectable": found.detectable,
    }
    return _valued(
        blank, found.value, lambda at: fisher_limits(found.value, count, level=at), across
    )


def _spread(blank: Estimate, sides: Sides, rng: Rng) -> Estimated:
    """Seed spread of the first side over that of the second, each in units of its item error."""
    del rng
    try:
        one, other = (_spread_of(side) for (side,) in sides)
    except StatisticsError:  # other items would change nothing: there is no error to count in
        return Estimated(replace(blank, reason="does_not_vary"))
    if one is None or other is None:
        return Estimated(replace(blank, reason="too_few_replicates"))
    if other.sd == 0.0:
        return Estimated(replace(blank, reason="does_not_vary"))
    found = variance_ratio(one, other, level=blank.level)

    def ends(level: float) -> tuple[float, float]:
        at = variance_ratio(one, other, level=level)
        return at.low, at.high

    across = {
        "sd": one.sd,
        "item_error": one.item_se,
        "other_sd": other.sd,
        "other_item_error": other.item_se,
        "p_value": found.p_value,
        "smallest_significant": found.smallest_significant,
    }
    fewest = min(one.replicates, other.replicates)
    return _valued(replace(blank, n_replicates=fewest), found.ratio, ends, across)


def _spread_of(one: Estimated) -> Spread | None:
    """Spread of an estimate over replicates; None with too few, or without draws of its items."""
    resampled = one.resampled
    if resampled is None or resampled.degrees < 1 or resampled.point.size < _FEWEST:
        return None
    errors = resampled.defined_draws.var(axis=0, ddof=1)
    return Spread.of(resampled.point, item_se=float(errors.mean() ** 0.5))


def _differing(blank: Estimate, sides: Sides, rng: Rng) -> Estimated:
    """Largest difference between two replicates of one estimate."""
    del rng
    ((one,), _) = sides
    if one.resampled is None:
        return Estimated(blank)
    try:
        found = largest_difference(one.resampled, level=blank.level)
    except StatisticsError:
        return Estimated(replace(blank, reason="too_few_replicates"))
    return _valued(blank, found.point, found.at, {})


def _valued(
    blank: Estimate,
    value: float,
    ends: Callable[[float], tuple[float, float]],
    across: Mapping[str, float],
) -> Estimated:
    """Estimate with its value and its limits, which are known at every level."""
    interval = Interval.of_ends(value, ends, level=blank.level, method=blank.method)
    valued = replace(blank, value=value, low=interval.low, high=interval.high, across=across)
    return Estimated(replace(valued, status="ok", reason=None), interval)


#: Method of what is made of replicates' values, and how.
_MADE: Final = {
    "correlation": ("fisher-z over replicates@1", _correlated),
    "spread": ("F over replicates@1", _spread),
    "difference": ("items of pairs@1", _differing),
}


def _disagreement(key: EstimateKey, one: Assignment, estimator: Estimator) -> Estimated:
    """Share of items on which not all replicates have the same value."""
    panel, joined = estimator.joined(one)
    resampling, seed = estimator.resampling, estimator.seed
    replicates = len(joined.names)
    blank = without_value(key, joined.counts, replicates, resampling, "no_value")
    statistic = metric_of(one.metric, one.measures)
    if replicates < 2 or not joined.rows.size or not isinstance(statistic, AdditiveStatistic):
        return Estimated(blank)
    values = statistic.components(joined.values)
    each = value_of(statistic, values)
    flips = (each != each[:1]).any(axis=0).astype(np.float64)[None, :, None]
    share = Additive(key.metric, "share of items", ("flip",), is_mean=True, scale="logit")
    try:
        drawn = resample_joined(
            panel,
            replace(joined, values=flips),
            share,
            dataset=one.dataset,
            draws=resampling.draws,
            seed=seed,
        )
        found = interval_of(
            drawn,
            name=key.metric,
            scale=scale_of(share),
            resampling=resampling,
            seed=seed,
            step=1.0 / flips.shape[1],
        )
    except StatisticsError:
        return Estimated(blank)
    valued = replace(blank, value=found.point, low=found.low, high=found.high, status="ok")
    valued = replace(valued, reason=None, method="items of all@1", n_units=drawn.n_units)
    return Estimated(valued, found, drawn, scale=scale_of(share))
