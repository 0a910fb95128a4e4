"""Batches: a pure function of corpus, recipe, seed and step.

Rows are full, so that no step needs an attention mask: a row is either a passage of two segments,
cut from a document that is long enough, or a single sentence beside others of the same length.
A document shorter than a passage is met as single sentences only.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final, Generic, NamedTuple, TypeVar

import numpy as np

from scrutiny.core.arrays import Booleans, Integers
from scrutiny.training.pretraining.corpus import CLS, MASK, SEP, SPECIAL, UNK, Corpus
from scrutiny.training.pretraining.recipe import REPLACED, PretrainingRecipe

IGNORED: Final = -100
_SHORTEST_SENTENCE = 4  # pieces
_JITTER = 4  # sentences that a passage may begin later than its place
# Purposes of random draws, so that no two share a stream.
_KIND, _ORDER, _PASSAGE, _SINGLE, _MASKS = range(5)
Key = tuple[int, ...]
T = TypeVar("T")


class StepInput(NamedTuple, Generic[T]):
    """Input of one step, as arrays or tensors.

    Parameters
    ----------
    pieces
        (row, position) after masking.
    segments
        (row, position) 0 or 1.
    places
        (masked,) flat places ``row * length + position`` that the model has to predict.
    answers
        (masked,) the pieces that stood there.
    is_next
        (row,) 0: the second segment follows the first; 1: it comes from elsewhere; -100: ignored.
    """

    pieces: T
    segments: T
    places: T
    answers: T
    is_next: T


class _FullRow(NamedTuple):
    pieces: Integers
    border: int  # where the second segment begins
    is_next: int


@dataclass(frozen=True, slots=True)
class _Passages:
    """Sentences at which passages of one length begin, and at which they may begin."""

    first: Integers  # (passage,) sentence
    may_begin: Booleans  # (sentence,)


class Batches:
    """Batches of a run.

    Parameters
    ----------
    corpus
        Texts to draw from.
    recipe
        Lengths, shares and masking.
    seed
        Seed of the order, the pairs and the masks.
    met
        Steps of another run with this seed that came before: order and masks go on from there.
    """

    def __init__(
        self, corpus: Corpus, recipe: PretrainingRecipe, seed: int, *, met: int = 0
    ) -> None:
        self._corpus, self._recipe, self._seed, self._before = corpus, recipe, seed, met
        self._ends = corpus.document_ends()
        self._sizes = corpus.sizes()
        self._alone = corpus.is_alone()
        self._passages = {p.length: self._cut(p.length - 3) for p in recipe.phases}
        self._order = cache(self._order_of)

    def at(self, step: int) -> StepInput[Integers]:
        """Batch of a step, counted from 0."""
        phase = self._recipe.phase_of(step)
        step += self._before
        draw = self._draws(_KIND, step)
        passages = self._passages[phase.length]
        if not len(passages.first) or draw.random() < self._recipe.single_share:
            return self._single(step, phase.length * phase.batch, phase.length)
        rows = [
            self._pair(phase.length, *self._met(step, row, phase.length, phase.batch))
            for row in range(phase.batch)
        ]
        return self._masked([r for r, _ in rows], [k for _, k in rows])

    def n_passages(self, length: int) -> int:
        """Number of passages of one length in an epoch."""
        return len(self._passages[length].first)

    def _draws(self, *key: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(np.random.SeedSequence((self._seed, *key))))

    def _cut(self, size: int) -> _Passages:
        """Consecutive passages of ``size`` pieces; the last of a document ends with it.

        Each begins at a sentence.
        """
        starts, document = self._corpus.starts[:-1], self._corpus.document
        may_begin = (self._ends - starts >= size) & ~self._alone
        goes_on = np.append(may_begin[1:] & (document[1:] == document[:-1]), np.False_)
        first: list[int] = []
        until = -1
        for sentence in np.flatnonzero(may_begin).tolist():
            is_last = not goes_on[sentence]
            if starts[sentence] >= until or (is_last and self._ends[sentence] > until):
                first.append(sentence)
                until = int(starts[sentence]) + size
        return _Passages(np.array(first, dtype=np.int64), may_begin)

    def _met(self, step: int, row: int, length: int, batch: int) -> tuple[int, Key]:
        """Passage of a row, and the random key of its draws."""
        epoch, place = divmod(step * batch + row, self.n_passages(length))
        passage = int(self._order(length, epoch)[place])
        key = (length, passage) if self._recipe.masking == "static" else (length, passage, epoch)
        return passage, key

    def _order_of(self, length: int, epoch: int) -> Integers:
        return self._draws(_ORDER, length, epoch).permutation(self.n_passages(length))

    def _pair(self, length: int, passage: int, key: Key) -> tuple[_FullRow, Key]:
        """Row of two segments that fill ``length``, and the key of its masks."""
        draw = self._draws(_PASSAGE, *key)
        size = length - 3
        first = int(self._passages[length].first[passage])
        later = first + int(draw.integers(_JITTER + 1))
        document = self._corpus.document
        is_there = later < len(document) and document[later] == document[first]
        if is_there and self._passages[length].may_begin[later]:
            first = later
        begin = int(self._corpus.starts[first])
        target = begin + round(size * (0.2 + 0.6 * draw.random()))
        border = int(self._corpus.starts[np.searchsorted(self._corpus.starts, target)])
        is_cut = border > begin + 0.85 * size  # a sentence too long: its pieces are no pair
        border = target if is_cut else border
        follows, label = border, IGNORED if is_cut else 0
        if not is_cut and draw.random() < 0.5:
            # position at which a passage of another document begins
            choices = self._passages[length].first
            documents = self._corpus.document
            for _ in range(20):
                other = int(choices[draw.integers(len(choices))])
                if documents[other] != documents[first]:
                    break
            elsewhere = int(self._corpus.starts[other])
            follows, label = elsewhere, 1
        rest = begin + size - border
        a = self._corpus.pieces[begin:border]
        b = self._corpus.pieces[follows : follows + rest]
        pieces = np.concatenate([[CLS], a, [SEP], b, [SEP]]).astype(np.int64)
        return _FullRow(pieces, len(a) + 2, label), key

    def _single(self, step: int, pieces: int, longest: int) -> StepInput[Integers]:
        """Batch of single sentences of one length; half of them are a whole document."""
        draw = self._draws(_SINGLE, step)
        fits = (self._sizes >= _SHORTEST_SENTENCE) & (self._sizes <= longest - 2)
        if not fits.any():
            fits = self._sizes <= longest - 2
        by_size = self._sizes[fits] / self._sizes[fits].sum()
        size = int(self._sizes[draw.choice(np.flatnonzero(fits), p=by_size)])
        rows = max(1, pieces // (size + 2))
        pools = [np.flatnonzero((self._sizes == size) & (self._alone == alone)) for alone in (0, 1)]
        pools = [pool for pool in pools if len(pool)]
        chosen = np.concatenate([draw.choice(pool, size=rows // len(pools) + 1) for pool in pools])[
            :rows
        ]
        made = []
        for sentence in chosen:
            begin = int(self._corpus.starts[sentence])
            own = self._corpus.pieces[begin : begin + size]
            row = np.concatenate([[CLS], own, [SEP]]).astype(np.int64)
            made.append(_FullRow(row, len(row), IGNORED))
        keys: list[Key] = [(_SINGLE, step, number) for number in range(len(made))]
        if self._recipe.masking == "static":
            keys = [(_SINGLE, int(sentence), 0) for sentence in chosen]
        return self._masked(made, keys)

    def _masked(self, rows: list[_FullRow], keys: list[Key]) -> StepInput[Integers]:
        """Batch of rows of one length with some pieces masked."""
        pieces = np.stack([row.pieces for row in rows])  # (row, position)
        length = pieces.shape[1]
        segments = (np.arange(length) >= np.array([[r.border] for r in rows])).astype(np.int64)
        places, answers = [], []
        for number, key in enumerate(keys):
            own = self._hide(pieces[number], self._draws(_MASKS, *key))
            places.append(number * length + own[0])
            answers.append(own[1])
        is_next = np.array([row.is_next for row in rows], dtype=np.int64)
        return StepInput(pieces, segments, np.concatenate(places), np.concatenate(answers), is_next)

    def _hide(self, row: Integers, draw: np.random.Generator) -> tuple[Integers, Integers]:
        """Masked positions of a row (changed in place), and the original pieces."""
        open_places = np.flatnonzero((row != CLS) & (row != SEP) & (row != UNK))
        if not len(open_places):
            return open_places, open_places
        count = max(1, round(self._recipe.masked_share * len(open_places)))
        places = np.sort(draw.permutation(open_places)[:count])
        answers = row[places]
        fate = draw.random(count)
        other = draw.integers(len(SPECIAL), self._recipe.vocabulary, size=count)
        row[places] = np.where(
            fate < REPLACED[0], MASK, np.where(fate < REPLACED[0] + REPLACED[1], other, answers)
        )
        return places, answers
