import math

import pytest
from hypothesis import given

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example, Span
from scrutiny.core.model import Model
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.testing import (
    ConstantClassifier,
    FlakyClassifier,
    GazetteerTagger,
    KeywordClassifier,
    NanClassifier,
    WrongShapeClassifier,
    check_adapter,
    examples,
    tagged_examples,
    texts,
)

SOUND = [KeywordClassifier(), ConstantClassifier(), GazetteerTagger({"Ada": "PER"})]


def items(*texts):
    return [Example(str(i), {"text": text}) for i, text in enumerate(texts)]


@pytest.mark.parametrize("model", SOUND, ids=lambda m: m.source)
def test_toy_models_conform(model):
    assert isinstance(model, Model)
    check_adapter(model)


@pytest.mark.parametrize(
    ("text", "label", "scores"),
    [
        ("", "negative", (1 / 2, 1 / 2)),
        ("Good, good film", "positive", (1 / 4, 3 / 4)),
        ("bad", "negative", (2 / 3, 1 / 3)),
        ("good and bad", "negative", (1 / 2, 1 / 2)),
        ("goood goods", "negative", (1 / 2, 1 / 2)),
    ],
)
def test_keywords_by_hand(text, label, scores):
    (answer,) = KeywordClassifier().predict(items(text))
    assert answer.answer == label
    assert answer.scores == pytest.approx(scores, abs=1e-15)


def test_keywords_of_pairs_are_counted_together():
    model = KeywordClassifier(good=("yes",), bad=("no",), labels=("a", "b"))
    example = Example("0", {"text": "yes", "text_pair": "yes no"})
    assert model.predict([example])[0].scores == (2 / 5, 3 / 5)


def test_keywords_are_part_of_the_fingerprint():
    models = [KeywordClassifier(), KeywordClassifier(bad=("dull",)), KeywordClassifier(task="x")]
    assert len({m.fingerprint() for m in models}) == 3
    assert KeywordClassifier().fingerprint() == models[0].fingerprint()


def test_constants():
    model = ConstantClassifier("b", labels=("a", "b", "c"))
    assert [p.scores for p in model.predict(items("x", "y"))] == [(0.0, 1.0, 0.0)] * 2
    with pytest.raises(ModelError, match="'d' is not among the labels a, b, c"):
        ConstantClassifier("d", labels=("a", "b", "c"))


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("New York", [(0, 8, "LOC")]),
        ("new york", []),
        ("York, New York.", [(0, 4, "PER"), (6, 14, "LOC")]),
        ("New Yorker", []),
        ("New New York", [(4, 12, "LOC")]),
        ("", []),
    ],
)
def test_gazetteer_by_hand(text, spans):
    tagger = GazetteerTagger({"New York": "LOC", "York": "PER"})
    (answer,) = tagger.predict(items(text))
    assert answer.answer == tuple(Span("text", *span) for span in spans)
    assert tagger.labels == ("LOC", "PER")


def test_gazetteer_of_no_names():
    assert GazetteerTagger({}).predict(items("Ada"))[0].answer == ()


def test_gazetteer_uses_the_tokens_of_the_data():
    example = Example("0", {"text": "New-York"}, tokens={"text": ((0, 3), (3, 4), (4, 8))})
    tagger = GazetteerTagger({"York": "LOC"})
    assert tagger.predict([example])[0].answer == (Span("text", 4, 8, "LOC"),)


def test_flaky_items_fail_alone():
    model = FlakyClassifier(["1", "2"])
    answers = predict_or_fail(model, items("good", "good", "good", "good"))
    assert [isinstance(a, Failure) for a in answers] == [False, True, True, False]
    assert model.calls[0] == ("0", "1", "2", "3")
    assert answers[1].message == "RuntimeError: item 1 makes this model fail"


def test_flaky_models_may_wrap_any():
    model = FlakyClassifier([], inner=ConstantClassifier("b", labels=("a", "b")))
    assert (model.labels, model.predict(items("x"))[0].answer) == (("a", "b"), "b")


def test_nan_items():
    answers = NanClassifier(["1"]).predict(items("good", "good"))
    assert answers[0].answer == "positive"
    assert all(map(math.isnan, answers[1].scores))
    assert predict_or_fail(NanClassifier(["0"]), items("x"))[0].reason == "non_finite"


@pytest.mark.parametrize("columns", [0, 1, 3])
def test_wrong_shapes_are_seen(columns):
    (failure,) = predict_or_fail(WrongShapeClassifier(columns), items("x"))
    assert failure.reason == "bad_answer"
    assert f"has {columns} probabilities" in failure.message


@given(texts())
def test_texts_can_be_encoded(text):
    assert text.encode("utf-8").decode("utf-8") == text


@given(examples("text-pair-classification", labels=("a", "b")))
def test_examples_of_pairs(example):
    assert list(example.fields) == ["text", "text_pair"]
    assert example.gold in (None, "a", "b")


@given(tagged_examples())
def test_tagged_examples_hang_together(example):
    borders = example.tokens["text"]
    assert " ".join(example.text[a:b] for a, b in borders) == example.text
    assert {(s.start, s.end) for s in example.gold} <= set(borders)


def test_no_strategy_for_other_tasks():
    with pytest.raises(Exception, match=r"tagged_examples\(\) for tagging"):
        examples("token-tagging")
