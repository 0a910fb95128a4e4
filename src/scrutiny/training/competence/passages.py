"""Held-out passages: the same for all checkpoints with this vocabulary."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Booleans, Integers
from scrutiny.core.errors import DataError
from scrutiny.training.pretraining.corpus import CLS, SEP, UNK, Corpus


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
