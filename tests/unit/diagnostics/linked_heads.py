"""Heads of toy models that follow an annotation, and annotated sentences to follow."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class LinkedHead:
    """A head by which words look at the word that they are linked to, with a fidelity.

    Else they look at a random other word.
    """

    links: tuple[tuple[tuple[str, ...], tuple[int | None, ...]], ...]
    fidelity: float = 1.0
    weight: float = 0.8
    is_noise: ClassVar[bool] = False

    def targets(self, words, rng):
        linked = dict(self.links)[tuple(words)]
        found = []
        for i, target in enumerate(linked):
            other = int(rng.integers(len(words) - 1))
            other += other >= i
            is_hit = rng.random() < self.fidelity
            found.append(target if is_hit and target is not None else other)
        return found

    def target_of_specials(self, words):
        return None


def sentence(number, rng, *, n=9):
    """Words, heads from 1 and relations of a random tree; ``near`` hangs on the word before."""
    words = [f"{'bcdfghkl'[int(rng.integers(8))]}{number}x{i}" for i in range(n)]
    order = rng.permutation(n)
    heads, relations = [0] * n, ["root"] * n
    for place, word in enumerate(order[1:], 1):
        heads[word] = int(order[rng.integers(place)]) + 1
        relations[word] = "near" if heads[word] == word else "far"
    relations[int(order[-1])] = "punct"
    return words, heads, relations


def sentences(count, *, seed=0):
    """Random trees as rows of dependency arcs."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        words, heads, relations = sentence(number, rng)
        rows.append({"id": str(number), "words": words, "heads": heads, "relations": relations})
    return rows


def links_of(rows):
    """Word that each word hangs on, by sentence."""
    return tuple(
        (tuple(row["words"]), tuple(None if h == 0 else h - 1 for h in row["heads"]))
        for row in rows
    )
