"""Reviews of tables without and with effects: error rates of their states, coverage of limits."""

import numpy as np
import pytest

from scrutiny.run.importing.published_review import BETTER, WORSE, review
from scrutiny.run.importing.published_tables import read_published
from scrutiny.stats.intervals.two_way import two_way

pytestmark = pytest.mark.slow


def table(folder, rng, *, loss=0.0, rows=40, n=500):
    """Table of models of which each loses the same share of its right answers."""
    lines = ["model,before,after,items"]
    for row in range(rows):
        before = rng.binomial(n, 0.8)
        after = rng.binomial(n, 0.8 * (1 - loss))  # as if of other items: the least that pairs show
        lines.append(f"m{row},{before / n},{after / n},{n}")
    path = folder / "table.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return review(read_published(str(path))).differences


def test_tables_without_an_effect_show_one_in_few(tmp_path):
    rng = np.random.default_rng(0)
    found = [table(tmp_path, rng) for _ in range(200)]
    assert sum(one.count(WORSE) + one.count(BETTER) > 0 for one in found) <= 200 * 0.05 + 7


def test_losses_are_found(tmp_path):
    rng = np.random.default_rng(1)
    found = table(tmp_path, rng, loss=0.2)
    assert found.count(WORSE) >= 36
    assert found.count(BETTER) == 0


@pytest.mark.parametrize(("models", "data"), [(3, 3), (6, 1), (8, 4)])
def test_limits_hold_the_median_of_other_models_and_datasets(models, data):
    hits = 0
    own, of = np.repeat(np.arange(models), data), np.tile(np.arange(data), models)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=models)[own] + rng.normal(size=own.size)
        values += rng.normal(size=data)[of] * (data > 1)
        found = two_way(values, [own, of], rng=rng, draws=300)
        hits += found.low <= 0 <= found.high
    assert hits >= 200 * 0.92
