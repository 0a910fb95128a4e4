"""Vectors of texts at every layer of a transformer, whatever its head, and their pooling."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final, NamedTuple

import numpy as np
import torch

from scrutiny.core.errors import ConformanceError
from scrutiny.core.queries.language import POOLINGS, Encoded, Passage
from scrutiny.core.record import grouped
from scrutiny.models.hf.forward_passes import Ints, Runner, Sequences

Floats = np.ndarray[Any, np.dtype[np.float32]]


def pooling_weights(
    encoded: Sequence[Encoded], passages: Sequence[Sequence[Passage]], poolings: Sequence[str]
) -> Floats:
    """Weight of each token in each pooling ``(text, passage and pooling, token)``.

    All weights are 0 where a vector does not exist, and so are those of padding.

    Parameters
    ----------
    encoded
        Tokens of each text.
    passages
        Passages of each text, which differ in their target words.
    poolings
        Of every passage, one behind the other.
    """
    width = max(len(one.ids) for one in encoded)
    most = max(map(len, passages)) * len(poolings)
    weights = np.zeros((len(encoded), most, width), np.float32)
    for text, (one, own) in enumerate(zip(encoded, passages, strict=True)):
        asked = ((passage, pooling) for passage in own for pooling in poolings)
        for row, (passage, pooling) in enumerate(asked):
            tokens = _tokens(one, passage, pooling)
            weights[text, row, tokens] = 1.0 / max(1, len(tokens))
    return weights


def _tokens(encoded: Encoded, passage: Passage, pooling: str) -> Sequence[int]:
    """Tokens over which a pooling takes the mean."""
    count = len(encoded.ids)
    if pooling in {"cls", "first-piece"}:
        return range(min(1, count))
    if pooling == "last":
        return range(max(0, count - 1), count)
    if pooling == "mean":
        return range(count)
    if passage.word is None:
        return []
    pieces = _pieces_of(encoded, passage.word)
    # the word stands in the first text, and offsets of the second begin at 0 as well
    return pieces if passage.pair is None else [i for i in pieces if not encoded.segments[i]]


def _pieces_of(encoded: Encoded, word: tuple[int, int]) -> list[int]:
    """Tokens that overlap with a word.

    Examples
    --------
    >>> offsets = ((0, 0), (0, 3), (3, 7), (8, 9))
    >>> one = Encoded((1, 2, 3, 4), (True, False, False, False), offsets, (), ())
    >>> _pieces_of(one, (4, 9))
    [2, 3]
    """
    start, end = word
    return [
        i
        for i, (first, last) in enumerate(encoded.offsets)
        if first < end and last > start and not encoded.is_special[i]
    ]


#: Texts of so few tokens are run one by one. Without special tokens, the vectors of single words
#: are so alike (associations of MiniLM spread over 3e-8 to 7e-6) that the rounding of a batch moves
#: an effect size by 5e-4; the published procedures ask one text at a time.
_ALONE: Final = 4
_CHUNK: Final = 4096  # passages tokenized at a time: enough to sort by length, little to keep


class Representing:
    """A model that gives vectors, whatever else it answers."""

    n_layers: int
    limit: int | None
    _runner: Runner
    _tokenizer: Any

    def encode(
        self, texts: Sequence[str], *, pairs: Sequence[str] | None = None, special: bool = True
    ) -> list[Encoded]:
        """Tokens of each text, or of each pair of texts; never truncated."""
        return encode_texts(self._tokenizer, texts, pairs=pairs, special=special)

    def decode(self, ids: Sequence[int]) -> str:
        """Text of token ids, as the tokenizer writes it."""
        return str(self._tokenizer.decode(list(ids)))

    def representations(
        self, passages: Sequence[Passage], *, poolings: Sequence[str], layers: Sequence[int]
    ) -> Floats:
        """Vectors ``(passage, layer, pooling, dimension)`` as float32.

        As `scrutiny.core.queries.language.Represents` says; passages of one text, whatever their
        target words, are encoded once.
        Passages with more tokens than `limit` have NaN, unless the model reads cut texts.

        Raises
        ------
        ConformanceError
            For an unknown pooling or layer.
        AnswerError
            ``out_of_memory`` if one passage alone does not fit.
        """
        if unknown := [name for name in poolings if name not in POOLINGS]:
            raise ConformanceError(
                f"{unknown[0]!r} is no pooling. There are: {', '.join(POOLINGS)}."
            )
        if any(not 0 <= layer <= self.n_layers for layer in layers):
            raise ConformanceError(f"Layers are numbers from 0 to {self.n_layers}, not {layers}.")
        index = {passage: i for i, passage in enumerate(dict.fromkeys(passages))}
        width = int(self._runner.network.config.hidden_size)
        shape = (len(index), len(layers), len(poolings), width)
        vectors = np.full(shape, np.nan, np.float32)
        distinct = list(index)
        for start in range(0, len(distinct), _CHUNK):
            part = slice(start, start + _CHUNK)
            self._represent(distinct[part], poolings, layers, vectors[part])
        return vectors[[index[passage] for passage in passages]]

    def _as_read(
        self, texts: Sequence[str], *, pairs: Sequence[str] | None, special: bool
    ) -> list[Encoded]:
        """Tokens of each text, or pair of texts, as the model reads them: complete."""
        return self.encode(texts, pairs=pairs, special=special)

    def _represent(
        self,
        passages: Sequence[Passage],
        poolings: Sequence[str],
        layers: Sequence[int],
        out: Floats,
    ) -> None:
        """Write vectors of a group of passages; the first token needs a forward pass of its own."""
        places = grouped((passage._replace(word=None), i) for i, passage in enumerate(passages))
        for special in (True, False):
            columns = [i for i, p in enumerate(poolings) if (p != "first-piece") is special]
            if columns:
                encoded = self._encoded([*places], special=special)
                names = [poolings[i] for i in columns]

                def keep(mine: Ints, vectors: Floats, columns: list[int] = columns) -> None:
                    for layer, found in enumerate(vectors):
                        out[mine[:, None], layer, np.asarray(columns)] = found

                texts = _Texts(passages, [*map(np.array, places.values())], encoded)
                self._pool(texts, names, layers, keep=keep, alone=0 if special else _ALONE)

    def _encoded(self, passages: Sequence[Passage], *, special: bool) -> list[Encoded]:
        """Tokens of passages, those of pairs read together."""
        found: dict[int, Encoded] = {}
        for has_pair in (False, True):
            places = [i for i, p in enumerate(passages) if (p.pair is not None) is has_pair]
            texts = [passages[i].text for i in places]
            pairs = [passages[i].pair or "" for i in places] if has_pair else None
            read = self._as_read(texts, pairs=pairs, special=special)
            found.update(zip(places, read, strict=True))
        return [found[i] for i in range(len(passages))]

    def _pool(
        self,
        texts: "_Texts",
        poolings: Sequence[str],
        layers: Sequence[int],
        *,
        keep: Callable[[Ints, Floats], None],
        alone: int,
    ) -> None:
        """Keep vectors of texts encoded in one way; short ones are run one by one."""
        limit = self.limit or np.inf
        encoded = texts.encoded
        lengths = np.array([len(one.ids) for one in encoded], dtype=np.int64)
        fits = (lengths > 0) & (lengths <= limit)
        for is_alone in (True, False):
            chosen = np.flatnonzero(fits & ((lengths <= alone) == is_alone)).tolist()
            budget = replace(self._runner.budget, texts=1) if is_alone else None

            def use(batch: list[int], inputs: dict[str, Any], chosen: list[int] = chosen) -> None:
                mine = [chosen[i] for i in batch]
                weights = pooling_weights(
                    [encoded[i] for i in mine], [texts.passages_of(i) for i in mine], poolings
                )
                network = self._runner.network
                wants_all = any(layer != self.n_layers for layer in layers)
                output = network.base_model(**inputs, output_hidden_states=wants_all)
                sums = torch.from_numpy(weights).to(network.device)
                states = [output.hidden_states[i] if wants_all else output[0] for i in layers]
                found = np.stack(
                    [torch.bmm(sums, state.float()).cpu().numpy() for state in states]
                )  # (layer, text, passage and pooling, width)
                found[:, weights.sum(-1) == 0] = np.nan
                for row, i in enumerate(mine):
                    places = texts.places[i]
                    shape = (len(layers), len(places), len(poolings), -1)
                    own = found[:, row, : len(places) * len(poolings)]
                    keep(places, own.reshape(shape))

            pairs = [texts.passages_of(i)[0].pair for i in chosen]
            segments = [
                () if pair is None else encoded[i].segments
                for i, pair in zip(chosen, pairs, strict=True)
            ]
            sequences = Sequences([encoded[i].ids for i in chosen], segments)
            self._runner.run(sequences, use, budget=budget)


class _Texts(NamedTuple):
    """Passages by their texts: places of each text's passages, and the tokens of the text."""

    passages: Sequence[Passage]
    places: Sequence[Ints]
    encoded: Sequence[Encoded]

    def passages_of(self, text: int) -> list[Passage]:
        """Passages of a text."""
        return [self.passages[i] for i in self.places[text].tolist()]


def has_vectors(network: Any) -> bool:
    """Whether a network with a head has one stack of layers below it."""
    config = network.config
    is_one_stack = not config.is_encoder_decoder and network.base_model is not network
    sizes = (getattr(config, name, None) for name in ("num_hidden_layers", "hidden_size"))
    return is_one_stack and all(isinstance(size, int) for size in sizes)


def encode_texts(
    tokenizer: Any,
    texts: Sequence[str],
    *,
    pairs: Sequence[str] | None,
    special: bool,
    limit: int | None = None,
) -> list[Encoded]:
    """Tokens of each text, or of each pair of texts; truncated if there is a limit."""
    if not texts:
        return []
    fields = [list(texts)] if pairs is None else [list(texts), list(pairs)]
    found = tokenizer(
        *fields,
        add_special_tokens=special,
        truncation=limit is not None,
        max_length=limit,
        padding=False,
        verbose=False,
    )
    return [_view(one) for one in found.encodings]


def _view(one: Any) -> Encoded:
    """Our view of what the tokenizer gives.

    Special tokens have the segment that it gives them, but none behind the second text is in the
    first (RoBERTa's tokenizer knows one segment only).
    """
    own = zip(one.sequence_ids, one.type_ids, strict=True)
    segments = accumulate((kind if text is None else text for text, kind in own), max)
    return Encoded(
        ids=tuple(one.ids),
        is_special=tuple(map(bool, one.special_tokens_mask)),
        offsets=tuple(one.offsets),
        words=tuple(one.word_ids),
        segments=tuple(segments),
    )
