"""The rule on many pairs at once is the rule on each of them."""

import numpy as np
import pytest
from two_sides import drawn, random_slices, sides

from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.reliability.contrasts import contrast
from scrutiny.reliability.joining import Meeting
from scrutiny.reliability.metrics import metric_of
from scrutiny.run.comparing.changed_slices import changes
from scrutiny.run.comparing.many_comparisons import ComparisonRule
from scrutiny.run.comparing.whole_comparison import decided


def rule_of(both, slices, *, margin, family=0, **more):
    members = np.array([np.ones(len(both.examples), bool), *(inside for _, inside in slices)])
    return ComparisonRule(
        members,
        both.units.code,
        len(members) + family,
        margin,
        both.sign,
        is_paired=both.is_paired,
        is_hit=both.is_hit,
        **more,
    )


CASES = [
    # replicates of both sides, paired, items to a unit
    ((1, 1), False, 1),
    ((1, 1), True, 1),
    ((3, 3), False, 1),
    ((3, 3), True, 1),
    ((2, 4), False, 1),
    ((1, 1), False, 3),
    ((3, 2), False, 3),
]


@pytest.mark.parametrize(("counts", "is_paired", "unit"), CASES)
@pytest.mark.parametrize("loss", [0.0, 0.12])
def test_many_pairs_are_judged_as_each_is(counts, is_paired, unit, loss):
    rng = np.random.default_rng(7)
    n, worse, apart = 120, 0, 0
    slices = random_slices(rng, n, 6)
    code = np.arange(n) // unit
    right = rng.uniform(0.5, 1.0, n)
    for _ in range(25):
        first = drawn(rng, right, replicates=counts[0], spread=0.01).astype(float)
        second = drawn(rng, right - loss, replicates=counts[1], spread=0.01).astype(float)
        both = sides(first, second, is_paired=is_paired, unit=code)
        wanted = changes(both, slices, margin=0.02, family=3)
        rule = rule_of(both, slices, margin=0.02, family=3)
        found = rule.tested(first[None], second[None])
        for name in ("value", "low", "high"):
            np.testing.assert_allclose(
                getattr(found, name)[0], [getattr(one, name) for one in wanted], atol=1e-12
            )
        if counts == (1, 1) and unit == 1:  # nothing is drawn there
            np.testing.assert_allclose(found.p_holm[0], [c.p_holm for c in wanted], atol=1e-10)
            np.testing.assert_allclose(found.p_beyond[0], [c.p_beyond for c in wanted], atol=1e-10)
        else:
            p = np.array([c.p_holm for c in wanted])
            near = np.abs(np.sqrt(found.p_holm[0]) - np.sqrt(p))
            assert near.max() < (
                0.15 if unit == 1 else 0.25
            )  # units of several items change by few different amounts
        beyond = [one for one in wanted if one.loses(0.02, 1)]
        is_worse = any(one.name == "all" or one.is_shown for one in beyond)
        worse += is_worse
        apart += rule.regressions(first[None], second[None])[0] != is_worse
    assert worse or loss == 0.0 or counts != (1, 1)
    # the exact test is drawn with several replicates or items to a unit: one may lie on the line
    assert apart <= (0 if counts == (1, 1) and unit == 1 else 1)


@pytest.mark.parametrize(("counts", "is_paired", "unit"), CASES)
@pytest.mark.parametrize("loss", [0.0, 0.05])
def test_limits_are_those_that_tables_print(counts, is_paired, unit, loss):
    rng = np.random.default_rng(11)
    n = 300
    right = rng.choice([0.02, 0.98, 0.7], n)
    for _ in range(5):
        first = drawn(rng, right, replicates=counts[0], spread=0.01).astype(float)
        second = drawn(rng, right - loss, replicates=counts[1], spread=0.01).astype(float)
        both = sides(first, second, is_paired=is_paired, unit=np.arange(n) // unit)
        meeting = Meeting(
            (first[..., None], second[..., None]), both.names, np.zeros(n, np.int8), both.units
        )
        found = decided(
            contrast(
                meeting,
                metric_of("accuracy@1"),
                key=EstimateKey("compare", "accuracy@1", "m", "d", reference="r"),
                paired=is_paired,
                resampling=Resampling(draws=10_000),
                seed=0,
            )
        ).estimate
        (low,), (high,) = rule_of(both, [], margin=0.02).limits(first[None], second[None])
        width, drawn_seeds = found.high - found.low, max(counts) > 1
        near = (0.08 if drawn_seeds else 0.04) * width  # a t of two degrees is drawn
        np.testing.assert_allclose([-high, -low], [found.low, found.high], atol=near)
