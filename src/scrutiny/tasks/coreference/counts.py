"""Counts of coreference, per document: what MUC, B-cubed and CEAF-e are sums of.

As the reference scorer counts (Pradhan, Luo, Recasens, Hovy, Ng and Strube 2014, version 8.01): a
mention counts as found if its borders are exact, and mentions that only one side has stay in all
sums of that side. MUC (Vilain et al. 1995) counts links: a cluster of n mentions needs n - 1.
B-cubed (Bagga and Baldwin 1998) asks for each mention how much of its cluster the other side's
cluster of that mention has. CEAF-e (Luo 2005) assigns clusters one to one so that the sum of phi4,
twice the common mentions over the mentions of both, is largest.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping
from typing import NamedTuple

Partition = Collection[Collection[Hashable]]


class PartitionCounts(NamedTuple):
    """What two partitions of mentions have in common, and what each has.

    Parameters
    ----------
    common, gold, answer
        Mentions of both, of the gold clusters and of the answer.
    links, gold_links, answer_links
        Links, as MUC counts them.
    recalled, precise
        Sums of B-cubed's recall and precision over the mentions.
    alike, gold_clusters, answer_clusters
        Sum of phi4 over the best assignment of clusters, and how many there are to assign.
    """

    common: float
    gold: float
    answer: float
    links: float
    gold_links: float
    answer_links: float
    recalled: float
    precise: float
    alike: float
    gold_clusters: float
    answer_clusters: float


def count(gold: Partition, answer: Partition) -> PartitionCounts:
    """Counts of an answer against gold clusters.

    Examples
    --------
    >>> found = count(["a", "bc", "def"], ["a", "bcx", "dy", "z"])
    >>> found.links, found.gold_links, found.recalled, found.alike
    (1, 3, 3.3333333333333335, 2.2)
    """
    ours, theirs = [len(c) for c in gold], [len(c) for c in answer]
    place = {mention: k for k, cluster in enumerate(answer) for mention in cluster}
    cells = Counter((i, place[m]) for i, cluster in enumerate(gold) for m in cluster if m in place)
    common = cells.total()
    return PartitionCounts(
        common,
        sum(ours),
        sum(theirs),
        common - len(cells),
        sum(ours) - len(ours),
        sum(theirs) - len(theirs),
        sum(n * n / ours[i] for (i, _), n in cells.items()),
        sum(n * n / theirs[k] for (_, k), n in cells.items()),
        _assigned({(i, k): 2 * n / (ours[i] + theirs[k]) for (i, k), n in cells.items()}),
        len(ours),
        len(theirs),
    )


def without_singletons(partition: Partition) -> list[Collection[Hashable]]:
    """Coreference clusters of two mentions or more."""
    return [cluster for cluster in partition if len(cluster) > 1]


def _assigned(alike: Mapping[tuple[int, int], float]) -> float:
    """Largest sum of likenesses of pairs, where no cluster is in two of them."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    if not alike:
        return 0.0
    rows, columns = (
        {at: n for n, at in enumerate(sorted(set(side)))} for side in zip(*alike, strict=True)
    )
    matrix = np.zeros((len(rows), len(columns)))
    for (i, k), value in alike.items():
        matrix[rows[i], columns[k]] = value
    return float(matrix[linear_sum_assignment(matrix, maximize=True)].sum())
