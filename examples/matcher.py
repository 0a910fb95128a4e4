"""A matcher of Chinese questions and texts: ``python:./examples/matcher.py:Matcher#seed=1``.

A logistic regression of three shares: of the question's characters, of its pairs of characters, and
of these by how rare they are, that stand in the text. It is fitted to a bootstrap of the first
1,702 pairs of ``squad:../shared/data/xquad/xquad.zh.json#task=text-pair-classification,around=0``;
the others, of other articles, are for measuring.
"""

from collections import Counter
from itertools import pairwise
from math import log
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from scrutiny.data.dataset import load_dataset

DATA = Path(__file__).parents[2] / "shared/data/xquad/xquad.zh.json"
TRAINED = 1702


class Matcher:
    """One of several: the seed draws the pairs that it is fitted to."""

    is_batch_invariant = True

    def __init__(self, seed="1"):
        self._seed = int(seed)
        source = f"squad:{DATA}#task=text-pair-classification,around=0"
        pairs = load_dataset(source).examples[:TRAINED]
        texts = {e.fields["text_pair"] for e in pairs}
        counts = Counter(pair for text in texts for pair in _pairs(text))
        self._rare = {pair: log(len(texts) / n) for pair, n in counts.items()}
        self._unseen = log(len(texts))
        drawn = np.random.default_rng(self._seed).integers(len(pairs), size=len(pairs))
        rows = np.array([self._shares(*e.fields.values()) for e in pairs])[drawn]
        labels = np.array([e.gold for e in pairs])[drawn]
        self._model = LogisticRegression(C=100).fit(rows, labels)

    def fingerprint(self):
        """What an answer depends on."""
        return f"matcher {self._seed} {np.round(self._model.coef_, 6).tolist()}"

    def predict(self, items):
        """Probability of each label."""
        rows = [self._shares(*item) for item in items]
        labels = self._model.classes_.tolist()
        return [dict(zip(labels, row, strict=True)) for row in self._model.predict_proba(rows)]

    def _shares(self, question, text):
        letters, held = {*question}, {*text}
        asked, there = _pairs(question), _pairs(text)
        weights = [self._rare.get(pair, self._unseen) for pair in asked]
        shared = sum(w for pair, w in zip(asked, weights, strict=True) if pair in there)
        return [
            len(letters & held) / max(1, len(letters)),
            len({*asked} & {*there}) / max(1, len({*asked})),
            shared / max(1.0, sum(weights)),
        ]


def _pairs(text):
    """Adjacent characters of a text, each pair once, in order."""
    return [*dict.fromkeys(a + b for a, b in pairwise(text))]
