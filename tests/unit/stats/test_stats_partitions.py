"""Splits as bits: all of them, a sample of them, and sums over the first group."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association.partitions import partitions


@pytest.mark.parametrize(("n", "first"), [(2, 1), (7, 3), (8, 4), (9, 1), (17, 2)])
def test_all_splits_are_those_of_itertools(n, first):
    values = 2.0 ** np.arange(n)
    table = partitions(n, first)
    wanted = [sum(values[list(chosen)]) for chosen in combinations(range(n), first)]
    assert table.is_exact
    assert table.sums(values).tolist() == wanted


def test_a_sample_has_groups_of_the_right_size_and_every_unit_equally_often():
    table = partitions(40, 10, most=20_001)
    assert not table.is_exact
    assert (len(table), table.n, table.first) == (20_000, 40, 10)
    assert set(table.sums(np.ones(40)).tolist()) == {10.0}
    share = [table.sums(np.eye(40)[unit]).mean() for unit in range(40)]
    assert np.abs(np.array(share) - 0.25).max() < 5 * (0.25 * 0.75 / 20_000) ** 0.5


def test_pairs_of_units_come_together_as_often_as_they_should():
    table = partitions(12, 6, most=900)  # C(12, 6) = 924
    both = (table.sums(np.eye(12)[0]) * table.sums(np.eye(12)[1])).mean()
    assert both == pytest.approx(6 * 5 / (12 * 11), abs=0.06)


def test_exact_up_to_the_limit_and_sampled_beyond():
    assert comb(18, 9) < 100_000 < comb(20, 10)
    assert partitions(18, 9).is_exact
    assert len(partitions(18, 9)) == comb(18, 9)
    assert not partitions(20, 10).is_exact
    assert len(partitions(20, 10)) == 99_999


def test_tables_are_kept_and_cannot_be_changed():
    table = partitions(16, 8)
    assert partitions(16, 8) is table
    with pytest.raises(ValueError, match="read-only"):
        table.bits[0, 0] = 1


def test_few_choices_of_very_many_units_are_sampled_because_the_table_would_be_huge():
    table = partitions(8_000, 1, most=8_001)  # 64 million entries
    assert (table.is_exact, len(table)) == (False, 8_000)


@pytest.mark.parametrize("first", [0, 4, 5])
def test_a_group_must_not_be_empty(first):
    with pytest.raises(StatisticsError, match="leaves a group empty"):
        partitions(4, first)


def test_values_of_another_length_are_refused():
    with pytest.raises(StatisticsError, match=r"\(4,\) needed"):
        partitions(4, 2).sums(np.ones(5))
