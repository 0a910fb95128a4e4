"""Linear classifiers: sums by hand, exact gradients, folders that are not what they say."""

import json
import math

import numpy as np
import pytest

from scrutiny.core.errors import ModelError
from scrutiny.core.queries.gradients import Gradients, InputPiece
from scrutiny.models.strings.model_loading import load_model
from scrutiny.models.words.linear_classifier import BITS, LinearParts, LinearWordModel, read_linear
from scrutiny.testing import check_adapter

ONE = 1 << BITS
WORDS = ("good", "bad", "film")
WEIGHTS = np.array([[-ONE, 2 * ONE], [ONE, -ONE], [0, ONE // 2]])
BIAS = np.array([ONE, 0])


@pytest.fixture
def parts():
    return LinearParts(WORDS, ("neg", "pos"), WEIGHTS, BIAS)


def test_scores_are_sums_of_weights(parts, make):
    model = LinearWordModel(parts, "linear:here")
    one, unknown = make("Good, good film!", "zzz")
    assert model.logits(one).tolist() == [ONE - 2 * ONE, 4 * ONE + ONE // 2]
    assert model.logits(unknown).tolist() == BIAS.tolist()
    (answer,) = model.predict([one])
    assert answer.scores[1] == pytest.approx(1 / (1 + math.exp(-1 - 4.5)), abs=1e-15)


def test_conformance(parts):
    model = LinearWordModel(parts, "linear:here")
    assert isinstance(model, Gradients)
    check_adapter(model)


def test_first_order_is_exact(parts, make):
    """A word exchanged for another moves the scores by the difference of their vectors."""
    model = LinearWordModel(parts, "linear:here")
    before, after = make("good film", "bad film")
    (found,) = model.gradients([before], ["pos"])
    given = model.embeddings()
    assert found.pieces == (InputPiece("text", 0, 4), InputPiece("text", 5, 9))
    assert [given.vocabulary[i] for i in found.ids] == ["good", "film"]
    moved = given.matrix[given.vocabulary.index("bad")] - given.matrix[found.ids[0]]
    expected = (model.logits(after) - model.logits(before)) / ONE
    np.testing.assert_array_equal(moved, expected)
    shares = np.array(model.predict([before])[0].scores)
    np.testing.assert_allclose(found.gradient, [shares - [0, 1]] * 2)
    # and along that line, the slope of the loss is what small steps say
    logits = model.logits(before) / ONE

    def loss(step):
        moved_logits = logits + step * moved
        return np.logaddexp.reduce(moved_logits) - moved_logits[1]

    slope = (loss(1e-6) - loss(-1e-6)) / 2e-6
    assert found.gradient[0] @ moved == pytest.approx(slope, rel=1e-6)


def test_unknown_words_have_zeros(parts, make):
    model = LinearWordModel(parts, "linear:here")
    (found,) = model.gradients(make("zzz good"), ["neg"])
    assert found.ids == (0, 1)
    given = model.embeddings()
    assert given is model.embeddings()
    assert (given.matrix[0] == 0).all()
    assert given.starts_word.tolist() == [False, True, True, True]
    with pytest.raises(ModelError, match="no label 'fine'"):
        model.gradients(make("good"), ["fine"])


def test_pairs_count_as_features(make):
    features = ("not", "good", "not good")
    weights = np.array([[0, 0], [0, ONE], [0, -3 * ONE]])
    parts = LinearParts(features, ("neg", "pos"), weights, np.zeros(2, int), has_pairs=True)
    model = LinearWordModel(parts, "linear:here")
    good, negated = (model.logits(e).tolist() for e in make("good", "Not good"))
    assert (good, negated) == ([0, ONE], [0, -2 * ONE])
    assert "gradients" not in model.capabilities
    with pytest.raises(ModelError, match="no gradients"):
        model.gradients(make("good"), ["neg"])


def test_what_is_written_is_read(parts, tmp_path, classification, pairs, make):
    parts.write(tmp_path)
    model = load_model(f"linear:{tmp_path}", classification)
    memory = LinearWordModel(parts, "linear:here")
    assert model.predict(make("good film")) == memory.predict(make("good film"))
    assert model.fingerprint() == memory.fingerprint()
    other = load_model(f"linear:{tmp_path}#labels=0|1", classification)
    assert other.labels == ("0", "1")
    assert other.fingerprint() != model.fingerprint()
    with pytest.raises(ModelError, match="has 2 labels"):
        load_model(f"linear:{tmp_path}#labels=a|b|c", classification)
    with pytest.raises(ModelError, match="cannot answer the task"):
        load_model(f"linear:{tmp_path}", pairs)


def test_folders_that_are_something_else(parts, tmp_path):
    with pytest.raises(ModelError, match="`scrutiny train linear` makes one"):
        read_linear(tmp_path, "linear:here")
    parts.write(tmp_path)
    with np.load(tmp_path / "weights.npz") as stored:
        arrays = dict(stored)
    np.savez(tmp_path / "weights.npz", weights=arrays["weights"] * 0.5, bias=arrays["bias"])
    with pytest.raises(ModelError, match="must hold integers"):
        read_linear(tmp_path, "linear:here")
    (tmp_path / "weights.npz").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="does not load"):
        read_linear(tmp_path, "linear:here")
    (tmp_path / "config.json").write_text(json.dumps({"format": "recurrent-classifier@1"}))
    with pytest.raises(ModelError, match="but recurrent-classifier@1"):
        read_linear(tmp_path, "linear:here")
