"""Options without what they are about: one logistic regression of their words (scikit-learn).

It reads neither text nor question, so no change of a text can move it. Trained on a file in DREAM's
format:

    scrutiny audit --model "python:./examples/options_only.py:Options#train=dream/train.json" \
        --data dream:dream/test.json
"""

import json
from hashlib import sha256
from pathlib import Path

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline


class Options:
    """How much an option looks like the right ones of a file, by its words alone."""

    is_batch_invariant = True

    def __init__(self, train, strength="1"):
        self._file, self._strength = Path(train), float(strength)
        options, right = [], []
        for _, questions, _ in json.loads(self._file.read_text(encoding="utf-8")):
            for one in questions:
                options += one["choice"]
                right += [text == one["answer"] for text in one["choice"]]
        words = TfidfVectorizer(token_pattern=r"\w+|[^\w\s]", min_df=2, sublinear_tf=True)
        one = LogisticRegression(C=self._strength, max_iter=1000)
        self._model = make_pipeline(words, one).fit(options, right)

    def fingerprint(self):
        """Digest of the file and of the strength."""
        return f"{sha256(self._file.read_bytes()).hexdigest()} {self._strength}"

    def predict(self, items):
        """A score for each option of each item, a tuple of a text, a question and the options."""
        return [self._model.decision_function(options).tolist() for _, _, *options in items]
