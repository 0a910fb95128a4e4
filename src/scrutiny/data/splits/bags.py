"""Bags of words, or of vectors, of two parts of the data, and how far they lie apart."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from scrutiny.core.randomness import Rng
from scrutiny.stats.distributions.divergence import js, tvd
from scrutiny.text.tokens import token_texts

Array: TypeAlias = np.ndarray[Any, Any]

_TINY: Final = 1e-12
_SLICED: Final = "sliced Wasserstein distance"
#: Lines that vectors are projected on, and bins of each.
_LINES: Final = 32
_BINS: Final = 256
#: Random splits that are counted at once.
_AT_ONCE: Final = 100
#: How far the tokens of a random split may be from those that are wanted.
TOKENS_WITHIN: Final = 0.01
#: Share of the texts, beyond chance, above which random test parts are like the split itself.
_ALIKE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Bags:
    """What each text holds: counts ``(text, feature)``, sparse, and how many tokens it has.

    Parameters
    ----------
    counts
        Of words; or of the bins that a text's vector lies in.
    tokens
        ``(text,)`` number of words, whatever the counts are of.
    """

    counts: Any
    tokens: Array

    def of(self, choices: Sequence[Array]) -> Array:
        """Counts of parts ``(part, feature)``; a choice says of each text whether it is in it."""
        from scipy.sparse import csr_matrix

        places = [np.flatnonzero(one) for one in choices]
        borders = np.cumsum([0, *map(len, places)])
        shape = len(places), self.counts.shape[0]
        ones = np.ones(borders[-1])
        chosen = csr_matrix((ones, np.concatenate(places), borders), shape=shape)
        return np.asarray((chosen @ self.counts).todense())


def word_bags(texts: Sequence[str]) -> Bags:
    """Counts of the words of each text, in lower case, marks among them."""
    from scipy.sparse import csr_matrix

    number: dict[str, int] = {}
    rows = [
        [number.setdefault(word, len(number)) for word in map(str.lower, token_texts(text))]
        for text in texts
    ]
    borders = np.cumsum([0, *map(len, rows)])
    places = np.fromiter((c for row in rows for c in row), dtype=np.int64, count=borders[-1])
    shape = len(rows), max(1, len(number))
    counts = csr_matrix((np.ones(len(places)), places, borders), shape=shape)
    counts.sum_duplicates()
    return Bags(counts, np.diff(borders))


class BagDistance(ABC):
    """Distance of two distributions over features, convex in both, with its slope."""

    #: What it is called in a record.
    says: str

    @abstractmethod
    def value(self, p: Array, q: Array) -> Array:
        """Distance ``(...)`` of distributions ``(..., feature)``."""

    @abstractmethod
    def slopes(self, p: Array, q: Array) -> tuple[Array, Array]:
        """Slope ``(feature,)`` with regard to each."""


class TotalVariation(BagDistance):
    """Half of the absolute differences: the share of the words that would have to be others."""

    says = "total variation"

    def value(self, p: Array, q: Array) -> Array:
        """Distance of distributions."""
        return tvd(p, q)

    def slopes(self, p: Array, q: Array) -> tuple[Array, Array]:
        """Half of the sign."""
        sign = np.sign(p - q) / 2
        return sign, -sign


class JensenShannon(BagDistance):
    """Jensen-Shannon divergence in nats: rare words that one part alone has weigh more."""

    says = "Jensen-Shannon divergence"

    def value(self, p: Array, q: Array) -> Array:
        """Distance of distributions."""
        return js(p, q)

    def slopes(self, p: Array, q: Array) -> tuple[Array, Array]:
        """Half of the log of each beside the middle."""
        middle = np.log((p + q) / 2 + _TINY)
        return (np.log(p + _TINY) - middle) / 2, (np.log(q + _TINY) - middle) / 2


@dataclass(frozen=True, slots=True)
class SlicedWasserstein(BagDistance):
    """Wasserstein distance along lines, the mean of many: how far mass has to be moved.

    Parameters
    ----------
    moves
        ``(feature, line x bin)``, sparse: the bin of each line that a feature lies in.
    widths
        Width of a bin of each line ``(line,)``.
    says
        What it is called.
    """

    moves: Any
    widths: Array
    says: str = _SLICED

    def _heaps(self, p: Array, q: Array) -> Array:
        """Mass ``(..., line, bin)`` that p has more than q up to each bin."""
        apart = np.atleast_2d(p - q) @ self.moves
        shape = (*np.shape(p)[:-1], len(self.widths), _BINS)
        return np.asarray(np.cumsum(np.asarray(apart).reshape(shape), axis=-1))

    def value(self, p: Array, q: Array) -> Array:
        """Distance of distributions."""
        heaps = np.abs(self._heaps(p, q)).sum(axis=-1)
        return np.asarray((heaps * self.widths).mean(axis=-1))

    def slopes(self, p: Array, q: Array) -> tuple[Array, Array]:
        """Potential of each feature: how much farther its mass makes it."""
        sign = np.sign(self._heaps(p, q)) * self.widths[:, None] / len(self.widths)
        ahead = np.cumsum(sign[:, ::-1], axis=-1)[:, ::-1]
        slope = np.asarray(self.moves @ ahead.ravel())
        return slope, -slope


def along_lines(vectors: Array, rng: Rng, *, says: str = _SLICED) -> SlicedWasserstein:
    """Sliced Wasserstein distance of features that have vectors ``(feature, dimension)``.

    Positions on a line are rounded to 256 bins of equal width between its ends.
    """
    from scipy.sparse import csr_matrix

    lines = rng.normal(size=(vectors.shape[1], _LINES))
    places = vectors @ (lines / np.linalg.norm(lines, axis=0))
    low, high = places.min(axis=0), places.max(axis=0)
    widths = np.maximum(high - low, _TINY) / _BINS
    bins = np.clip(((places - low) / widths).astype(np.int64), 0, _BINS - 1)
    columns = bins + np.arange(_LINES) * _BINS
    n = len(vectors)
    shape = n, _LINES * _BINS
    moves = csr_matrix(
        (np.ones(columns.size), columns.ravel(), np.arange(n + 1) * _LINES), shape=shape
    )
    return SlicedWasserstein(moves, widths, says)


def text_bags(vectors: Array, tokens: Array) -> Bags:
    """Bags of texts that have vectors: each holds itself alone."""
    from scipy.sparse import identity

    return Bags(identity(len(vectors), format="csr"), tokens)


def latent_vectors(bags: Bags, rng: Rng, *, dimensions: int = 50) -> tuple[Array, Array]:
    """Vectors of texts and of words ``(..., dimension)`` from the data, all of unit length.

    Latent semantic analysis, singular vectors of the tf-idf of words in texts: words that occur in
    the same texts are near, and texts that hold such words.
    """
    from scipy.sparse import diags
    from scipy.sparse.linalg import svds

    held = (bags.counts > 0).astype(np.float64)
    rarity = np.log((1 + held.shape[0]) / (1 + np.asarray(held.sum(axis=0)).ravel())) + 1
    weighed = held @ diags(rarity)
    most = min(dimensions, min(weighed.shape) - 1)
    if most < 1:
        return np.ones((weighed.shape[0], 1)), np.ones((weighed.shape[1], 1))
    start = rng.normal(size=min(weighed.shape))
    left, values, right = svds(weighed, k=most, v0=start)
    texts, words = left * values, right.T * values
    return _of_length_1(texts), _of_length_1(words)


def _of_length_1(vectors: Array) -> Array:
    """Vectors divided by their lengths; those of length 0 stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, _TINY))


def apart(of: BagDistance, bags: Bags, chosen: Array) -> float:
    """Distance of the test part from all else, of ones where a text is in it ``(text,)``."""
    return float(_distances([of], bags, [chosen])[0, 0])


def _distances(of: Sequence[BagDistance], bags: Bags, choices: Sequence[Array]) -> Array:
    """Distances ``(kind, part)`` of parts from all else, counted some at a time."""
    found = [np.zeros((len(of), 0))]
    whole = np.asarray(bags.counts.sum(axis=0)).ravel()
    for start in range(0, len(choices), _AT_ONCE):
        inside = bags.of(choices[start : start + _AT_ONCE])
        outside = whole - inside
        p = inside / np.maximum(inside.sum(axis=1, keepdims=True), _TINY)
        q = outside / np.maximum(outside.sum(axis=1, keepdims=True), _TINY)
        found.append(np.stack([one.value(p, q) for one in of]))
    return np.concatenate(found, axis=1)


def random_parts(tokens: Array, size: int, total: int, count: int, rng: Rng) -> list[Array]:
    """Random choices ``(text,)`` of so many texts with so many tokens, within a hundredth.

    Texts are drawn without replacement, longer ones with a larger chance where longer ones are
    wanted; then texts inside and outside are exchanged at random until the tokens are as wanted.
    A draw that does not get there is left out.
    """
    n, within = len(tokens), max(1.0, TOKENS_WITHIN * total)
    tilt = _tilt(tokens, size, total)
    found = []
    for _ in range(count):
        keys = tilt * tokens + rng.gumbel(size=n)
        inside = np.zeros(n, dtype=np.bool_)
        inside[np.argpartition(-keys, size - 1)[:size]] = True
        for _ in range(10 * size + 100):
            short = total - tokens[inside].sum()
            if abs(short) <= within:
                found.append(inside)
                break
            out, into = rng.choice(np.flatnonzero(inside)), rng.choice(np.flatnonzero(~inside))
            if abs(short - (tokens[into] - tokens[out])) < abs(short):
                inside[out], inside[into] = False, True
    return found


def _tilt(tokens: Array, size: int, total: int) -> float:
    """Weight of a token with which so many texts have so many tokens on average, by bisection."""
    if size in (0, len(tokens)) or tokens.min() == tokens.max():
        return 0.0
    low, high = -2.0, 2.0
    noise = np.random.default_rng(0).gumbel(size=(8, len(tokens)))
    for _ in range(30):
        middle = (low + high) / 2
        keys = middle * tokens + noise
        chosen = np.argpartition(-keys, size - 1, axis=1)[:, :size]
        low, high = (middle, high) if tokens[chosen].sum(axis=1).mean() < total else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True, slots=True)
class BesideRandom:
    """A distance beside those of random splits with as many texts and tokens.

    Parameters
    ----------
    says
        Name of the distance.
    reached
        Of the split.
    n_random
        How many random splits it stands beside.
    overlap
        Mean share of the split's test texts that a random test part has; None without any. The
        longest texts are in nearly every test part of as many words: such parts are the split
        itself, and say nothing of it.
    mean, most
        Of theirs; None where there are none, or they are too much like the split.
    exceeds
        How many of them it exceeds; None likewise.
    """

    says: str
    reached: float
    n_random: int
    overlap: float | None
    mean: float | None
    most: float | None
    exceeds: int | None


def beside_random(
    of: Sequence[BagDistance], bags: Bags, chosen: Array, others: Sequence[Array]
) -> list[BesideRandom]:
    """Distances of a split, each beside those of random ones.

    Random ones share a test part's share of the texts with it by chance alone; if they share more
    than half of what is left, the distance stands beside none.
    """
    reached = _distances(of, bags, [chosen])[:, 0]
    random = _distances(of, bags, others)
    overlap = float(np.mean([one[chosen].mean() for one in others])) if len(others) else None
    by_chance = float(chosen.mean())
    tells = overlap is not None and overlap - by_chance <= _ALIKE * (1 - by_chance)
    return [
        BesideRandom(
            one.says,
            float(own),
            len(theirs),
            overlap,
            float(theirs.mean()) if tells else None,
            float(theirs.max()) if tells else None,
            int((theirs < own - _TINY).sum()) if tells else None,
        )
        for one, own, theirs in zip(of, reached, random, strict=True)
    ]
