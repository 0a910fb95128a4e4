"""Toy language models whose answers can be computed by hand."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from scrutiny.core.errors import ModelError
from scrutiny.core.queries.language import (
    Clozes,
    Continuation,
    Encoded,
    Passage,
    SentencePair,
    TokenIds,
)
from scrutiny.models.answers.checked import AnswerError
from scrutiny.tasks.stereotypes import SentencePairs
from scrutiny.testing.toy_models import ToyModel
from scrutiny.text.tokens import token_spans

SPECIALS: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
#: Probability of each special token, wherever; the words share the rest.
SPECIAL_SHARE: Final = 0.01
_UNK, _CLS, _SEP, _MASK = 1, 2, 3, 4


class ToyLanguage(ToyModel):
    """Base of toy language models: lower-case words as tokens, and a fingerprint.

    Texts are cut by the light tokenizer and are ``[CLS] ... [SEP]`` or ``[CLS] ... [SEP] ...
    [SEP]``. Every token receives the same attention.

    Parameters
    ----------
    words
        The vocabulary behind the five special tokens, in lower case.
    identity
        What the model's answers depend on.
    limit
        Most tokens of one sequence.
    """

    capabilities: frozenset[str] = frozenset({"tokenizes", "attention_received"})
    begin_id: int | None = None
    mask_id: int | None = _MASK
    of_task = SentencePairs.name

    def __init__(self, words: Sequence[str], identity: Any, *, limit: int | None = None) -> None:
        made_of = [type(self).__name__, words, identity, limit]
        super().__init__(self.of_task, (), version="toy-language@1", made_of=made_of)
        self.limit = limit
        self.words = (*SPECIALS, *words)
        self._ids = {word: i for i, word in enumerate(self.words)}

    def encode(
        self, texts: Sequence[str], *, pairs: Sequence[str] | None = None, special: bool = True
    ) -> list[Encoded]:
        """Tokens of each text, or of each pair of texts."""
        fields = zip(texts, strict=True) if pairs is None else zip(texts, pairs, strict=True)
        return [self._encode(list(both), special=special) for both in fields]

    def decode(self, ids: Sequence[int]) -> str:
        """Words joined by spaces."""
        return " ".join(self.words[i] for i in ids)

    def attention_received(self, queries: Sequence[TokenIds]) -> list[tuple[float, ...]]:
        """Uniform attention: equal for each token of a query."""
        self._refuse_long(queries)
        return [(1 / len(query),) * len(query) for query in queries]

    def _encode(self, texts: Sequence[str], *, special: bool) -> Encoded:
        """Encoding of one text or pair."""
        rows: list[tuple[int, bool, tuple[int, int], int | None, int]] = []
        for segment, text in enumerate(texts):
            if special and segment == 0:
                rows.append((_CLS, True, (0, 0), None, 0))
            for word, (start, end) in enumerate(token_spans(text)):
                token = self._ids.get(text[start:end].lower(), _UNK)
                rows.append((token, False, (start, end), word, segment))
            if special:
                rows.append((_SEP, True, (0, 0), None, segment))
        return Encoded(*zip(*rows, strict=True)) if rows else Encoded((), (), (), (), ())

    def _refuse_long(self, sequences: Sequence[Sequence[int]]) -> None:
        """Raise if a sequence is too long."""
        longest = max(map(len, sequences), default=0)
        if self.limit is not None and longest > self.limit:
            raise AnswerError("too_long", f"{longest} tokens, the limit is {self.limit}")


class _ToyTable(ToyLanguage):
    """Probabilities of words, given the word to the left if it is in the table."""

    def __init__(
        self,
        unigrams: Mapping[str, float],
        bigrams: Mapping[str, Mapping[str, float]] | None = None,
        *,
        limit: int | None = None,
    ) -> None:
        more = {left: dict(row) for left, row in (bigrams or {}).items()}
        super().__init__(tuple(unigrams), [dict(unigrams), more], limit=limit)
        self._plain = self._logs(unigrams)
        self._after = {
            self._ids[left]: self._logs({w: row.get(w, 0.0) for w in unigrams})
            for left, row in more.items()
        }

    def _logs(self, weights: Mapping[str, float]) -> tuple[float, ...]:
        """Log-probability of each token."""
        total = sum(weights.values())
        share = 1 - SPECIAL_SHARE * len(SPECIALS)
        if total <= 0:
            raise ModelError("The weights of the words must sum to more than 0.")
        words = (math.log(share * w / total) if w else -math.inf for w in weights.values())
        return (math.log(SPECIAL_SHARE),) * len(SPECIALS) + tuple(words)

    def _log(self, left: int | None, token: int) -> float:
        """Log-probability of a token after another one."""
        return self._after.get(-1 if left is None else left, self._plain)[token]


class ToyMaskedLanguageModel(_ToyTable):
    """Masked language model that uses the word to the left, or no context.

    A word's probability is its share of the weights, less 0.05 for the five special tokens
    (``SPECIAL_SHARE`` each). `next_sentence` is (1 + shared words) / (2 + distinct words).

    Parameters
    ----------
    unigrams
        Weight of each word, in lower case: its vocabulary.
    bigrams
        Weights of the words behind a word, where they are not the plain ones; a word that is left
        out has probability 0, for which no answer exists.
    limit
        Most tokens of one sequence.

    Examples
    --------
    >>> from scrutiny.core.queries.language import Cloze
    >>> model = ToyMaskedLanguageModel({"he": 3, "she": 1})
    >>> ids = model.encode(["He"])[0].ids
    >>> answers = model.masked_logprobs([(Cloze((2, 4, 3), (1,), (ids[1],)),)])
    >>> round(math.exp(answers[0][0][0]), 4)
    0.7125
    """

    capabilities = ToyLanguage.capabilities | {"masked_logprobs", "next_sentence"}

    def masked_logprobs(self, queries: Sequence[Clozes]) -> list[tuple[tuple[float, ...], ...]]:
        """Natural log-probabilities by query, cloze and target."""
        self._refuse_long([cloze.ids for query in queries for cloze in query])
        return [
            tuple(
                tuple(
                    self._log(cloze.ids[i - 1] if i else None, target)
                    for i, target in zip(cloze.positions, cloze.targets, strict=True)
                )
                for cloze in query
            )
            for query in queries
        ]

    def next_sentence(self, queries: Sequence[SentencePair]) -> list[float]:
        """Probability that grows with the number of shared words."""
        found = []
        for query in queries:
            one, two = (set(self._encode([text], special=False).ids) for text in query)
            found.append((1 + len(one & two)) / (2 + len(one | two)))
        return found


class ToyCausalLanguageModel(_ToyTable):
    """Causal language model that uses the previous word, or no context.

    Probabilities are those of `ToyMaskedLanguageModel`; texts begin with ``[CLS]``.
    """

    capabilities = ToyLanguage.capabilities | {"token_logprobs"}
    begin_id = _CLS
    mask_id = None

    def token_logprobs(self, queries: Sequence[Continuation]) -> list[tuple[float, ...]]:
        """Natural log-probability of every token from ``start`` on."""
        self._refuse_long([query.ids for query in queries])
        return [
            tuple(self._log(q.ids[i - 1], q.ids[i]) for i in range(q.start, len(q.ids)))
            for q in queries
        ]


class ToyEncoder(ToyLanguage):
    """Encoder with known vectors: a token's own in layer 0, plus the mean of all in layer 1.

    Special tokens and unknown words are the origin.

    Parameters
    ----------
    vectors
        Vector of each word, in lower case.

    Examples
    --------
    >>> model = ToyEncoder({"good": (1.0, 0.0), "bad": (0.0, 3.0)})
    >>> model.representations([Passage("good bad")], poolings=["mean"], layers=[0])[0, 0, 0]
    array([0.25, 0.75], dtype=float32)
    """

    capabilities = ToyLanguage.capabilities | {"representations"}
    n_layers = 1

    def __init__(self, vectors: Mapping[str, Sequence[float]], *, limit: int | None = None) -> None:
        super().__init__(tuple(vectors), {w: list(v) for w, v in vectors.items()}, limit=limit)
        width = len(next(iter(vectors.values())))
        origin = np.zeros((len(SPECIALS), width))
        self._vectors = np.vstack([origin, np.array(list(vectors.values()), float)])

    def representations(
        self, passages: Sequence[Passage], *, poolings: Sequence[str], layers: Sequence[int]
    ) -> "np.ndarray[Any, Any]":
        """Vectors ``(passage, layer, pooling, dimension)`` as float32."""
        found = [
            [[self._vector(passage, pooling, layer) for pooling in poolings] for layer in layers]
            for passage in passages
        ]
        shape = (len(passages), len(layers), len(poolings), self._vectors.shape[1])
        return np.array(found, np.float32).reshape(shape)

    def _vector(self, passage: Passage, pooling: str, layer: int) -> "np.ndarray[Any, Any]":
        """One vector, or NaN if undefined."""
        encoded = self._encode([passage.text], special=pooling != "first-piece")
        rows = self._vectors[list(encoded.ids)] if encoded.ids else self._vectors[:0]
        start, end = passage.word or (0, 0)
        chosen: Any = {
            "cls": slice(0, 1),
            "first-piece": slice(0, 1),
            "mean": slice(None),
            "last": slice(-1, None),
            "word": [i for i, (a, b) in enumerate(encoded.offsets) if a < end and b > start],
        }[pooling]
        picked = rows[chosen]
        if not len(picked):
            return np.full(rows.shape[1], np.nan)
        return np.asarray(picked.mean(0) + layer * rows.mean(0))
