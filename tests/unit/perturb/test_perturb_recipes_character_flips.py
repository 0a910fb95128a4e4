"""HotFlip on characters against a model that adds up the weights of letters."""

from math import log, sqrt

import numpy as np
import pytest

from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.queries.gradients import InputEmbeddings, InputPiece, TokenGradients
from scrutiny.core.task import Prediction
from scrutiny.perturb.recipes.attack import Given, parse_attack
from scrutiny.perturb.recipes.hotflip import CharacterFlips, _alphabet, _flips
from scrutiny.perturb.search.moves import Place
from scrutiny.perturb.search.problem import Settings, Victim
from scrutiny.perturb.search.running import search_all


class Letters(Model):
    """p(positive) = 2^s / (1 + 2^s), s the sum of the weights of all letters."""

    labels = ("negative", "positive")
    capabilities = frozenset({"predict", "gradients"})

    def __init__(self, **weights):
        self.vocabulary = (" ", *"abcdefghijklmnopqrstuvwxyz")
        self.weights = {letter: weights.get(letter, 0) for letter in self.vocabulary}
        self.asked = []

    def predict(self, examples):
        self.asked += [e.text for e in examples]
        return [self._answer(e.text) for e in examples]

    def _answer(self, text):
        p = 1 / (1 + 2.0 ** -sum(self.weights[c] for c in text))
        return Prediction(self.labels[int(p > 0.5)], (1 - p, p))

    def gradients(self, examples, labels):
        found = []
        for example, label in zip(examples, labels, strict=True):
            text = example.text
            slope = log(2) * (self._answer(text).scores[1] - self.labels.index(label))
            found.append(
                TokenGradients(
                    tuple(InputPiece("text", i, i + 1) for i in range(len(text))),
                    tuple(self.vocabulary.index(c) for c in text),
                    np.full((len(text), 1), slope),
                )
            )
        return found

    def embeddings(self):
        matrix = np.array([[float(w)] for w in self.weights.values()])
        starts = np.array([c != " " for c in self.vocabulary])
        return InputEmbeddings(matrix, self.vocabulary, starts)


def estimates(model, text, low, high):
    """Estimate of every change of one word, by the text it makes."""
    (gradients,) = model.gradients([Example("1", {"text": text})], ["positive"])
    place = Place("text", low, high, 0, low, high, ())
    found = {}
    for gain, (_, start, end, new, *_) in _flips(
        gradients, place, _alphabet(model.embeddings()), sign=1
    ):
        found[text[:start] + new + text[end:]] = gain
    return found


def test_estimates_are_exact_for_a_sum_but_for_the_number_of_flips():
    model = Letters(a=3, b=-1, c=2)
    text = "abc x"
    slope = float(model.gradients([Example("1", {"text": text})], ["positive"])[0].gradient[0, 0])
    found = estimates(model, text, 0, 3)

    def change(after):
        return sum(model.weights[c] for c in after) - sum(model.weights[c] for c in text)

    assert found["zbc x"] == pytest.approx(slope * change("zbc x") / sqrt(2))
    # "abc" without its first letter: three flips, a to b, b to c, c to nothing
    assert found["bc x"] == pytest.approx(slope * change("bc x") / sqrt(6))
    assert found["ab x"] == pytest.approx(slope * change("ab x") / sqrt(2))
    # a letter in front: four flips
    assert found["babc x"] == pytest.approx(slope * change("babc x") / sqrt(8))


def attack(model, text, method=None, **params):
    written = ",".join(f"{k}={v}" for k, v in {"level": "character", **params}.items())
    search = parse_attack(f"hotflip({written})").search(Given())
    (found,) = search_all(
        [Example("1", {"text": text}, gold="positive")],
        search,
        victim=Victim(model.predict, model.labels, model),
        settings=Settings(),
    )
    return found


def test_the_flip_with_the_best_estimate_is_asked_first():
    model = Letters(g=3, q=-5)
    found = attack(model, "good", flips=1)
    assert model.asked == ["good", "qood"]
    assert found.is_success


def test_it_goes_on_with_what_the_answers_say():
    model = Letters(g=2, d=2, q=-1)
    found = attack(model, "good film", words=1)
    assert found.is_success
    assert sorted(found.state.texts[0].split()[0]) != sorted("good")
    assert found.state.words_changed == 1
    assert found.n_gradients >= 2


def test_one_letter_words_are_not_emptied():
    found = estimates(Letters(a=3), "a film", 0, 1)
    assert " film" not in found


def test_its_parameters():
    method = parse_attack("hotflip(level=character,words=3)").search(Given()).method
    assert isinstance(method, CharacterFlips)
    assert method.steps == 6
