"""Simulated attacks with a known rate of success: how often the intervals hold the truth."""

import numpy as np
import pytest
from planted_families import coverage, error, interval, preferred

from scrutiny.diagnostics.attack.attack_metrics import ATTACK_SUCCESS, VALID_ATTACK_SUCCESS
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.statistics import measures_of

STUDIES = 200


def attacked_and_success(rng, share, items, *, accuracy=0.85, seed_sd=0.03):
    """``(replicate, item)`` of whether an item is attacked, and of whether the attack succeeds."""
    attacked = preferred(rng, accuracy, items, seed_sd=0.01)
    return attacked, attacked * preferred(rng, share, items, seed_sd=seed_sd)


def holds(found, low=0.93, high=0.985):
    spread = 2 * error(0.95, STUDIES)
    return low - spread <= found <= min(1.0, high + spread)


@pytest.mark.parametrize(("share", "items"), [(0.7, 60), (0.7, 200), (0.2, 200)])
def test_success_is_covered_whatever_each_replicate_got_wrong(share, items):
    found = coverage(
        lambda rng, study: interval(
            ATTACK_SUCCESS, np.stack(attacked_and_success(rng, share, items), axis=-1), study
        ),
        share,
        studies=STUDIES,
    )
    assert holds(found), found


def test_the_excess_over_random_change_is_covered():
    def study(rng, number):
        attacked, success = attacked_and_success(rng, 0.6, 150)
        at_random = attacked * preferred(rng, 0.25, 150)
        table = np.stack([attacked, success, attacked, at_random], axis=-1)
        return interval(metric_of("beyond(attack_success)"), table, number)

    found = coverage(study, 0.35, studies=STUDIES)
    assert holds(found), found


def test_valid_success_is_covered_where_a_third_is_rated():
    def study(rng, number):
        attacked, success = attacked_and_success(rng, 0.7, 200)
        rated = rng.random(success.shape) < 1 / 3
        valid = rng.beta(2, 6, success.shape)  # mean 1/4
        return interval(
            VALID_ATTACK_SUCCESS, np.stack([attacked, success, rated, valid], axis=-1), number
        )

    found = coverage(study, 0.7 / 4, studies=STUDIES)
    assert holds(found), found


def test_the_median_of_texts_asked_is_covered():
    def study(rng, number):
        attacked = preferred(rng, 0.85, 101, replicates=1, seed_sd=0.0)
        asked = np.floor(np.exp(4 + rng.standard_normal(attacked.shape)))
        return interval(
            metric_of("median(asked)", measures_of("attack@1")),
            np.stack([asked, attacked], axis=-1),
            number,
        )

    found = coverage(study, float(np.floor(np.exp(4))) + 0.5, studies=STUDIES)
    assert holds(found, low=0.91), found
