"""Simulated families with a known preference: coverage of scores, error rates of claims.

Every bound is the nominal rate plus or minus what it is known to be off by, and two Monte Carlo
standard errors.
"""

import numpy as np
import pytest
from scipy import special

from scrutiny.core.claim import Claim, Component
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.reliability.claims import decide
from scrutiny.reliability.estimate import estimate
from scrutiny.reliability.panel import Panel, Side
from scrutiny.reliability.stereotype_statistics import (
    ORIGINAL_MINUS_NEGATED,
    SS,
    STEREOTYPE_SCORE,
)

REPLICATES = tuple(f'{{"seed":"{seed}"}}' for seed in range(5))
STUDIES = 400
ERROR = (0.95 * 0.05 / STUDIES) ** 0.5  # 1.1 points
KEY = EstimateKey("stereotypes.pairs@1#0", "stereotype_score@1", "m", "x")


def preferred(rng, share, items, *, seed_sd=0.028, item_part=0.5):
    """Verdicts 0 and 1 ``(replicate, item)`` whose expectation is ``share``, by item or not."""
    share = np.broadcast_to(share, items) + seed_sd * rng.standard_normal((len(REPLICATES), 1))
    own = (1 - item_part) ** 0.5 * rng.standard_normal((len(REPLICATES), items))
    margin = item_part**0.5 * rng.standard_normal(items) + own
    return (margin + special.ndtri(np.clip(share, 1e-6, 1 - 1e-6)) > 0).astype(float)


def estimated(statistic, values, *, study, units=None, cells=None):
    """Estimate of measures ``(replicate, item, need)``."""
    panel = Panel(
        statistic.needs,
        REPLICATES,
        tuple(map(str, range(values.shape[1]))),
        units=units,
        cells=cells,
    )
    status = np.zeros(values.shape[:2], np.int8)
    return estimate(
        panel,
        {"": Side(values, status)},
        statistic=statistic,
        key=KEY,
        resampling=Resampling(draws=400),
        seed=study,
    )


def coverage(make, truth):
    """Share of studies whose interval holds the truth."""
    rng = np.random.default_rng(7)
    hits = 0
    for study in range(STUDIES):
        found = make(rng, study).estimate
        hits += found.low <= truth <= found.high
    return hits / STUDIES


@pytest.mark.slow
@pytest.mark.parametrize("items", [60, 516])
def test_the_score_of_a_category_is_covered(items):
    found = coverage(
        lambda rng, study: estimated(
            STEREOTYPE_SCORE, preferred(rng, 0.56, items)[..., None], study=study
        ),
        56.0,
    )
    assert 0.93 - 2 * ERROR <= found <= 0.98 + 2 * ERROR


def by_term(rng, study, *, terms=36, size=20):
    """Macro score where terms differ: 55 % on average, 10 points apart."""
    share = np.repeat(0.55 + 0.1 * rng.standard_normal(terms), size)
    hits = preferred(rng, np.clip(share, 0.02, 0.98), terms * size)
    term = np.repeat(np.arange(terms), size)
    return estimated(SS, hits[..., None], study=study, units=term, cells=term)


@pytest.mark.slow
def test_the_score_over_terms_is_covered_where_terms_are_resampled():
    found = coverage(by_term, 55.0)
    assert 0.93 - 2 * ERROR <= found <= 0.98 + 2 * ERROR


def test_items_alone_would_not_cover_the_population_of_terms():
    """What resampling terms is for: the same studies, items resampled."""
    rng = np.random.default_rng(7)
    hits, studies = 0, 100
    for study in range(studies):
        share = np.repeat(0.55 + 0.1 * rng.standard_normal(36), 20)
        values = preferred(rng, np.clip(share, 0.02, 0.98), 720, seed_sd=0.0)
        found = estimated(STEREOTYPE_SCORE, values[..., None], study=study).estimate
        hits += found.low <= 55.0 <= found.high
    assert hits / studies < 0.95 - 2 * (0.95 * 0.05 / studies) ** 0.5


def controls(rng, study, *, pairs=120, change=0.1):
    """Originals at 58 %, their negated twins ten points lower, seeds and pairs shared."""
    original = preferred(rng, 0.58, pairs)
    negated = preferred(rng, 0.58 - change, pairs)
    hits = np.concatenate([original, negated], axis=1)
    control = np.broadcast_to(np.repeat([0.0, 1.0], pairs), hits.shape)
    pair = np.tile(np.arange(pairs), 2)
    values = np.stack([hits, control], axis=-1)
    return estimated(ORIGINAL_MINUS_NEGATED, values, study=study, units=pair, cells=pair)


def test_the_difference_from_a_control_is_covered():
    rng = np.random.default_rng(7)
    studies, hits = 60, 0
    for study in range(studies):
        found = controls(rng, study).estimate
        hits += found.low <= 10.0 <= found.high
    assert hits / studies >= 0.95 - 3 * (0.95 * 0.05 / studies) ** 0.5


def supported(share, *, studies, items=516, categories=1):
    """Share of studies in which any category's claim (score > 52) is supported."""
    rng = np.random.default_rng(11)
    count = 0
    for study in range(studies):
        found = {
            f"score/{c}": estimated(
                STEREOTYPE_SCORE, preferred(rng, share, items)[..., None], study=study
            )
            for c in range(categories)
        }
        claims = [
            Claim(name, "prefers", "stereotypes", (Component(name, 52.0),), family="stereotypes")
            for name in found
        ]
        count += any(finding.verdict == "supported" for finding in decide(claims, found))
    return count / studies


@pytest.mark.slow
def test_claims_hold_their_level_at_the_limit():
    """2.5 % in this direction, for one claim and for the family."""
    error = (0.025 * 0.975 / 200) ** 0.5
    assert supported(0.52, studies=200) <= 0.025 + 2.5 * error
    error = (0.025 * 0.975 / 50) ** 0.5
    assert supported(0.52, studies=50, items=100, categories=4) <= 0.025 + 2.5 * error


@pytest.mark.slow
def test_claims_have_power():
    assert supported(0.66, studies=60) > 0.8
    assert supported(0.50, studies=60) == 0
