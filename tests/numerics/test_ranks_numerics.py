"""Ranks of simulated boards: ranges cover all true ranks at once, and narrow with the gaps."""

import numpy as np
import pytest

from scrutiny.stats.intervals.ranks import ranks
from scrutiny.stats.resampling.resample import resample

BOARDS = 150
#: Abilities on the logit scale, items, seeds of each system, and how far seeds scatter.
WORLDS = {
    "all equal": ([1.0] * 5, 200, 1, 0.0),
    "equal, few misses": ([4.0] * 5, 200, 1, 0.0),
    "two equal behind one, and one far behind": ([2.0, 1.0, 1.0, 1.0, 0.3], 300, 1, 0.0),
    "a dozen items": ([1.0] * 4, 12, 1, 0.0),
    "three seeds each": ([1.0, 1.0, 1.0, 0.2], 200, 3, 0.3),
}


def simulated(g, abilities, n, seeds, scatter):
    """Ranks on one draw of items, which are harder or easier for all systems."""
    able = np.repeat(abilities, seeds) + g.normal(0, scatter, len(abilities) * seeds)
    right = g.random((able.size, n)) < 1 / (1 + np.exp(1.5 * g.normal(size=n) - able[:, None]))
    drawn = resample(right[..., None], lambda s, w: s[..., 0, 0] / n, rng=g, draws=500)
    sides = [drawn.select(list(range(i, i + seeds))) for i in range(0, able.size, seeds)]
    return ranks(sides, rng=g)


def covers(found, abilities):
    """Whether every range holds all ranks that the system has, equal ones sharing theirs."""
    able = np.array(abilities)
    best = 1 + (able > able[:, None]).sum(axis=1)
    worst = able.size - (able < able[:, None]).sum(axis=1)
    return bool(((found.low <= best) & (found.high >= worst)).all())


@pytest.mark.slow
def test_ranges_cover_the_true_ranks_of_all_systems_at_once():
    covered = {}
    for place, (name, world) in enumerate(WORLDS.items()):
        g = np.random.default_rng(place)
        covered[name] = sum(covers(simulated(g, *world), world[0]) for _ in range(BOARDS)) / BOARDS
    assert np.mean(list(covered.values())) >= 0.95, covered
    assert min(covered.values()) >= 0.92, covered  # .95 less two errors of 150 boards


@pytest.mark.slow
def test_ranges_narrow_with_true_gaps_and_more_items():
    widths = {}
    for gap, n in ((0.0, 300), (0.2, 300), (0.2, 1200), (0.6, 1200)):
        g = np.random.default_rng(7)
        boards = [simulated(g, gap * np.arange(5), n, 1, 0.0) for _ in range(30)]
        widths[gap, n] = float(np.mean([(one.high - one.low).mean() for one in boards]))
    assert widths[0.0, 300] > 3.8
    assert widths[0.0, 300] > widths[0.2, 300] > widths[0.2, 1200] > widths[0.6, 1200], widths
    assert widths[0.6, 1200] < 0.1
