"""Queries to a masked language model: rows of held-out text, and minimal pairs of agreement.

The head is computed at hidden places only; the pairs were written for this project. Passages are
the same for all checkpoints with one vocabulary.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoConfig, BertForPreTraining

from scrutiny.core.arrays import Booleans, Floats, Integers
from scrutiny.core.errors import DataError, ModelError
from scrutiny.training.pretraining.bert import PretrainingForward
from scrutiny.training.pretraining.corpus import CLS, MASK, SEP, UNK, Corpus, load_vocabulary

_CELLS: Final = 16_384  # positions of one forward pass


class MaskedModel:
    """A `BertForPreTraining` of this vocabulary family, in float32.

    Parameters
    ----------
    folder
        Checkpoint.
    device
        "cpu", "cuda:0".

    Raises
    ------
    ModelError
        If it is no BERT.
    """

    def __init__(self, folder: Path, *, device: str = "cpu") -> None:
        if AutoConfig.from_pretrained(folder, local_files_only=True).model_type != "bert":
            raise ModelError(f"{str(folder)!r} is no BERT; competence is measured for BERTs only.")
        network = BertForPreTraining.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32
        )
        self._device = device
        self.positions = int(network.config.max_position_embeddings)
        self._forward = PretrainingForward(network.to(device).eval(), is_bf16=False)
        self.tokenizer = load_vocabulary(folder)

    def log_probabilities(
        self, rows: Integers, places: Integers, answers: Integers
    ) -> tuple[Floats, Booleans]:
        """Log probability of each masked piece, and whether it was the most likely one.

        Parameters
        ----------
        rows
            (row, position) with pieces hidden already.
        places
            (hidden,) flat places ``row * length + position``, rising.
        answers
            (hidden,) pieces that were masked.
        """
        length = rows.shape[1]
        logs, hits = [], []
        for a, b in _spans(len(rows), max(1, _CELLS // length)):
            at = slice(*np.searchsorted(places, [a * length, b * length]))
            wanted = torch.from_numpy(answers[at]).to(self._device)
            with torch.inference_mode():
                part = torch.from_numpy(rows[a:b]).to(self._device)
                hidden = self._forward.hidden(part, torch.zeros_like(part))
                own = torch.from_numpy(places[at] - a * length).to(self._device)
                scores = torch.log_softmax(self._forward.scores(hidden, own), -1)
                logs.append(scores.gather(1, wanted[:, None])[:, 0].double().cpu().numpy())
                hits.append((scores.argmax(-1) == wanted).cpu().numpy())
        return np.concatenate(logs), np.concatenate(hits)

    def one_at_a_time(self, rows: Integers, is_open: Booleans) -> tuple[Floats, Integers]:
        """Log probability (hidden,) of every open piece when it alone is masked, and its row.

        Parameters
        ----------
        rows
            (row, position) whole.
        is_open
            (row, position) whether a piece is asked for.
        """
        owner, position = np.nonzero(is_open)
        length = rows.shape[1]
        logs = []
        step = max(1, _CELLS // length) * 8  # bounded memory, however many rows
        for a, b in _spans(len(owner), step):
            part = rows[owner[a:b]]
            line = np.arange(b - a)
            answers = part[line, position[a:b]]
            part[line, position[a:b]] = MASK
            logs.append(self.log_probabilities(part, line * length + position[a:b], answers)[0])
        return np.concatenate(logs), owner

    def says_next(self, pairs: "SegmentPairs") -> Integers:
        """Prediction (row,): 0 if the second segment follows the first, else 1."""
        found = []
        for a, b in _spans(len(pairs.pieces), max(1, _CELLS // pairs.pieces.shape[1])):
            with torch.inference_mode():
                parts: list[Any] = [
                    torch.from_numpy(x[a:b]).to(self._device)
                    for x in (pairs.pieces, pairs.segments)
                ]
                scores = self._forward.next_scores(self._forward.hidden(*parts))
                found.append(scores.argmax(-1).cpu().numpy())
        return np.concatenate(found)


def _spans(n: int, step: int) -> Iterator[tuple[int, int]]:
    return ((a, min(a + step, n)) for a in range(0, n, step))


#: In ``scrutiny.data.samples``; made by ``tools/zoo/agreement_pairs.py``.
SAMPLE: Final = "agreement_pairs.jsonl"


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """Two sentences that differ in one word.

    Parameters
    ----------
    id, construction, frame, number
        Name; kind of agreement; template, which is the cluster; number of the noun agreed with.
    good, bad
        The sentences.
    """

    id: str
    construction: str
    frame: str
    number: str
    good: str
    bad: str


def read_pairs() -> list[MinimalPair]:
    """Minimal pairs that ship with the package.

    Examples
    --------
    >>> pair = read_pairs()[0]
    >>> pair.good, pair.bad
    ('The girl is very old.', 'The girl are very old.')
    """
    text = files("scrutiny.data.samples").joinpath(SAMPLE).read_text(encoding="utf-8")
    return [MinimalPair(**json.loads(line)) for line in text.splitlines()]


def pseudo_log_likelihoods(model: MaskedModel, sentences: Sequence[str]) -> NDArray[np.float64]:
    """Sum (sentence,) of the log probabilities of all pieces, each masked in turn.

    Unknown pieces are not asked for.

    **References**: Salazar et al. (2020), Masked language model scoring.
    """
    encoded = model.tokenizer.encode_batch(list(sentences), add_special_tokens=False)
    rows = [np.array([CLS, *e.ids, SEP], dtype=np.int64) for e in encoded]
    found = np.zeros(len(rows))
    for length in sorted({len(row) for row in rows}):
        own = [i for i, row in enumerate(rows) if len(row) == length]
        part = np.stack([rows[i] for i in own])
        logs, owner = model.one_at_a_time(part, is_open(part))
        found[own] = np.bincount(owner, weights=logs, minlength=len(own))
    return found


def preferences(model: MaskedModel, pairs: Sequence[MinimalPair]) -> NDArray[Any]:
    """Preference (pair,): 1 if the good sentence is more likely, 0 if not, 0.5 for ties."""
    good = pseudo_log_likelihoods(model, [pair.good for pair in pairs])
    bad = pseudo_log_likelihoods(model, [pair.bad for pair in pairs])
    return (np.sign(good - bad) + 1) / 2


@dataclass(frozen=True, slots=True)
class CompetenceSettings:
    """Sample sizes of the measurements.

    Parameters
    ----------
    length
        Pieces of a held-out row; fewer for a model with fewer positions.
    masked_share
        Hidden at once for masked accuracy.
    passages
        Rows of each source for pseudo-perplexity, which asks once for each piece.
    segment_pairs
        Of each source.
    seed
        Of masks and segment pairs.
    """

    length: int = 64
    masked_share: float = 0.15
    passages: int = 150
    segment_pairs: int = 500
    seed: int = 0


@dataclass(frozen=True, slots=True)
class PassageRows:
    """Rows of one length, ``[CLS] pieces [SEP]``.

    Parameters
    ----------
    pieces
        (row, position).
    begins
        (row,) where each row's first piece stands in the corpus.
    document
        (row,) document of each.
    """

    pieces: Integers
    begins: Integers
    document: Integers

    def __len__(self) -> int:
        return len(self.begins)

    def chosen(self, rows: Integers) -> "PassageRows":
        """Subset of the rows."""
        return PassageRows(self.pieces[rows], self.begins[rows], self.document[rows])


@dataclass(frozen=True, slots=True)
class SegmentPairs:
    """Rows ``[CLS] a [SEP] b [SEP]``; in half of them, b follows a.

    Parameters
    ----------
    pieces, segments
        (row, position).
    is_next
        (row,) 0: the second segment follows the first; 1: it does not.
    document
        (row,) document of the first segment.
    """

    pieces: Integers
    segments: Integers
    is_next: Integers
    document: Integers


def passages_of(corpus: Corpus, length: int) -> PassageRows:
    """Consecutive passages of each document; a rest at its end is not used.

    Parameters
    ----------
    corpus
        Held-out text.
    length
        Pieces of a row, ``[CLS]`` and ``[SEP]`` included.
    """
    size = length - 2
    begins: list[int] = []
    ends = corpus.document_ends()
    for first in np.flatnonzero(np.diff(corpus.document, prepend=-1)).tolist():  # of a document
        begins += range(int(corpus.starts[first]), int(ends[first]) - size + 1, size)
    at = np.array(begins, dtype=np.int64)
    body = corpus.pieces[at[:, None] + np.arange(size)].astype(np.int64)
    opening, closing = (np.full((len(at), 1), piece) for piece in (CLS, SEP))
    sentence = np.searchsorted(corpus.starts, at, side="right") - 1
    return PassageRows(np.hstack([opening, body, closing]), at, corpus.document[sentence])


def spread(passages: PassageRows, n: int) -> PassageRows:
    """At most ``n`` passages, evenly spaced over all."""
    rows = np.unique(np.linspace(0, len(passages) - 1, min(n, len(passages))).round())
    return passages.chosen(rows.astype(np.int64))


def segment_pairs(corpus: Corpus, *, length: int, n: int, seed: int) -> SegmentPairs:
    """Pairs of segments that test next-sentence competence: in every other one the second follows.

    The second segment of the others begins at a sentence of another document of the same corpus,
    so topic and style of the source are no cue.

    Parameters
    ----------
    corpus
        Held-out text of one source.
    length
        Pieces of a row, special ones included.
    n
        Pairs at most; an even number is made.
    seed
        Of the places that segments come from.

    Raises
    ------
    DataError
        If there are no two documents of that length.
    """
    draw = np.random.default_rng(seed)
    size = length - 3
    ends = corpus.document_ends()
    starts = corpus.starts[:-1]
    fits = np.flatnonzero(ends - starts >= size)
    if len(np.unique(corpus.document[fits])) < 2:
        raise DataError(
            f"A held-out text needs two documents of {length} pieces or more to ask whether one "
            "segment follows another; blank lines separate documents."
        )
    rows: list[tuple[int, int, int, int]] = []
    for sentence in draw.permutation(fits).tolist():
        begin = int(starts[sentence])
        ends_of = np.searchsorted(starts, [begin + 0.2 * size, begin + 0.8 * size])
        if len(rows) < n and ends_of[0] < ends_of[1]:
            border = int(starts[draw.integers(*ends_of)])
            follows = border
            if len(rows) % 2:  # every other one goes on elsewhere
                others = fits[corpus.document[fits] != corpus.document[sentence]]
                follows = int(starts[draw.choice(others)])
            rows.append((sentence, begin, border, follows))
    del rows[len(rows) - len(rows) % 2 :]  # as many that go on as that do not
    return _joined(corpus, rows, size)


def _joined(corpus: Corpus, rows: list[tuple[int, int, int, int]], size: int) -> SegmentPairs:
    pieces, segments = [], []
    for _, begin, border, follows in rows:
        first = corpus.pieces[begin:border]
        second = corpus.pieces[follows : follows + size - len(first)]
        pieces.append(np.concatenate([[CLS], first, [SEP], second, [SEP]]))
        segments.append((np.arange(size + 3) >= len(first) + 2).astype(np.int64))
    is_next = np.array([int(follows != border) for _, _, border, follows in rows], dtype=np.int64)
    owner = np.array([corpus.document[sentence] for sentence, *_ in rows], dtype=np.int64)
    return SegmentPairs(np.stack(pieces).astype(np.int64), np.stack(segments), is_next, owner)


def pieces_document(corpus: Corpus) -> NDArray[Any]:
    """(piece,) document of each piece of a corpus whose passages are scored."""
    return np.repeat(corpus.document, corpus.sizes())


def is_open(pieces: NDArray[Any]) -> Booleans:
    """Mask of pieces that can be predicted: all but special and unknown ones."""
    return np.asarray((pieces != CLS) & (pieces != SEP) & (pieces != UNK))
