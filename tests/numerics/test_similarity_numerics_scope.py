"""Shared invariances: properties for any models, and what simulated models are known to score."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef

from scrutiny.stats.agreement.scope import (
    decay,
    hard_scope,
    mean_scope_distance,
    ood_agreement,
    scope_pairs,
    soft_curve,
    soft_scope,
)
from scrutiny.stats.agreement.scope_controls import (
    invariance_association,
    label_variety,
    scope_lift,
)
from scrutiny.stats.distributions.output_distances import sampling_floor, tempered

SHAPES = st.tuples(st.just(4), st.integers(1, 8), st.integers(2, 4))
ANSWERS = SHAPES.flatmap(lambda s: hnp.arrays(np.float64, s, elements=st.floats(0.01, 1.0)))
SEEDS = st.integers(0, 2**32)
CONSTANTS = st.tuples(st.floats(0, 4), st.floats(0, 4)).map(sorted)


def models(values):
    """Two models' answers to base and changed texts."""
    p = values / values.sum(axis=-1, keepdims=True)
    return (p[0], p[1]), (p[2], p[3])


def numbers(pairs, tolerance=0.05, cutoff=1.0):
    hard = hard_scope(pairs).value
    return hard, soft_scope(pairs, tolerance=tolerance, cutoff=cutoff).value


@given(ANSWERS, CONSTANTS)
def test_soft_lies_below_hard_and_both_are_shares(values, constants):
    pairs = scope_pairs(*models(values))
    hard, soft = numbers(pairs, *constants)
    if not pairs.inv1.any():
        assert (hard, soft) == (None, None)
        assert hard_scope(pairs).reason == "reference_never_invariant"
        return
    assert 0 <= soft <= hard <= 1


@given(ANSWERS)
def test_identical_models_share_everything(values):
    reference, _ = models(values)
    pairs = scope_pairs(reference, reference)
    assume(pairs.inv1.any())
    assert numbers(pairs, 0.0, 0.0) == (1.0, 1.0)
    assert mean_scope_distance(pairs).value == 0.0
    assert ood_agreement(pairs).value == 1.0


@given(ANSWERS)
def test_distances_lie_between_0_and_4(values):
    reference, target = models(values)
    pairs = scope_pairs(reference, target)
    assert (pairs.distance >= 0).all()
    assert (pairs.distance <= 4).all()
    change = (values[..., 0] / values.sum(axis=-1),)  # of the first label's probability
    if values.shape[-1] == 2:
        first = change[0]
        binary = 2 * np.abs((first[0] - first[1]) - (first[2] - first[3]))
        assert pairs.distance == pytest.approx(binary, abs=1e-12)


def test_the_largest_distance_is_reached():
    a, b = [[1.0, 0.0]], [[0.0, 1.0]]
    assert scope_pairs((a, b), (b, a)).distance.tolist() == [4.0]


@given(ANSWERS)
def test_a_tolerance_of_4_makes_soft_hard(values):
    pairs = scope_pairs(*models(values))
    hard, soft = numbers(pairs, 4.0, 4.0)
    assert hard == soft


@given(ANSWERS, st.floats(0, 1))
def test_soft_rises_with_cutoff_and_tolerance(values, tolerance):
    pairs = scope_pairs(*models(values))
    assume(pairs.inv1.any())
    by_cutoff = soft_curve(pairs, [1.0, 1.5, 2.0, 4.0], tolerance=tolerance)
    assert (np.diff(by_cutoff) >= -1e-12).all()
    by_tolerance = [soft_scope(pairs, tolerance=t, cutoff=1.0).value for t in (0, 0.3, 0.9, 1.0)]
    assert (np.diff(by_tolerance) >= -1e-12).all()


@given(SEEDS, st.floats(0.2, 5.0))
def test_hard_does_not_change_when_the_target_is_recalibrated(seed, temperature):
    reference, target = models(np.random.default_rng(seed).random((4, 6, 3)))
    other = tempered(target[0], temperature), tempered(target[1], temperature)
    assert hard_scope(scope_pairs(reference, target)) == hard_scope(scope_pairs(reference, other))


def test_soft_does_change_when_the_target_is_recalibrated():
    reference = np.array([[0.9, 0.1]]), np.array([[0.8, 0.2]])
    sharp = tuple(tempered(p, 0.2) for p in reference)
    same, other = scope_pairs(reference, reference), scope_pairs(reference, sharp)
    assert soft_scope(same).value == 1.0 > soft_scope(other).value
    assert hard_scope(same).value == hard_scope(other).value


@given(ANSWERS)
def test_the_order_of_pairs_does_not_matter(values):
    pairs = scope_pairs(*models(values))
    turned = scope_pairs(*models(values[:, ::-1]))
    for one in (hard_scope, soft_scope, mean_scope_distance, ood_agreement):
        assert one(turned).value == pytest.approx(one(pairs).value, abs=1e-12)


@given(SEEDS)
def test_names_of_labels_do_not_matter(seed):
    values = np.random.default_rng(seed).random((4, 6, 3))  # without equally likely labels
    pairs, renamed = scope_pairs(*models(values)), scope_pairs(*models(values[..., [2, 0, 1]]))
    assume(pairs.inv1.any())
    assert numbers(renamed) == pytest.approx(numbers(pairs), abs=1e-12)


def test_it_is_asymmetric():
    keeps, changes = (
        ([[0.9, 0.1]] * 2, [[0.8, 0.2]] * 2),
        ([[0.6, 0.4]] * 2, [[0.9, 0.1], [0.4, 0.6]]),
    )
    assert hard_scope(scope_pairs(keeps, changes)).value == 0.5
    assert hard_scope(scope_pairs(changes, keeps)).value == 1.0


def test_the_indicator_is_inside_the_mean():
    """Half the pairs leave the label with the same change, the others neither."""
    reference = [[0.9, 0.1]] * 2, [[0.8, 0.2]] * 2
    target = [[0.9, 0.1], [0.6, 0.4]], [[0.8, 0.2], [0.4, 0.6]]
    assert soft_scope(scope_pairs(reference, target)).value == 0.5


@given(hnp.arrays(np.float64, 12, elements=st.floats(0, 4)), CONSTANTS)
def test_decay_is_a_falling_line_between_its_constants(distances, constants):
    tolerance, cutoff = constants
    weight = decay(np.sort(distances), tolerance=tolerance, cutoff=cutoff)
    assert (np.diff(weight) <= 1e-12).all()
    assert (weight[np.sort(distances) <= tolerance] == 1).all()
    assert (weight[np.sort(distances) > cutoff] == 0).all()


def test_without_room_between_them_the_constants_are_a_step():
    assert decay([0.0, 1e-9, 0.1], tolerance=1e-9, cutoff=1e-9).tolist() == [1, 1, 0]


def test_phi_and_kappa_of_invariances_are_those_of_scikit_learn():
    g = np.random.default_rng(0)
    one = g.random(300) < 0.8
    other = np.where(g.random(300) < 0.5, one, g.random(300) < 0.6)
    found = invariance_association(one, other)
    assert found.phi == pytest.approx(matthews_corrcoef(one, other))
    assert found.kappa == pytest.approx(cohen_kappa_score(one, other))
    assert invariance_association(one, ~one).phi == pytest.approx(-1.0)
    assert invariance_association(one, np.ones(300)).phi is None


# --- planted truth: linear models, 30 random candidates a text, the reference's favorite is taken


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@pytest.fixture(name="world", scope="module")
def simulated_world():
    g = np.random.default_rng(1)
    items, size, features = 2000, 30, 12
    x = g.standard_normal((items, features))
    candidates = x[:, None] + 0.7 * g.standard_normal((items, size, features))
    W = g.standard_normal((features, 2))
    base, moved = softmax(x @ W), softmax(candidates @ W)
    keeps = moved.argmax(axis=-1) == base.argmax(axis=-1)[:, None]
    score = np.abs(moved - base[:, None]).sum(axis=-1) + 10 * ~keeps
    return x, candidates[np.arange(items), score.argmin(axis=1)], candidates[:, 0], W, g


def scored(world, target):
    """SCoPE of a target beside its invariance to the first, random candidate."""
    x, searched, random, W, _ = world
    reference = softmax(x @ W), softmax(searched @ W)
    pairs = scope_pairs(reference, (target(x), target(searched)))
    base, moved = target(x), target(random)
    at_random = float((base.argmax(axis=1) == moved.argmax(axis=1)).mean())
    return pairs, scope_lift(hard_scope(pairs).value, at_random), base.argmax(axis=1)


def test_only_models_that_are_alike_have_lift(world):
    W, g = world[3], world[4]
    near, far = W + 0.4 * g.standard_normal(W.shape), g.standard_normal(W.shape)
    _, same, labels = scored(world, lambda x: softmax(x @ W))
    assert same.hard == 1.0
    assert same.lift > 0.1
    assert same.kappa == 1.0
    assert label_variety(labels).commonest < 0.95
    pairs, alike, _ = scored(world, lambda x: softmax(x @ near))
    constants = ((0.05, 0.5), (0.1, 1.0), (0.2, 2.0))  # a choice that moves it by more than models
    soft = [soft_scope(pairs, tolerance=t, cutoff=c).value for t, c in constants]
    assert soft == pytest.approx([0.775, 0.868, 0.909], abs=0.001)
    assert 0.05 < alike.lift < same.lift
    _, unrelated, _ = scored(world, lambda x: softmax(x @ far))
    assert unrelated.hard > 0.6  # and is worth nothing
    assert abs(unrelated.lift) < 0.04
    assert abs(unrelated.kappa) < 0.15


def test_a_constant_target_scores_1_and_the_alarm_goes_off(world):
    def constant(x):
        return np.tile([0.8, 0.2], (len(x), 1))

    pairs, found, labels = scored(world, constant)
    assert found.hard == 1.0
    assert soft_scope(pairs).value > 0.9
    assert found.lift == 0.0
    assert (found.kappa, found.reason) == (None, "random_always_invariant")
    assert label_variety(labels).commonest == 1.0
    assert label_variety(labels).entropy == 0.0


def test_the_condition_throws_away_what_phi_sees(world):
    """On pairs chosen for neither, a model that changes where the other stays is negative."""
    keeps = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    found = invariance_association(keeps, 1 - keeps)
    assert found.phi == pytest.approx(-1.0)
    pairs, _, _ = scored(world, lambda x: softmax(x @ world[3]))
    negative = replace(pairs, inv1=keeps == 1, inv2=keeps == 0, distance=np.zeros(8))
    assert hard_scope(negative).value == 0.0


@pytest.mark.parametrize(
    ("p", "samples", "mean_decay"),
    [([0.1] * 10, 20, 0.09), ([0.1] * 10, 100, 0.58), ([0.9] + [0.1 / 9] * 9, 20, 0.68)],
)
def test_an_identical_model_that_is_sampled_is_not_alike(p, samples, mean_decay):
    g = np.random.default_rng(2)
    drawn = g.multinomial(samples, p, size=(4, 4000)) / samples
    pairs = scope_pairs((drawn[0], drawn[1]), (drawn[2], drawn[3]))
    assert decay(pairs.distance, tolerance=0.1, cutoff=1.0).mean() == pytest.approx(
        mean_decay, abs=0.015
    )
    assert pairs.distance.mean() == pytest.approx(sampling_floor(p, p, samples=samples), abs=0.01)
    between = np.abs(drawn[0] - drawn[2]).sum(axis=1).mean()
    assert between == pytest.approx(sampling_floor(p, samples=samples), abs=0.01)
    if mean_decay == 0.09:
        assert pairs.inv2.mean() < 0.2  # ties go to the first label
