import pytest

from scrutiny.core.errors import ConformanceError
from scrutiny.core.task import Prediction
from scrutiny.testing import (
    FlakyClassifier,
    GazetteerTagger,
    KeywordClassifier,
    NanClassifier,
    WrongShapeClassifier,
    check_adapter,
)
from scrutiny.testing.check_adapters import sample_examples


def broken(**members):
    """A keyword classifier with other members."""
    model = KeywordClassifier()
    for name, value in members.items():
        setattr(model, name, value)
    return model


class Random(KeywordClassifier):
    def __init__(self):
        super().__init__()
        self.count = 0

    def predict(self, examples):
        self.count += 1
        return [Prediction(self.labels[self.count % 2]) for _ in examples]


class Changing(KeywordClassifier):
    def predict(self, examples):
        for example in examples:
            example.attributes["seen"] = 1.0
        return super().predict(examples)


class NoMember:
    source = "test:NoMember"


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (NoMember(), "it has no 'task', which a model must have"),
        (broken(source=""), "source must be a text"),
        (broken(task=None), "task must be the name"),
        (broken(labels=["a", "b"]), "labels must be a tuple"),
        (broken(labels=("a", "a")), "labels must be distinct"),
        (broken(capabilities={"x"}), "capabilities must be a frozenset"),
        (
            broken(capabilities=frozenset({"hidden_states"})),
            "claims the capability 'hidden_states'",
        ),
        (broken(is_batch_invariant=1), "must be True or False"),
        (broken(n_samples=0), "n_samples must be None or a number from 1"),
        (broken(n_samples="20"), "n_samples must be None or a number from 1"),
        (broken(limit=True), "limit must be None or a number from 1"),
        (broken(n_layers=None), "n_layers must be a number from 0"),
        (broken(attention_shape=(2,)), "attention_shape must be None or numbers of layers"),
        (broken(is_causal=1), "and is_causal must be True or False"),
        (broken(batches=lambda _: [[0, 0]]), "must give each index once"),
        (broken(fingerprint=lambda: 3), "must give a digest"),
        (broken(fingerprint=iter(["aaaaaaaa", "bbbbbbbb"]).__next__), "two values for one model"),
        (broken(predict=lambda _: [Prediction("a")]), r"predict\(\[\]\) must give an empty list"),
        (broken(task="token-tagging"), "the task token-tagging needs spans"),
        (Random(), "answers depend on the batch"),
        (Changing(), "predict changed the examples"),
        (NanClassifier(["sample-3"]), r"it failed on .He said: .Don't go"),
        (FlakyClassifier(["sample-4"]), "item sample-4 makes this model fail"),
        (WrongShapeClassifier(), "an answer is malformed"),
    ],
)
def test_broken_promises_are_said(model, sentence):
    with pytest.raises(ConformanceError, match=sentence):
        check_adapter(model)


def test_samples_fit_the_task():
    assert list(sample_examples("text-pair-classification@1")[0].fields) == ["text", "text_pair"]
    check_adapter(KeywordClassifier(task="text-pair-classification"))


def test_examples_of_ones_own():
    flaky = FlakyClassifier(["sample-4"])
    check_adapter(flaky, sample_examples("text-classification")[:3])


def test_a_tagger():
    check_adapter(GazetteerTagger({"New York": "LOC"}))


class Plain:
    """The seven members without a base class, and one that says too much."""

    source, task, labels = "test:plain", "text-classification", ("negative", "positive")
    is_batch_invariant, capabilities = True, frozenset({"predict"})
    n_samples = None

    def fingerprint(self):
        return None

    def predict(self, examples):
        return KeywordClassifier().predict(examples)


def test_an_object_without_the_base_class_is_checked_as_one_with_it():
    plain = Plain()
    check_adapter(plain)
    plain.n_samples = 2.5
    with pytest.raises(ConformanceError, match="n_samples must be None"):
        check_adapter(plain)
