"""A model whose layers are known: words alone, words with the word before them, and noise."""

from functools import cache
from zlib import crc32

import numpy as np

from scrutiny.core.model import Model
from scrutiny.tasks.dependency_arcs import DependencyArcs

WIDTH = 24
WORDS = tuple(f"w{n}" for n in range(150))


class PlantedLayers(Model):
    """Layer 0 knows a word, layer 1 also the word before it, layer 2 nothing of either."""

    source, task = "toy:layers", "dependency-arcs"
    capabilities = frozenset({"representations"})
    n_layers = 2

    def __init__(self, *, width=WIDTH, seed=0):
        self.width, self.seed = width, seed
        self.asked = 0

    def representations(self, passages, *, poolings, layers):
        self.asked = max(self.asked, len(passages))
        found = np.full((len(passages), len(layers), len(poolings), self.width), np.nan, np.float32)
        for i, one in enumerate(passages):
            start, end = one.word
            before = one.text[:start].split()
            known = {
                0: [self.drawn(one.text[start:end])],
                1: [self.drawn(one.text[start:end]), self.drawn("before", *before[-1:])],
                2: [self.drawn("noise", one.text, start)],
            }
            for j, layer in enumerate(layers):
                found[i, j] = sum(known[layer])
        return found

    def drawn(self, *named):
        return drawn(self.width, self.seed, *named)


@cache  # nobody changes what is given out
def drawn(width, *named):
    key = [crc32(str(n).encode()) for n in named]
    return np.random.default_rng(key).standard_normal(width)


def examples(rows):
    """Items of rows of trees."""
    return tuple(DependencyArcs().parse(row, source="here:1") for row in rows)


def sentences(count=80, *, pairs=3, seed=1):
    """Trees in which a word is a noun behind "the" and a verb behind "to"."""
    rng = np.random.default_rng(seed)
    for n in range(count):
        words, upos, relations, heads = [], [], [], []
        for k in range(pairs):
            is_noun = bool(rng.integers(2))
            words += ["the" if is_noun else "to", str(rng.choice(WORDS))]
            upos += ["DET", "NOUN"] if is_noun else ["PART", "VERB"]
            relations += ["det" if is_noun else "mark", "dep" if k else "root"]
            heads += [2 * k + 2, 2 if k else 0]
        yield {
            "id": f"s{n}",
            "words": words,
            "heads": heads,
            "relations": relations,
            "upos": upos,
        }
