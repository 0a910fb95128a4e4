"""Cluster alignment on vectors that are known."""

import builtins

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from toy_runs import estimate, resolve_only, run
from toy_vectors import TEMPLATES, ToyVectors, examples, rows, task

from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.errors import MissingExtraError, PlanError
from scrutiny.diagnostics.association.association_metrics import cluster_sets
from scrutiny.diagnostics.association.clusters import ClusterAlignment
from scrutiny.diagnostics.association.word_sets import ClustersParams
from scrutiny.testing import check_diagnostic
from scrutiny.testing.checking import ToyContext

SENTENCES = rows(test="sentences", templates=TEMPLATES)
TASK = "association-test"
CLEAR = ToyVectors(6.0, noise=0.5)
MEAN = '{"part":"targets","representation":"mean"}'


def measured(model, given=SENTENCES, *, role="measured", **params):
    cell = Cell("m", None, "d", role)
    ctx = ToyContext(task(), model)
    found = ClusterAlignment().measure(ClustersParams(**params), cell, Batch(examples(given)), ctx)
    return list(found)


def values(found, condition=MEAN):
    """Values ``(item, measure)`` of one condition."""
    return np.array([row.values for row in found if row.condition == condition])


def clouds(gap, *, n=20, dimension=60, seed=0):
    """Two clouds of points around points that lie so far apart."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((2 * n, dimension))
    points[:n, 0] += gap
    return points, np.arange(2 * n) < n, np.arange(2 * n).astype(str)


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(ClusterAlignment(), examples=examples(SENTENCES), task=task(), model=CLEAR)


def test_sets_that_lie_apart_are_found_and_none_of_the_sets_is_told(tmp_path):
    folder = run("association.clusters", CLEAR, SENTENCES, tmp_path, task=TASK)
    for group, words in (("sentences", 8), ("sentences attributes", 7)):
        where = {"group": group, "representation": "mean"}
        alignment = estimate(folder, "cluster_alignment", **where)
        assert alignment.value == 1.0
        assert alignment.n_units == words
        assert estimate(folder, "adjusted_rand", **where).value == 1.0
        assert estimate(folder, "single_start_alignment", **where).value == 1.0
        excess = estimate(folder, "beyond(cluster_alignment)", **where)
        test = estimate(folder, "alignment_permutation", **where)
        assert excess.value == pytest.approx(1 - test.across["null_mean"], abs=0.02)
        assert excess.high - excess.low > 0.2  # no item is missed: the floor of one word
        assert 0.6 < test.across["null_mean"] < 0.8  # eight words: chance is not one half
        assert test.value == pytest.approx(2 / 70, abs=0.03)
        assert (test.across["starts_low"], test.across["starts_high"]) == (1.0, 1.0)


def test_without_a_pull_nothing_stands_out_of_permuted_labels(tmp_path):
    model = ToyVectors(0.0, seed=4)
    folder = run("association.clusters", model, SENTENCES, tmp_path, task=TASK, parts=["targets"])
    found = estimate(folder, "beyond(cluster_alignment)", group="sentences", representation="mean")
    assert found.low < 0 < found.high
    assert (
        estimate(folder, "cluster_alignment", representation="mean", group="sentences").value >= 0.5
    )


def test_records_are_those_of_scikit_learn_by_hand():
    points, side, words = clouds(6.0)
    side = np.roll(side, 5)  # sets that are not quite the clouds
    found = cluster_sets(
        points, side, words=words, starts=30, permutations=50, rng=np.random.default_rng(0)
    )
    own = KMeans(2, n_init=50, random_state=1).fit(points)
    assert found.squared_distance.sum() == pytest.approx(own.inertia_)
    assert adjusted_rand_score(own.labels_, found.cluster) == 1.0
    share = (own.labels_ == side).mean()
    assert (found.cluster == side).mean() == max(share, 1 - share)
    assert found.single.mean() == pytest.approx(found.alignments.mean())


def test_more_starts_never_have_more_inertia_and_the_best_is_stable():
    points, side, words = clouds(0.7, seed=3)

    def inertia(starts, seed):
        rng = np.random.default_rng(seed)
        found = cluster_sets(points, side, words=words, starts=starts, permutations=5, rng=rng)
        return found.squared_distance.sum()

    single = [inertia(1, seed) for seed in range(6)]
    many = [inertia(60, seed) for seed in range(6)]
    assert max(many) <= min(single) + 1e-9
    assert np.std(many) < np.std(single)


def test_fewer_dimensions_than_points_change_no_distance():
    points, side, words = clouds(2.0, n=10, dimension=300)
    rotated = np.linalg.qr(np.random.default_rng(1).standard_normal((300, 300)))[0]
    rng = np.random.default_rng
    one, other = (
        cluster_sets(p, side, words=words, starts=20, permutations=9, rng=rng(0))
        for p in (points, 5 + points @ rotated)
    )
    assert one.squared_distance == pytest.approx(other.squared_distance, rel=1e-6)
    assert (one.cluster == other.cluster).all()


def test_starts_are_the_same_for_every_model_and_differ_by_their_seed():
    weak = ToyVectors(0.3)
    one = measured(weak, procedure="as_published", parts=("targets",))
    assert measured(weak, procedure="as_published", parts=("targets",)) == one
    alignments = {
        values(measured(weak, procedure="as_published", parts=("targets",), start_seed=s))[:, 4][0]
        for s in range(8)
    }
    assert len(alignments) > 1
    assert (values(one)[:, 4] == values(one)[:, 5]).all()  # one start: least is most


def test_vectors_brought_to_length_one_are_clustered_by_direction():
    inertia = values(measured(CLEAR, scaled_to_unit=True, parts=("targets",)))[:, 6].sum()
    assert inertia < 24  # all lie on a sphere of radius one
    assert values(measured(CLEAR, parts=("targets",)))[:, 6].sum() != pytest.approx(inertia)


def test_untrained_replicates_have_only_the_part_that_claims_read():
    found = measured(CLEAR, role="null")
    assert {row.condition for row in found} == {MEAN, MEAN.replace("mean", "cls")}
    assert {row.item.split("/")[1] for row in found} == {"X", "Y"}


def test_items_without_a_vector_are_undefined_and_not_in_a_cluster():
    text = TEMPLATES[0].format("rose")
    found = measured(ToyVectors(6.0, noise=0.5, without=(text,)), parts=("targets",))
    lost = [row for row in found if row.status != "ok"]
    assert {(row.item, row.reason) for row in lost} == {("sentences/X/rose/0", "no_vector")}
    assert len(found) == 2 * 24


def test_one_point_has_no_two_clusters():
    still = ToyVectors(0.0, noise=0.0)
    still.representations = lambda passages, *, poolings, layers: np.ones(
        (len(passages), len(layers), len(poolings), 3)
    )
    assert {(r.status, r.reason) for r in measured(still)} == {("undefined", "no_two_clusters")}


def test_a_model_that_gives_up_has_failed_on_every_item():
    found = measured(ToyVectors(breaks=True))
    assert {(r.status, r.reason) for r in found} == {("failed", "out_of_memory")}


def test_claims_are_about_targets_beyond_permuted_labels_and_untrained_networks():
    resolved = resolve_only(CLEAR, SENTENCES, diagnostic="association.clusters", task=TASK)
    design = resolved.measurements["d"].designs["m", "x"]
    (claim,) = design.claims
    assert [(c.estimate, c.against) for c in claim.components] == [
        ("excess/sentences/targets/mean", "reference"),
        ("untrained/excess/sentences/targets/mean", "control: untrained"),
        ("excess/sentences/targets/cls", "choice: representation cls"),
        ("untrained/excess/sentences/targets/cls", "choice: representation cls, untrained"),
    ]


@pytest.mark.parametrize(
    ("params", "message"),
    [({"starts": 0}, "starts must be at least 1"), ({"parts": []}, "parts is empty")],
)
def test_strange_parameters_are_refused(params, message):
    with pytest.raises(PlanError, match=message):
        resolve_only(CLEAR, SENTENCES, diagnostic="association.clusters", task=TASK, params=params)


def test_without_scikit_learn_it_says_what_to_install(monkeypatch):
    points, side, words = clouds(1.0)
    real = builtins.__import__

    def lacks(name, *rest):
        if name.startswith("sklearn"):
            raise ModuleNotFoundError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", lacks)
    with pytest.raises(MissingExtraError, match="scrutiny\\[clusters\\]"):
        cluster_sets(
            points, side, words=words, starts=1, permutations=1, rng=np.random.default_rng(0)
        )
