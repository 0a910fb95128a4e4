import copy
import inspect

import pytest

from scrutiny.core.model import KnowsTrainingText, LoadOptions, Model
from scrutiny.core.queries.attention import Attends, Intervenes
from scrutiny.models.python.object_digest import read_object
from scrutiny.models.strings.model_loading import load_model, training_source
from scrutiny.models.strings.training_records import with_training_text
from scrutiny.testing import ConstantClassifier


def test_the_training_text_is_all_that_is_added(make):
    calls = []
    inner = ConstantClassifier("pos", labels=("neg", "pos"))
    model = with_training_text(inner, lambda: calls.append(1) or [3, 5])
    assert isinstance(model, Model)
    assert isinstance(model, KnowsTrainingText)
    assert model.capabilities == {"predict", "training_hashes"}
    assert model.fingerprint() == inner.fingerprint()
    assert model.predict(make("a")) == inner.predict(make("a"))
    assert calls == []
    assert model.training_hashes() == model.training_hashes() == [3, 5]
    assert calls == [1]


def test_other_members_are_the_models_own():
    inner = ConstantClassifier("pos", labels=("neg", "pos"))
    inner.layers = 3
    model = with_training_text(inner, list)
    assert model.layers == 3
    assert not hasattr(model, "heads")
    assert copy.copy(model).layers == 3


class Able(ConstantClassifier):
    """A classifier that can be asked more."""

    asked = 0

    @property
    def attention_shape(self):
        self.asked += 1
        return 2, 3

    def attentions(self, sentences, *, weighting="raw"):
        return iter(sentences)


def test_what_a_model_can_be_asked_is_found_without_asking_it():
    """As ``isinstance`` of a protocol does from Python 3.12 on."""
    inner = Able("pos", labels=("neg", "pos"))
    inner.n_samples = 5
    model = with_training_text(inner, list)
    for name in ("attentions", "attention_shape", "predict", "training_hashes", "n_samples"):
        inspect.getattr_static(model, name)
    assert isinstance(model, Attends)
    assert not isinstance(model, Intervenes)
    with pytest.raises(AttributeError):
        inspect.getattr_static(model, "intervened")
    inner.asked = 0
    with_training_text(inner, list)
    assert inner.asked == 0
    assert list(model.attentions(["a"])) == ["a"]
    inner.n_samples = 7
    assert model.n_samples == 7
    assert copy.copy(model).attention_shape == (2, 3)


def test_a_model_is_read_as_wholly_as_without_its_training_text():
    inner = ConstantClassifier("pos", labels=("neg", "pos"))
    model = with_training_text(inner, list)
    assert read_object(inner).is_whole
    assert read_object(model).is_whole


def test_an_object_that_knows_says_so(tmp_path, classification):
    (tmp_path / "knowing_model.py").write_text(
        "class Knows:\n"
        "    def predict(self, texts):\n        return ['x'] * len(texts)\n"
        "    def training_hashes(self):\n        return [1]\n"
    )
    model = load_model(f"python:{tmp_path}/knowing_model.py:Knows", classification)
    assert "training_hashes" in model.capabilities
    assert model.training_hashes() == [1]


def test_where_the_training_text_is_said_to_be():
    assert training_source("hf:./m") is None
    assert training_source("hf:./m#training=csv:t.csv") == "csv:t.csv"
    options = LoadOptions(options={"training": "csv:t.csv#text=a,label=b"})
    assert training_source("hf:./m", options) == "csv:t.csv#text=a,label=b"
