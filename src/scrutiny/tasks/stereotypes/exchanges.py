"""Random exchanges of labels: coin flips for pairs, sets for words."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from scrutiny.core.example import Example
from scrutiny.core.randomness import Rng

_TRIES: Final = 2000


def exchange_coins(examples: Sequence[Example], rng: Rng, *, unit: str = "") -> list[bool]:
    """Coin flip that exchanges a stereotype's sides for each example; those of one unit share it.

    Coins are tossed in the order in which units appear. An example without the unit is its own.
    """
    tossed: dict[tuple[str, str | float], bool] = {}
    found = []
    for example in examples:
        key = ("unit", example.attributes[unit]) if unit in example.attributes else ("", example.id)
        if key not in tossed:
            tossed[key] = bool(rng.integers(2))
        found.append(tossed[key])
    return found


class WordSet(NamedTuple):
    """Set that a text is in, with the set's name."""

    set: str
    category: str | float | None


def exchange(
    examples: Sequence[Example],
    rng: Rng,
    *,
    pairs: Sequence[tuple[str, str]],
) -> list[WordSet | None]:
    """New set of each example; ``None`` for examples outside the exchange.

    Within each test and pair of sets, all ways to assign the words are equally likely that keep
    the number of words and the number of texts of both sets. If 2,000 shuffles give no such
    exchange, the one that comes nearest in the number of texts is used.
    """
    groups: dict[tuple[object, tuple[str, str]], list[int]] = {}
    for i, example in enumerate(examples):
        pair = next((p for p in pairs if example.attributes["a_set"] in p), None)
        if pair is not None:
            groups.setdefault((example.attributes.get("a_test"), pair), []).append(i)
    places: list[WordSet | None] = [None] * len(examples)
    for (_, pair), members in groups.items():
        for i, place in zip(members, _exchanged(examples, members, pair, rng), strict=True):
            places[i] = place
    return places


def _exchanged(
    examples: Sequence[Example],
    members: Sequence[int],
    pair: tuple[str, str],
    rng: Rng,
) -> list[WordSet]:
    """New sets of the texts of one test and one pair of sets."""
    words: dict[tuple[str | float, str | float], int] = {}  # (set, word) -> number of texts
    named: dict[str | float, WordSet] = {}
    keys = []
    for i in members:
        attributes = examples[i].attributes
        key = attributes["a_set"], attributes["u_word"]
        words[key] = words.get(key, 0) + 1
        named.setdefault(key[0], WordSet(str(key[0]), attributes.get("a_category")))
        keys.append(key)
    if len(named) < 2:
        return [named[key[0]] for key in keys]
    n_first = sum(key[0] == pair[0] for key in words)
    chosen = _balanced(list(words.values()), [key[0] == pair[0] for key in words], n_first, rng)
    is_first = dict(zip(words, chosen, strict=True))
    return [named[pair[0] if is_first[key] else pair[1]] for key in keys]


def _balanced(sizes: Sequence[int], firsts: Sequence[bool], n_first: int, rng: Rng) -> list[bool]:
    """Words for the first set, balanced: as many words, and as many texts, as before."""
    import numpy as np

    counts = np.asarray(sizes)
    wanted = int(counts[np.asarray(firsts)].sum())
    best, nearest = np.asarray(firsts), None
    for _ in range(_TRIES):
        drawn = np.zeros(len(counts), dtype=bool)
        drawn[rng.permutation(len(counts))[:n_first]] = True
        distance = abs(int(counts[drawn].sum()) - wanted)
        if nearest is None or distance < nearest:
            best, nearest = drawn, distance
        if not distance:
            break
    return [bool(x) for x in best]
