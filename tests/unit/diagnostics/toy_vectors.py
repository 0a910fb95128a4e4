"""A model whose vectors are known, and a small association test for it."""

from zlib import crc32

import numpy as np

from scrutiny.core.model import Model
from scrutiny.core.queries.language import POOLINGS
from scrutiny.core.registry import registry
from scrutiny.models.answers.checked import AnswerError

#: Words of the sets, and where their vectors point: along the first axis in X and A.
WORDS = {
    "X": ("rose", "tulip", "lily", "daisy"),
    "Y": ("wasp", "flea", "gnat", "moth"),
    "A": ("joy", "peace", "love"),
    "B": ("pain", "filth", "war", "rot"),
}
TEMPLATES = ("This is {}.", "That is {}.", "{} is here.")


class ToyVectors(Model):
    """Vectors of texts by the words in them.

    A word of X or A points to ``+pull`` on the first axis, one of Y or B to ``-pull``; every word
    and every text has noise of its own on the other axes. Layer 0 has no pull, ``cls`` half of it,
    and ``last`` the opposite one.
    """

    is_batch_invariant = True
    labels = ()
    source, task = "toy:vectors", "association-test"
    n_layers = 2

    def __init__(self, pull=1.0, *, seed=0, noise=1.0, causal=False, without=(), breaks=False):
        extra = {"token_logprobs"} if causal else set()
        self.capabilities = frozenset({"representations", "tokenizes"} | extra)
        self.pull, self.seed, self.noise = pull, seed, noise
        self.without, self.breaks = without, breaks
        self.asked = []

    def fingerprint(self):
        return f"toy-{self.pull}-{self.seed}-{self.noise}"

    def predict(self, examples):
        raise NotImplementedError

    def representations(self, passages, *, poolings, layers):
        if self.breaks:
            raise AnswerError("out_of_memory", "too much")
        self.asked.append((list(passages), tuple(poolings), tuple(layers)))
        vectors = [[[self._vector(p, q, k) for q in poolings] for k in layers] for p in passages]
        return np.array(vectors, dtype=np.float32)

    def _vector(self, passage, pooling, layer):
        assert pooling in POOLINGS
        if passage.text in self.without or (pooling == "word" and passage.word is None):
            return np.full(9, np.nan)
        words = {w: 1 if s in "XA" else -1 for s, own in WORDS.items() for w in own}
        word = next((w for w in words if w in passage.text.lower()), "")
        factor = {"cls": 0.5, "last": -1.0}.get(pooling, 1.0) if layer else 0.0
        pull = factor * self.pull * words.get(word, 0)
        noise = [_noise(self.seed, text, pooling, layer) for text in (word, passage.text)]
        return np.array([1.0 * pull, *(self.noise * (noise[0] + 0.3 * noise[1]))])


def _noise(*named):
    return np.random.default_rng([crc32(str(n).encode()) for n in named]).standard_normal(8)


def rows(*, test="flowers", templates=("{}",), sets=WORDS):
    """Rows of one test: every word in every template."""
    return [
        {
            "id": f"{test}/{name}/{word}/{number}",
            "text": template.format(word),
            "test": test,
            "set": name,
            "word": word,
            "start": float(template.format(word).index(word)),
            "end": float(template.format(word).index(word) + len(word)),
        }
        for name, words in sets.items()
        for word in words
        for number, template in enumerate(templates)
    ]


def task():
    """The task of association tests."""
    return registry().load("task", "association-test")()


def examples(given):
    """Items of rows, as the data would read them."""
    keys = {"test": "a_test", "set": "a_set", "word": "u_word", "start": "a_start", "end": "a_end"}
    named = [{keys.get(key, key): value for key, value in row.items()} for row in given]
    return tuple(task().parse(row, source="here:1") for row in named)
