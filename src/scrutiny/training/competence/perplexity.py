"""Perplexities on the same word pieces: of a masked model, and of Kneser-Ney n-grams.

Means stand with their interval over clusters, whole and by source. N-grams are kept as a trie of
sorted arrays: an n-gram's key is the number of its first n - 1 pieces times the vocabulary plus its
last piece, so that 64-bit keys do for any order. Memory is a few arrays of the length of the
training text for each order, however large the vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrutiny.core.arrays import Booleans, Floats, Integers
from scrutiny.stats.resampling.weights import Units
from scrutiny.training.competence.masked import (
    CompetenceSettings,
    MaskedModel,
    is_open,
    passages_of,
    pieces_document,
    spread,
)
from scrutiny.training.finetuning.held_out_sentences import LEVEL, interval_of_units
from scrutiny.training.pretraining.corpus import Corpus


def share(values: ArrayLike, clusters: ArrayLike) -> dict[str, Any]:
    """Mean of values, with its interval over clusters.

    Parameters
    ----------
    values
        (row,) any numbers.
    clusters
        (row,) cluster of each row, the unit of resampling.
    """
    table = np.column_stack([values, np.ones(len(np.asarray(values)))])
    units = Units.of(len(table), clusters)
    return {
        **interval_of_units(table, lambda sums: sums[..., 0] / sums[..., 1], units),
        "level": LEVEL,
        "method": "percentile bootstrap over clusters",
        "n": len(table),
        "n_units": len(np.unique(units.code)),
    }


def by_source(rows: dict[str, tuple[NDArray[Any], NDArray[Any]]]) -> dict[str, Any]:
    """Means over all sources and of each, with intervals (values and clusters by name)."""
    values = np.concatenate([v for v, _ in rows.values()])
    clusters = np.concatenate([c for _, c in rows.values()])
    return share(values, clusters) | {"by_source": {k: share(*pair) for k, pair in rows.items()}}


def named(source: str, document: NDArray[Any]) -> NDArray[Any]:
    """Document ids made distinct between sources."""
    return np.array([f"{source}/{number}" for number in document])


_COMPARISON: Final = (
    "pseudo-perplexity sees the pieces on both sides, the 5-gram those before only (of the whole "
    "document): the comparison flatters the masked model, and is a lowest bar"
)


@dataclass(frozen=True, slots=True)
class _Order:
    """N-grams of one order.

    Parameters
    ----------
    keys
        (n-gram,) sorted: number of the first n - 1 pieces times the vocabulary, plus the last.
    counts
        (n-gram,) occurrences for the highest order; for the others the number of distinct pieces
        that stood before. An n-gram that ends before the text begins has 0.
    totals, types
        (history,) by the number of the first n - 1 pieces: sum of the counts, and how many are
        above 0.
    discount
        Taken off every count.
    """

    keys: Integers
    counts: Floats
    totals: Floats
    types: Floats
    discount: float


class KneserNey:
    """Interpolated Kneser-Ney with one absolute discount for each order.

    The unigram is interpolated with the uniform distribution over the vocabulary, so every piece
    has a probability above 0. Documents begin with a history of a border sign.

    **Measures**: how well the pieces before tell the next one, by counting.

    **Misleads when**: its perplexity is set beside a masked model's pseudo-perplexity without
    saying that the latter sees both sides.

    **References**: Kneser & Ney (1995), Improved backing-off for m-gram language modeling; Chen &
    Goodman (1999), An empirical study of smoothing techniques for language modeling.

    Parameters
    ----------
    orders
        Tables from the unigram up.
    vocabulary
        Number of pieces.
    """

    def __init__(self, orders: Sequence[_Order], vocabulary: int) -> None:
        self._orders = tuple(orders)
        self._vocabulary = vocabulary

    @property
    def order(self) -> int:
        """Longest n-gram."""
        return len(self._orders)

    @classmethod
    def train(
        cls, pieces: NDArray[Any], document: Integers, *, order: int = 5, vocabulary: int
    ) -> "KneserNey":
        """Count n-grams.

        Parameters
        ----------
        pieces
            (piece,) below ``vocabulary``.
        document
            (piece,) document of each, rising: no n-gram crosses a border.
        order
            Longest n-gram.
        vocabulary
            Number of pieces.
        """
        # border signs stand before each document
        begins = np.repeat(np.flatnonzero(np.diff(document, prepend=document[:1] - 1)), order - 1)
        text = np.insert(np.asarray(pieces, dtype=np.int64), begins, vocabulary)
        is_real = text != vocabulary
        base = vocabulary + 1
        numbers = text  # (place,) number of the n-gram that ends there
        tables: list[tuple[Integers, Integers, Booleans, Integers]] = []
        for length in range(1, order + 1):
            key = text if length == 1 else np.concatenate([numbers[:1], numbers[:-1]]) * base + text
            keys, first, numbers = np.unique(key, return_index=True, return_inverse=True)
            tables.append((keys, first, is_real[first], numbers))
            numbers = numbers.astype(np.int64)
        return cls(_counted(tables, is_real, base), vocabulary)

    def log_probabilities(self, history: NDArray[Any], pieces: NDArray[Any]) -> Floats:
        """Natural log probability (row,) of each piece after its history.

        Parameters
        ----------
        history
            (row, order - 1) pieces before, the border sign (the size of the vocabulary) where the
            document had not begun.
        pieces
            (row,) the pieces.
        """
        history = np.asarray(history, dtype=np.int64).reshape(len(pieces), self.order - 1)
        pieces = np.asarray(pieces, dtype=np.int64)
        found = np.full(len(pieces), 1.0 / self._vocabulary)
        for depth in range(self.order):
            # index (row,) of each history; -1 for one that was never seen
            earlier = history[:, self.order - 1 - depth :]
            before = np.zeros(len(earlier), dtype=np.int64)
            for level in range(earlier.shape[1]):
                before = self._child(level, before, earlier[:, level])
            # probabilities of one order, given those of the order below
            table = self._orders[depth]
            place = self._child(depth, before, pieces)
            count = np.where(place >= 0, table.counts[place], 0.0)
            total = np.where(before >= 0, table.totals[before], 0.0)
            types = np.where(before >= 0, table.types[before], 0.0)
            is_seen = total > 0
            own = np.maximum(count - table.discount, 0.0) + table.discount * types * found
            found = np.where(is_seen, own / np.where(is_seen, total, 1.0), found)
        return np.asarray(np.log(found))

    def _child(self, depth: int, number: Integers, piece: Integers) -> Integers:
        keys = self._orders[depth].keys
        key = number * (self._vocabulary + 1) + piece if depth else piece
        place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        return np.where((number >= 0) & (keys[place] == key), place, -1)


def _counted(
    tables: list[tuple[Integers, Integers, Booleans, Integers]], is_real: Booleans, base: int
) -> list[_Order]:
    """Tables with counts: occurrences at the top, distinct pieces before elsewhere."""
    made = []
    for level, (keys, _, real, numbers) in enumerate(tables):
        if level == len(tables) - 1:
            seen = numbers[is_real]
        else:  # each distinct longer n-gram counts once for its last n pieces
            _, first, longer_real, _ = tables[level + 1]
            seen = numbers[first[longer_real]]
        counts = np.bincount(seen, minlength=len(keys)).astype(np.float64)
        counts[~real] = 0.0
        histories_of = keys // base if level else np.zeros(len(keys), dtype=np.int64)
        size = len(tables[level - 1][0]) if level else 1
        totals = _summed(histories_of, counts, size)
        types = _summed(histories_of, (counts > 0).astype(np.float64), size)
        once, twice = float((counts == 1).sum()), float((counts == 2).sum())
        discount = once / (once + 2 * twice) if once and twice else 0.5
        made.append(_Order(keys, counts, totals, types, discount))
    return made


def _summed(index: Integers, values: Floats, size: int) -> Floats:
    """Sum (size,) of the values of each index."""
    return np.bincount(index, weights=values, minlength=size).astype(np.float64)


@dataclass(frozen=True, slots=True)
class NgramBaselines:
    """N-gram models to compare with: 5-gram and unigram.

    Parameters
    ----------
    fivegram
        Trained on the training text of the family.
    unigram
        (piece,) log probabilities, one added to each count.
    """

    fivegram: KneserNey
    unigram: NDArray[np.float64]


def baselines_of(corpus: Corpus, vocabulary: int) -> NgramBaselines:
    """N-gram baselines (5-gram and unigram) of a training text."""
    document = pieces_document(corpus)
    counts = np.bincount(corpus.pieces, minlength=vocabulary) + 1.0
    return NgramBaselines(
        KneserNey.train(corpus.pieces, document, order=5, vocabulary=vocabulary),
        np.log(counts / counts.sum()),
    )


def likelihoods(
    model: MaskedModel,
    sources: dict[str, Corpus],
    baselines: NgramBaselines,
    how: CompetenceSettings,
) -> dict[str, Any]:
    """Pseudo-perplexity of a model, with n-gram perplexities on the same pieces."""
    own: dict[str, list[Any]] = {"masked": [], "fivegram": [], "unigram": [], "document": []}
    by_source = {}
    for name, corpus in sources.items():
        passages = spread(passages_of(corpus, how.length), how.passages)
        asked = is_open(passages.pieces)
        logs, owner = model.one_at_a_time(passages.pieces, asked)
        answers = passages.pieces[asked]
        before = histories(
            corpus.pieces, pieces_document(corpus), width=4, border=len(baselines.unigram)
        )
        at = (passages.begins[:, None] - 1 + np.arange(how.length))[asked]
        rows = {
            "masked": logs,
            "fivegram": baselines.fivegram.log_probabilities(before[at], answers),
            "unigram": baselines.unigram[answers],
            "document": named(name, passages.document[owner]),
        }
        for key, values in rows.items():
            own[key].append(values)
        by_source[name] = _perplexities(rows)
    whole = {key: np.concatenate(values) for key, values in own.items()}
    return {
        **_perplexities(whole),
        "gain_over_fivegram": share(whole["masked"] - whole["fivegram"], whole["document"]),
        "gain_over_unigram": share(whole["masked"] - whole["unigram"], whole["document"]),
        "unit": "natural log probability a piece",
        "comparison": _COMPARISON,
        "by_source": by_source,
    }


def _perplexities(rows: dict[str, Any]) -> dict[str, Any]:
    names = {
        "masked": "pseudo_perplexity",
        "fivegram": "fivegram_perplexity",
        "unigram": "unigram_perplexity",
    }
    return {name: _perplexity(rows[key], rows["document"]) for key, name in names.items()}


def _perplexity(logs: NDArray[Any], clusters: NDArray[Any]) -> dict[str, Any]:
    """Perplexity: exponential of minus the mean, with its interval."""
    found = share(logs, clusters)
    ends = {"value": "value", "low": "high", "high": "low"}
    return found | {key: float(np.exp(-found[source])) for key, source in ends.items()}


def histories(pieces: NDArray[Any], document: Integers, *, width: int, border: int) -> Integers:
    """Pieces before each piece in its document, (piece, width); ``border`` before it begins."""
    text = np.asarray(pieces, dtype=np.int64)
    out = np.full((len(text), width), border, dtype=np.int64)
    for back in range(1, width + 1):
        same = np.flatnonzero(document[back:] == document[:-back]) + back
        out[same, width - back] = text[same - back]
    return out
