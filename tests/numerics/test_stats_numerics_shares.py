"""Limits of shares near 0 and 1: how often they are wrong, by enumeration; in units, simulated."""

import numpy as np
import pytest
from scipy import stats
from simulated_families import Design
from simulated_shares import SHARES, Shared, enumerated, limits_of_counts, simulated

from scrutiny.stats.intervals.families import tail_of

NOMINAL = 0.025
STUDIES = 200
IN_UNITS = {
    "80 documents": Shared(0.05, Design(rows=1, replicates=1, units=80)),
    "80 documents, 15 rows": Shared(0.05, Design(replicates=1, units=80)),
    "a tenth of which some fail whole": Shared(
        0.1, Design(rows=2, replicates=1, units=100, uneven=0.0, likeness=0.9)
    ),
    "ten documents of any size": Shared(0.2, Design(rows=1, replicates=1, units=10, likeness=0.3)),
    "three seeds": Shared(0.05, Design(rows=5, seed_sd=0.01)),
    "three seeds that are alike": Shared(0.01, Design(rows=1, seed_sd=0.0, items=200)),
    "three seeds, 80 documents": Shared(0.05, Design(rows=1, seed_sd=0.01, units=80)),
}


@pytest.mark.parametrize("rows", [1, 2, 5, 15])
@pytest.mark.parametrize("n", [20, 50, 200, 872, 2000])
def test_families_of_shares_are_wrong_as_seldom_as_is_said(n, rows):
    wrong = enumerated(n, rows, (*SHARES, *np.linspace(0.002, 0.2, 40)))
    assert wrong.max() <= 1 - (1 - tail_of(rows)) ** rows + 1e-6


@pytest.mark.parametrize("rows", [1, 2, 5, 15])
@pytest.mark.parametrize("n", [20, 200, 2000])
def test_no_limit_of_few_cases_is_tighter_than_the_exact_one(n, rows):
    counts = np.array([*range(11), *range(n - 10, n + 1)])
    found = limits_of_counts(counts, n, rows)
    assert np.all(np.diff(found, axis=0) >= 0)
    tail = (1 - 0.95 ** (1 / rows)) / 2
    low, high = stats.beta.ppf(
        [[tail], [1 - tail]], [counts, counts + 1], [n - counts + 1, n - counts]
    )
    assert np.all(found[:, 0] <= np.nan_to_num(low, nan=0.0) + 1e-6)
    assert np.all(found[:, 1] >= np.nan_to_num(high, nan=1.0) - 1e-6)


@pytest.mark.parametrize("tolerance", [0.02, 0.05])
@pytest.mark.parametrize("n", [50, 200, 1000])
def test_a_share_of_half_of_what_is_tolerable_is_an_alarm_in_one_of_forty_studies(n, tolerance):
    """By the rule of `verdicts.risks`: above a half of it, and maybe above all of it."""
    counts = np.arange(n // 4)
    low, high = limits_of_counts(counts, n, 1).T
    alarms = counts[(low > tolerance / 2) & (high > tolerance)]
    chance = {share: stats.binom.pmf(alarms, n, share).sum() for share in (tolerance / 2, 0.15)}
    assert chance[tolerance / 2] <= NOMINAL
    assert chance[0.15] >= (0.8 if n > 50 or tolerance < 0.05 else 0.6)


@pytest.mark.slow
@pytest.mark.parametrize("made", IN_UNITS.values(), ids=IN_UNITS)
def test_shares_of_items_in_documents_and_of_several_seeds(made):
    low, high, _ = simulated(made, studies=STUDIES)
    worst = 0.033
    assert max(low, high) <= worst + 2.33 * (worst * (1 - worst) / STUDIES) ** 0.5


def test_documents_make_a_share_as_wide_as_they_have_items_in_common():
    designs = [Design(rows=1, replicates=1, units=100, likeness=x) for x in (0.01, 0.3, 0.9)]
    halves = [simulated(Shared(0.1, design), studies=6)[2] for design in designs]
    assert halves == sorted(halves)
    assert halves[2] > 1.5 * halves[0]
