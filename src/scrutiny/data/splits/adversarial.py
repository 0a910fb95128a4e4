"""Adversarial splits: a test part that lies as far from the rest as it can.

As Søgaard et al. released it, which turns out to be a split by length; and by what is in the texts,
with as many tokens as a random test part has.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from scrutiny.core.errors import DataError, require_packages
from scrutiny.core.randomness import Rng
from scrutiny.data.splits.bags import Array, BagDistance, Bags, apart

_ROUNDS: Final = 30
_STARTS: Final = 3


def released_distances(counts: Any, center: Array) -> Array:
    """Distance ``(text,)`` of counts ``(text, word)`` from a center, as released.

    The release passes rows of counts to a Wasserstein distance as samples. Two samples of one size
    lie apart by the mean difference of their sorted values, so it does not matter which word has
    which count: texts without a common word can be at distance 0, and what is left is their length.
    """
    counts = counts.tocsr().astype(np.float64)
    n, width = counts.shape
    center = np.sort(np.asarray(center, dtype=np.float64))[::-1]
    filled = np.diff(counts.indptr)
    owners = np.repeat(np.arange(n), filled)
    order = np.lexsort((-counts.data, owners))  # largest first within a text
    rank = np.arange(len(owners)) - np.repeat(counts.indptr[:-1], filled)
    # a text's empty words lie apart from the center by what the center has there
    saved = np.abs(counts.data[order] - center[rank]) - np.abs(center[rank])
    total = np.bincount(owners, weights=saved, minlength=n) + np.abs(center).sum()
    return np.asarray(total / width)


def as_released(texts: Sequence[str], size: int, rng: Rng, *, min_df: int = 2) -> Array:
    """Whether a text is in the test part ``(text,)``: the nearest to a random center.

    Parameters
    ----------
    texts
        Of the items.
    size
        How many are wanted.
    rng
        Of the center: an integer for each word, from 0 to the largest count.
    min_df
        Least number of texts that a word stands in; 10,000 in the paper, for 100,000 texts.

    Raises
    ------
    DataError
        If no word stands in so many texts.

    Notes
    -----
    **Measures**: nothing that its name says. It picks the texts with the most words of the
    vocabulary, the same ones whatever the center is.

    **References**: Søgaard et al. (2021), We need to talk about random splits.
    """
    require_packages("The adversarial split as released", "clusters", "sklearn")
    from sklearn.feature_extraction.text import CountVectorizer

    try:
        # int8 in the release, which wraps from 128 on: the same up to 127 times a word in a text
        counts = CountVectorizer(min_df=min_df, dtype=np.int32).fit_transform(texts)
    except ValueError:
        raise DataError(
            f"No word stands in {min_df:,} of the {len(texts):,} texts: make min-df smaller."
        ) from None
    center = rng.integers(0, int(counts.max()) + 1, size=counts.shape[1])
    nearest = np.argsort(released_distances(counts, center), kind="stable")[:size]
    chosen = np.zeros(len(texts), dtype=np.bool_)
    chosen[nearest] = True
    return chosen


def farthest(of: BagDistance, bags: Bags, size: int, rng: Rng) -> Array:
    """Whether a text is in the test part ``(text,)``: as far from the rest as was found.

    The distance is convex in which texts are chosen, so texts that score highest by its slope are a
    choice that is at least as far. This is repeated until nothing changes, from several random
    texts, and the farthest is kept. Chosen texts have as many tokens as so many random ones, within
    what single texts allow: else the shortest would be chosen, or the longest.

    Notes
    -----
    **Measures**: how hard a test part can be made, by its words or vectors alone.

    **Misleads when** it is read as a likely shift: nature does not choose the farthest texts. It is
    a local optimum. Labels and topics shift along; the record says how far.
    """
    n = len(bags.tokens)
    total = round(size * bags.tokens.mean())
    whole = np.asarray(bags.counts.sum(axis=0)).ravel()
    best, farthest_yet = np.zeros(n, dtype=np.bool_), -np.inf
    for _ in range(_STARTS):
        # texts that share most with a random one, and then what the distance says
        seed = bags.counts[int(rng.integers(n))]
        scores = np.asarray((bags.counts @ seed.T).todense()).ravel()
        scores = scores / np.maximum(bags.tokens, 1) + 1e-9 * rng.random(n)
        chosen = _highest(scores * bags.tokens, bags.tokens, size, total)
        for _ in range(_ROUNDS):
            inside = np.asarray(bags.counts[chosen].sum(axis=0)).ravel()
            outside = whole - inside
            parts = max(inside.sum(), 1.0), max(outside.sum(), 1.0)
            slope, other = of.slopes(inside / parts[0], outside / parts[1])
            gain = np.asarray(bags.counts @ (slope / parts[0] - other / parts[1])).ravel()
            new = _highest(gain, bags.tokens, size, total)
            if (new == chosen).all():
                break
            chosen = new
        reached = apart(of, bags, chosen)
        if reached > farthest_yet:
            best, farthest_yet = chosen, reached
    return best


def _highest(scores: Array, tokens: Array, size: int, total: int) -> Array:
    """So many texts of the highest scores that have about so many tokens, by a price of tokens."""
    scale = float(np.abs(scores).max()) or 1.0
    low, high = -4 * scale, 4 * scale
    chosen = np.zeros(len(scores), dtype=np.bool_)
    if not 0 < size < len(scores):
        chosen[:size] = True
        return chosen
    for _ in range(30):
        price = (low + high) / 2
        top = np.argpartition(price * tokens - scores, size - 1)[:size]
        has = tokens[top].sum()
        if abs(has - total) <= 0.001 * total:
            break
        low, high = (price, high) if has > total else (low, price)
    chosen[top] = True
    return chosen
