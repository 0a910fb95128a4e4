"""The binomial distribution by itself, against scipy's and by hand."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import scipy
from scipy import stats

from scrutiny.stats.significance import binomial

FUNCTIONS = ("pmf", "cdf", "sf")


@pytest.fixture
def _without_the_short_way(monkeypatch):
    monkeypatch.setattr(scipy.special, "_ufuncs", SimpleNamespace())
    binomial._functions.cache_clear()
    yield
    binomial._functions.cache_clear()


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("p", [0.0, 0.3, 0.5, 1.0])
def test_as_scipy_has_it_to_the_digit(name, p):
    for n in (0, 1, 2, 5, 6, 99, 640, 10_000):
        k = np.arange(-2, min(n, 999) + 3)
        expected = getattr(stats.binom, name)(k, n, p)
        assert np.array_equal(getattr(binomial, name)(k, n, p), expected)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.usefixtures("_without_the_short_way")
def test_a_scipy_that_names_them_otherwise_answers_the_same(name):
    k = np.arange(-2, 12)
    found = getattr(binomial, name)(k, 9, 0.5)
    assert found == pytest.approx(getattr(stats.binom, name)(k, 9, 0.5))


def test_by_hand():
    assert binomial.pmf(1, 6, 0.5) == pytest.approx(6 / 64)
    assert binomial.cdf(1, 6, 0.5) == pytest.approx(7 / 64)
    assert binomial.sf(1, 6, 0.5) == pytest.approx(57 / 64)


def test_tests_of_single_replicates_load_no_other_distributions():
    code = (
        "import sys; from scrutiny.stats.agreement.flips import flips;"
        "from scrutiny.stats.significance.exact_tests import mcnemar;"
        "from scrutiny.stats.intervals.seed_error import Spread, variance_ratio;"
        "mcnemar(1, 5); flips([[1, 0, 1], [1, 0, 0]]);"
        "variance_ratio(Spread(3.0, 1.0, 5), Spread(1.0, 1.0, 5));"
        "sys.exit('scipy.stats' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
