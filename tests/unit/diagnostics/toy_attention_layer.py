"""Classifiers with one layer of attention whose every answer can be worked out on paper."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import softmax

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.attention import AttendedText
from scrutiny.core.task import Prediction
from scrutiny.models.words.attention_classifier import LinearReadout
from scrutiny.testing.toy_models import ToyModel
from scrutiny.text.tokens import token_texts


class ToyAttentionLayer(ToyModel):
    """A classifier that mixes what its words say by how much it looks at them.

    The weight of a word is the softmax of its score, its vector is what it says: a logit for each
    label. Without any word the labels have the probabilities of the bias. Where what is said is
    *shared*, every word's vector is the mean of what all words say, as in a network that spreads
    what it reads over all positions: the weights then decide nothing.

    Parameters
    ----------
    scores
        Score of each word, 0 for others.
    says
        Logits of each word, 0 for others.
    labels
        Labels, as many as there are logits.
    bias
        Logits where nothing is attended to.
    is_shared
        Whether every position holds what the whole text says.

    Examples
    --------
    >>> toy = ToyAttentionLayer({"good": math.log(2)}, {"good": (0.0, 2.0)})
    >>> toy.attention_layer(["so good"])[0].weights.round(3).tolist()
    [0.333, 0.667]
    """

    capabilities: frozenset[str] = frozenset({"predict", "attention_layer"})

    def __init__(
        self,
        scores: Mapping[str, float],
        says: Mapping[str, Sequence[float]],
        *,
        labels: tuple[str, ...] = ("negative", "positive"),
        bias: Sequence[float] | None = None,
        is_shared: bool = False,
    ) -> None:
        self._scores = dict(scores)
        self._says = {word: np.asarray(logits, dtype=np.float64) for word, logits in says.items()}
        offset = np.zeros(len(labels)) if bias is None else np.asarray(bias, dtype=np.float64)
        self._readout = LinearReadout(np.eye(len(labels)), offset)
        self._is_shared = is_shared
        said = {word: logits.tolist() for word, logits in self._says.items()}
        made_of = [self._scores, said, labels, offset.tolist(), is_shared]
        super().__init__("text-classification", labels, version="toy-attention@1", made_of=made_of)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Probabilities of each example, in order."""
        attended = [self._attended(token_texts(example.text.lower())) for example in examples]
        return [Prediction(scores=tuple(one.probabilities.tolist())) for one in attended]

    def attention_layer(self, texts: Sequence[str]) -> list[AttendedText | Failure]:
        """Words, weights and what the words say; white space alone has no answer."""
        return [
            self._attended(token_texts(text.lower())) if text.strip() else Failure("no_words")
            for text in texts
        ]

    def reweighted(self, attended: Sequence[AttendedText], weights: Floats) -> Floats:
        """Probabilities ``(text, draw, label)`` under weights ``(text, draw, token)``."""
        return self._readout.probabilities(attended, weights)

    def reweighted_slopes(
        self, attended: Sequence[AttendedText], weights: Floats, directions: Floats
    ) -> Floats:
        """Gradient ``(text, draw, token)`` of probabilities in directions."""
        return self._readout.slopes(attended, weights, directions)

    def input_slopes(self, attended: Sequence[AttendedText]) -> list[Floats]:
        """Input times gradient: what a word says counts by its weight, or by 1/n where shared."""
        found = []
        for one in attended:
            p = one.probabilities
            top = int(p.argmax())
            slopes = p[top] * (np.eye(len(p))[top] - p)  # of the top probability in the logits
            share = 1 / len(one.tokens) if self._is_shared else one.weights
            found.append(share * (self._said(one.tokens) @ slopes))
        return found

    def without_each(self, attended: Sequence[AttendedText]) -> list[Floats]:
        """Probabilities ``(token, label)`` of the text without each of its words."""
        return [
            np.stack(
                [
                    self._attended(one.tokens[:i] + one.tokens[i + 1 :]).probabilities
                    for i in range(len(one.tokens))
                ]
            )
            for one in attended
        ]

    def _said(self, tokens: Sequence[str]) -> Floats:
        """Logits ``(token, label)`` of the words."""
        nothing = np.zeros(len(self.labels))
        rows = [self._says.get(token, nothing) for token in tokens]
        return np.stack(rows) if rows else np.zeros((0, len(self.labels)))

    def _attended(self, tokens: Sequence[str]) -> AttendedText:
        """What is weighted in these words."""
        vectors = self._said(tokens)
        if self._is_shared and len(tokens):
            vectors = np.broadcast_to(vectors.mean(axis=0), vectors.shape).copy()
        scores = np.array([self._scores.get(token, 0.0) for token in tokens])
        weights = softmax(scores, axis=-1) if len(tokens) else scores
        return AttendedText(
            tuple(tokens), weights, vectors, self._readout.of_sums(weights @ vectors)
        )


def faithful_layer() -> ToyAttentionLayer:
    """A classifier that looks at its keywords, which alone decide.

    "good" and "bad" have the weight of fifty other words; all else says nothing, and a text in
    which nothing is attended to is ``neutral``.

    Examples
    --------
    >>> faithful_layer().predict([Example("1", {"text": "a good film"})])[0].scores[1] > 0.9
    True
    """
    keyword = math.log(50)
    return ToyAttentionLayer(
        {"good": keyword, "bad": keyword},
        {"good": (0.0, 6.0, 0.0), "bad": (6.0, 0.0, 0.0)},
        labels=("negative", "positive", "neutral"),
        bias=(0.0, 0.0, 2.0),
    )


def unfaithful_layer() -> ToyAttentionLayer:
    """A classifier that looks at "the", while every position says what the whole text says.

    Examples
    --------
    >>> toy = unfaithful_layer()
    >>> (text,) = toy.attention_layer(["the film is good"])
    >>> text.tokens[text.weights.argmax()]
    'the'
    >>> uniform = np.full((1, 1, 4), 0.25)
    >>> np.allclose(toy.reweighted([text], uniform), text.probabilities)
    True
    """
    return ToyAttentionLayer(
        {"the": math.log(50)},
        {"good": (0.0, 60.0, 0.0), "bad": (60.0, 0.0, 0.0)},
        labels=("negative", "positive", "neutral"),
        bias=(0.0, 0.0, 2.0),
        is_shared=True,
    )
