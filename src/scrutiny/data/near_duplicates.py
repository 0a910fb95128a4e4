"""Near duplicates: texts that share most of their word bigrams, all numbers and every negation.

A join by prefix filtering (Bayardo, Ma and Srikant 2007): with the shingles of every text in order
of rarity, two sets of Jaccard index t or more must share one of their first few. It finds every
pair, so no result depends on a random seed.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from scrutiny.core.example import Example
from scrutiny.text.letters import marks
from scrutiny.text.numbers import parse_number

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]|[^\W\d_{_CJK}]+")  # Chinese is not spaced: each character counts
# What says "not" in languages of many data sets; only how often the two texts have any counts, so a
# word that says something else in another language does no harm ("faux pas").
_NEGATION = re.compile(
    r"n['\u2019]t\b|\b(?:not|cannot|no|never|none|nobody|nothing|nowhere|neither|nor|without|hardly"
    r"|(?:do|does|did|is|are|was|were|has|have|had|ca|wo|would|could|should)nt"
    r"|nicht|nichts|nie|niemals|niemand|kein(?:e[mnrs]?)?|ohne"  # German
    r"|pas|jamais|aucune?|rien|sans"  # French
    r"|nunca|jam\u00e1s|nadie|nada|ning[u\u00fa]n[ao]?|sin"  # Spanish
    r"|non|mai|nessun[ao]?|senza|n\u00e3o|sem|niet|geen|nooit|nie|ne|\u043d\u0435|\u043d\u0435\u0442)\b"
    r"|[\u4e0d\u6ca1\u6c92\u65e0\u7121\u975e\u672a\u522b\u5225]"  # Chinese, as in 不 and 没
)
_CANDIDATES = 1_000_000  # pairs verified at once

_Array = np.ndarray[Any, Any]


class _Sets(NamedTuple):
    """Sets of shingles (word bigrams) of a list of texts, concatenated, rarest first in each."""

    ranks: _Array  # (shingle,) of all texts
    owners: _Array  # (shingle,) index of the text
    sizes: _Array  # (text,)


def find_near(
    a_texts: Sequence[str],
    b_texts: Sequence[str],
    *,
    least: float,
    decisive: Callable[[str], object] | None = None,
) -> dict[int, tuple[int, float]]:
    """Most similar text of b, and the Jaccard index, for each text of a with a near duplicate.

    Ties go to the first. Texts without a word are left out.

    Parameters
    ----------
    a_texts, b_texts
        The texts.
    least
        Smallest Jaccard index of the sets of word pairs (of the word, where there is only one).
    decisive
        What two texts must have in common besides; `what_decides` unless given.
    """
    best: dict[int, tuple[int, float]] = {}
    for one, other, value in near_pairs(a_texts, b_texts, least=least, decisive=decisive):
        if one not in best or (-value, other) < (-best[one][1], best[one][0]):
            best[one] = (other, value)
    return best


def near_pairs(
    a_texts: Sequence[str],
    b_texts: Sequence[str],
    *,
    least: float,
    decisive: Callable[[str], object] | None = None,
) -> Iterator[tuple[int, int, float]]:
    """Every pair of a text of a and one of b that are similar, with their Jaccard index.

    Texts that differ in a number, a negation, a smiley or another symbol are not similar: it may be
    the one thing that matters ("1 out of 10", "I would not come back").

    Parameters
    ----------
    a_texts, b_texts, least, decisive
        As of `find_near`.
    """
    if not a_texts or not b_texts:
        return
    decisive_of = cache(decisive or what_decides)
    # shingle sets of both lists, with shingles ranked by rarity in both together
    vocabulary: dict[str, int] = {}
    raw = [_pairs_of_words(texts, vocabulary) for texts in (a_texts, b_texts)]
    joined = np.concatenate([codes for codes, _ in raw])
    _, inverse, counts = np.unique(joined, return_inverse=True, return_counts=True)
    by_rarity = np.argsort(counts, kind="stable")
    rank_of = np.empty(len(counts), dtype=np.int64)
    rank_of[by_rarity] = np.arange(len(counts))
    ranks = rank_of[inverse.reshape(-1)]
    split = len(raw[0][0])
    a, b = (
        _sets(ranks[:split], raw[0][1], len(a_texts)),
        _sets(ranks[split:], raw[1][1], len(b_texts)),
    )
    prefix_a, prefix_b = _prefixes(a, least), _prefixes(b, least)
    order = np.argsort(b.ranks[prefix_b], kind="stable")
    keys, owners = b.ranks[prefix_b][order], b.owners[prefix_b][order]
    members = _codes(b.owners, b.ranks)
    members.sort()
    starts = np.concatenate([[0], np.cumsum(a.sizes)])
    for pairs in _candidates((a.ranks[prefix_a], a.owners[prefix_a]), (keys, owners)):
        sizes = a.sizes[pairs[:, 0]], b.sizes[pairs[:, 1]]
        # a Jaccard index is at most the ratio of the smaller set to the larger
        kept = pairs[np.minimum(*sizes) >= least * np.maximum(*sizes) - 1e-9]
        shared = _shared(kept, a, starts, members)
        jaccard = shared / (a.sizes[kept[:, 0]] + b.sizes[kept[:, 1]] - shared)
        for i in np.flatnonzero(jaccard >= least - 1e-12).tolist():
            one, other = int(kept[i, 0]), int(kept[i, 1])
            if decisive_of(a_texts[one]) == decisive_of(b_texts[other]):
                yield one, other, float(jaccard[i])


def what_decides(text: str) -> tuple[tuple[str, ...], list[str], int]:
    """Numbers and symbols of a text, its numbers as words, and how many negations it has.

    One of them may be all that two texts of different labels differ in.

    Examples
    --------
    >>> what_decides("Five of 9 didn't come, and not one called.")
    (('9',), ['5'], 2)
    """
    low = text.casefold()
    numbers = (parse_number(word) for word in _WORD.findall(low) if word != "one")
    return marks(text), sorted(str(n.value) for n in numbers if n), len(_NEGATION.findall(low))


def conflicting_labels(examples: Sequence[Example], *, least: float) -> dict[int, int]:
    """Items with the first near duplicate that has another gold label.

    Of items of several texts, every text has to be near.

    Parameters
    ----------
    examples
        The items.
    least
        Smallest Jaccard index of word pairs of near duplicates.
    """
    fields = list(zip(*(example.fields.values() for example in examples), strict=True))
    near: set[tuple[int, int]] | None = None
    for texts in fields:
        found = {(a, b) for a, b, _ in near_pairs(texts, texts, least=least) if a != b}
        near = found if near is None else near & found
    golds = [example.gold for example in examples]
    first: dict[int, int] = {}
    for a, b in sorted(near or ()):
        if None not in (golds[a], golds[b]) and golds[a] != golds[b]:
            first.setdefault(a, b)
    return first


def _pairs_of_words(texts: Sequence[str], vocabulary: dict[str, int]) -> tuple[_Array, _Array]:
    """Codes of the word bigrams of all texts, and the text that each belongs to."""
    words: list[int] = []
    sizes = np.empty(len(texts), dtype=np.int64)
    for i, text in enumerate(texts):
        before = len(words)
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        found = _WORD.findall(text.casefold())
        words.extend([vocabulary.setdefault(word, len(vocabulary)) for word in found])
        if len(words) == before + 1:
            words.append(-1)  # a single word makes a pair with nothing
        sizes[i] = len(words) - before
    ids = np.array(words, dtype=np.int64)
    owners = np.repeat(np.arange(len(texts)), sizes)
    is_pair = owners[1:] == owners[:-1]
    codes = (ids[:-1] << 32) + ids[1:] + 1
    return codes[is_pair], owners[:-1][is_pair]


def _sets(ranks: _Array, owners: _Array, n: int) -> _Sets:
    """Distinct shingles of each text, rarest first."""
    order = np.lexsort((ranks, owners))
    ranks, owners = ranks[order], owners[order]
    is_new = np.ones(len(ranks), dtype=np.bool_)
    is_new[1:] = (ranks[1:] != ranks[:-1]) | (owners[1:] != owners[:-1])
    ranks, owners = ranks[is_new], owners[is_new]
    return _Sets(ranks, owners, np.bincount(owners, minlength=n))


def _prefixes(sets: _Sets, least: float) -> _Array:
    """Mask of the shingles in each set's prefix, of which a partner must share one."""
    starts = np.cumsum(sets.sizes) - sets.sizes
    position = np.arange(len(sets.ranks)) - starts[sets.owners]
    needed = np.ceil(least * sets.sizes - 1e-9).astype(np.int64)
    return np.asarray(position <= (sets.sizes - needed)[sets.owners])


def _candidates(a: tuple[_Array, _Array], b: tuple[_Array, _Array]) -> Iterator[_Array]:
    """Distinct pairs ``(pair, 2)`` of texts that share a shingle, in blocks of whole texts of a.

    Parameters
    ----------
    a
        Shingles and their texts, by text.
    b
        Shingles and their texts, by shingle.
    """
    ranks, owners = a
    low = np.searchsorted(b[0], ranks, side="left")
    counts = np.searchsorted(b[0], ranks, side="right") - low
    hits = np.flatnonzero(counts)
    totals = np.cumsum(counts[hits])
    start = 0
    while start < len(hits):
        base = totals[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(totals, base + _CANDIDATES, side="right")))
        while stop < len(hits) and owners[hits[stop]] == owners[hits[stop - 1]]:
            stop += 1
        block = hits[start:stop]
        sizes = counts[block]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        others = b[1][np.repeat(low[block], sizes) + within]
        codes = np.unique(_codes(np.repeat(owners[block], sizes), others))
        yield np.stack([codes >> 32, codes & 0xFFFFFFFF], axis=1)
        start = stop


def _shared(pairs: _Array, a: _Sets, starts: _Array, members: _Array) -> _Array:
    """Number of shingles ``(pair,)`` that both texts of each pair have."""
    sizes = a.sizes[pairs[:, 0]]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    shingles = a.ranks[np.repeat(starts[pairs[:, 0]], sizes) + within]
    codes = _codes(np.repeat(pairs[:, 1], sizes), shingles)
    place = np.minimum(np.searchsorted(members, codes), len(members) - 1)
    is_shared = members[place] == codes
    pair = np.repeat(np.arange(len(pairs)), sizes)
    return np.bincount(pair[is_shared], minlength=len(pairs))


def _codes(high: _Array, low: _Array) -> _Array:
    """Two numbers below 2 ** 31 packed into one."""
    return np.asarray((high.astype(np.int64) << 32) | low.astype(np.int64))
