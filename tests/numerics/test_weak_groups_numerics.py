"""Slice search on planted truth: false discoveries, power, and coverage of its intervals."""

import numpy as np
import pytest

from scrutiny.stats.significance.weak_groups import Residuals, weak_groups

SETS = 200


def candidates(g, n, hidden=None):
    """Twenty-two slices of one condition, and all two of them."""
    singles = [g.random(n) < share for share in np.linspace(0.05, 0.5, 12)]
    for value in g.random((5, n)):
        singles += [value < 1 / 3, value > 2 / 3]
    if hidden is not None:
        singles[0] = hidden
    pairs = [a & b for i, a in enumerate(singles) for b in singles[i + 1 :]]
    masks = np.array([*singles, *pairs])
    return masks, np.repeat([0.0, 1.0], [len(singles), len(pairs)])


def searched(seed, *, is_planted, n=2000, level=0.95):
    g = np.random.default_rng(seed)
    hidden = np.zeros(n, np.bool_)
    hidden[g.choice(n, 200, replace=False)] = is_planted
    masks, handicap = candidates(g, n, hidden if is_planted else None)
    hits = (g.random(n) < level - 0.1 * hidden).astype(float)
    found = weak_groups(Residuals(hits, np.ones(n)), masks, g, handicap=handicap)
    return found, masks, hidden


@pytest.mark.slow
def test_no_bad_slice_is_called_one_in_19_of_20_data_sets():
    wrong = sum(bool(searched(seed, is_planted=False)[0].found) for seed in range(SETS))
    assert wrong <= 0.05 * SETS + 1.645 * (0.05 * 0.95 * SETS) ** 0.5


@pytest.mark.slow
def test_a_slice_of_200_items_that_is_ten_points_worse_is_found_in_four_of_five():
    found, false, covered, told = 0, 0, 0, 0
    for seed in range(SETS):
        search, masks, hidden = searched(1000 + seed, is_planted=True)
        shares = [
            (masks[one.place] & hidden).sum() / (masks[one.place] | hidden).sum()
            for one in search.found
        ]
        found += any(share >= 0.5 for share in shares)
        false += any(share < 0.1 for share in shares)
        for one in search.found:
            if (masks[one.place] == hidden).all():
                told += 1
                covered += one.low <= -0.1 <= one.high
    assert found >= 0.8 * SETS
    assert false <= 0.05 * SETS + 1.645 * (0.05 * 0.95 * SETS) ** 0.5
    assert covered >= 0.9 * told
