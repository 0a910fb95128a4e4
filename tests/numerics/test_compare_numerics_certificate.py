"""A/A certificates on planted truth: the rule itself on pairs that were drawn otherwise.

It judges many pairs at once as each of them: `test_run_many_comparisons`.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "run"))

from two_sides import random_slices, sides

from scrutiny.diagnostics.similarity.side_by_side.sides import (
    noise_of_replicates,
    noise_of_rerun,
)
from scrutiny.run.comparing.certificate import certificates, rule_of

pytestmark = pytest.mark.slow
ACCURACY, MARGIN, PAIRS = 0.8, 0.02, 150


def chances(rng, n, noise):
    """Chances of items that flip on a share of them: some are coins, the others are sure."""
    is_coin = rng.permutation(n) < round(2 * noise * n)
    sure = rng.random(n) < (ACCURACY - noise) / (1 - 2 * noise)
    return np.where(is_coin, 0.5, sure.astype(float))


def run_of(rng, right, replicates=1, spread=0.0, loss=0.0):
    """Hits ``(replicate, item)``; each replicate's score is shifted, all lose the same answers."""
    shift = spread * rng.standard_normal((replicates, 1))
    hit = rng.random((replicates, right.size)) < right
    hit &= rng.random(right.size) >= loss / ACCURACY
    at = rng.random(hit.shape)
    return np.where(hit, at >= -shift / ACCURACY, at < shift / (1 - ACCURACY)).astype(float)


def called_worse(rule, pairs):
    """How many of these pairs ``(first, second)`` the rule calls worse."""
    first, second = map(np.array, zip(*pairs, strict=True))
    return int(rule.regressions(first, second).sum())


@pytest.mark.parametrize(
    ("n", "noise"),
    [
        (200, 0.0),
        (200, 0.02),
        (200, 0.15),
        (1000, 0.0),
        (1000, 0.02),
        (1000, 0.15),
    ],
)
def test_the_printed_rate_covers_and_the_printed_loss_is_found(n, noise):
    rng = np.random.default_rng(23)
    right, slices = chances(rng, n, noise), random_slices(rng, n, 8)

    def pair(loss=0.0):
        return run_of(rng, right), run_of(rng, right, loss=loss)

    printed = []
    for _ in range(5):
        both = sides(*pair())
        known = noise_of_rerun(sides(both.first, run_of(rng, right)))
        rule = rule_of(both, slices, margin=MARGIN, family=0)
        printed += certificates(both, rule, known)
    alarms = called_worse(rule, [pair() for _ in range(PAIRS)])
    at_most = float(np.mean([one.at_most for one in printed]))
    assert at_most <= 0.01 + 0.004 * (noise > 0.1)
    assert stats.binom.sf(alarms - 1, PAIRS, at_most) > 0.01
    loss = float(np.mean([one.finds for one in printed]))
    found = called_worse(rule, [pair(loss) for _ in range(60)])
    assert 0.62 <= found / 60 <= 0.97


@pytest.mark.parametrize(("spread", "certified", "most"), [(0.03, 16, 0.88), (0.0, 10, 0.97)])
def test_what_three_seeds_print_is_found_on_average(spread, certified, most):
    rng = np.random.default_rng(29)
    right, slices = chances(rng, 200, 0.05), random_slices(rng, 200, 8)

    def runs(loss=0.0):
        return run_of(rng, right, 3, spread), run_of(rng, right, 3, spread, loss)

    printed = []
    for _ in range(certified):
        both = sides(*runs())
        rule = rule_of(both, slices, margin=MARGIN, family=0)
        printed += certificates(both, rule, noise_of_replicates(both))
    losses = np.linspace(0.0, 0.4, 9)
    found = [called_worse(rule, [runs(loss) for _ in range(PAIRS)]) / PAIRS for loss in losses]
    assert found[0] <= 0.01
    assert np.mean([one.at_most for one in printed]) <= 0.01
    powers = [np.interp(one.finds or 1.0, losses, found) for one in printed]
    assert 0.72 <= np.mean(powers) <= most
    # the loss that is really found in 80 of 100 lies between the ends in about as many
    true = np.interp(0.8, found, losses)
    inside = [one.between[0] - 0.01 <= true <= (one.between[1] or 1.0) for one in printed]
    assert np.mean(inside) >= 0.65
