"""Statistics of associations: effect size with its tests, clusterings and their alignment.

``side`` is 1 in the first set (X of targets, A of attributes) and 0 in the second. ``cluster`` is
1 in the cluster that is matched to the first set.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Booleans, Floats, Integers
from scrutiny.core.errors import MissingExtraError
from scrutiny.core.statistic import Chance, ReplicateTest
from scrutiny.reliability.metrics import one_of
from scrutiny.reliability.row_statistics import Additive, Array, with_count
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.association.partitions import (
    adjusted_rand_of_counts,
    aligned,
    permuted_alignments,
    permuted_sides,
)
from scrutiny.stats.association.word_sets import effect_components, effect_of_sums, split_test

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
    if is_first.all() or not is_first.any():
        return None
    if np.abs(vectors - vectors[0]).max() <= 1e-6 * max(1e-30, np.abs(vectors).max()):
        return None  # all vectors are equal up to rounding
    points = vectors - vectors.mean(axis=0)
    if points.shape[0] < points.shape[1]:
        # in their linear span, where distances are the same and fits faster: rows of U * s
        left, lengths, _ = np.linalg.svd(points, full_matrices=False)
        points = left * lengths
    labels, inertias = _fits(points, rng.integers(0, _SEEDS, size=starts))
    matched = aligned(labels, is_first[None])
    best = int(np.argmin(inertias))
    sides = permuted_sides(is_first, units=words, permutations=permutations, rng=rng)
    squared = np.zeros(len(vectors))  # distances to the means of the clusters
    for mine in (labels[best], ~labels[best]):
        if mine.any():
            squared[mine] = ((vectors[mine] - vectors[mine].mean(axis=0)) ** 2).sum(axis=1)
    return Clustering(
        cluster=matched[best] == is_first,
        squared_distance=squared,
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


_PERMUTATIONS: Final = 999


def association_tests(
    measures: NDArray[np.float64], units: NDArray[np.int64] | None, rng: np.random.Generator
) -> Sequence[ReplicateTest]:
    """Permutation tests of associations ``(target, association and side)`` of one replicate.

    ``word_permutation@1`` exchanges whole words, ``sentence_permutation@1`` single sentences as
    published; without units they are the same test, and the second alone is done. The p-value is
    one-sided (the first targets are nearer to the first attributes); the two-sided one, and the
    smallest that each could have been, are among the numbers.

    Examples
    --------
    >>> rows = np.array([[3.0, 1], [4, 1], [3.5, 1], [1, 0], [2, 0], [1.5, 0]])
    >>> found = association_tests(rows, np.array([0, 1, 2, 3, 4, 5]), np.random.default_rng(0))
    >>> [(test.metric, test.p_value) for test in found]
    [('word_permutation@1', 0.05), ('sentence_permutation@1', 0.05)]
    """
    # splits are those of the sizes, the same for every replicate
    found = []
    for metric, unit in (("word_permutation@1", units), ("sentence_permutation@1", None)):
        if metric.startswith("word") and units is None:
            continue
        try:
            test = split_test(measures[:, 0], measures[:, 1] == 1, units=unit)
        except StatisticsError:
            continue  # a word in both sets, or one set only: no test exists
        found.append(
            ReplicateTest(
                metric,
                f"permutation {test.method}",
                test.p_value,
                test.n_units,
                {
                    "two_sided": test.p_two_sided,
                    "normal": test.p_normal,
                    "smallest_p": test.smallest_p,
                    "smallest_two_sided": test.smallest_two_sided,
                    "splits": float(test.n_splits),
                },
            )
        )
    return found


def alignment_tests(
    measures: NDArray[np.float64], units: NDArray[np.int64] | None, rng: np.random.Generator
) -> Sequence[ReplicateTest]:
    """Permutation test of the alignment of clusters with two sets; words exchange their labels.

    ``measures`` are ``(item, need)`` as `ALIGNMENT` names them. The better matching is taken under
    every permutation, as it was for the observed clusters. The numbers say what chance gives
    (``null_mean``, ``null_95``), and how single starts of the clustering differ.

    Examples
    --------
    >>> rows = np.array([[1.0, 1, 1, 1, 1]] * 4 + [[0.0, 0, 1, 1, 1]] * 4)
    >>> test = alignment_tests(rows, None, np.random.default_rng(0))[0]
    >>> test.metric, test.numbers["null_mean"] < 0.8
    ('alignment_permutation@1', True)
    """
    cluster, side = measures[:, 0] == 1, measures[:, 1] == 1
    if side.all() or not side.any():
        return []
    drawn = permuted_alignments(cluster, side, units=units, permutations=_PERMUTATIONS, rng=rng)
    observed = float((cluster == side).mean())
    return [
        ReplicateTest(
            "alignment_permutation@1",
            "permutation sampled",
            float((1 + np.count_nonzero(drawn >= observed - 1e-12)) / (1 + drawn.size)),
            side.size if units is None else int(np.unique(units).size),
            {
                "smallest_p": 1.0 / (1 + drawn.size),
                "null_mean": float(drawn.mean()),
                "null_95": float(np.quantile(drawn, 0.95)),
                "starts_mean": float(measures[:, 2].mean()),
                "starts_low": float(measures[:, 3].min()),
                "starts_high": float(measures[:, 4].max()),
            },
        )
    ]


def _table(measures: Array) -> Array:
    """Counts ``(..., 4)`` of cluster and side: both, cluster only, side only, neither."""
    cluster, side = measures[..., 0] == 1, measures[..., 1] == 1
    cells = (cluster & side, cluster & ~side, ~cluster & side, ~cluster & ~side)
    return np.stack([cell.astype(np.float64) for cell in cells], axis=-1)


#: WEAT's effect size d: positive where the first targets are nearer to the first attributes; with
#: the standard deviation of the sample, or of the population, as WEFE has it.
EFFECT_SIZE: Final = one_of(
    "effect_size",
    {
        kind: Additive(
            stream,
            f"association effect size d, {kind} sd",
            ("association", "side"),
            lambda m: effect_components(m[..., 0], m[..., 1]),
            partial(effect_of_sums, ddof=ddof),
            scale="effect_size",
            no_effect=0.0,
            tests=association_tests,
        )
        for kind, stream, ddof in (
            ("sample", "effect_size@1", 1),
            ("population", "effect_size_population@1", 0),
        )
    },
)
#: Share of items in the cluster that is matched to their set. By chance it is its mean when the
#: sets' labels are exchanged between words, which is held fixed; an alignment without a single miss
#: then gets the floor of one flip.
ALIGNMENT: Final = Additive(
    "cluster_alignment@1",
    "items in their set's cluster",
    ("cluster", "side", "single", "single_low", "single_high"),
    lambda m: with_count((m[..., 0] == m[..., 1]).astype(np.float64)),
    scale="logit",
    conditional_on="the fitted clustering and its matching",
    row_range=(0.0, 1.0),
    tests=alignment_tests,
    is_mean=True,
    chance=Chance("permuted labels", "null"),
)
#: Alignment as a single start of the clustering gives it, on average over starts.
SINGLE_START: Final = Additive(
    "single_start_alignment@1",
    "alignment of one start, mean over starts",
    ("single",),
    scale="logit",
    conditional_on="the fitted clusterings and their matchings",
    row_range=(0.0, 1.0),
)
#: Agreement of clusters with sets beyond chance; 0 for random clusters, 1 for the sets themselves.
ADJUSTED_RAND: Final = Additive(
    "adjusted_rand@1",
    "adjusted Rand index",
    ("cluster", "side"),
    _table,
    adjusted_rand_of_counts,
    scale="fisher_z",
    conditional_on="the fitted clustering",
    no_effect=0.0,
)
#: Sum of squared distances of the items to the center of their cluster: what k-means minimizes.
INERTIA: Final = Additive(
    "inertia@1",
    "within-cluster sum of squares",
    ("squared_distance",),
    lambda m: with_count(m[..., 0]),
    lambda sums: np.where(sums[..., -1] > 0, sums[..., 0], np.nan),
    scale="amount",
    conditional_on="the fitted clustering",
)
