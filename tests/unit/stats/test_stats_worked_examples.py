"""Tests and intervals on the worked examples of the survey, whose values others computed."""

import json

import pytest

from scrutiny.stats.intervals.interval import wilson
from scrutiny.stats.significance.exact_tests import mcnemar_mid_p


@pytest.fixture
def told(shared_data):
    path = shared_data("survey_worked_examples") / "worked_examples.json"
    return json.loads(path.read_text(encoding="utf-8"))


def test_mid_p_of_mcnemar(told):
    for one in told["mcnemar_midp"]:
        b, c = one["b"], one["c"]
        assert float(mcnemar_mid_p([b], [b + c])[0]) == pytest.approx(one["midp"], abs=1e-9)


def test_wilson_intervals(told):
    for one in told["wilson95"]:
        found = wilson(round(one["acc"] * one["n"]), one["n"])
        assert (found.low, found.high) == pytest.approx((one["lo"], one["hi"]), abs=1e-5)
