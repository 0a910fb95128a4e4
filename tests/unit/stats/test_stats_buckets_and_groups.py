"""Scores over buckets beside chance; groups that one half proposes and the other one tests."""

import numpy as np
import pytest
import scipy

from scrutiny.stats.significance.over_buckets import BucketScores, f1_of_buckets, over_buckets
from scrutiny.stats.significance.weak_groups import Residuals, _Half, weak_groups


def rng(seed=0):
    return np.random.default_rng(seed)


def counts(*found_wrong_missed):
    """One item for each part of each bucket."""
    rows = []
    for bucket, kinds in enumerate(found_wrong_missed):
        for kind, n in enumerate(kinds):
            row = np.zeros((n, len(found_wrong_missed), 3))
            row[:, bucket, kind] = 1
            rows.append(row)
    return np.concatenate(rows)


def test_f1_and_its_error_in_closed_form():
    """Of shares (nothing wrong that is not missed) the error is that of a proportion, nearly."""
    found = f1_of_buckets(counts((60, 0, 40), (30, 0, 10)))
    assert found.values == pytest.approx([120 / 160, 60 / 70])
    assert found.influence.sum(axis=0) == pytest.approx([0, 0], abs=1e-12)
    p, total = 0.75, 160
    by_hand = (60 * (2 - 2 * p) ** 2 + 40 * p**2) / total**2
    assert (found.influence[:, 0] ** 2).sum() == pytest.approx(by_hand)


def test_errors_agree_with_a_bootstrap_and_units_count_whole():
    values = rng(1).poisson(1.0, (300, 2, 3)).astype(float)
    found = f1_of_buckets(values)
    draws = [f1_of_buckets(values[rng(i).integers(300, size=300)]).values for i in range(400)]
    error = np.sqrt((found.influence**2).sum(axis=0))
    assert np.std(draws, axis=0) == pytest.approx(error, rel=0.15)
    twice = f1_of_buckets(np.concatenate([values, values]), np.tile(np.arange(300), 2))
    assert (twice.influence**2).sum(axis=0) == pytest.approx(error**2)


def test_the_gap_of_equal_buckets_is_what_order_statistics_say():
    """Of independent buckets with one error, the range of k standard normals."""
    n, k = 400, 5
    influence = np.zeros((n * k, k))
    for bucket in range(k):
        influence[bucket * n : (bucket + 1) * n, bucket] = rng(bucket).choice([-1, 1], n) / n
    scores = BucketScores(np.linspace(0.5, 0.9, k), influence, np.zeros(k))
    found = over_buckets(scores, rng())
    error = 1 / n**0.5
    studentized_range = 3.858  # tables: 5 % point of five means
    assert found.most == pytest.approx(studentized_range * error, rel=0.02)
    assert found.high - found.values == pytest.approx(
        scipy.special.ndtri(0.5 + 0.95 ** (1 / k) / 2) * error, rel=0.03
    )
    assert (found.weakest, found.best, round(found.rho, 9)) == (0, 4, 1)
    assert not found.is_within_chance
    assert found.spread == pytest.approx(np.std(np.linspace(0.5, 0.9, k)))


def test_buckets_without_failures_have_an_error_and_one_bucket_has_no_gap():
    found = over_buckets(f1_of_buckets(counts((30, 0, 0), (30, 0, 0))), rng())
    assert (found.low < 1).all()
    assert found.is_within_chance
    assert found.rho is None
    assert over_buckets(f1_of_buckets(counts((5, 1, 1))), rng()) is None


def test_two_systems_that_are_one_have_no_difference_and_seeds_add_error():
    scores = f1_of_buckets(rng(2).poisson(1.0, (200, 3, 3)).astype(float))
    apart = over_buckets(scores.minus(scores), rng())
    assert apart.gap == 0
    assert apart.is_within_chance
    one = over_buckets(scores, rng())
    seeds = np.array([[0.3, 0.5, 0.5], [0.7, 0.5, 0.5]])
    several = over_buckets(scores, rng(), replicates=seeds)
    assert several.high[0] - several.low[0] > 2 * (one.high[0] - one.low[0])


def planted(seed, *, n=1200, drop=0.25):
    """Hits, and 40 groups of which the first is worse."""
    g = rng(seed)
    masks = g.random((40, n)) < 0.2
    hits = (g.random(n) < 0.9 - drop * masks[0]).astype(float)
    return Residuals(hits, np.ones(n)), masks


def test_a_planted_group_is_found_with_its_difference():
    scores, masks = planted(3)
    found = weak_groups(scores, masks, rng())
    assert found.found[0].place == found.worst == 0
    assert found.found[0].low < -0.25 < found.found[0].high < 0
    assert found.found[0].n == masks[0].sum()  # both halves proposed it
    assert found.below > found.most > found.usual > 0
    assert found.n_tried == 40


def test_the_exact_test_is_fishers():
    """Against scipy's, on tables by chance: more wrong answers inside than outside."""
    g = rng(11)
    for _ in range(20):
        inside = g.random(60) < 0.4
        hits = (g.random(60) < 0.7).astype(float)
        half = _Half.of(
            Residuals(hits, np.ones(60)), inside[None], np.arange(60), np.arange(60), is_unit=False
        )
        table = [[(1 - hits[m]).sum(), hits[m].sum()] for m in (inside, ~inside)]
        wanted = scipy.stats.fisher_exact(table, alternative="greater").pvalue
        assert half.p_value(0) == pytest.approx(wanted)


def test_what_chance_gives_has_the_handicap_of_the_search():
    """Small groups that are never picked are not the clearest by chance, either."""
    g = np.random.default_rng(5)
    hits = (g.random(2000) < 0.8).astype(float)
    masks = np.array([np.arange(2000) % 2 == 0, *(g.random(2000) < 0.03 for _ in range(30))])
    handicap = np.repeat([0.0, 99.0], [1, 30])
    scores = Residuals(hits, np.ones(2000))
    plain = weak_groups(scores, masks, np.random.default_rng(1))
    alone = weak_groups(scores, masks[:1], np.random.default_rng(1))
    held = weak_groups(scores, masks, np.random.default_rng(1), handicap=handicap)
    assert held.worst == 0
    assert (held.usual, held.most) == pytest.approx((alone.usual, alone.most))
    assert plain.most > 2 * held.most


def test_a_find_says_how_clear_it_was_where_it_was_proposed():
    n = 2000
    inside = np.arange(n) % 4 == 0
    hits = (np.random.default_rng(3).random(n) < 0.9 - 0.4 * inside).astype(float)
    (one,) = weak_groups(Residuals(hits, np.ones(n)), inside[None], np.random.default_rng(1)).found
    # found in both halves, each of which proposed it to the other
    assert one.n == inside.sum()
    assert one.proposed == pytest.approx(one.rest - one.score)


def test_found_groups_differ_from_each_other():
    scores, masks = planted(4)
    nearly = masks[0] & (rng(5).random(masks.shape[1]) < 0.95)
    found = weak_groups(scores, np.concatenate([masks, nearly[None]]), rng())
    assert len(found.found) == 1


@pytest.mark.parametrize("hits", [0.0, 1.0])
def test_a_model_that_is_always_right_or_wrong_has_no_weak_group(hits):
    scores, masks = planted(6)
    found = weak_groups(Residuals(np.full_like(scores.part, hits), scores.of), masks, rng())
    assert found.found == ()
    assert (found.usual, found.most) == (0, 0)


def test_too_few_items_are_not_searched():
    scores, masks = planted(7, n=60)
    assert weak_groups(scores, masks, rng()).n_tried == 0
    assert weak_groups(scores, masks[:0], rng()).n_tried == 0


def test_whole_units_are_one_observation():
    """Ten copies of each item say no more than the item."""
    scores, masks = planted(8, n=200, drop=0.1)
    copies = np.repeat(np.arange(200), 10)
    many = Residuals(scores.part[copies], scores.of[copies])
    alone = weak_groups(many, masks[:, copies], rng(), units=copies)
    naive = weak_groups(many, masks[:, copies], rng())
    assert alone.found == ()
    assert naive.most < alone.most


def test_a_share_of_parts_is_searched_as_one():
    """Entities by item: more of them in some items, and a group with half of them missed."""
    g = rng(9)
    masks = g.random((20, 900)) < 0.25
    total = g.poisson(2.0, 900).astype(float)
    found = g.binomial(total.astype(int), np.where(masks[3], 0.5, 0.8)).astype(float)
    result = weak_groups(Residuals(found, total), masks, rng())
    assert [one.place for one in result.found] == [3]
    assert result.found[0].rest == pytest.approx(0.8, abs=0.05)
