"""Variance budgets: closed forms, invariances, planted truth and edges."""

import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.intervals.variance_budget import budget_ranges, variance_budget


def test_two_factors_are_the_textbook_s() -> None:
    """Items by wordings with repeats: the expected mean squares of a two-way random layout."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(1, 7, 5, 3))
    n, k, r = 7, 5, 3
    cells = values[0].mean(axis=2)
    grand, rows, columns = cells.mean(), cells.mean(axis=1), cells.mean(axis=0)
    ms_items = k * r * ((rows - grand) ** 2).sum() / (n - 1)
    ms_wordings = n * r * ((columns - grand) ** 2).sum() / (k - 1)
    rest = cells - rows[:, None] - columns[None] + grand
    ms_both = r * (rest**2).sum() / ((n - 1) * (k - 1))
    ms_within = ((values[0] - cells[..., None]) ** 2).sum() / (n * k * (r - 1))
    expected = {
        "items": max(0.0, (ms_items - ms_both) / (k * r)),
        "wordings": max(0.0, (ms_wordings - ms_both) / (n * r)),
        "items x wordings": max(0.0, (ms_both - ms_within) / r),
        "repeats": ms_within,
    }
    found = variance_budget(values)
    assert found.of_one == pytest.approx(expected)
    divided = {"items": 7, "wordings": 5, "items x wordings": 35, "repeats": 105}
    assert found.of_mean == pytest.approx({k: v / divided[k] for k, v in expected.items()})


def test_items_alone_are_the_usual_standard_error() -> None:
    hits = np.array([1.0, 0, 1, 1, 0, 1, 1, 1, 0, 1])
    found = variance_budget(hits.reshape(1, -1, 1, 1))
    assert found.error == pytest.approx(hits.std(ddof=1) / np.sqrt(10))
    assert found.shares == {"items": 1.0}
    assert found.largest == "items"
    assert found.halved_by("items") == 40
    assert found.halved_by("wordings") is None


def test_they_are_the_estimates_of_a_mixed_model() -> None:
    """Restricted maximum likelihood of a balanced layout has its maximum at these components."""
    rng = np.random.default_rng(8)
    n, k, r = 8, 5, 2
    values = rng.normal(size=(1, n, 1, 1)) + rng.normal(size=(1, 1, k, 1))
    values = values + rng.normal(size=(1, n, k, 1)) + rng.normal(size=(1, n, k, r))
    found = np.array([*variance_budget(values).of_one.values()])
    assert found.min() > 0
    item, wording, _ = (axis.ravel() for axis in np.indices((n, k, r)))
    ones, cell = np.ones((n * k * r, 1)), item * k + wording
    alike = [(one[:, None] == one).astype(float) for one in (item, wording, cell)]
    parts = [*alike, np.eye(len(cell))]

    def restricted(components: np.ndarray) -> float:
        whole = sum(own * part for own, part in zip(components, parts, strict=True))
        inverse = np.linalg.inv(whole)
        information = ones.T @ inverse @ ones
        projected = inverse - inverse @ ones @ np.linalg.inv(information) @ ones.T @ inverse
        y = values.ravel()
        logs = np.linalg.slogdet(whole)[1] + np.linalg.slogdet(information)[1]
        return float(-(logs + y @ projected @ y) / 2)

    steps = 1e-4 * np.eye(4)
    slopes = [(restricted(found + s) - restricted(found - s)) / 2e-4 for s in steps]
    assert np.abs(slopes).max() < 1e-5
    assert all(restricted(found * factor) < restricted(found) for factor in (0.8, 1.25))


def test_components_are_unbiased_on_planted_truth() -> None:
    rng = np.random.default_rng(1)
    sds = {"seeds": 0.3, "items": 1.0, "wordings": 0.5, "items x wordings": 0.7, "repeats": 0.4}
    shapes = {
        "seeds": (3, 1, 1, 1),
        "items": (1, 40, 1, 1),
        "wordings": (1, 1, 6, 1),
        "items x wordings": (1, 40, 6, 1),
        "repeats": (3, 40, 6, 2),
    }
    found = [
        variance_budget(sum(sds[k] * rng.normal(size=shapes[k]) for k in sds)).of_one
        for _ in range(300)
    ]
    for name, sd in sds.items():
        assert np.mean([one[name] for one in found]) == pytest.approx(sd**2, rel=0.12)
    assert np.mean([one["seeds x items"] for one in found]) < 0.005


def test_shifts_and_units_change_nothing_but_the_scale() -> None:
    values = np.random.default_rng(5).normal(size=(2, 9, 4, 2))
    plain, scaled = variance_budget(values), variance_budget(100 * values + 7)
    assert scaled.shares == pytest.approx(plain.shares)
    assert scaled.error == pytest.approx(100 * plain.error)
    moved = variance_budget(values[:, ::-1, [2, 0, 3, 1]])
    assert moved.of_one == pytest.approx(plain.of_one)


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (1, 5, 3, 2), (3, 4, 2, 1)])
def test_answers_that_are_all_equal_have_no_error(shape: tuple[int, ...]) -> None:
    found = variance_budget(np.ones(shape))
    assert found.error == 0.0
    assert found.largest == ""
    assert found.shares == {}
    assert found.halved_by("items") is None
    ranges = budget_ranges(np.ones(shape), np.random.default_rng(0), draws=20)
    assert all(ends == (0.0, 0.0) for ends in ranges.values())


def test_more_of_what_matters_halves_the_error() -> None:
    """Sixteen wordings for four: the error of a score in which nothing else varies is half."""
    values = np.broadcast_to(np.array([0.0, 1, 2, 4]).reshape(1, 1, 4, 1), (1, 10, 4, 1))
    found = variance_budget(values)
    assert found.largest == "wordings"
    assert found.halved_by("wordings") == 16
    assert found.halved_by("items") is None
    assert found.error_with("wordings", 4) == pytest.approx(found.error / 2)
    assert found.error_with("items", 4) == pytest.approx(found.error)


def test_ranges_hold_the_planted_share() -> None:
    """In at least 32 of 40 studies of six wordings (95 % expected)."""
    rng = np.random.default_rng(2)
    truth = np.array([1 / 60, 0.3**2 / 6, 0.5**2 / 360, 0.5**2 / 720])
    truth /= truth.sum()
    inside = np.zeros(4)
    for _ in range(40):
        values = rng.normal(size=(1, 60, 1, 1)) + 0.3 * rng.normal(size=(1, 1, 6, 1))
        values = values + 0.5 * rng.normal(size=(1, 60, 6, 1))
        values = values + 0.5 * rng.normal(size=(1, 60, 6, 2))
        ranges = budget_ranges(values, rng, draws=100).values()
        inside += [low <= own <= high for (low, high), own in zip(ranges, truth, strict=True)]
    assert inside.min() >= 32


def test_gaps_and_nothing_are_refused() -> None:
    with pytest.raises(StatisticsError):
        variance_budget(np.full((1, 2, 2, 1), np.nan))
    with pytest.raises(StatisticsError):
        variance_budget(np.zeros((1, 0, 2, 1)))
