"""Holm over the tests of one replicate."""

import pytest

from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import Counts
from scrutiny.reliability.replicates import with_holm


def row(p, group, *, replicate="{}", condition=None, metric="word_permutation@1", across=None):
    return Estimate(
        key=EstimateKey(
            "association.seat@1#1",
            metric,
            "m",
            "d",
            replicate=replicate,
            condition=condition or {"representation": "mean"},
            group=group,
        ),
        value=p,
        low=None,
        high=None,
        level=0.95,
        method="permutation exact@1",
        counts=Counts(8),
        n_units=8,
        across={"smallest_p": 0.001} if across is None else across,
    )


def test_tests_of_one_replicate_and_condition_are_a_family():
    rows = [row(0.01, "a"), row(0.04, "b"), row(0.03, "c")]
    found = with_holm(rows)
    assert [f.across["holm"] for f in found] == pytest.approx([0.03, 0.06, 0.06])
    assert {f.across["n_tests"] for f in found} == {3.0}
    assert [f.value for f in found] == [0.01, 0.04, 0.03]
    assert "holm" not in rows[0].across


def test_other_replicates_conditions_and_metrics_are_not_of_the_family():
    rows = [
        row(0.01, "a"),
        row(0.01, "a", replicate='{"seed":1}'),
        row(0.01, "a", condition={"representation": "cls"}),
        row(0.01, "a", metric="sentence_permutation@1"),
        row(0.02, "b"),
    ]
    found = with_holm(rows)
    assert [f.across.get("holm") for f in found] == [0.02, None, None, None, 0.02]


def test_what_is_no_test_stays_as_it_is():
    rows = [
        row(1.2, "a", metric="icat@1", across={}),
        row(None, "b"),
        row(0.01, "c"),
    ]
    assert with_holm(rows) == rows
