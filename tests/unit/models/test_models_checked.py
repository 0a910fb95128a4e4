import asyncio
import itertools
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.answers.texts import Text
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example, Span
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import AnswerError, check_answer, predict_or_fail


class Scripted(Model):
    """Answers by text; raises what is scripted as an exception; counts its calls."""

    source = "test:scripted"
    task = "text-classification"
    is_batch_invariant = True
    capabilities = frozenset()

    def __init__(self, script, *, labels=("neg", "pos")):
        self.script = script
        self.labels = labels
        self.calls = []

    def fingerprint(self):
        return None

    def predict(self, examples):
        self.calls.append([e.text for e in examples])
        answers = [self.script.get(e.text, Prediction(scores=(0.25, 0.75))) for e in examples]
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        return answers


def test_the_likeliest_label_is_filled_in(make):
    (answer,) = predict_or_fail(Scripted({}), make("a"))
    assert answer == Prediction("pos", scores=(0.25, 0.75))


def test_of_equal_probabilities_the_first_label(make):
    model = Scripted({"a": Prediction(scores=(0.5, 0.5))})
    assert predict_or_fail(model, make("a"))[0].answer == "neg"


def test_a_label_of_its_own_is_kept(make):
    model = Scripted({"a": Prediction("neg", scores=(0.4, 0.6))})
    assert predict_or_fail(model, make("a"))[0].answer == "neg"


def test_no_examples_are_no_call():
    model = Scripted({})
    assert predict_or_fail(model, []) == []
    assert model.calls == []


def test_one_bad_item_fails_alone(make):
    model = Scripted({"c": ValueError("no c")})
    answers = predict_or_fail(model, make(*"abcdefgh"))
    assert answers[2] == Failure("model_error", "ValueError: no c")
    assert [isinstance(a, Prediction) for a in answers] == [True] * 2 + [False] + [True] * 5


def test_retrying_costs_a_logarithm(make):
    model = Scripted({"300": ValueError("x")})
    answers = predict_or_fail(model, make(*(str(i) for i in range(512))))
    assert sum(isinstance(a, Failure) for a in answers) == 1
    assert len(model.calls) == 1 + 2 * 9


def test_all_items_bad(make):
    model = Scripted(dict.fromkeys("abc", RuntimeError("down")))
    assert (
        predict_or_fail(model, make(*"abc")) == [Failure("model_error", "RuntimeError: down")] * 3
    )


def test_an_answer_error_gives_its_own_reason(make):
    model = Scripted({"b": AnswerError("no_prediction", "never heard")})
    assert predict_or_fail(model, make(*"ab"))[1] == Failure("no_prediction", "never heard")


def test_an_interrupt_is_no_failure(make):
    with pytest.raises(KeyboardInterrupt):
        predict_or_fail(Scripted({"a": KeyboardInterrupt()}), make("a"))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_non_finite_probabilities_fail_one_item(make, bad):
    model = Scripted({"b": Prediction(scores=(bad, 0.5))})
    good, failed = predict_or_fail(model, make(*"ab"))
    assert good.answer == "pos"
    assert failed.reason == "non_finite"
    assert "item '1'" in failed.message
    assert len(model.calls) == 1


def failed_alone(make, bad, phrase):
    """Failure of the second of three items, whose neighbors are answered, with one call."""
    model = Scripted({"b": bad})
    first, failure, third = predict_or_fail(model, make(*"abc"))
    assert first == third == Prediction("pos", scores=(0.25, 0.75))
    assert failure.reason == "bad_answer"
    assert re.search(phrase, failure.message)
    assert len(model.calls) == 1
    return failure


def test_answers_in_parts_have_one_probability_for_each(make):
    spans = Span("text", 0, 1, "X"), Span("text", 0, 1, "Y")
    for scores in (None, (0.75, 1.0)):
        model = Scripted({"a": Prediction(spans, scores)})
        (found,) = predict_or_fail(model, make("a"))
        assert found == Prediction(spans, scores)
    for scores in ((0.5,), (0.5, 1.5), (-0.1, 0.5), ()):
        (bad,) = predict_or_fail(Scripted({"a": Prediction(spans, scores)}), make("a"))
        assert bad.reason == "bad_answer"
        assert "2 parts: answers that are no labels have one probability" in bad.message
    (odd,) = predict_or_fail(Scripted({"a": Prediction(spans, (math.nan, 0.5))}), make("a"))
    assert odd.reason == "non_finite"


@pytest.mark.parametrize("scores", [(1.0,), (0.2, 0.3, 0.5), ()])
def test_the_wrong_number_of_probabilities(make, scores):
    bad = Prediction(scores=scores)
    failed_alone(make, bad, rf"has {len(scores)} probabilities.*2 labels \(neg, pos\)")


@pytest.mark.parametrize("scores", [(0.5, 0.498), (0.6, 0.402), (2.0, -1.0), (-0.0005, 1.0005)])
def test_scores_that_are_no_probabilities(make, scores):
    failed_alone(make, Prediction(scores=scores), "apply a softmax")


def test_sums_within_the_tolerance_pass_unchanged(make):
    scores = (0.5, 0.4991)
    assert (
        predict_or_fail(Scripted({"a": Prediction(scores=scores)}), make("a"))[0].scores == scores
    )


def test_an_unknown_label_lists_the_known(make):
    failed_alone(make, Prediction("good"), r"'good'\. Its labels are: neg, pos")


def test_without_labels_any_label_goes(make):
    model = Scripted({"a": Prediction("good")}, labels=())
    assert predict_or_fail(model, make("a"))[0].answer == "good"


def test_too_few_answers(make):
    class Short(Scripted):
        def predict(self, examples):
            return super().predict(examples)[1:]

    model = Short({})
    with pytest.raises(ModelError, match="99 answers to 100 examples"):
        predict_or_fail(model, make(*map(str, range(100))))
    assert len(model.calls) == 20  # then it is given up
    alone, other = predict_or_fail(Short({}), make(*"ab"))
    assert alone.reason == other.reason == "bad_answer"
    assert "0 answers to 1 examples" in alone.message


class Drops(Scripted):
    """Gives no answer at all to some texts."""

    def predict(self, examples):
        return super().predict([e for e in examples if e.text not in self.script])


def test_texts_without_an_answer_are_found(make):
    dropped = {f"{i}" for i in (0, 1, 2, 3, 77)}
    model = Drops(dict.fromkeys(dropped))
    answers = predict_or_fail(model, make(*map(str, range(100))))
    failed = {str(i) for i, answer in enumerate(answers) if isinstance(answer, Failure)}
    assert failed == dropped


@pytest.mark.parametrize("given", ["pos", None, 3, ("pos",), {"pos": 1.0}])
def test_something_that_is_no_prediction(make, given):
    failed_alone(make, given, f"is a {type(given).__name__}, no Prediction")


def test_an_empty_prediction(make):
    failed_alone(make, Prediction(), "is empty")


def test_a_model_error_is_not_retried(make):
    model = Scripted({"a": ModelError("wrong shape")})
    with pytest.raises(ModelError, match="wrong shape"):
        predict_or_fail(model, make(*"abcd"))
    assert len(model.calls) == 1


@pytest.mark.parametrize(
    "span", [Span("text", 0, 9, "PER"), Span("text", 2, 2, "PER"), Span("body", 0, 1, "PER")]
)
def test_spans_outside_of_the_text(make, span):
    failed_alone(make, Prediction((span,)), "Fields: text")


def test_sound_spans_pass(make):
    span = Span("text", 0, 3, "PER")
    model = Scripted({"Ada": Prediction((span,)), "so": Prediction(())})
    assert [a.answer for a in predict_or_fail(model, make("Ada", "so"))] == [(span,), ()]


@pytest.mark.parametrize(
    "answer",
    [
        Prediction(Text("half \ud800")),
        Prediction((Span("text", 0, 1, "\ud800"),)),
    ],
)
def test_an_answer_that_no_file_can_keep_fails_alone(make, answer):
    first, second = predict_or_fail(Scripted({"a": answer}), make("a", "b"))
    assert isinstance(first, Failure)
    assert first.reason == "no_unicode"
    assert second == Prediction("pos", scores=(0.25, 0.75))


def test_an_error_that_cannot_say_itself_is_a_failure(make):
    class Mute(Exception):
        def __str__(self):
            raise ValueError("mute")

    (answer,) = predict_or_fail(Scripted({"a": Mute()}), make("a"))
    assert answer == Failure("model_error", "Mute: its message cannot be had")


class Answers(Scripted):
    """Gives whatever it was made with, for each batch."""

    def __init__(self, give):
        super().__init__({})
        self.give = give

    def predict(self, examples):
        return self.give(examples)


@pytest.mark.parametrize("error", [GeneratorExit(), asyncio.CancelledError("timeout")])
def test_what_is_no_exception_fails_its_item_alone(make, error):
    answers = predict_or_fail(Scripted({"c": error}), make(*"abcd"))
    assert [isinstance(a, Failure) for a in answers] == [False, False, True, False]
    assert answers[2].message.startswith(type(error).__name__)


def test_an_interrupt_in_a_group_is_an_interrupt(make):
    group = BaseExceptionGroup("tasks", [KeyboardInterrupt()])
    with pytest.raises(BaseExceptionGroup):
        predict_or_fail(Scripted({"a": group}), make("a"))


def test_answers_without_end_are_too_many(make):
    endless = Answers(lambda _: itertools.repeat(Prediction("pos")))
    with pytest.raises(ModelError, match="gave 5 or more answers to 4 examples"):
        predict_or_fail(endless, make(*"abcd"))


@pytest.mark.parametrize(
    "answer",
    [
        Prediction(3),
        Prediction(scores="ab"),
        Prediction(scores=("a", "b")),
        Prediction(b"x"),
        Prediction(((0, 1, "PER"),)),
    ],
)
def test_predictions_of_other_parts_are_refused(make, answer):
    failed_alone(make, answer, r"in a Prediction the answer is a|spans must be")


def test_messages_show_little_of_what_is_long(make):
    assert len(failed_alone(make, Prediction("p" * 10**6), "is the label").message) < 1_000
    (failure,) = predict_or_fail(Scripted({"a": ValueError("x" * 10**6)}), make("a"))
    assert len(failure.message) == 2_000


_NUMBERS = st.sampled_from([0.25, 0.75, 0.5, 1.0, 0.0, -0.25, 1.25, math.nan, math.inf, 1])


@given(
    st.sampled_from([None, "neg", "pos", "other", "\ud83d", 3, Text("neg"), ()]),
    st.none() | st.lists(_NUMBERS, max_size=3).map(tuple) | st.just([0.25, 0.75]),
)
def test_classifiers_are_checked_as_all_others_are(label, scores):
    answer = Prediction(label, scores)
    example = Example("1", {"text": "a"})
    for labels in (("neg", "pos"), ("neg", "\ud83d")):
        model = Scripted({"a": answer}, labels=labels)

        slowly = check_answer(model, example, answer)
        assert repr(predict_or_fail(model, [example])[0]) == repr(slowly)
