"""Objects that answer at random, asked several times."""

import pytest

from scrutiny.core.errors import ModelError
from scrutiny.models.strings.model_families import expand
from scrutiny.models.strings.model_loading import load_model

CODE = '''
import random

class Coin:
    """Heads by the number of the draw and the text: the same draw again gives the same."""

    labels = ("heads", "tails")

    def predict(self, texts, draw=0):
        return [
            self.labels[random.Random(f"{draw} {text}").random() < float(text)] for text in texts
        ]

    def fingerprint(self):
        return "coin@1-of-this-test"


class Blind:
    labels = ("heads", "tails")
    asked = []

    def predict(self, texts):
        self.asked.append(len(texts))
        return ["heads" if len(self.asked) % 4 else "tails" for _ in texts]


def shares(texts):
    return [{"heads": 0.5, "tails": 0.5} for _ in texts]


def odd(texts):
    return ["edge" for _ in texts]


class Model:
    source, task, labels, is_batch_invariant = "x", "y", ("a", "b"), True
    capabilities = frozenset({"predict"})
    def fingerprint(self): return None
    def predict(self, examples): return []
'''


@pytest.fixture
def place(tmp_path):
    (tmp_path / "coins.py").write_text(CODE)
    return f"python:{tmp_path}/coins.py"


def test_scores_are_shares_of_the_samples(place, classification, make):
    model = load_model(f"{place}:Coin#samples=200", classification)
    assert model.n_samples == 200
    never, half, always = model.predict(make("0", "0.5", "1"))
    assert (never.scores, always.scores) == ((1.0, 0.0), (0.0, 1.0))
    assert 0.4 < half.scores[0] < 0.6
    assert (half.scores[0] * 200).is_integer()


def test_the_same_draws_give_the_same_and_others_do_not(place, classification, make):
    one = load_model(f"{place}:Coin#samples=20", classification)
    again = load_model(f"{place}:Coin#samples=20,draw=0", classification)
    other = load_model(f"{place}:Coin#samples=20,draw=1", classification)
    texts = make("0.5", "0.4", "0.6", "0.50", "0.45")
    assert one.predict(texts) == again.predict(texts) == one.predict(texts)
    assert one.predict(texts) != other.predict(texts)
    assert one.fingerprint() != other.fingerprint()
    more = load_model(f"{place}:Coin#samples=40", classification)  # both sets together
    pairs = zip(one.predict(texts), other.predict(texts), more.predict(texts), strict=True)
    for a, b, both in pairs:
        assert both.scores[0] == pytest.approx((a.scores[0] + b.scores[0]) / 2)


def test_sets_of_samples_are_replicates(place):
    family = expand(f"{place}:Coin#samples=20,draw={{seed}}", name="coins", seeds=(0, 1, 2))
    assert [one.random for one in family.replicates] == [{"seed": str(k)} for k in range(3)]


def test_an_object_that_takes_no_draw_is_asked_again(place, classification, make):
    model = load_model(f"{place}:Blind#samples=8", classification)
    assert model.fingerprint() is None
    (answer,) = model.predict(make("any"))
    assert answer.scores == (0.75, 0.25)
    assert model.predict([]) == []


@pytest.mark.parametrize(
    ("tail", "message"),
    [
        (":Coin#samples=1", "samples is a number from 2 on"),
        (":Coin#samples=many", "samples is a number from 2 on"),
        (":Coin#draw=1", "draw needs one"),
        (":Coin#samples=5,draw=x", "draw is a whole number"),
        (":Model#samples=5", "must sample by itself"),
        (":odd#samples=5", "labels must be known"),
    ],
)
def test_options_that_do_not_read(place, classification, tail, message):
    with pytest.raises(ModelError, match=message):
        load_model(f"{place}{tail}", classification)


def test_answers_that_cannot_be_counted(place, classification, make):
    model = load_model(f"{place}:shares#samples=5,labels=heads|tails", classification)
    with pytest.raises(ModelError, match="answers with probabilities"):
        model.predict(make("any"))
    model = load_model(f"{place}:odd#samples=5,labels=heads|tails", classification)
    (edge,) = model.answers_or_failures(make("any"))
    assert edge.reason == "bad_answer"
    assert "answered 'edge', which is not among its labels" in edge.message
