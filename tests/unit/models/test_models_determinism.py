import pytest

from scrutiny.core.errors import ModelError
from scrutiny.core.task import Prediction
from scrutiny.models.answers.compared_answers import check_determinism
from scrutiny.testing import KeywordClassifier, NanClassifier, WrongShapeClassifier

TEXTS = [f"{'good ' * i}film" for i in range(15)]


class Sloppy(KeywordClassifier):
    """Probabilities that depend on how many examples are asked together."""

    is_batch_invariant = False
    amount = 0.0

    def predict(self, examples):
        shift = self.amount * len(examples)
        return [
            Prediction(scores=(p.scores[0] - shift, p.scores[1] + shift))
            if p.scores[0] > shift
            else p
            for p in super().predict(examples)
        ]


@pytest.fixture
def examples(make):
    return make(*TEXTS)


def test_an_exact_model_keeps_its_promise(examples):
    report = check_determinism(KeywordClassifier(good=("good",)), examples)
    assert report.is_kept
    assert [c.largest_difference for c in report.comparisons] == [0.0] * 4
    assert "kept" in str(report)


def test_small_differences_are_within_the_weaker_promise(examples):
    model = Sloppy(good=("good",))
    model.amount = 1e-9
    report = check_determinism(model, examples)
    assert report.is_kept
    assert max(c.largest_difference for c in report.comparisons) == pytest.approx(14e-9)


def test_a_promise_of_bits_allows_no_difference(examples):
    model = Sloppy(good=("good",))
    model.amount, model.is_batch_invariant = 1e-9, True
    assert not check_determinism(model, examples).is_kept


def test_batches_that_matter_are_seen(examples):
    model = Sloppy(good=("good",))
    model.amount = 1e-3
    report = check_determinism(model, examples)
    assert not report.is_kept
    by_way = {c.way: c.largest_difference for c in report.comparisons}
    assert by_way["again"] == by_way["in reverse"] == 0
    assert by_way["one by one"] == pytest.approx(14e-3)
    assert "BROKEN" in str(report)


def test_changed_labels_are_counted(examples):
    class Flipping(KeywordClassifier):
        def predict(self, examples):
            label = "negative" if len(examples) > 1 else "positive"
            return [Prediction(label) for _ in examples]

    report = check_determinism(Flipping(), examples)
    assert {c.way: c.n_changed for c in report.comparisons}["one by one"] == len(examples)
    assert not report.is_kept


def test_no_examples():
    assert check_determinism(KeywordClassifier(), []).is_kept


def test_failures_are_told_and_answering_none_is_no_promise(examples):
    some = check_determinism(NanClassifier(["3", "4"]), examples)
    assert some.is_kept
    assert "2 of 15 failed; the first: The answer of" in str(some)
    with pytest.raises(ModelError, match=r"answered none of the 15 texts.*has 3 probabilities"):
        check_determinism(WrongShapeClassifier(3), examples)
