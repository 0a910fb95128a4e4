"""What any model has, what it may have, and objects that have no more than they must."""

import copy
import inspect

import pytest

from scrutiny.core.errors import ModelError
from scrutiny.core.model import MEMBERS, Model, PlainModel, as_model, n_samples_of
from scrutiny.core.queries.language import Represents, Tokenizes
from scrutiny.core.task import Prediction


class Plain:
    """The seven members, and two beside them that a model may have."""

    source, task, labels = "plain:1", "text-classification", ("a", "b")
    is_batch_invariant = True
    capabilities = frozenset({"predict", "representations"})
    n_layers = 3

    def __init__(self):
        self.n_samples = 20

    def fingerprint(self):
        return "plain-of-this-test"

    def predict(self, examples):
        return [Prediction("a") for _ in examples]

    def representations(self, passages, *, poolings, layers):
        return list(passages)


class Least(Model):
    """A model that states what has no default, and nothing else."""

    source, task = "least:1", "passages"
    capabilities = frozenset({"tokenizes", "landscape"})


def test_what_may_be_left_out_has_a_default():
    model = Least()
    assert isinstance(model, PlainModel)
    assert (model.labels, model.is_batch_invariant, model.fingerprint()) == ((), False, None)
    assert (model.n_samples, model.n_layers, model.limit) == (None, 0, None)
    assert model.attention_shape is None
    assert [model.is_causal, model.is_of_the_user, model.has_stored_answers_only] == [False] * 3
    assert model.batches([]) is None


def test_a_model_without_labels_says_what_it_can_be_asked():
    with pytest.raises(ModelError, match=r"no labels to predict.*asked for: landscape, tokenizes"):
        Least().predict([])


def test_the_defaults_are_no_capabilities():
    assert not isinstance(Least(), Represents)
    assert not isinstance(Least(), Tokenizes)


def test_an_object_with_the_members_is_put_into_a_model():
    plain = Plain()
    assert isinstance(plain, PlainModel)
    assert not isinstance(plain, Model)
    model = as_model(plain)
    assert isinstance(model, Model)
    for name in MEMBERS[:5]:
        assert getattr(model, name) == getattr(plain, name)
    assert model.fingerprint() == "plain-of-this-test"
    assert model.predict([1, 2]) == plain.predict([1, 2])
    assert as_model(model) is model


def test_what_the_object_has_stands_before_the_defaults():
    model = as_model(Plain())
    assert (model.n_samples, model.n_layers, model.limit) == (20, 3, None)
    assert isinstance(model, Represents)
    assert model.representations(["x"], poolings=(), layers=()) == ["x"]
    inspect.getattr_static(model, "representations")  # as isinstance looks from Python 3.12 on
    assert copy.copy(model).n_samples == 20


class Proxy:
    """Gives whatever it is asked for to another object: ``dir`` does not show it."""

    def __init__(self, of):
        self._of = of

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._of, name)


def test_an_object_that_hands_everything_on_is_asked_for_the_seven_members():
    model = as_model(Proxy(Plain()))
    assert (model.labels, model.is_batch_invariant) == (("a", "b"), True)
    assert model.predict([1]) == [Prediction("a")]


def test_samples_of_a_model():
    assert n_samples_of(Least()) is None
    assert n_samples_of(as_model(Plain())) == 20


def test_a_prediction_without_an_answer_has_the_first_of_the_likeliest_labels():
    labels = ("bad", "mixed", "good")
    assert Prediction(scores=(0.25, 0.375, 0.375)).label_among(labels) == "mixed"
    assert Prediction("bad", (0.25, 0.375, 0.375)).label_among(labels) == "bad"
    assert Prediction((), (0.25, 0.375, 0.375)).label_among(labels) is None
    assert Prediction().label_among(labels) is None
