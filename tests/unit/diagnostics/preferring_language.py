"""A language model whose preferences are known: words it likes make all other words likelier."""

import zlib
from dataclasses import replace

from scrutiny.core.model import Model
from scrutiny.core.queries.language import Encoded

BEGIN, END, MASK = 1, 2, 0


def without_contrasts(kind):
    """Diagnostic whose claims rest on its own estimates alone, as the conformance check knows."""

    def design(self, params, inputs):
        found = kind.design(self, params, inputs)
        apart = {contrast.id for contrast in found.contrasts}
        claims = [
            replace(c, components=tuple(p for p in c.components if p.estimate not in apart))
            for c in found.claims
        ]
        return replace(found, claims=tuple(claims), contrasts=())

    return type(kind.__name__, (kind,), {"design": design, "__doc__": kind.__doc__})()


def word_id(word):
    return zlib.crc32(word.lower().encode()) % 100_000 + 10


class Preferring(Model):
    """Whitespace words are tokens; log p is -1 beside a word it likes, else -2.

    ``liked`` may say how much (1 unless told). Without any liked words all sentences of one length
    are alike: every pair is a tie.
    """

    task, labels, is_batch_invariant = "sentence-pairs", (), True

    def __init__(self, liked=(), *, causal=False, attention=False, follows=None):
        self.source = f"python:object:{sorted(liked)}"
        self.mask_id = None if causal else MASK
        self.begin_id = BEGIN if causal else None
        self.limit = 50
        bonus = liked if isinstance(liked, dict) else dict.fromkeys(liked, 1.0)
        self.liked = {word_id(word): value for word, value in bonus.items()}
        self.follows = follows
        likelihood = "token_logprobs" if causal else "masked_logprobs"
        self.capabilities = frozenset({"tokenizes", likelihood})
        if follows is not None:
            self.capabilities |= {"next_sentence"}
        if attention:
            self.capabilities |= {"attention_received"}

    def fingerprint(self):
        return f"{self.source} {sorted(self.capabilities)}"

    def predict(self, examples):
        raise AssertionError("nothing is predicted")

    def encode(self, texts, *, pairs=None, special=True):
        assert pairs is None
        return [self._encoded(text, special) for text in texts]

    def _encoded(self, text, special):
        words, offsets, place = text.split(), [], 0
        for word in words:
            start = text.index(word, place)
            place = start + len(word)
            offsets.append((start, place))
        ids = [MASK if word == "[MASK]" else word_id(word) for word in words]
        flags, index = [False] * len(ids), list(range(len(ids)))
        if special:
            ids, flags = [BEGIN, *ids, END], [True, *flags, True]
            offsets, index = [(0, 0), *offsets, (0, 0)], [None, *index, None]
        return Encoded(tuple(ids), tuple(flags), tuple(offsets), tuple(index), (0,) * len(ids))

    def decode(self, ids):
        return " ".join("[MASK]" if i == MASK else f"#{i}" for i in ids)

    def _logprob(self, context):
        return -2.0 + max((self.liked.get(i, 0.0) for i in context), default=0.0)

    def masked_logprobs(self, queries):
        return [
            tuple(tuple(self._logprob(c.ids) for _ in c.positions) for c in query)
            for query in queries
        ]

    def token_logprobs(self, queries):
        return [
            tuple(self._logprob(query.ids[:i]) for i in range(query.start, len(query.ids)))
            for query in queries
        ]

    def attention_received(self, queries):
        return [tuple(1 / len(ids) for _ in ids) for ids in queries]

    def next_sentence(self, queries):
        return [self.follows(*query) for query in queries]
