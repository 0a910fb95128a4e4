"""Doctor of simulated endpoints: alarms of two copies of one, and power against another."""

import numpy as np
import pytest

from scrutiny.models.http.doctor.examining import check_same_model, examine
from scrutiny.stats.significance.combined_tests import ExchangeTest
from simulated_endpoint import Simulated, asker

LOUD = 2.0  # noise of logits: answers of one endpoint differ as much as those of two models


def test_two_copies_of_a_loud_endpoint_are_seldom_called_different():
    """A check that is wrong once in five, and promises once in twenty, fails this in 99 %."""
    alarms = 0
    for run in range(100):
        one, other = (asker(Simulated(noise=LOUD, seed=2 * run + copy)) for copy in (0, 1))
        one.gives_logs = other.gives_logs = True
        found = check_same_model(one, other, questions=12, level=0.95)
        alarms += found.state == "fault"
    assert alarms <= 100 * 0.05 + 2.33 * (100 * 0.05 * 0.95) ** 0.5


def test_two_copies_of_one_endpoint_raise_few_alarms_of_any_kind():
    """At most one of twenty examinations, which have ten checks each."""
    alarms = []
    for run in range(20):
        pair = (Simulated(noise=LOUD, seed=2 * run), Simulated(noise=LOUD, seed=2 * run + 1))
        found = examine(*map(asker, pair), questions=9, level=0.99)
        alarms += [(run, one.check) for one in found if one.state == "fault"]
    assert len({run for run, _ in alarms}) <= 1, alarms


@pytest.mark.parametrize(
    ("make", "least"),
    [
        (lambda seed: Simulated("two", noise=0.02, seed=seed), 1.0),
        (lambda seed: Simulated(grid=1.5, noise=0.02, seed=seed), 0.95),
    ],
    ids=["another model", "a coarsely quantized twin"],
)
def test_others_are_found(make, least):
    states = []
    for run in range(40):
        one, other = asker(Simulated(noise=0.02, seed=run)), asker(make(1000 + run))
        one.gives_logs = other.gives_logs = True
        states.append(check_same_model(one, other, questions=9, level=0.99).state)
    assert np.mean([state == "fault" for state in states]) >= least


@pytest.mark.parametrize("tail", [None, 1.0], ids=["normal", "heavy"])
def test_equal_sources_are_told_apart_no_more_often_than_stated(tail):
    """However noisy answers are, and however long one goes on: at most the level."""
    rng = np.random.default_rng(3)
    level, wrong = 0.9, 0
    for _ in range(500):
        test = ExchangeTest(level)
        for _ in range(25):
            shape = (4, 5)
            x = rng.standard_normal(shape) if tail is None else rng.standard_t(tail, shape)
            x *= rng.integers(0, 2)  # on half of the questions all answers are the same
            apart = np.abs(x[:, None] - x[None]).sum(-1)
            test.add([apart[0, 1], apart[2, 3]], apart[:2, 2:].ravel())
        wrong += test.differs
    assert wrong / 500 <= 0.1 + 3 * np.sqrt(0.1 * 0.9 / 500)


@pytest.mark.parametrize(("shift", "least"), [(1.0, 0.85), (2.0, 0.99)])
def test_power_against_noise_of_the_size_of_the_difference(shift, least):
    """Eleven questions tell sources apart whose answers differ as much as each differs itself."""
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(400):
        test = ExchangeTest(0.99)
        for _ in range(11):
            x = rng.standard_normal((4, 20))
            x[2:] += shift * rng.choice([-1.0, 1.0], 20)
            apart = np.abs(x[:, None] - x[None]).sum(-1)
            test.add([apart[0, 1], apart[2, 3]], apart[:2, 2:].ravel())
        found += test.differs
    assert found / 400 >= least
