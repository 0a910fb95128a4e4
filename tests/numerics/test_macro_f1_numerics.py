"""Macro-F1 where a class is hardly ever found: how often its interval covers the truth."""

import numpy as np
import pytest

from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.diagnostics.classes.classes import MACRO_F1
from scrutiny.reliability.contrasts import contrast
from scrutiny.reliability.intervals import interval_of, step_of
from scrutiny.reliability.joining import Meeting
from scrutiny.reliability.row_statistics import resample_any
from scrutiny.stats.resampling.weights import Units

#: Items of each class; the last one is hardly ever found.
SIZES = np.array([150, 90, 12])
METRIC = MACRO_F1.of("3")


def counts(g, rare, n_times=1):
    """Counts ``(item, 9)`` of a sample; what is not found goes to the next class."""
    gold = np.repeat(np.arange(3), SIZES * n_times)
    recall = np.array([0.9, 0.8, rare])
    said = np.where(g.random(len(gold)) < recall[gold], gold, (gold + 1) % 3)
    found = np.zeros((len(gold), 3, 3))
    for label in range(3):
        is_gold, is_said = gold == label, said == label
        found[:, label] = np.c_[is_gold & is_said, is_said & ~is_gold, is_gold & ~is_said]
    return found.reshape(len(gold), 9)


def interval(values):
    drawn = resample_any(
        METRIC,
        values[None],
        units=Units.of(len(values)),
        draws=400,
        rng=np.random.default_rng(0),
    )
    step = step_of(METRIC, values[None])
    return interval_of(
        drawn, name="m", scale="logit", resampling=Resampling(draws=400), seed=0, step=step
    )


@pytest.mark.slow
@pytest.mark.parametrize(("rare", "never"), [(0.08, 0.37), (0.15, 0.14)])
def test_the_interval_covers_where_a_class_is_never_found(rare, never):
    """With draws of items alone it covered 89 % and 86 %; where none was found, 68 % and 16 %."""
    many = counts(np.random.default_rng(99), rare, n_times=2000).sum(axis=0)
    truth = float(METRIC.combine(many))
    covered = {True: [], False: []}
    for seed in range(200):
        values = counts(np.random.default_rng(seed), rare)
        found = interval(values)
        is_found = bool(values[:, 6].sum())  # the rare class
        covered[is_found].append(found.low <= truth <= found.high)
    assert len(covered[False]) == pytest.approx(200 * never, rel=0.3)
    assert np.mean([*covered[True], *covered[False]]) > 0.93
    assert np.mean(covered[False]) > 0.93


def difference(one, other, *, same_items):
    """Interval of one system's macro-F1 minus another's, on the same items or on others."""
    both = np.stack([one, other])
    n, slices, units = len(one), None, Units.of(len(one))
    if not same_items:
        rows = np.arange(2 * n) < n
        slices, units = (rows, ~rows), Units.of(2 * n, strata=rows)
        both = np.zeros((2, 2 * n, 9))
        both[0, :n], both[1, n:] = one, other
    meeting = Meeting(
        values=(both[:1], both[1:]),
        names=((None,), (None,)),
        status=np.zeros(both.shape[1], dtype=np.int8),
        units=units,
        slices=slices,
    )
    found = contrast(
        meeting,
        METRIC,
        key=EstimateKey("classes@1", METRIC.id, "a", "d"),
        paired=False,
        resampling=Resampling(draws=400),
        seed=0,
    )
    return found.interval


@pytest.mark.slow
@pytest.mark.parametrize("same_items", [True, False])
@pytest.mark.parametrize(("rare", "other"), [(0.02, 0.15), (0.08, 0.08), (0.15, 0.3)])
def test_differences_cover_where_a_class_is_never_found(rare, other, same_items):
    """Of systems that are right apart from one another, which is the hardest case.

    With one error for both sides, or none of slices and datasets, 90 to 95 % of 80 were covered.
    """
    truths = [counts(np.random.default_rng(99), p, n_times=2000).sum(axis=0) for p in (rare, other)]
    truth = float(np.subtract(*METRIC.combine(np.stack(truths))))
    covered = []
    for seed in range(150):
        g = np.random.default_rng(seed)
        found = difference(counts(g, rare), counts(g, other), same_items=same_items)
        covered.append(found.low <= truth <= found.high)
    assert np.mean(covered) > 0.92
