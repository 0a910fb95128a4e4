"""The noise floor: by hand, on planted noise, and for models that repeat themselves."""

import pytest
from scipy import stats
from toy_runs import estimate, run

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.repeats import Repeats, RepeatsParams
from scrutiny.report.first_screen.content import first_screen_of
from scrutiny.report.load import load_view
from scrutiny.testing import check_diagnostic


class Wavering(Model):
    """Answers "good" at first; asked again, "bad" to every fifth text, and nothing to the first."""

    source = "testing:Wavering"
    task = "text-classification"
    labels = ("bad", "good")
    capabilities = frozenset({"predict", "varies"})
    is_batch_invariant = True

    def __init__(self):
        self.asked = {}

    def predict(self, examples):
        return [self._answer(example.text) for example in examples]

    def _answer(self, text):
        self.asked[text] = self.asked.get(text, 0) + 1
        number = int(text.split()[1])
        if self.asked[text] > 1 and number == 0:
            raise RuntimeError("tired")
        return Prediction("bad" if self.asked[text] > 1 and number % 5 == 1 else "good")


class Steady(Wavering):
    """Answers "good" whenever it is asked."""

    def _answer(self, text):
        return Prediction("good")


ROWS = [{"id": f"i{n}", "text": f"text {n}", "label": "good"} for n in range(101)]


def test_it_keeps_the_promises_of_its_protocol():
    examples = [Example(f"i{n}", {"text": f"text {n}"}, gold="good") for n in range(1, 9)]
    check_diagnostic(Repeats(), model=Steady(), examples=examples)


def test_changed_answers_are_counted_and_failed_ones_are_not(tmp_path):
    folder = run("repeats", Wavering(), ROWS, tmp_path)
    found = estimate(folder, "noise_floor")
    assert found.value == pytest.approx(20 / 100)
    assert found.counts.failed == 1
    assert found.low < 0.2 < found.high
    (finding,) = folder.findings()
    assert finding.verdict == "hurts"


def test_each_text_is_asked_once_more_for_each_time(tmp_path):
    model = Wavering()
    run("repeats", model, ROWS[1:], tmp_path, times=3)
    assert set(model.asked.values()) == {4}


def test_a_model_that_repeats_itself_is_not_asked(tmp_path):
    model = Wavering()
    model.capabilities = frozenset({"predict"})
    with pytest.raises(PlanError, match="varies"):
        run("repeats", model, ROWS, tmp_path)


@pytest.mark.parametrize("wrong", [{"times": 0}, {"tolerance": 0.0}])
def test_params_are_checked(wrong):
    with pytest.raises(PlanError):
        RepeatsParams(**wrong)


class Fickle(Steady):
    """Answers "bad" to one text when it is asked again."""

    def _answer(self, text):
        self.asked[text] = self.asked.get(text, 0) + 1
        return Prediction("bad" if self.asked[text] > 1 and text == "text 3" else "good")


def test_one_varying_answer_is_no_alarm_and_has_one_interval_on_the_screen(tmp_path):
    folder = run("repeats", Fickle(), ROWS[:20], tmp_path)
    (finding,) = folder.findings()
    front = first_screen_of(load_view(folder.path))
    assert (finding.verdict, finding.claim.risk.negligible) == ("can't tell", 0.01)
    low, high = finding.limits[0].widest
    assert (low, high) == pytest.approx(stats.binomtest(1, 20).proportion_ci(), abs=1e-4)
    (beside,) = (one for one in front.beside if one.startswith("noise floor"))
    ends = [f"{end:.3f}".lstrip("0") for end in (low, high)]
    assert beside == f"noise floor .050 [{', '.join(ends)}]"
    (row,) = front.risks
    assert (row.span.low, row.span.high) == pytest.approx((100 * low, 100 * high))
    assert row.costs == "1 of 20 answers vary"
