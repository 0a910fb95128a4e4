"""Linear probes of one layer: fitted to words of some texts, asked about those of others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from scrutiny.core.arrays import Booleans, Floats, Integers, Singles
from scrutiny.core.randomness import Rng
from scrutiny.stats.representations.online_code import OnlineCode, block_ends, online_code
from scrutiny.stats.representations.principal_axes import principal_axes

#: Label of a word that has none, or none that is known.
NO_LABEL: Final = -1


class TrainingText(NamedTuple):
    """A text that a probe learns from: its place among the items, and the words that are there.

    ``is_there`` says for each of its words whether it has a vector.
    """

    item: int
    is_there: Booleans


@dataclass(frozen=True, eq=False)
class LinearProbe:
    """A linear probe of the vectors of a layer.

    Parameters
    ----------
    matrix, bias
        ``(dimension, label)`` and ``(label,)``: scores of a vector.
    bits
        Length of the online code of each training text's labels, and the number of its labels that
        were coded, by item.
    uniform
        Bits of one label in a uniform code.
    """

    matrix: Floats
    bias: Floats
    bits: Mapping[int, tuple[float, int]]
    uniform: float


def fit_linear_probes(
    vectors: Singles,
    texts: Sequence[TrainingText],
    labels: Mapping[str, Sequence[Integers]],
    *,
    n_labels: Mapping[str, int],
    dimensions: int,
) -> dict[str, LinearProbe]:
    """Probe of each kind of labels on the same vectors.

    Parameters
    ----------
    vectors
        ``(word, dimension)`` of all words that are there, text by text, in the order in which they
        are coded.
    texts
        The texts.
    labels
        By kind: labels ``(word,)`` of each text's words that are there; `NO_LABEL` for none.
    n_labels
        By kind.
    dimensions
        Principal components that a probe sees.

    Raises
    ------
    StatisticsError
        If there is nothing to learn from.
    """
    axes = principal_axes(vectors, most=dimensions)
    features = np.pad(axes.standard(vectors), ((0, 0), (0, 1)), constant_values=1.0)
    found = {}
    for kind, by_text in labels.items():
        joined = np.concatenate(by_text)
        own = joined != NO_LABEL
        counts = [int((one != NO_LABEL).sum()) for one in by_text]
        ends = np.cumsum(counts)[[end - 1 for end in block_ends(len(texts))]].tolist()
        ends = sorted({end for end in ends if end})
        code = online_code(features[own], joined[own], ends, n_labels=n_labels[kind])
        matrix, bias = _scores(code, axes.directions / axes.spread, axes.center)
        parts = np.split(code.bits, np.cumsum(counts)[:-1])
        bits = {
            text.item: (float(part.sum()), count)
            for text, part, count in zip(texts, parts, counts, strict=True)
        }
        found[kind] = LinearProbe(matrix, bias, bits, float(np.log2(n_labels[kind])))
    return found


def _scores(code: OnlineCode, directions: Floats, center: Floats) -> tuple[Floats, Floats]:
    """Scores of vectors as they are: matrix ``(dimension, label)``, bias ``(label,)``."""
    weights = code.head.weights
    if weights.shape[1] == 1:  # the log odds of the second label
        weights = np.pad(weights, ((0, 0), (1, 0)))
    matrix = directions @ weights[:-1]
    return matrix, weights[-1] - center @ matrix


@dataclass(frozen=True, eq=False)
class ProbesOfLayer:
    """Probes of one layer side by side, so that a text is asked about once.

    Parameters
    ----------
    probes
        By whatever tells them apart.
    """

    probes: Mapping[tuple[str, ...], LinearProbe]
    matrix: Floats = field(init=False, repr=False)
    bias: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        all_of = [*self.probes.values()]
        object.__setattr__(self, "matrix", np.concatenate([p.matrix for p in all_of], axis=1))
        object.__setattr__(self, "bias", np.concatenate([p.bias for p in all_of]))

    def answers(self, vectors: Singles) -> Iterable[tuple[tuple[str, ...], Integers]]:
        """Label ``(word,)`` that each probe gives the vectors ``(word, dimension)``."""
        scores = vectors @ self.matrix + self.bias
        start = 0
        for name, probe in self.probes.items():
            end = start + len(probe.bias)
            yield name, scores[:, start:end].argmax(axis=1)
            start = end


def sampled_texts(counts: Sequence[int], items: Sequence[int], *, most: int, rng: Rng) -> list[int]:
    """Items in a random order, until they have so many words; those without one are left out.

    Parameters
    ----------
    counts
        Words of each item of the data.
    items
        Places of those that may be drawn.
    most
        Words that are enough.
    """
    found, held = [], 0
    for i in rng.permutation(np.array(items, dtype=np.int64)).tolist():
        if held >= most:
            break
        if counts[i]:
            found.append(i)
            held += counts[i]
    return found


def commonest_labels(
    forms: Iterable[Sequence[str]], labels: Iterable[Integers]
) -> tuple[dict[str, int], int]:
    """Commonest label of each word, and of all words: what a word list knows.

    Examples
    --------
    >>> commonest_labels([("a", "b", "a")], [np.array([0, 1, 0])])
    ({'a': 0, 'b': 1}, 0)
    """
    by_word: dict[str, dict[int, int]] = {}
    every: dict[int, int] = {}
    for words, own in zip(forms, labels, strict=True):
        for word, label in zip(words, own.tolist(), strict=True):
            if label != NO_LABEL:
                counts = by_word.setdefault(word, {})
                counts[label] = counts.get(label, 0) + 1
                every[label] = every.get(label, 0) + 1
    most = {word: max(counts, key=lambda k: (counts[k], -k)) for word, counts in by_word.items()}
    return most, max(every, key=lambda k: (every[k], -k), default=NO_LABEL)
