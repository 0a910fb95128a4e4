"""Whatever shape a classifier returns in is read, and an answer that cannot be fails alone."""

from functools import partial

import numpy as np
import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.answers.returned_labels import from_answers, from_rows
from scrutiny.models.python.python_model import PythonModel
from scrutiny.models.strings.model_strings import parse

LABELS = ("neg", "pos")
SCORES = [(0.75, 0.25), (0.25, 0.75)]


def of(answers, labels=LABELS):
    return from_answers(answers, labels, count=2, source="m")


def wrapped(obj, task, string="python:object:given"):
    return PythonModel(obj, task, parse(string))


@pytest.mark.parametrize(
    "answers",
    [
        SCORES,
        tuple(SCORES),
        np.array(SCORES),
        [np.array(row) for row in SCORES],
        [{"neg": a, "pos": b} for a, b in SCORES],
        [[{"label": "pos", "score": b}, {"label": "neg", "score": a}] for a, b in SCORES],
        [{"sequence": "x", "labels": ["pos", "neg"], "scores": [b, a]} for a, b in SCORES],
        [[np.float32(a), np.float32(b)] for a, b in SCORES],
        (row for row in SCORES),
    ],
)
def test_probabilities_of_any_shape(answers):
    assert [answer.scores for answer in of(answers)] == SCORES


@pytest.mark.parametrize("make", ["torch", "pandas", "frame of labels"])
def test_probabilities_of_other_libraries(make):
    if make == "torch":
        torch = pytest.importorskip("torch")
        whole = torch.tensor(SCORES, dtype=torch.bfloat16, requires_grad=True)
        answers = [whole, [*whole]]
    else:
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(SCORES, columns=LABELS if make == "frame of labels" else None)
        answers = [frame, frame[frame.columns[::-1]] if make == "frame of labels" else frame]
    for one in answers:
        assert [answer.scores for answer in of(one)] == SCORES


@pytest.mark.parametrize(
    "answers",
    [
        ["neg", "pos"],
        np.array(["neg", "pos"]),
        np.array([["neg"], ["pos"]]),
        [["neg"], ["pos"]],
        [{"label": "neg", "score": 0.9}, {"label": "pos", "score": 0.8}],
        [("neg", 0.9), ("pos", 0.8)],
        [[{"label": "neg", "score": 0.9}], [{"label": "pos", "score": 0.8}]],
    ],
)
def test_labels_of_any_shape(answers):
    assert of(answers) == [Prediction("neg"), Prediction("pos")]


def test_a_few_of_the_labels_with_scores_are_the_likeliest_label():
    answers = [[{"label": "b", "score": 0.3}, {"label": "a", "score": 0.5}] for _ in range(2)]
    assert of(answers, ("a", "b", "c")) == [Prediction("a"), Prediction("a")]
    whole = [[{"label": "b", "score": 0.25}, {"label": "a", "score": 0.75}] for _ in range(2)]
    assert [answer.scores for answer in of(whole, ("a", "b", "c"))] == [(0.75, 0.25, 0.0)] * 2


@pytest.mark.parametrize(
    "answers",
    [[0, 1], [0.0, 1.0], np.array([0, 1]), np.array([False, True]), [False, True], [[0], [1]]],
)
def test_numbers_and_truth_values_are_labels(answers):
    assert [answer.answer for answer in of(answers, ("0", "1"))] == ["0", "1"]


def test_truth_values_are_themselves_where_these_are_the_labels():
    pandas = pytest.importorskip("pandas")
    found = of(pandas.Series([False, True]), ("False", "True"))
    assert [answer.answer for answer in found] == ["False", "True"]


@pytest.mark.parametrize(
    "bad", [None, 0.7, b"neg", [], {"neg": "high"}, {"other": 1.0}, [None, 1], ["neg", "pos"], {}]
)
def test_what_is_no_answer_fails_alone(bad, classification, make):
    model = wrapped(lambda texts: [bad if "b" in t else "pos" for t in texts], classification)
    model.labels = LABELS
    first, failure, third = predict_or_fail(model, make(*"abc"))
    assert first == third == Prediction("pos")
    assert isinstance(failure, Failure)
    assert failure.reason == "bad_answer"


@pytest.mark.parametrize("whole", [list, np.array])
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("bad", [None, [1.0], (0.5, 0.25, 0.25), "neg"])
def test_one_bad_row_of_probabilities_fails_alone(bad, size, whole, make, classification):
    class Model:
        classes_ = LABELS

        def predict_proba(self, texts):
            return whole([bad if "b" in text else SCORES[0] for text in texts])

    model = PythonModel(Model(), classification, parse("python:object:m"), batch=size)
    first, second, third = predict_or_fail(model, make(*"abc"))
    assert first.scores == third.scores == SCORES[0]
    if bad == "neg" and whole is list:
        assert second == Prediction("neg")
    else:
        assert second.reason == "bad_answer"


def test_rows_that_are_all_wrong_are_refused_at_once():
    with pytest.raises(ModelError, match=r"shape \(2, 3\) for 2 examples"):
        from_rows([[0.2, 0.3, 0.5]] * 2, LABELS, count=2, source="m")


class Fitted:
    """What a pipeline of scikit-learn has."""

    classes_ = np.array(["neg", "pos"])

    def predict(self, texts):
        return np.array(["pos" if "good" in text else "neg" for text in texts])

    def predict_proba(self, texts):
        return np.array([SCORES["good" in text] for text in texts])


@pytest.mark.parametrize("name", ["predict", "predict_proba"])
@pytest.mark.parametrize("wrap", [lambda method: method, partial])
def test_methods_have_the_labels_of_their_object(name, wrap, classification, make):
    model = wrapped(wrap(getattr(Fitted(), name)), classification)
    assert model.labels == LABELS
    assert [a.answer for a in predict_or_fail(model, make("good", "so"))] == ["pos", "neg"]


def test_answers_of_the_right_type_stand_for_themselves():
    from scrutiny.core.answers.words import ROOT, Words
    from scrutiny.tasks.tasks import load_task

    def parser(texts):
        heads = {True: (1, ROOT), False: (0, ROOT)}
        both = [heads["runs" in text] for text in texts]
        return [Words("text", ((0, 3), (4, 8)), h, ("nsubj", "root")) for h in both]

    model = wrapped(parser, load_task("dependency-arcs"))
    example = Example("1", {"text": "Ida runs"})
    (answer,) = predict_or_fail(model, [example])
    assert answer.answer.heads == (1, ROOT)
    wrong = wrapped(lambda texts: [{"heads": [2, 0]} for _ in texts], load_task("dependency-arcs"))
    (failure,) = predict_or_fail(wrong, [example])
    assert "an answer is Words(field, borders, heads, relations, upos, xpos)" in failure.message
