"""Maximum arborescences: against all trees of few words, and against networkx."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.trees import maximum_arborescence

networkx = pytest.importorskip("networkx")


def total(scores, heads):
    return sum(scores[word, head] for word, head in enumerate(heads) if head >= 0)


def is_tree(heads, root):
    """Whether every word leads to the root."""
    for word in range(len(heads)):
        at = word
        for _ in range(len(heads)):
            if at == root:
                break
            at = heads[at]
        if at != root:
            return False
    return heads[root] == -1


def best_of_all(scores, root):
    """Largest total of any tree, by trying all."""
    n = len(scores)
    choices = [[-1] if w == root else [h for h in range(n) if h != w] for w in range(n)]
    return max(total(scores, h) for h in product(*choices) if is_tree(h, root))


def by_networkx(scores, root):
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from(
        (head, word, value)
        for (word, head), value in np.ndenumerate(scores)
        if word not in (head, root)
    )
    tree = networkx.maximum_spanning_arborescence(graph)
    return sum(scores[word, head] for head, word in tree.edges)


@settings(max_examples=60)
@given(st.integers(1, 5), st.sampled_from([2, 4, 1000]), st.integers(0, 2**32 - 1))
def test_no_other_tree_is_better(n, levels, seed):
    g = np.random.default_rng(seed)
    scores = g.integers(-levels, levels + 1, (4, n, n)).astype(float)
    roots = g.integers(0, n, 4)
    for graph, heads, root in zip(
        scores, maximum_arborescence(scores, root=roots), roots, strict=True
    ):
        assert is_tree(heads, root)
        assert total(graph, heads) == pytest.approx(best_of_all(graph, root))


@pytest.mark.parametrize("n", [6, 13, 25])
@pytest.mark.parametrize("kind", ["attention", "ties", "nested"])
def test_it_is_as_good_as_networkx(n, kind):
    g = np.random.default_rng(n)
    scores = {
        "attention": g.dirichlet(np.full(n, 0.1), (6, n)),
        "ties": g.integers(0, 3, (6, n, n)).astype(float),
        # near words attract: circles within circles
        "nested": -np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        + 0.1 * g.random((6, n, n)),
    }[kind]
    for graph, heads in zip(scores, maximum_arborescence(scores, root=n // 2), strict=True):
        assert is_tree(heads, n // 2)
        assert total(graph, heads) == pytest.approx(by_networkx(graph, n // 2))


def test_graphs_do_not_depend_on_each_other_and_leading_axes_stay():
    g = np.random.default_rng(5)
    scores = g.random((2, 3, 7, 7))
    together = maximum_arborescence(scores, root=2)
    assert together.shape == (2, 3, 7)
    for at in np.ndindex(2, 3):
        assert np.array_equal(together[at], maximum_arborescence(scores[at], root=2))


def test_words_may_be_renamed_where_nothing_ties():
    g = np.random.default_rng(6)
    scores, order = g.random((8, 8)), g.permutation(8)
    heads = maximum_arborescence(scores[np.ix_(order, order)], root=int(np.argmin(order)))
    renamed = np.full(8, -1)
    renamed[order] = np.where(heads >= 0, order[heads], -1)
    assert np.array_equal(renamed, maximum_arborescence(scores, root=0))


def test_the_diagonal_the_roots_row_and_the_input_are_left_alone():
    g = np.random.default_rng(7)
    scores = g.random((6, 6))
    loud = scores.copy()
    np.fill_diagonal(loud, 99.0)
    loud[3] = 99.0
    before = loud.copy()
    assert np.array_equal(maximum_arborescence(loud, root=3), maximum_arborescence(scores, root=3))
    assert np.array_equal(loud, before)


def test_a_single_word_is_the_root():
    assert maximum_arborescence([[0.5]], root=0).tolist() == [-1]


@pytest.mark.parametrize(
    ("scores", "root"),
    [(np.ones((2, 3)), 0), (np.ones(3), 0), (np.ones((3, 3)), 3), (np.ones((3, 3)), 0.5)],
)
def test_what_is_no_graph_is_refused(scores, root):
    with pytest.raises(StatisticsError):
        maximum_arborescence(scores, root=root)


def test_scores_are_finite():
    with pytest.raises(StatisticsError, match="infinite"):
        maximum_arborescence([[0, -np.inf], [0, 0]], root=0)
