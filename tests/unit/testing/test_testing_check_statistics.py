import numpy as np
import pytest

from scrutiny.core.errors import ConformanceError
from scrutiny.core.statistic import AdditiveStatistic, RefitStatistic, WeightedStatistic
from scrutiny.diagnostics.attention.regression import OfRegression
from scrutiny.reliability.metrics import metric_of, usual_metrics
from scrutiny.testing import check_statistic
from scrutiny.testing.check_reporting import sample_measures


class Mean(AdditiveStatistic):
    def components(self, measures):
        return np.concatenate([measures, np.ones_like(measures)], axis=-1)

    def value(self, sums, weight):
        with np.errstate(invalid="ignore"):
            return (sums[..., 0] / sums[..., 1])[..., 0]


class Median(WeightedStatistic):
    def weighted(self, measures, weights):
        return np.array([np.median(np.repeat(measures[:, 0], w.astype(int))) for w in weights])


class Range(RefitStatistic):
    def refit(self, measures):
        return float(np.ptp(measures[:, 0]))


def made(kind, **more):
    return kind(f"{kind.__name__.lower()}@1", "of x", ("x",), **more)


@pytest.mark.parametrize("name", usual_metrics())
def test_built_in_ones_conform(name):
    statistic = metric_of(name)
    # sums of a regression: six of the predictors and four of a head
    is_regression = isinstance(statistic, OfRegression)
    check_statistic(statistic, sample_measures(10) if is_regression else None)


@pytest.mark.parametrize("statistic", [made(Mean), made(Median), made(Range)], ids=lambda s: s.id)
def test_sound_ones_of_each_kind(statistic):
    check_statistic(statistic)
    check_statistic(statistic, np.linspace(-1, 4, 17)[:, None])


def test_samples_have_every_combination():
    assert len({tuple(row) for row in sample_measures(3)}) == 8


class Rank(Mean):
    def components(self, measures):
        ranks = measures.argsort(axis=-2).astype(float)
        return np.concatenate([ranks, np.ones_like(measures)], axis=-1)


class Flat(Mean):
    def components(self, measures):
        return measures.sum(axis=0)


class NoLeadingAxes(Mean):
    def components(self, measures):
        return super().components(measures.reshape(-1, 1))


class ZeroOfNothing(Mean):
    def value(self, sums, weight):
        return np.nan_to_num(super().value(sums, weight))


class WrongShape(Mean):
    def value(self, sums, weight):
        return super().value(sums, weight)[..., None]


class AcrossDraws(Mean):
    def value(self, sums, weight):
        found = super().value(sums, weight)
        return found - found.mean() * (len(found) > 1)


class NoRepetition(Median):
    def weighted(self, measures, weights):
        return np.array([np.average(measures[:, 0] * (w > 0)) for w in weights])


class FirstRow(Median):
    def weighted(self, measures, weights):
        return np.array([np.repeat(measures[:, 0], w.astype(int))[0] for w in weights])


class LastRow(Range):
    def refit(self, measures):
        return float(measures[-1, 0])


class Sorting(Range):
    def refit(self, measures):
        measures.sort(axis=0)
        return super().refit(measures)


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (
            made(Mean, scale="log"),
            "scale is 'log'; it is one of identity, ",
        ),
        (made(Rank), "components of a row depend on the other rows"),
        (made(Flat), r"not \(row, …\)"),
        (made(NoLeadingAxes), "keep the leading axes"),
        (made(ZeroOfNothing), r"without any row its value is 0\.0, not NaN"),
        (made(WrongShape), r"has the shape \(1, 1\), not \(1,\)"),
        (made(AcrossDraws), "a draw's value depends on the other draws"),
        (made(NoRepetition), "rows of weight 0, 1, 2"),
        (made(FirstRow), "the order of the rows changes its value"),
        (made(LastRow), "the order of the rows changes its value"),
        (made(Sorting), "it changed the measures"),
        (object(), "object is no statistic. A statistic is of a subclass"),
    ],
    ids=lambda x: type(x).__name__ if not isinstance(x, str) else None,
)
def test_broken_promises_are_said(broken, sentence):
    with pytest.raises(ConformanceError, match=sentence):
        check_statistic(broken)
