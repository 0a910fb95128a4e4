"""Several labels of a text by scikit-learn: one logistic regression of its words for each label.

A file has the columns ``text`` and ``label``, labels with bars between them (``food|price``). That
of SemEval-2014 says what sentences on restaurants are about:

    python examples/several_labels.py Restaurants_Train.xml train.csv
    scrutiny audit --model "python:./examples/several_labels.py:OneVsRest#train=train.csv" \
        --data "csv:test.csv#task=multi-label-classification"
"""

import csv
import sys
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer


class OneVsRest:
    """Probabilities of the labels of a file's texts; those of a half or more are given."""

    def __init__(self, train, strength="10"):
        self._file, self._strength = Path(train), float(strength)
        with self._file.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        golds = [set(filter(None, row["label"].split("|"))) for row in rows]
        names = MultiLabelBinarizer()
        one = LogisticRegression(C=self._strength, max_iter=1000)
        self._model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), OneVsRestClassifier(one))
        self._model.fit([row["text"] for row in rows], names.fit_transform(golds))
        self.labels = [str(name) for name in names.classes_]

    def fingerprint(self):
        """Digest of the file and of the strength."""
        return f"{sha256(self._file.read_bytes()).hexdigest()} {self._strength}"

    def predict(self, texts):
        """A mapping from labels to probabilities for each text."""
        shares = self._model.predict_proba(texts).tolist()
        return [dict(zip(self.labels, row, strict=True)) for row in shares]


def write_categories(source, target):
    """Sentences of SemEval-2014 with the categories of what they judge, as CSV."""
    with Path(target).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label"])
        for sentence in ElementTree.parse(source).getroot():
            named = {one.get("category") for one in sentence.iter("aspectCategory")}
            writer.writerow([sentence.findtext("text"), "|".join(sorted(named))])


if __name__ == "__main__":
    write_categories(*sys.argv[1:])
