"""Drift: tests against other implementations, error rates of equal models, power of a shift."""

from itertools import product

import numpy as np
import pytest

from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.similarity import drift_records as s
from scrutiny.reliability.metrics import metric_of
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.stats.distributions.two_sample import (
    exchanged,
    hamming_mmd,
    hamming_mmd_test,
    label_mmd,
)

LABELS = ("no", "yes")


def texts(counts):
    """Samples ``(sample, 1)`` and prompts ``(sample,)`` of counts ``(item, label)``."""
    codes = [np.repeat(np.arange(row.size), row) for row in counts]
    prompts = np.repeat(np.arange(len(counts)), [c.size for c in codes])
    return np.concatenate(codes)[:, None], prompts


def rows(a, b, rng, exchanges=199):
    """Discrepancies of items and of their exchanges ``(item, 1 + exchange)``."""
    return np.array(
        [
            [float(label_mmd(p, q)), *exchanged(p, q, exchanges=exchanges, rng=rng)]
            for p, q in zip(a, b, strict=True)
        ]
    )


def samples(rng, chances, sizes=(20, 20)):
    """Counts ``(item, 2)`` of both sides."""
    drawn = [rng.binomial(n, chances) for n in sizes]
    return [np.stack([k, n - k], axis=1) for k, n in zip(drawn, sizes, strict=True)]


@pytest.mark.parametrize("sizes", [(20, 20), (6, 11)])
def test_the_discrepancy_is_that_of_the_hamming_kernel_and_its_test_agrees(sizes):
    rng = np.random.default_rng(3)
    a, _ = samples(rng, np.linspace(0.2, 0.7, 8), sizes)
    _, b = samples(rng, np.linspace(0.3, 0.8, 8), sizes)
    made = rows(a, b, rng, exchanges=4000)
    (x, of_x), (y, of_y) = texts(a), texts(b)
    assert made[:, 0].mean() == pytest.approx(hamming_mmd(x, y, prompts=(of_x, of_y)))
    other = hamming_mmd_test(x, y, rng=rng, prompts=(of_x, of_y), permutations=4000)
    (own,) = s.LABEL_MMD.tests(made, None, rng)
    assert own.p_value == pytest.approx(other.p_value, abs=0.035)


def test_the_discrepancy_is_unbiased():
    rng = np.random.default_rng(4)
    a, _ = samples(rng, np.full(20_000, 0.4))
    _, b = samples(rng, np.full(20_000, 0.6))
    assert label_mmd(a, b).mean() == pytest.approx(2 * 0.2**2, abs=0.004)
    _, same = samples(rng, np.full(20_000, 0.4))
    assert label_mmd(a, same).mean() == pytest.approx(0.0, abs=0.002)


def test_the_exchange_of_all_deals_is_the_hypergeometric_distribution():
    """Every deal of two and two labeled samples, by enumeration."""
    pool = np.array([0, 0, 1, 1])
    deals = [d for d in product((0, 1), repeat=4) if sum(d) == 2]
    values = []
    for deal in deals:
        first = np.array([[(pool[i] == k) * deal[i] for i in range(4)] for k in (0, 1)]).sum(axis=1)
        values.append(float(label_mmd(first, np.array([2, 2]) - first)))
    drawn = exchanged(
        np.array([2, 0]), np.array([0, 2]), exchanges=6000, rng=np.random.default_rng(0)
    )
    assert drawn.mean() == pytest.approx(np.mean(values), abs=0.04)
    assert (drawn == 2.0).mean() == pytest.approx(np.mean(np.array(values) == 2.0), abs=0.02)


def p_values(shift, cases=300):
    """Of both exchange tests, samples and log-probabilities, with a shift of the target."""
    found = []
    for case in range(cases):
        rng = np.random.default_rng([7, case])
        chances = rng.uniform(0.2, 0.7, size=25)
        a, _ = samples(rng, chances)
        _, b = samples(rng, chances + shift)
        (mmd,) = s.LABEL_MMD.tests(rows(a, b, rng, exchanges=99), None, rng)
        one, again, other = 0.2 * rng.normal(size=(3, 25))
        distances = np.stack([np.abs(other + 3 * shift - one), np.abs(again - one)], axis=1)
        (logs,) = metric_of("beyond(logprob_distance)").tests(distances, None, rng)
        found.append((mmd.p_value, logs.p_value))
    return np.array(found)


def test_equal_models_are_told_apart_in_one_case_of_twenty():
    share = (p_values(0.0) <= 0.05).mean(axis=0)
    assert (share <= 0.08).all()  # .05 and more than two standard errors of 300 cases
    assert (share >= 0.02).all()


def test_a_shift_is_told():
    assert ((p_values(0.15, cases=60) <= 0.05).mean(axis=0) > 0.8).all()


class Box(Model):
    """Noisy probabilities, or shares of 20 samples, of a yes that depends on the item."""

    task, labels, is_batch_invariant = "text-classification", LABELS, False
    capabilities = frozenset({"predict"})
    source = "toy"

    def __init__(self, stream, *, is_sampled, shift=0.0):
        self._rng, self._shift = np.random.default_rng(stream), shift
        self.n_samples = 20 if is_sampled else None

    def predict(self, examples):
        return [self._answer(example) for example in examples]

    def _answer(self, example: Example):
        p = 0.2 + 0.5 * (int(example.text.split()[-1]) % 10) / 10 + self._shift
        if self.n_samples:
            p = self._rng.binomial(self.n_samples, p) / self.n_samples
        else:
            p = float(np.clip(p + 0.03 * self._rng.normal(), 0.01, 0.99))
        return Prediction(LABELS[int(p > 0.5)], (1 - p, p))


def verdicts(out, stream, cases, *, is_sampled, shift=0.0):
    """Verdicts on so many datasets of 30 items each, of one run of two boxes."""
    models = {
        "a": Box([stream, 0], is_sampled=is_sampled),
        "b": Box([stream, 1], is_sampled=is_sampled, shift=shift),
    }
    data = {
        f"x{case}": [
            {"id": f"i{n}", "text": f"text {case} {n}", "label": LABELS[n % 2]} for n in range(30)
        ]
        for case in range(cases)
    }
    plan = Plan(
        resampling=Resampling(draws=200),
        data=tuple(DataPlan(name, f"object:{name}") for name in data),
        models=tuple(ModelPlan(n, f"python:object:{n}") for n in models),
        measure=(MeasurePlan("d", "similarity.drift", ("b",), tuple(data), reference="a"),),
    )
    resolved = resolve(plan, data=data, models=models)
    folder = run_plan(resolved, out, options=RunOptions(), models=models)
    found = {finding.claim.id: finding.verdict for finding in folder.findings()}
    return [found[f"d/b/{name}/told-apart"] for name in data]


@pytest.mark.slow
@pytest.mark.parametrize("is_sampled", [False, True])
def test_verdicts_of_equal_models_are_wrong_in_one_case_of_twenty_at_most(tmp_path, is_sampled):
    found = verdicts(tmp_path / "equal", 11, 40, is_sampled=is_sampled)
    assert found.count("supported") <= 5  # more than 5 of 40 have a chance of .01 at .05
    shifted = verdicts(tmp_path / "shifted", 12, 5, is_sampled=is_sampled, shift=0.3)
    assert shifted.count("supported") >= 4
