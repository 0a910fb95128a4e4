"""Guessed heads, offsets and trees of one sentence, against what is worked out on paper."""

import numpy as np
import pytest

from scrutiny.core.answers.words import ROOT
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.queries.annotation import Arcs
from scrutiny.diagnostics.attention.arc_counts import (
    NOWHERE,
    OFFSETS,
    RELATIONS,
    ArcGroup,
    ArcsParams,
    GoldArcs,
    arcs_at_offsets,
    counted,
    guessed_arcs,
    guessed_trees,
    right_undirected_arcs,
    undirected_at_offsets,
)
from scrutiny.diagnostics.attention.presets import spec_name
from scrutiny.diagnostics.attention.word_maps import SPECIAL, WordMap

# the old king slept .   root: slept
WORDS = ("the", "old", "king", "slept", ".")
GOLD = GoldArcs.of(Arcs(WORDS, (2, 2, 3, -1, 3), ("det", "amod", "nsubj:pass", "root", "punct")))


def a_map(weights, words=None, n_words=5):
    weights = np.asarray(weights, dtype=np.float32)
    weights = weights.reshape(1, 1, *weights.shape[-2:])
    size = weights.shape[-1]
    return WordMap(weights, np.arange(size) if words is None else np.array(words), n_words)


def looking(*targets):
    """Map in which each unit looks at one."""
    weights = np.zeros((len(targets), len(targets)))
    weights[np.arange(len(targets)), targets] = 1.0
    return weights


def test_both_directions_by_hand():
    weights = looking(2, 2, 3, 0, 3)
    weights[4] = [0, 0, 0.4, 0.6, 0]
    found = guessed_arcs(a_map(weights))
    assert found[0, 0, 0].tolist() == [2, 2, 3, 0, 3]
    # king is looked at by the (1), old (1), . (.4): the first of equals; nobody looks at old or .
    assert found[1, 0, 0].tolist() == [3, NOWHERE, 0, 2, NOWHERE]


def test_special_tokens_and_words_without_a_piece_are_nowhere():
    weights = looking(1, 0, 3, 2)  # [CLS], the, king, slept
    found = guessed_arcs(a_map(weights, [SPECIAL, 0, 2, 3]))
    assert found[0, 0, 0].tolist() == [NOWHERE, NOWHERE, 3, 2, NOWHERE]


def test_a_head_without_any_attention_points_nowhere():
    assert (guessed_arcs(a_map(np.zeros((5, 5)))) == NOWHERE).all()


def test_cases_of_relations():
    assert GOLD.cases("all").tolist() == [0, 1, 2]
    assert GOLD.cases("all", procedure="as_released").tolist() == [0, 1, 2, 3, 4]
    assert GOLD.cases("nsubj").tolist() == GOLD.cases("nsubj:pass").tolist() == [2]
    assert GOLD.cases("nsubj:outer").size == 0
    assert GOLD.cases("root").size == 0
    assert GOLD.cases("punct").tolist() == [4]
    assert GOLD.root == 3
    bare = GoldArcs.of(Arcs(("a", "b"), (None, 0), ("", "dep")))
    assert bare.root is None
    assert bare.cases("all", procedure="as_released").tolist() == [1]


def test_offsets_by_hand():
    right = dict(zip(OFFSETS, arcs_at_offsets(GOLD.heads), strict=True))
    assert right[1].tolist() == [False, True, True, False, False]
    assert right[2].tolist() == [True, False, False, False, False]
    assert right[-1].tolist() == [False, False, False, False, True]
    assert not any(right[o].any() for o in OFFSETS if o not in (-1, 1, 2))


def test_offsets_as_released_stop_at_the_root_and_at_the_last_word():
    gold = np.array([ROOT, 3, 0, 0])
    right = dict(zip(OFFSETS, arcs_at_offsets(gold, procedure="as_released"), strict=True))
    assert right[-1].tolist() == [True, False, False, False]  # before the first stands the root
    assert right[-2].tolist() == [True, False, True, False]
    assert right[2].tolist() == [False, True, False, False]
    assert not right[3].any()  # -3 to +2 are tried
    assert arcs_at_offsets(gold)[OFFSETS.index(3)].tolist() == [False] * 4
    assert arcs_at_offsets(gold)[OFFSETS.index(-3)].tolist() == [False, False, False, True]
    end = dict(
        zip(OFFSETS, arcs_at_offsets(np.array([2, 2, 1]), procedure="as_released"), strict=True)
    )
    assert end[2].tolist() == [True, True, False]  # two behind the second is the last


def test_no_offset_finds_a_head_that_is_not_there():
    gold = np.array([NOWHERE, NOWHERE])
    for procedure in ("default", "as_released"):
        assert not arcs_at_offsets(gold, procedure=procedure).any()
    assert not undirected_at_offsets(np.array([ROOT, NOWHERE])).any()


def test_trees_use_every_word_once_and_are_given_the_root():
    weights = looking(1, 0, 1, 0, 0) + 0.01
    weights[2, 3] = 0.5  # the circle the - old has to be broken, and something hangs on slept
    (directed, transposed) = guessed_trees(a_map(weights), 3)[:, 0, 0]
    assert directed[3] == ROOT
    assert (directed != NOWHERE).all()
    for word in range(5):
        steps = 0
        while word != 3 and steps < 6:
            word, steps = int(directed[word]), steps + 1
        assert word == 3
    assert transposed[3] == ROOT
    assert guessed_trees(a_map(weights[:3, :3], [0, 1, 2]), 3) is None


def test_trees_of_maps_with_special_tokens_are_over_words():
    weights = np.full((6, 6), 0.1)
    weights[:, 0] = 1.0  # all look at [CLS] most
    weights[1, 3] = weights[2, 3] = weights[3, 4] = weights[5, 4] = 0.9
    found = guessed_trees(a_map(weights, [SPECIAL, 0, 1, 2, 3, 4]), 3)
    assert found[0, 0, 0].tolist() == [2, 2, 3, ROOT, 3]
    assert (found == GOLD.heads)[0, 0, 0].all()


def test_arcs_count_whichever_way_they_run():
    guessed = np.array([2, 2, ROOT, 2, 0])  # king is taken for the root
    directed = guessed == GOLD.heads
    undirected = right_undirected_arcs(guessed, GOLD.heads)
    assert directed.tolist() == [True, True, False, False, False]
    assert undirected.tolist() == [True, True, True, False, False]
    apart = dict(zip(OFFSETS, undirected_at_offsets(GOLD.heads), strict=True))
    assert apart[-1].tolist() == apart[1].tolist() == [False, True, True, False, True]


def test_counts_are_of_the_scored_words_alone():
    right = np.array([[True, False, True, False, True], [False] * 5])
    assert counted(right, np.array([0, 1, 2])).tolist() == [2.0, 0.0]


def test_parameters_say_what_is_there():
    few = ArcsParams(relations=("det",), claimed=(), tuned=()).cases()
    assert [spec_name(c.condition, "x") for c in few] == ["default/all/x", "default/det/x"]
    cases = ArcsParams(has_trees=True, relations=("det",), claimed=("all",), tuned=()).cases()
    assert cases == [
        ArcGroup("default", "all"),
        ArcGroup("default", "all", "directed"),
        ArcGroup("default", "all", "undirected"),
        ArcGroup("default", "det"),
    ]
    assert cases[1].condition == {"preset": "default", "relation": "all", "tree": "directed"}
    with pytest.raises(UnknownNameError, match="as_released"):
        ArcsParams(procedure="as_release")
    with pytest.raises(PlanError, match="csubj"):
        ArcsParams(relations=("det",), claimed=(), tuned=("csubj",))
    with pytest.raises(PlanError, match="always"):
        ArcsParams(relations=("all", *RELATIONS))
    with pytest.raises(PlanError, match="directions"):
        ArcsParams(options={"direction": "to"})
