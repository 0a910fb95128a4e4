"""Maximum spanning trees of dense directed graphs, many graphs at once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from scrutiny.stats.arrays import BoolArray, FloatArray, IntArray, StatisticsError, finite


def maximum_arborescence(scores: ArrayLike, *, root: ArrayLike) -> IntArray:
    """Head of each node ``(..., n)`` in the maximum spanning tree; -1 at the root.

    Parameters
    ----------
    scores
        ``(..., dependent, head)``, finite: score of an edge from a word to its head, as attention.
        The diagonal and the root's row are ignored.
    root
        Index of the root, one or ``(...)``.

    Returns
    -------
    ndarray
        For each word the index of its head; of several best trees one.

    Raises
    ------
    StatisticsError
        If the scores are no square matrices, or a root is out of range.

    **Measures**: the dependency tree that a map of scores is nearest to, every word used once.

    **Misleads when**: the root is the annotated one: that is a word for free, and in short
    sentences much of the tree; rows are on different scales (an idle head).

    **References**: Chu & Liu (1965), On the shortest arborescence of a directed graph; Edmonds
    (1967), Optimum branchings; McDonald et al. (2005), Non-projective dependency parsing using
    spanning tree algorithms.

    Notes
    -----
    Every round takes each word's best head and contracts all circles of all graphs at once, so a
    round costs a few array operations however many graphs there are.

    Examples
    --------
    >>> attention = [[0, 1, 0], [1, 0, 9], [1, 9, 0]]
    >>> maximum_arborescence(attention, root=0).tolist()
    [-1, 0, 1]
    """
    given = finite(scores, "scores")
    n = given.shape[-1]
    if given.ndim < 2 or given.shape[-2] != n:
        raise StatisticsError(f"scores must be (..., word, word); got {given.shape}.")
    roots = np.broadcast_to(np.asarray(root), given.shape[:-2]).reshape(-1)
    if roots.dtype.kind not in "iu" or (roots < 0).any() or (roots >= n).any():
        raise StatisticsError(f"a root must be the index of one of {n} words; got {root!r}.")
    graphs = _Graphs(given.reshape(-1, n, n), roots)
    contractions = []
    while (found := graphs.contract()) is not None:
        contractions.append(found)
    heads = graphs.best()
    for step in reversed(contractions):
        outside = heads[step.graph, step.node]  # the word that each circle hangs on
        heads[step.members] = step.best[step.members]
        heads[step.graph, step.entry[np.arange(outside.size), outside]] = outside
    heads[np.arange(roots.size), roots] = -1
    return heads.reshape(given.shape[:-1])


class _Contraction(NamedTuple):
    """Cycles contracted to one node each, and the data to expand them again.

    ``graph`` and ``node`` ``(circle,)`` are the node that a cycle became. ``best`` ``(graph, n)``
    are the heads of all nodes before; ``members`` the (graph, node) pairs on circles; ``entry``
    ``(circle, n)`` is the member at which an edge from each word enters.
    """

    graph: IntArray
    node: IntArray
    best: IntArray
    members: tuple[IntArray, IntArray]
    entry: IntArray


class _Graphs:
    """Graphs whose cycles are contracted round by round.

    Only columns of dependents are contracted: a head stays a word of the sentence, and ``node``
    says which contracted node it lies in.
    """

    def __init__(self, scores: FloatArray, roots: IntArray) -> None:
        count, n, _ = scores.shape
        self.scores = scores.copy()  # (graph, node as dependent, word as head)
        self.scores[:, np.arange(n), np.arange(n)] = -np.inf
        self.node = np.tile(np.arange(n), (count, 1))  # (graph, word)
        self.rows = np.arange(count)[:, None]
        self.roots = roots
        self.is_live = np.ones((count, n), dtype=np.bool_)  # nodes that still want a head
        self.is_live[self.rows[:, 0], roots] = False

    def best(self) -> IntArray:
        """Best head of each node ``(graph, node)``: a word outside the node."""
        return np.asarray(self.scores.argmax(axis=-1), dtype=np.int64)

    def contract(self) -> _Contraction | None:
        """Contract all cycles of best heads; ``None`` if there are none."""
        best = self.best()
        parent = np.where(self.is_live, self.node[self.rows, best], self.roots[:, None])
        jumped = parent
        steps = 1
        while steps < parent.shape[1]:
            jumped = np.take_along_axis(jumped, jumped, axis=1)
            steps *= 2
        # after n steps one is at the root or on a circle, and every node of a circle is reached
        on_circle = np.zeros(parent.shape, dtype=np.bool_)
        np.put_along_axis(on_circle, jumped, values=True, axis=1)
        on_circle[np.arange(self.roots.size), self.roots] = False
        if not on_circle.any():
            return None
        at = np.argwhere(on_circle)
        members = at[:, 0], at[:, 1]
        graph, node, label = _named(parent, on_circle)
        # an edge into a member replaces the member's own edge
        self.scores[members] -= self.scores[(*members, best[members])][:, None]
        entry = self._merge(parent, graph, node)
        self.is_live[members] = False
        self.is_live[graph, node] = True
        self.node = label[self.rows, self.node]
        inside = self.node[graph] == node[:, None]  # (circle, word)
        self.scores[graph, node] = np.where(inside, -np.inf, self.scores[graph, node])
        return _Contraction(graph, node, best, members, entry)

    def _merge(self, parent: IntArray, graph: IntArray, node: IntArray) -> IntArray:
        """Store each cycle's best incoming edges in its node; members where they enter."""
        best, entry = self.scores[graph, node], np.repeat(node[:, None], parent.shape[1], axis=1)
        at = parent[graph, node]
        while (going := np.flatnonzero(at != node)).size:
            here = at[going]
            other = self.scores[graph[going], here]
            is_better = other > best[going]
            best[going] = np.where(is_better, other, best[going])
            entry[going] = np.where(is_better, here[:, None], entry[going])
            at[going] = parent[graph[going], here]
        self.scores[graph, node] = best
        return entry


def _named(parent: IntArray, on_circle: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
    """Graph and smallest node of each cycle, and the new name of every node ``(graph, node)``."""
    n = parent.shape[1]
    least = np.broadcast_to(np.arange(n), parent.shape).copy()
    jumped, steps = parent, 1
    while steps < n:
        least = np.minimum(least, np.take_along_axis(least, jumped, axis=1))
        jumped = np.take_along_axis(jumped, jumped, axis=1)
        steps *= 2
    own = np.broadcast_to(np.arange(n), parent.shape)
    graph, node = np.nonzero(on_circle & (least == own))
    return graph, node, np.where(on_circle, least, own)
