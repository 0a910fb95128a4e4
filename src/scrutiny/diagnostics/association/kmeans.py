"""Clustering of vectors in two groups, from many starts, and its alignment with two sets."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Booleans, Floats, Integers
from scrutiny.core.errors import MissingExtraError
from scrutiny.stats.association.clusters import aligned, permuted_sides

_SEEDS = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """Two clusters of items, with the alignment by chance and of the other starts.

    Parameters
    ----------
    cluster
        ``(item,)`` True in the cluster that is matched to the first set.
    squared_distance
        ``(item,)`` to the center of the item's cluster; their sum is the inertia.
    null
        Alignment when labels are permuted by word, on average.
    single
        ``(item,)`` share of starts under which the item is matched.
    alignments
        ``(start,)`` share of matched items by start.
    """

    cluster: Booleans
    squared_distance: Floats
    null: float
    single: Floats
    alignments: Floats


def cluster_sets(
    vectors: Floats,
    is_first: Booleans,
    *,
    words: NDArray[np.str_],
    starts: int,
    permutations: int,
    rng: np.random.Generator,
) -> Clustering | None:
    """Best of many 2-means clusterings of vectors ``(item, dimension)``.

    Parameters
    ----------
    vectors
        Finite.
    is_first
        ``(item,)`` whether the item is of the first set.
    words
        ``(item,)`` words whose labels are permuted as a whole.
    starts
        Starts of k-means++, each for itself; the one with the least inertia counts.
    permutations
        Of the labels.
    rng
        Source of starts and permutations.

    Returns
    -------
    Clustering or None
        Nothing where the vectors are fewer than two different ones, or all of one set.
    """
    if is_first.all() or not is_first.any() or _is_one_point(vectors):
        return None
    labels, inertias = _fits(_in_own_span(vectors), rng.integers(0, _SEEDS, size=starts))
    matched = aligned(labels, is_first[None])
    best = int(np.argmin(inertias))
    sides = permuted_sides(is_first, units=words, permutations=permutations, rng=rng)
    return Clustering(
        cluster=matched[best] == is_first,
        squared_distance=_squared_distances(vectors, labels[best]),
        null=float(aligned(labels[best][None], sides).mean()),
        single=matched.mean(axis=0),
        alignments=matched.mean(axis=1),
    )


def _fits(vectors: Floats, seeds: Integers) -> tuple[Booleans, Floats]:
    """Labels ``(start, item)`` and inertia ``(start,)`` of every start."""
    try:
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning
    except ModuleNotFoundError as error:
        raise MissingExtraError("association.clusters", "clusters") from error
    labels, inertias = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct points than asked
        for seed in seeds.tolist():
            found = KMeans(n_clusters=2, n_init=1, random_state=seed).fit(vectors)
            labels.append(found.labels_ == 1)
            inertias.append(float(found.inertia_))
    return np.array(labels), np.array(inertias)


def _in_own_span(vectors: Floats) -> Floats:
    """The same points in their linear span: same distances, faster fits."""
    centered = vectors - vectors.mean(axis=0)
    if centered.shape[0] >= centered.shape[1]:
        return np.asarray(centered)
    # rows of U * s: coordinates along the right singular vectors
    left, lengths, _ = np.linalg.svd(centered, full_matrices=False)
    return np.asarray(left * lengths)


def _squared_distances(vectors: Floats, label: Booleans) -> Floats:
    """Squared distance of each vector to the mean of its cluster ``(item,)``."""
    distances = np.zeros(len(vectors))
    for mine in (label, ~label):
        if mine.any():
            distances[mine] = ((vectors[mine] - vectors[mine].mean(axis=0)) ** 2).sum(axis=1)
    return distances


def _is_one_point(vectors: Floats) -> bool:
    """Whether all vectors are equal up to rounding."""
    spread = np.abs(vectors - vectors[0]).max()
    return bool(spread <= 1e-6 * max(1e-30, np.abs(vectors).max()))
