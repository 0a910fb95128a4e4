"""Toy models whose attention, and answers made of it, can be computed by hand."""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any, Final
from zlib import crc32

import numpy as np

from scrutiny.core.boundary.json_text import canonical_json, digest, plain
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.queries.attention import (
    WEIGHTINGS,
    AttentionMap,
    HeadIndex,
    Intervention,
    Weighting,
    Words,
)
from scrutiny.core.queries.language import Encoded
from scrutiny.core.randomness import generator
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import AnswerError
from scrutiny.tasks.annotated import AnchoredSpans
from scrutiny.tasks.classification import TextClassification
from scrutiny.testing.toy_heads import ToyHead
from scrutiny.text.tokens import token_spans

_CLS, _SEP, _FIRST = 1, 2, 8
_IDS: Final = 2**31
Floats = np.ndarray[Any, np.dtype[np.float32]]


class ToyAttention(Model):
    """Model with known heads; a sentence is ``[CLS] pieces [SEP]``.

    A word looks at a word: each of its pieces gives the same row, and the pieces of the word that
    is looked at share its weight. A blank word has no piece.

    Parameters
    ----------
    heads
        By layer; all layers have equally many.
    pieces
        How words in lower case are cut, if not left whole: ``{"n't": ("n", "'", "t")}``.
    norms
        Length of what is weighted, for pieces where it is not 1.
    is_causal
        Whether nothing is attended to that comes later; rows still sum to 1.
    limit
        Most pieces of one sentence, special tokens included.
    seed
        Seed of all randomness.

    Raises
    ------
    ConformanceError
        If layers differ in their heads, or pieces do not make up their word.

    Examples
    --------
    >>> from scrutiny.testing.toy_heads import OffsetHead, UniformHead
    >>> model = ToyAttention([[OffsetHead(-1, weight=0.6), UniformHead()]])  # "bad" sees "not"
    >>> (one,) = model.attentions([("not", "bad")])
    >>> one.words
    (None, 0, 1, None)
    >>> one.weights[0, 0, 2].astype(float).round(2).tolist()
    [0.1, 0.7, 0.1, 0.1]
    """

    is_batch_invariant = True
    attention_shape: tuple[int, int]
    task = AnchoredSpans.name

    def __init__(
        self,
        heads: Sequence[Sequence[ToyHead]],
        pieces: Mapping[str, Sequence[str]] | None = None,
        *,
        norms: Mapping[str, float] | None = None,
        is_causal: bool = False,
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        if len({len(layer) for layer in heads}) != 1:
            raise ConformanceError("All layers of a toy model have equally many heads.")
        for word, parts in (pieces or {}).items():
            if "".join(parts) != word:
                raise ConformanceError(f"{tuple(parts)} do not make up the word {word!r}.")
        self.source = f"testing:{type(self).__name__}"
        self.capabilities: frozenset[str] = frozenset({"attentions", "head_interventions"})
        self.attention_shape = (len(heads), len(heads[0]))
        self.is_causal = is_causal
        self.limit = limit
        self.intervention: Intervention | None = None
        self._heads = [head for layer in heads for head in layer]
        self._pieces = {word: tuple(parts) for word, parts in (pieces or {}).items()}
        self._norms = dict(norms or {})
        self._seed = seed

    def fingerprint(self) -> str | None:
        """Digest of the heads, of what they depend on, and of an intervention."""
        heads = [[type(head).__name__, plain(head)] for head in self._heads]
        rest = [self._pieces, self._norms, self.is_causal, self.limit, self._seed]
        parts = [*self.attention_shape, heads, rest, self.intervention]
        return digest("toy-attention@1", type(self).__name__, canonical_json(parts))

    def encode(
        self, texts: Sequence[str], *, pairs: Sequence[str] | None = None, special: bool = True
    ) -> list[Encoded]:
        """Pieces of the light tokenizer's words; pairs are not supported.

        Raises
        ------
        ModelError
            For pairs.
        """
        if pairs is not None:
            raise ModelError(f"{self.source} reads one text at a time.")
        return [self._encode(text, special=special) for text in texts]

    def attentions(
        self, sentences: Sequence[Words], *, weighting: Weighting = "raw"
    ) -> Iterator[AttentionMap | Failure]:
        """Maps of the sentences in order; ``value-norm`` multiplies by the vectors' lengths.

        Raises
        ------
        ConformanceError
            For another weighting.
        ModelError
            For gradients, which it lacks.
        """
        if weighting not in WEIGHTINGS:
            raise ConformanceError(f"Weightings are {', '.join(WEIGHTINGS)}, not {weighting!r}.")
        if weighting == "gradient":
            raise ModelError(f"{self.source!r} has no gradients of its weights.")
        return (self._map(tuple(words), weighting) for words in sentences)

    def intervened(self, intervention: Intervention) -> "ToyAttention":
        """The same model with changed heads; its layers are independent.

        Raises
        ------
        ConformanceError
            For a head that it does not have.
        """
        for layer, head in intervention.heads:
            if layer >= self.attention_shape[0] or head >= self.attention_shape[1]:
                raise ConformanceError(f"{self.source} has no head ({layer}, {head}).")
        changed = copy(self)
        changed.intervention = intervention
        return changed

    def _map(self, words: Words, weighting: Weighting) -> AttentionMap | Failure:
        """Map of one sentence."""
        cut = [self._cut(word) for word in words]
        owners = [i for i, parts in enumerate(cut) for _ in parts]
        parts = [part for word in cut for part in word]
        if self.limit is not None and len(parts) + 2 > self.limit:
            return Failure("too_long", f"{len(parts) + 2} pieces, the limit is {self.limit}")
        ids = (_CLS, *map(_id_of, parts), _SEP)
        made = self.intervention
        if made is not None and made.change == "erase" and ids not in dict(made.erased):
            return Failure("not_stated", f"no positions to erase are stated for {ids}")
        weights = self._weights(words, np.array([-1, *owners, -1]))
        if made is not None and made.heads:
            weights = self._changed(weights, made, ids)
        if weighting == "value-norm":
            weights = weights * np.array([1, *(self._norms.get(p, 1) for p in parts), 1])
        return AttentionMap(weights.astype(np.float32), (None, *owners, None), ids)

    def _weights(self, words: Words, owners: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
        """Weights ``(layer, head, piece, piece)``; ``owners`` is -1 for special tokens."""
        item, n = canonical_json(list(words)), len(owners)
        noise = generator(self._seed, "toy-attention", name="noise", item=item)
        weights = noise.standard_exponential((len(self._heads), n, n))
        for k, head in enumerate(self._heads):
            if not head.is_noise:
                rng = generator(self._seed, "toy-attention", name="head", item=item, draw=k)
                # the last is what the owner -1 finds: special tokens
                targets = [*head.targets(words, rng), head.target_of_specials(words)]
                # rows of one head ``(piece, piece)``, from the word that each word attends to
                looks_at = np.array([-2 if target is None else target for target in targets])[
                    owners
                ]
                is_seen = looks_at[:, None] == owners  # never of special tokens, whose owner is -1
                seen = is_seen.sum(1, keepdims=True)
                share = np.where(seen > 0, head.weight, 0)
                weights[k] = np.asarray(
                    (1 - share) / len(owners) + share * is_seen / np.maximum(seen, 1)
                )
        if self.is_causal:
            weights = np.tril(weights)
        weights /= weights.sum(-1, keepdims=True)
        return weights.reshape(*self.attention_shape, n, n)

    def _changed(
        self, weights: "np.ndarray[Any, Any]", made: Intervention, ids: tuple[int, ...]
    ) -> "np.ndarray[Any, Any]":
        """Weights under an intervention."""
        layers, heads = np.array(made.heads).T
        own = weights[layers, heads]
        if made.change == "uniform":
            own = np.tril(np.ones_like(own)) if self.is_causal else np.ones_like(own)
        elif made.change == "mask":
            own = np.zeros_like(own)
        else:
            own[:, :, list(dict(made.erased)[ids])] = 0
        sums = own.sum(-1, keepdims=True)
        weights[layers, heads] = own / np.where(sums > 0, sums, 1)
        return weights

    def _cut(self, word: str) -> tuple[str, ...]:
        """Pieces of a word."""
        return self._pieces.get(word.lower(), (word.lower(),)) if word.strip() else ()

    def _encode(self, text: str, *, special: bool) -> Encoded:
        """Encoding of one text."""
        rows: list[tuple[int, bool, tuple[int, int], int | None, int]] = []
        for i, (start, end) in enumerate(token_spans(text)):
            parts = self._cut(text[start:end])
            borders = [start, *(start + np.cumsum([len(part) for part in parts])).tolist()]
            spans = zip(borders, [*borders[1:-1], end], strict=False)
            pairs = zip(parts, spans, strict=False)
            rows += [(_id_of(part), False, span, i, 0) for part, span in pairs]
        if special:
            rows = [(_CLS, True, (0, 0), None, 0), *rows, (_SEP, True, (0, 0), None, 0)]
        return Encoded(*zip(*rows, strict=True)) if rows else Encoded((), (), (), (), ())


class ToyAttentionClassifier(ToyAttention):
    """Classifier with one head: p(positive) = .05 + .9 of [CLS]'s attention to evidence.

    Parameters
    ----------
    heads
        As for `ToyAttention`.
    reads
        Layer and head that decide, counted from 0; all others do nothing.
    evidence
        Words in lower case.

    Examples
    --------
    >>> from scrutiny.testing.toy_heads import CueHead, NoiseHead
    >>> heads = [[NoiseHead(), CueHead(("not",))]]
    >>> model = ToyAttentionClassifier(heads, reads=(0, 1), evidence=("not",))
    >>> text = Example("1", {"text": "This is not good"})
    >>> masked = model.intervened(Intervention("mask", ((0, 1),)))
    >>> [m.predict([text])[0].answer for m in (model, masked)]
    ['positive', 'negative']
    """

    labels = ("negative", "positive")
    task = TextClassification.name

    def __init__(
        self,
        heads: Sequence[Sequence[ToyHead]],
        *,
        reads: HeadIndex,
        evidence: Sequence[str],
        seed: int = 0,
    ) -> None:
        super().__init__(heads, seed=seed)
        self.capabilities |= {"predict"}
        self._reads = reads
        self._evidence = frozenset(evidence)

    def fingerprint(self) -> str | None:
        """Digest of the heads, and of how the answer depends on them."""
        return digest(str(super().fingerprint()), canonical_json([*self._reads, self._evidence]))

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """One prediction for each example, in order.

        Raises
        ------
        AnswerError
            ``not_stated`` for a text whose erased positions nobody stated.
        """
        return [self._answer(example.text) for example in examples]

    def _answer(self, text: str) -> Prediction:
        """Prediction for one text."""
        words = tuple(text[start:end] for start, end in token_spans(text))
        (found,) = self.attentions([words])
        if isinstance(found, Failure):
            raise AnswerError(found.reason, found.message)
        row = found.weights[self._reads][0]
        is_evidence = [i is not None and words[i].lower() in self._evidence for i in found.words]
        positive = 0.05 + 0.9 * float(row[is_evidence].sum())
        return Prediction(self.labels[int(positive > 0.5)], scores=(1 - positive, positive))


def _id_of(piece: str) -> int:
    """Token id of a piece, the same in every model."""
    return _FIRST + crc32(piece.encode("utf-8", "surrogatepass")) % (_IDS - _FIRST)
