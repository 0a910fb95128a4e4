"""Calibration by hand, its calibrated twin, and the reliability curve of the page."""

import numpy as np
import pytest
from toy_runs import estimate, run

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import PlanError
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.calibration.calibration import (
    CALIBRATION_ERROR,
    Calibration,
    CalibrationParams,
    drawn_label,
)
from scrutiny.diagnostics.calibration.reliability_curve import PART, part
from scrutiny.report.load import load_view
from scrutiny.testing import check_diagnostic, check_part, check_statistic

LABELS = ("negative", "positive")


class Sure:
    """As sure of "positive" as the number in the text says."""

    labels = LABELS

    def predict(self, texts):
        return [self._answer(float(text.split()[0])) for text in texts]

    def _answer(self, p):
        return Prediction(LABELS[int(p >= 0.5)], (1 - p, p))


def rows(*bins):
    """Items of confidence p, of which a share is right."""
    found = []
    for p, n, right in bins:
        golds = ["positive"] * right + ["negative"] * (n - right)
        found += [(f"{p} of {len(found) + i}", gold) for i, gold in enumerate(golds)]
    return [{"id": f"i{n}", "text": t, "label": g} for n, (t, g) in enumerate(found)]


OVERSURE = rows((0.95, 40, 30), (0.65, 60, 27))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return run("calibration", Sure(), OVERSURE, tmp_path_factory.mktemp("calibration"))


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(Calibration())
    check_statistic(CALIBRATION_ERROR.of("15"))


def test_error_sign_and_brier_score_by_hand(folder):
    of_bins = 0.4 * abs(0.95 - 0.75) + 0.6 * abs(0.65 - 0.45)
    assert estimate(folder, "calibration_error(15)").value == pytest.approx(of_bins)
    signed = 0.4 * (0.95 - 0.75) + 0.6 * (0.65 - 0.45)
    assert estimate(folder, "mean(overconfidence)").value == pytest.approx(signed)
    brier = 2 * (30 * 0.05**2 + 10 * 0.95**2 + 27 * 0.35**2 + 33 * 0.65**2) / 100
    assert estimate(folder, "mean(brier)").value == pytest.approx(brier)
    assert folder.findings()[0].verdict == "hurts"


def test_a_calibrated_model_is_no_worse_than_its_twin(tmp_path):
    even = rows((0.95, 40, 38), (0.65, 60, 39))
    calibrated = run("calibration", Sure(), even, tmp_path)
    assert estimate(calibrated, "calibration_error(15)").value == pytest.approx(0)
    assert estimate(calibrated, "beyond(calibration_error(15))").value < 0
    assert calibrated.findings()[0].verdict in ("holds", "can't tell")


def test_a_border_belongs_to_the_bin_below_it_and_errors_do_not_cancel_across_bins():
    measures = np.array([[0.5, 1.0], [0.5, 0.0], [0.75, 1.0], [1.0, 0.0]])
    error = CALIBRATION_ERROR.of("2")
    sums = error.components(measures).sum(axis=0)
    assert sums.tolist() == [0.0, 0.75, 4.0]
    assert CALIBRATION_ERROR.of("4").components(measures)[:, :4].sum(axis=0).tolist() == [
        *(0.0, 0.0),
        *(-0.25, 1.0),
    ]
    for bins in ("1", "many"):
        with pytest.raises(PlanError, match="a number of bins"):
            CALIBRATION_ERROR.of(bins)


def test_a_twin_s_gold_label_has_the_model_s_own_probabilities():
    answer = Prediction("b", (0.2, 0.5, 0.3))
    places = (np.arange(1000) + 0.5) / 1000
    found = [drawn_label(answer, at, ("a", "b", "c")) for at in places.tolist()]
    assert [found.count(label) for label in "abc"] == [200, 500, 300]
    assert drawn_label(answer, 1.0, ("a", "b", "c")) == "c"
    assert drawn_label(Failure("model_error"), 0.5, ("a",)) is None
    assert drawn_label(Prediction("a"), 0.5, ("a",)) is None


def test_the_page_has_the_curve(folder):
    view = load_view(folder.path)
    check_part(PART, view)
    (chart,) = part(view).charts
    assert [row[2:] for row in chart.table.rows] == [
        ("0.450", "0.331 to 0.575", "60"),
        ("0.750", "0.598 to 0.858", "40"),
    ]
    points = chart.spec["data"]["values"]
    drawn_at = [x for p in points for x in (p["confidence"], p["value"])]
    assert drawn_at == pytest.approx([0.65, 0.45, 0.95, 0.75])
    assert "Wilson" in chart.caption


@pytest.mark.parametrize("given", [{"bins": 1}, {"tolerance": 0}, {"tolerance": 1}])
def test_parameters_are_checked(given):
    with pytest.raises(PlanError, match="must"):
        CalibrationParams(**given)
