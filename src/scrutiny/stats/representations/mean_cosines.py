"""Mean cosine of pairs of vectors of different texts, from running sums.

The mean over all pairs needs no pairs: the cosines of a set of unit vectors sum to the squared
length of their sum. So texts are read one after the other, and what is kept does not depend on how
many there are.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats, Integers
from scrutiny.stats.arrays import StatisticsError


def unit_vectors(vectors: NDArray[np.floating]) -> Floats:
    """Vectors ``(..., dimension)`` of length 1; zero stays zero.

    Examples
    --------
    >>> unit_vectors(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    rows = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


def cosine_matrix(vectors: NDArray[np.floating]) -> Floats:
    """Cosine of each two vectors ``(..., vector, vector)``; 1 on the diagonal."""
    rows = unit_vectors(vectors)
    return np.asarray(rows @ np.swapaxes(rows, -1, -2))


@dataclass(eq=False)
class CosineSums:
    """Running sums of the unit vectors of texts, by group: all words, or each word by itself.

    Pairs are of two vectors of one group in different texts; the value is the mean over groups of
    the mean cosine of a group's pairs.

    Parameters
    ----------
    layers, groups, dimension
        Shape of the sums: 8 bytes x layers x groups x dimension are held.

    **Measures**: how alike vectors of different texts are: of random words, how narrow the cone is
    in which all vectors lie (anisotropy); of one word, how little its context changes it.

    **Misleads when**: the second is read without the first; one word of very many texts counts no
    more than a rare one.

    **References**: Ethayarajh (2019), How contextual are contextualized word representations?;
    Hoeffding (1948), A class of statistics with asymptotically normal distribution (influence).

    Examples
    --------
    >>> sums = CosineSums(layers=1, groups=1, dimension=2)
    >>> texts = [np.array([[[1.0, 0.0], [0.0, 1.0]]]), np.array([[[1.0, 0.0]]])]
    >>> for one in texts:
    ...     sums.add(one, np.zeros(one.shape[1], dtype=int))
    >>> sums.value().tolist(), sums.pseudo(texts[1], np.zeros(1, dtype=int)).tolist()
    ([0.5], [0.5])
    """

    layers: int
    groups: int
    dimension: int
    texts: int = 0
    sums: Floats = field(init=False, repr=False)
    own: Floats = field(init=False, repr=False)
    count: Floats = field(init=False, repr=False)
    own_count: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.sums = np.zeros((self.groups, self.layers, self.dimension))
        self.own = np.zeros((self.groups, self.layers))
        self.count = np.zeros(self.groups)
        self.own_count = np.zeros(self.groups)

    def add(self, units: Floats, group: Integers) -> None:
        """Add the unit vectors ``(layer, vector, dimension)`` of a text, with their groups."""
        self.texts += 1
        known, sums, count = _by_group(units, group)
        self.sums[known] += sums
        self.own[known] += np.square(sums).sum(axis=-1)
        self.count[known] += count
        self.own_count[known] += np.square(count)

    def value(self) -> Floats:
        """Mean cosine ``(layer,)`` of pairs of different texts, over the groups that have pairs.

        Raises
        ------
        StatisticsError
            If no group has a pair.
        """
        means, has_pairs = self._means()
        if not has_pairs.any():
            raise StatisticsError("no two texts have vectors of one group.")
        return np.asarray(means[has_pairs].mean(axis=0))

    def pseudo(self, units: Floats, group: Integers) -> Floats:
        """Value plus influence ``(layer,)`` of a text that has been added.

        Their mean over all texts is the value, and their mean over resampled texts varies as the
        value would over other texts, to first order: each pair counts for both of its texts.
        """
        means, has_pairs = self._means()
        found = means[has_pairs].mean(axis=0)
        known, sums, count = _by_group(units, group)
        keep = has_pairs[known]
        known, sums, count = known[keep], sums[keep], count[keep]
        pairs = self._pairs()[known]
        above = (sums * (self.sums[known] - sums)).sum(axis=-1)  # (group, layer)
        beside = (count * (self.count[known] - count))[:, None] * means[known]
        influence = (2.0 * (above - beside) / pairs[:, None]).sum(axis=0) / has_pairs.sum()
        return np.asarray(found + self.texts * influence)

    def _pairs(self) -> Floats:
        """Number of ordered pairs ``(group,)`` of different texts."""
        return np.asarray(np.square(self.count) - self.own_count)

    def _means(self) -> tuple[Floats, NDArray[np.bool_]]:
        """Mean cosine ``(group, layer)``, and whether a group has pairs."""
        pairs = self._pairs()
        sums = np.square(self.sums).sum(axis=-1) - self.own
        return sums / np.maximum(pairs, 1.0)[:, None], pairs > 0


def _by_group(units: Floats, group: Integers) -> tuple[Integers, Floats, Floats]:
    """Groups of a text, and for each the sum ``(group, layer, dimension)`` and the number."""
    known, place = np.unique(group, return_inverse=True)
    sums = np.zeros((known.size, units.shape[0], units.shape[2]))
    np.add.at(sums, place, np.swapaxes(units, 0, 1))
    return known, sums, np.bincount(place, minlength=known.size).astype(np.float64)
