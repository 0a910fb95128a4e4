"""Toy attention classifiers do what is written on them."""

import numpy as np
import pytest
from scipy.special import softmax
from toy_attention_layer import (
    ToyAttentionLayer,
    faithful_layer,
    unfaithful_layer,
)

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.queries.attention import AttentionLayer
from scrutiny.testing import check_adapter

TOYS = [faithful_layer(), unfaithful_layer()]
TEXT = "the good old day"


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.source + toy.fingerprint()[:4])
def test_they_keep_the_promises_of_a_model(toy):
    check_adapter(toy)
    assert isinstance(toy, Model)
    assert isinstance(toy, AttentionLayer)


def test_fingerprints_tell_them_apart():
    spread = ToyAttentionLayer({}, {}, is_shared=True)
    assert len({toy.fingerprint() for toy in [*TOYS, spread, ToyAttentionLayer({}, {})]}) == 4


def numeric(function, place, step=1e-6):
    """Gradient by small steps."""
    return np.array(
        [
            (function(place + step * unit) - function(place - step * unit)) / (2 * step)
            for unit in np.eye(place.size)
        ]
    )


@pytest.mark.parametrize("make", [faithful_layer, unfaithful_layer])
def test_slopes_are_those_of_small_steps(make):
    toy = make()
    (text,) = toy.attention_layer([TEXT])
    direction = np.array([0.3, -1.0, 2.0])

    def output(weights):
        return float((toy.reweighted([text], weights[None, None])[0, 0] * direction).sum())

    found = toy.reweighted_slopes([text], text.weights[None, None], direction[None, None])[0, 0]
    assert found == pytest.approx(numeric(output, text.weights), abs=1e-6)


def test_input_times_gradient_by_hand():
    says = {"good": (0.0, 3.0), "old": (1.0, 0.0)}
    toy = ToyAttentionLayer({"good": np.log(2)}, says)
    (text,) = toy.attention_layer([TEXT])
    weights = np.array([1, 2, 1, 1]) / 5
    p = softmax(np.array([0.2, 1.2]))
    slope = p[1] * p[0]  # of the top probability: + on its own logit, - on the other
    (found,) = toy.input_slopes([text])
    assert found == pytest.approx(weights * np.array([0, 3 * slope, -slope, 0]))


def test_leaving_a_word_out_is_reading_the_text_without_it():
    for toy in TOYS:
        (text,) = toy.attention_layer([TEXT])
        (found,) = toy.without_each([text])
        for i in range(4):
            words = TEXT.split()
            shorter = " ".join(words[:i] + words[i + 1 :])
            (answer,) = toy.predict([Example("x", {"text": shorter})])
            assert found[i] == pytest.approx(np.array(answer.scores))


def test_nothing_attended_to_is_the_bias():
    toy = faithful_layer()
    (text,) = toy.attention_layer([TEXT])
    nothing = toy.reweighted([text], np.zeros((1, 1, 4)))[0, 0]
    assert nothing == pytest.approx(softmax(np.array([0.0, 0.0, 2.0])))
    assert toy.attention_layer([" "]) == [Failure("no_words")]


def test_the_words_order_changes_nothing():
    toy = unfaithful_layer()
    one, other = toy.attention_layer([TEXT, " ".join(TEXT.split()[::-1])])
    assert one.probabilities == pytest.approx(other.probabilities)
    assert one.weights == pytest.approx(other.weights[::-1])
