"""Distances between heads: by hand, layers that attend alike, and layers that do not."""

import numpy as np
import pytest
from preferring_language import without_contrasts
from scipy.spatial.distance import jensenshannon
from test_diagnostics_attention_patterns import MAP, ROWS, examples
from toy_runs import estimate, run

from scrutiny.core.diagnostic import Batch, Cell, Failure
from scrutiny.core.queries.attention import AttentionMap
from scrutiny.diagnostics.attention.patterns import (
    Divergence,
    DivergenceParams,
    by_layer,
    distances_of,
)
from scrutiny.tasks.annotated import Passages
from scrutiny.testing import check_diagnostic
from scrutiny.testing.checking import ToyContext
from scrutiny.testing.toy_attention import ToyAttention
from scrutiny.testing.toy_heads import NoiseHead, OffsetHead, UniformHead


def alike():
    """Layers of their own kind: before, behind, everywhere; a little weight apart."""
    kinds = (
        [OffsetHead(-1, 0.9), OffsetHead(-1, 0.8)],
        [OffsetHead(1, 0.9), OffsetHead(1, 0.8)],
        [UniformHead(), UniformHead()],
    )
    return ToyAttention(kinds)


def mixed():
    """The same heads, each kind in two layers."""
    kinds = (
        [OffsetHead(-1, 0.9), OffsetHead(1, 0.8)],
        [OffsetHead(1, 0.9), UniformHead()],
        [UniformHead(), OffsetHead(-1, 0.8)],
    )
    return ToyAttention(kinds)


def records(model, rows=ROWS, **params):
    context = ToyContext(Passages(), model)
    batch = Batch(tuple(examples(rows)))
    found = Divergence().measure(DivergenceParams(**params), Cell("m", None, "x"), batch, context)
    return list(found), context


def test_distances_are_those_of_scipy_over_the_rows_of_words():
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(5), size=(2, 2, 5)).astype(np.float32)
    matrix, rows = distances_of(AttentionMap(weights, MAP.words, MAP.ids))
    assert rows == 3
    smooth = 0.999 * weights.reshape(4, 5, 5)[:, 1:4].astype(float) + 0.001 / 5
    for i in range(4):
        for j in range(4):
            expected = sum(
                jensenshannon(a, b) ** 2 for a, b in zip(smooth[i], smooth[j], strict=True)
            )
            assert matrix[i, j] == pytest.approx(expected, abs=1e-6)


def test_layers_are_compared_pair_by_pair():
    rng = np.random.default_rng(1)
    d = rng.random((6, 6))
    d = d + d.T
    np.fill_diagonal(d, 0)
    within, between = by_layer(d, (2, 3))
    assert within[0] == pytest.approx(np.mean([d[0, 1], d[0, 2], d[1, 2]]))
    np.testing.assert_allclose(between, d[:3, 3:].mean())


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(
        without_contrasts(Divergence), examples=examples(ROWS[:4]), task=Passages(), model=alike()
    )


def test_layers_that_attend_alike_are_told_from_those_that_do_not(tmp_path):
    folder = run("attention.divergence", alike(), ROWS, tmp_path / "a", task="passages")
    gap = estimate(folder, "layer_distance(gap)")
    assert gap.low > 0.1
    assert estimate(folder, "layer_distance(ratio)").value > 5
    other = run("attention.divergence", mixed(), ROWS, tmp_path / "b", task="passages")
    assert estimate(other, "layer_distance(gap)").value < 0
    assert estimate(other, "layer_distance(ratio)").value < 1


def test_random_heads_have_no_layers(tmp_path):
    model = ToyAttention([[NoiseHead()] * 3] * 3)
    folder = run("attention.divergence", model, ROWS, tmp_path, task="passages")
    assert abs(estimate(folder, "layer_distance(gap)").value) < 0.01


def test_arrays_hold_all_distances_and_points_near_them():
    rows, context = records(alike())
    matrix, points = context.arrays["divergence"], context.arrays["divergence_points"]
    assert matrix.shape == (6, 6)
    assert points.shape == (6, 2)
    within = np.array([row.values for row in rows])[:, :3].sum(axis=0)
    assert matrix[0, 1] == pytest.approx(within[0])
    reached = np.linalg.norm(points[:, None] - points[None], axis=-1)
    assert np.corrcoef(reached[np.triu_indices(6, 1)], matrix[np.triu_indices(6, 1)])[0, 1] > 0.9
    assert context.arrays["divergence_stress"].shape == (1,)
    again = records(alike())[1].arrays["divergence_points"]
    np.testing.assert_array_equal(points, again)


def test_what_has_no_distance_says_why():
    one = ToyAttention([[NoiseHead(), NoiseHead()]])
    rows, context = records(one, ROWS[:2])
    assert {(r.status, r.reason) for r in rows} == {("undefined", "one_layer_or_head")}
    assert not context.arrays
    long = ToyAttention([[NoiseHead()] * 2] * 2, limit=3)
    assert {r.status for r in records(long, ROWS[:2])[0]} == {"failed"}
    assert distances_of(Failure("too_long")).reason == "too_long"


def test_texts_beyond_those_that_are_asked_for_are_skipped():
    rows, context = records(alike(), ROWS[:4], n_texts=3)
    assert [r.status for r in rows] == ["ok", "ok", "ok", "skipped"]
    few, same = records(alike(), ROWS[:3])
    np.testing.assert_array_equal(context.arrays["divergence"], same.arrays["divergence"])
    assert few == rows[:3]
