"""Coverage, error rates and power where the truth was planted.

Every bound is the claimed range plus two Monte Carlo standard errors, stated beside it.
"""

import numpy as np
import pytest
from former_rule import outcomes
from scipy import special, stats

from published_multibootstrap import Runs, Scheme, multibootstrap
from scrutiny.stats.intervals.contrast import paired_contrast, unpaired_contrast
from scrutiny.stats.intervals.crossed import crossed
from scrutiny.stats.intervals.one_factor import t_over_replicates
from scrutiny.stats.resampling.resample import resample, resample_weighted
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.combined_tests import intersection_union

STUDIES = 500
ERROR = (0.95 * 0.05 / STUDIES) ** 0.5  # .97 points: 94 % of rules that cover 90 % are told


def mean(sums, weight):
    return sums[..., 0, 0] / sums[..., 0, 1]


def with_ones(x):
    return np.stack([x, np.ones_like(x)], axis=-1)


def together(worlds, *, rng, draws=400, units=None):
    """Draws of each world ``(replicate, item)``; they share the drawn items, which takes a third.

    The error of so few draws, 3.5 % of a standard error, is then that of ten worlds at once: of
    eighty such blocks it moves a coverage by less than a tenth of a point.
    """
    found = resample(with_ones(np.concatenate(worlds)), mean, rng=rng, draws=draws, units=units)
    size = len(worlds[0])
    return [found.select(slice(k, k + size)) for k in range(0, len(found.point), size)]


def resampled(make, studies, *, rng, **how):
    """Draws of each of so many worlds ``make(rng)``, ten at a time."""
    for _ in range(studies // 10):
        yield from together([make(rng) for _ in range(10)], rng=rng, **how)


def verdicts(rng, share, *, items, seed_sd, replicates=5, item_part=0.5):
    """Answers 0 and 1 ``(replicate, item)``; their expectation is ``share`` exactly."""
    p = np.clip(share + seed_sd * rng.standard_normal((replicates, 1)), 1e-6, 1 - 1e-6)
    item = item_part**0.5 * rng.standard_normal(items)
    own = (1 - item_part) ** 0.5 * rng.standard_normal((replicates, items))
    return (item + own + special.ndtri(p) > 0).astype(float)


def covered(make, truth, *, scale="identity", studies=STUDIES, replicates=5):
    """Coverage of the crossed interval over studies ``make(rng)`` -> ``(replicate, item)``."""
    rng = np.random.default_rng(20)
    hits = 0
    for found in resampled(make, studies, rng=rng):
        interval = crossed(found.point, found.draws, rng=rng, n_units=found.n_units, scale=scale)
        hits += not interval.excludes(truth)
    return hits / studies


CASES = {  # share, items, seed sd, scale
    "1508 items, seed sd 2.8 points": (0.56, 1508, 0.028, "identity"),
    "category of 60": (0.56, 60, 0.028, "identity"),
    "accuracy .92 of 872": (0.92, 872, 0.006, "identity"),
    "accuracy .92 of 872, logit": (0.92, 872, 0.006, "logit"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_crossed_covers_94_to_97_percent(case):
    share, items, sd, scale = CASES[case]
    coverage = covered(
        lambda rng: verdicts(rng, share, items=items, seed_sd=sd), share, scale=scale
    )
    assert 0.94 - 2 * ERROR <= coverage <= 0.97 + 2 * ERROR


def drops(rng, items, *, replicates=5):
    """Clean minus perturbed hits; margins fall by .35 +- .1 (seeds) +- .5 (items)."""
    item, weak = rng.standard_normal(items) * 0.7, 0.5 * rng.standard_normal(items)
    margin = 1.405 + item + 0.714 * rng.standard_normal((replicates, items))
    loss = 0.35 + weak + 0.1 * rng.standard_normal((replicates, 1))
    return (margin > 0).astype(float) - (margin > loss)


DROP = stats.norm.cdf(1.405 / (0.7**2 + 0.714**2) ** 0.5) - stats.norm.cdf(
    1.055 / (0.7**2 + 0.714**2 + 0.5**2 + 0.1**2) ** 0.5
)


@pytest.mark.slow
@pytest.mark.parametrize("items", [872, 200])
def test_crossed_covers_a_paired_drop(items):
    coverage = covered(lambda rng: drops(rng, items), DROP)
    assert 0.94 - 2 * ERROR <= coverage <= 0.97 + 2 * ERROR


@pytest.mark.slow
def test_one_factor_methods_do_not_cover():
    """What the crossed interval is for: the same studies, analyzed by less."""
    rng, studies = np.random.default_rng(3), 300
    hits = {"items": 0, "multibootstrap": 0, "seeds": 0}
    for block in range(studies // 10):
        worlds = [verdicts(rng, 0.56, items=1508, seed_sd=0.028) for _ in range(10)]
        for x, found in zip(worlds, together(worlds, rng=rng), strict=True):
            low, high = np.quantile(found.draws.mean(axis=1), [0.025, 0.975])
            hits["items"] += low <= 0.56 <= high
            same = np.random.default_rng([3, block])
            both = multibootstrap(Runs.of(x), rng=same, scheme=Scheme(nboot=400)).base
            hits["multibootstrap"] += not both.excludes(0.56)
            hits["seeds"] += not t_over_replicates(found.point).excludes(0.56)
    # Monte Carlo error: 2.6 points at .72, 1.6 at .92
    assert 0.60 < hits["items"] / studies < 0.80
    assert hits["multibootstrap"] / studies < 0.945
    assert hits["seeds"] / studies < 0.95


@pytest.mark.parametrize("few", [True, False])
def test_few_clusters_need_the_t(few):
    """Eight words of ten sentences, one model: percentiles 87-92 %, t 92-96 %."""
    rng, studies, hits = np.random.default_rng(4), 800, 0
    units = Units.of(80, np.arange(80) // 10)

    def make(rng):
        return (np.repeat(rng.standard_normal(8), 10) + rng.standard_normal(80))[None]

    for found in resampled(make, studies, rng=rng, units=units):
        interval = crossed(found.point, found.draws, rng=rng, n_units=8 if few else None)
        hits += not interval.excludes(0.0)
    # Monte Carlo error: 1 point
    assert (0.92 if few else 0.84) <= hits / studies <= (0.97 if few else 0.92)


@pytest.mark.parametrize(("items", "up", "down"), [(200, 3, 3), (200, 4, 2), (60, 1, 1)])
@pytest.mark.parametrize("replicates", [1, 5])
def test_few_flips_cover_by_the_floor(items, up, down, replicates):
    """Changes are rare: many studies see none, or one; [0, 0] must not be the answer."""
    rng, studies, hits, width = np.random.default_rng(4), 400, 0, 1.0
    p = np.array([down, 2000 - up - down, up]) / 2000

    def make(rng):
        return np.tile(rng.choice([-1.0, 0.0, 1.0], p=p, size=(1, items)), (replicates, 1))

    for found in resampled(make, studies, rng=rng):
        interval = crossed(found.point, found.draws, rng=rng, n_units=items)
        hits += not interval.excludes((up - down) / 2000)
        width = min(width, interval.width)
    # the reference reports 98-99.9 %; Monte Carlo error .7 points
    assert hits / studies > 0.965
    assert width > 2 / items


@pytest.mark.slow
@pytest.mark.parametrize("sides", ["paired", "unpaired"])
def test_contrasts_cover(sides):
    rng, studies, hits = np.random.default_rng(5), 400, 0
    contrast = paired_contrast if sides == "paired" else unpaired_contrast

    def make(rng):
        item = 0.7 * rng.standard_normal(400)
        seed = 0.06 * rng.standard_normal((10, 1))
        if sides == "paired":  # side b repeats the seeds of a
            seed[5:] = seed[:5] + 0.03 * rng.standard_normal((5, 1))
        shift = np.repeat([0.3, 0.0], 5)[:, None]
        return (item + seed + shift + 0.714 * rng.standard_normal((10, 400)) > 0).astype(float)

    own = 0.7**2 + 0.714**2 + 0.06**2
    later = own + (0.03**2 if sides == "paired" else 0.0)
    truth = stats.norm.cdf(0.3 / own**0.5) - stats.norm.cdf(0.0 / later**0.5)
    for both in resampled(make, studies, rng=rng):
        interval = contrast(both.select(slice(0, 5)), both.select(slice(5, 10)), rng=rng)
        hits += not interval.excludes(truth)
    # Monte Carlo error: 1.1 points; unpaired t terms make it conservative
    assert 0.93 <= hits / studies <= 0.99


def bias_claims(rng, share, studies, *, items, limit=0.52):
    """Test of each study's claim that the share is beyond the limit."""

    def make(rng):
        return verdicts(rng, share, items=items, seed_sd=0.028)

    for found in resampled(make, studies, rng=rng, draws=800):
        interval = crossed(found.point, found.draws, rng=rng, n_units=items)
        yield intersection_union(
            [interval.p_value(limit, direction="greater")],
            [interval.p_value(limit, direction="less")],
        )


@pytest.mark.slow
def test_studies_without_effect_are_rarely_supported():
    """Nine categories at the limit; any false verdict counts, Holm at alpha / 2."""
    rng, studies = np.random.default_rng(6), 300
    sizes = (516, 262, 172, 159, 105, 87, 84, 63, 60)
    claims = [bias_claims(rng, 0.52, studies, items=n) for n in sizes]
    found = [outcomes(list(family)) for family in zip(*claims, strict=True)]
    wrong = [sum(said in family for family in found) for said in ("supported", "not supported")]
    # nominal .025 a direction; Monte Carlo error .9 points: 99 % of rates of .08 are told
    assert max(wrong) / studies <= 0.025 + 2 * 0.009


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "outcome", "published"),
    [(0.56, "supported", 0.58), (0.60, "supported", 0.98), (0.50, "not supported", 0.18)],
)
def test_power_of_a_single_claim(share, outcome, published):
    rng, studies = np.random.default_rng(7), 250
    tests = bias_claims(rng, share, studies, items=1508)
    found = sum(outcomes([test]) == [outcome] for test in tests)
    # Monte Carlo error 3.1 points; the items' part of the simulation behind is not the same
    assert found / studies == pytest.approx(published, abs=0.09)


def test_weighted_statistics_cover_too():
    """A median over items of one model."""
    rng, studies, hits = np.random.default_rng(10), 300, 0

    def median(m, w):
        order = np.argsort(m[:, 0])
        share = np.cumsum(w[:, order], axis=1) / w.sum(axis=1, keepdims=True)
        return m[order[(share >= 0.5).argmax(axis=1)], 0]

    for _ in range(studies):
        x = rng.standard_normal((1, 101, 1))
        found = resample_weighted(x, median, rng=rng, draws=300)
        hits += not crossed(found.point, found.draws, rng=rng, n_units=101).excludes(0.0)
    # Monte Carlo error 1.3 points
    assert 0.91 <= hits / studies <= 0.99
