"""Risks: what hurts, what holds, what cannot be told, and what each of them is held against."""

import re
from dataclasses import replace

import numpy as np
import pytest
from made_panels import KEY, claim, drops, made, nothing, panel, side
from scipy import stats

from scrutiny.core.claim import Component, Risk
from scrutiny.core.estimate import Limits
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Counts
from scrutiny.reliability.estimate import estimate
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.verdicts.claims import decide
from scrutiny.reliability.verdicts.limits import RowFamily
from scrutiny.reliability.verdicts.reasons import few_in_words, ways_to_tell
from scrutiny.reliability.verdicts.risks import state_of

DROP = metric_of("drop(accuracy)")
TYPOS = Risk("typos", 0.02, "costs {} points")


def risk(*components, tolerance=0.02, **more):
    components = components or (("drop", 0.0),)
    return claim(*components, risk=replace(TYPOS, tolerance=tolerance), **more)


def found(estimated, n_rows=1, **more):
    """Finding of a risk whose drop stands in a family of so many."""
    families = {"drop": RowFamily("f", n_rows)}
    return decide([risk(**more)], {"drop": estimated}, families)[0]


def of_interval(value, low, high, n=872):
    """Number of one checkpoint with a normal interval, in points."""
    return made([value / 100], sd=(high - low) / 200 / 1.96, n=n)


def flipped(*, broken, mended=0, items=872):
    """Drop of replicates that break and mend so many items each, others than one another's."""
    before, after = (np.ones((len(broken), items)) for _ in range(2))
    before[:, items // 2 :] = after[:, items // 2 :] = 0
    for row, count in enumerate(broken):
        after[row, row * 60 : row * 60 + count] = 0
        after[row, items // 2 : items // 2 + mended] = 1
    return drops(before, after, DROP)


@pytest.mark.parametrize(
    ("low", "high", "state"),
    [
        (0.013, 0.067, "hurts"),
        (0.021, 0.067, "hurts"),
        (0.0, 0.08, "can't tell"),
        (-0.02, 0.021, "can't tell"),
        (-0.006, 0.006, "holds"),
        (0.005, 0.02, "holds"),
        (-0.09, -0.05, "holds"),
    ],
)
def test_states_by_limits(low, high, state):
    assert state_of(Component("drop", 0.0), (low, high), TYPOS) == state
    mirrored = Component("gain", 0.0, operator="<")
    assert state_of(mirrored, (-high, -low), TYPOS) == state


def of_share(cases, n, *, tolerance, seeds=1, metric="noise_floor"):
    """Finding of a share of so many cases in n, which ought to be none."""
    changed = np.zeros((seeds, n))
    changed[:, :cases] = 1.0
    estimated = estimate(
        panel(seeds, n, measures=("changed",)),
        {"": side(changed)},
        statistic=metric_of(metric),
        key=KEY,
        resampling=Resampling(draws=1000),
        seed=0,
    )
    asked = claim(("changed", 0.0), risk=Risk("noise floor", tolerance, "{} % of answers vary"))
    (one,) = decide([asked], {"changed": estimated})
    return one, estimated


@pytest.mark.parametrize(
    ("cases", "n", "tolerance", "state"),
    [
        (1, 5, 0.05, "can't tell"),
        (1, 20, 0.05, "can't tell"),
        (1, 50, 0.05, "can't tell"),
        (2, 100, 0.05, "can't tell"),
        (5, 200, 0.02, "can't tell"),
        (6, 200, 0.02, "hurts"),
        (10, 200, 0.05, "can't tell"),
        (3, 20, 0.05, "hurts"),
        (0, 200, 0.02, "holds"),
    ],
)
def test_a_case_or_two_of_a_share_are_no_alarm(cases, n, tolerance, state):
    one, _ = of_share(cases, n, tolerance=tolerance)
    assert one.verdict == state
    assert one.claim.risk.negligible == tolerance / 2
    assert ("that count for none" in one.reason) == (state == "hurts")


@pytest.mark.parametrize("n", [200, 1000])
def test_a_noise_floor_of_half_of_what_is_tolerable_is_seldom_an_alarm_and_five_percent_is(n):
    counts = np.arange(max(n // 12, 20))
    states = [of_share(int(c), n, tolerance=0.02)[0].verdict for c in counts]
    hurts = np.array([state == "hurts" for state in states])
    assert np.all(np.diff(hurts.astype(int)) >= 0)
    alarms, found = (1 - stats.binom.cdf(np.argmax(hurts) - 1, n, p) for p in (0.01, 0.05))
    assert alarms <= 0.025
    assert found >= 0.93


def test_a_drop_may_be_a_gain_and_has_no_part_that_counts_for_none():
    one = found(flipped(broken=[20], mended=0))
    assert (one.verdict, one.claim.risk.negligible) == ("hurts", 0.0)


@pytest.mark.parametrize("seeds", [1, 2, 3])
@pytest.mark.parametrize("cases", [0, 1, 9, 40])
def test_a_number_of_a_family_of_one_has_one_interval(cases, seeds):
    one, estimated = of_share(cases, 40, tolerance=0.05, seeds=seeds)
    own = estimated.estimate.low, estimated.estimate.high
    assert own == pytest.approx(one.limits[0].widest)
    assert own == pytest.approx((one.estimate.low, one.estimate.high))


def test_the_reason_of_no_skill_has_the_limits_that_the_score_has():
    hits = estimate(
        panel(1, 20),
        {"": side(np.ones((1, 20)))},
        statistic=metric_of("accuracy"),
        key=KEY,
        resampling=Resampling(draws=1000),
        seed=0,
    )
    level = claim(("level", 0.9), name="level")
    typos = risk(("drop", 0.0), competence=(("level", 0.9),))
    families = {"level": RowFamily("scores", 4), "drop": RowFamily("f", 1)}
    scored, asked = decide([level, typos], {"level": hits, "drop": nothing()}, families)
    low, high = scored.limits[0].widest
    assert low < hits.estimate.low < 0.9
    assert f"[{low:.3f}, {high:.3f}] on 20 items is not shown to exceed the 0.9" in asked.reason


def test_costs_are_counted_from_no_effect():
    leaning = Component("score", 50.0)
    assert state_of(leaning, (50.5, 53.0), Risk("bias", 2.0, "{}")) == "hurts"
    assert state_of(leaning, (49.0, 51.5), Risk("bias", 2.0, "{}")) == "holds"


class TestTheCasesThatReadWrongBefore:
    def test_a_fall_of_a_hundred_points_hurts(self):
        ones = np.ones((1, 300))
        one = found(drops(ones, 1 - ones, DROP), n_rows=15)
        assert one.verdict == "hurts"
        assert "costs 100.0 points" in one.reason

    def test_without_a_random_twin_it_still_hurts(self):
        estimated = {"drop": made([1.0], sd=0.001), "excess": nothing()}
        parts = ("drop", 0.0), ("excess", 0.0, "control: random change")
        (one,) = decide([risk(*parts)], estimated)
        assert one.verdict == "hurts"
        assert [c.outcome for c in one.checks if c.name == "more than random change"] == ["not run"]

    def test_four_points_alone_hurt(self):
        one = found(of_interval(4.0, 1.3, 6.7))
        assert one.verdict == "hurts"
        assert one.estimate.low == pytest.approx(0.013, abs=0.001)

    def test_four_points_among_fifteen_cannot_be_told(self):
        one = found(of_interval(4.0, 1.3, 6.7), n_rows=15)
        assert one.verdict == "can't tell"
        assert (one.estimate.low, one.estimate.high) == pytest.approx((0.0, 0.08), abs=0.002)
        assert "more items" in one.reason

    def test_a_sharper_loss_among_fifteen_hurts(self):
        assert found(of_interval(4.4, 2.2, 6.6), n_rows=15).verdict == "hurts"

    def test_three_seeds_that_lose_four_five_and_six_points_hurt(self):
        one = found(flipped(broken=(37, 46, 55), mended=2))
        assert (one.verdict, one.scope) == ("hurts", "this recipe")
        assert one.estimate.value == pytest.approx(0.05, abs=0.002)
        low, high = one.limits[0].checkpoints
        assert f"of these models alone [{100 * low:.1f}, {100 * high:.1f}]" in one.reason

    @pytest.mark.parametrize("tolerance", [0.02, 0.01])
    def test_limits_within_six_tenths_hold(self, tolerance):
        one = found(of_interval(0.0, -0.38, 0.38, n=20_000), n_rows=15, tolerance=tolerance)
        assert one.verdict == "holds"
        assert abs(one.estimate.low) == pytest.approx(0.006, abs=0.0005)
        assert "at most 0.6 points" in one.reason

    def test_one_seed_has_no_word_about_seeds(self):
        one = found(of_interval(4.0, 1.3, 6.7), n_rows=15)
        assert one.scope == "this checkpoint"
        assert not re.search("seed|replicate|recipe", one.reason)


def test_no_flips_among_few_items_do_not_hold():
    same = np.ones((1, 300))
    assert found(drops(same, same, DROP), n_rows=15).verdict == "can't tell"
    many = np.ones((1, 3000))
    assert found(drops(many, many, DROP), n_rows=15).verdict == "holds"


def test_what_only_these_checkpoints_show_is_said_of_them():
    one = found(made([0.08, 0.0, 0.07], sd=0.004))
    assert (one.verdict, one.scope) == ("hurts", "these checkpoints")
    assert re.search(r"of the recipe \[−\d+\.\d, \d+\.\d\], so undecided there$", one.reason)
    seeds = next(c for c in one.checks if c.name == "seeds")
    assert (seeds.outcome, seeds.detail) == ("no", "2 of 3")


def test_more_than_the_tolerance_is_said_apart():
    assert "more than the 2 that are tolerable" in found(of_interval(6, 3, 9)).reason
    assert "maybe more than the 2 that" in found(of_interval(4.0, 1.3, 6.7)).reason


def test_what_presupposes_skill_is_not_tested_without_it():
    estimated = {"drop": made([0.1]), "level": made([0.5])}
    (one,) = decide([risk(("drop", 0.0), competence=(("level", 0.5),))], estimated)
    assert one.verdict == "not tested"
    assert one.lacks_skill
    assert {c.outcome for c in one.checks} == {"not run"}


def test_no_value_cannot_be_told():
    one = found(nothing())
    assert (one.verdict, one.reason) == ("can't tell", "no value: no items")


def test_much_missing_could_turn_it():
    lost = Counts(900, failed=100)
    assert found(made([0.05], sd=0.001, n=900, counts=lost)).verdict == "can't tell"
    assert found(made([0.5], sd=0.001, n=900, counts=lost)).verdict == "hurts"


@pytest.mark.parametrize(
    ("excess", "said"), [([0.05], "yes"), ([0.0], "no"), ([0.02], "undecided")]
)
def test_more_than_random_change_is_an_answer_of_its_own(excess, said):
    key = replace(KEY, metric="excess(accuracy)@1")
    beside = made(excess, sd=0.012 if said == "undecided" else 0.004)
    beside = replace(beside, estimate=replace(beside.estimate, key=key))
    estimated = {"drop": made([0.06], sd=0.005), "excess": beside}
    parts = ("drop", 0.0), ("excess", 0.0, "control: random change")
    (one,) = decide([risk(*parts)], estimated)
    assert one.verdict == "hurts"
    assert [c.outcome for c in one.checks if c.name.startswith("more")] == [said]
    assert one.control.key.metric == "excess(accuracy)@1"


def on(dataset, value):
    return made([value] * 3, sd=0.003, dataset=dataset)


def test_three_datasets_alike_speak_beyond_them():
    names = ["a", "b", "c"]
    claims = [risk((n, 0.0), name=n, checks=("items", "seeds", "datasets")) for n in names]
    alike = decide(claims, {n: on(n, 0.05) for n in names})
    assert {f.scope for f in alike} == {"beyond this dataset"}
    assert [c.detail for c in alike[0].checks if c.name == "datasets"] == ["3 of 3"]
    mixed = decide(claims, {n: on(n, 0.05 if n != "c" else 0.0) for n in names})
    assert [f.verdict for f in mixed] == ["hurts", "hurts", "holds"]
    assert {f.scope for f in mixed} == {"this recipe"}
    assert [c.outcome for f in mixed for c in f.checks if c.name == "datasets"] == ["no"] * 3
    claims[2] = replace(claims[2], coverage=("none",))
    estimated = {n: on(n, 0.0) for n in names} | {"none": made([0.0], sd=0.0)}
    untested = decide(claims, estimated)
    assert [f.verdict for f in untested] == ["holds", "holds", "not tested"]
    told = [c.outcome for f in untested for c in f.checks if c.name == "datasets"]
    assert told == ["undecided"] * 3
    assert {f.scope for f in untested} == {"this recipe"}
    two = decide(claims[:2], {n: on(n, 0.05) for n in names[:2]})
    assert {f.scope for f in two} == {"this recipe"}


def test_what_would_tell_is_planned_for_the_tolerance_and_not_for_what_was_seen():
    near, far = (found(made([v], sd=0.012, n=600), n_rows=15) for v in (0.025, -0.015))
    assert (near.verdict, far.verdict) == ("can't tell", "can't tell")
    assert near.limits[0].items_needed == pytest.approx(far.limits[0].items_needed, rel=0.01)
    assert near.limits[0].items_needed > 600
    assert found(made([0.02], sd=0.1, n=600), n_rows=15).limits[0].items_needed is None


def test_several_draws_are_one_number_between_them():
    rng = np.random.default_rng(3)
    before = np.ones((3, 400))
    each = [before * (rng.random((3, 400)) > 0.1) for _ in range(2)]
    alone = [drops(before, after, DROP).estimate.value for after in each]
    together = drops(before, each[0], DROP, others=each[1:])
    assert together.estimate.value == pytest.approx(np.mean(alone))
    assert together.flips == (pytest.approx(400 * together.estimate.value), 0.0)


@pytest.mark.parametrize(
    ("value", "divided_by", "costs", "said"),
    [
        (0.0, 2, "{} % fail", "0 of 2 fail"),
        (1 / 3, 3, "{} % fail", "1 of 3 fail"),
        (1.0, 4, "fools {} % of texts", "fools 4 of 4 texts"),
        (0.3, 2, "{} % fail", "between −20.0 and 80.0 % fail"),  # a mean of no whole count
        (0.5, 2, "costs {} points", "costs between −20.0 and 80.0 points"),
    ],
)
def test_of_a_few_items_their_count_is_said(value, divided_by, costs, said):
    found = replace(made([value], n=divided_by).estimate, value=value, low=-0.2, high=0.8)
    assert few_in_words(found, Risk("x", 0.05, costs)) == said


@pytest.mark.parametrize("items", [1, 2, 5, 20, 300])
@pytest.mark.parametrize("detectable", [0.01, 0.1, 1.006])
def test_no_number_of_items_is_asked_for_that_so_few_cannot_tell(items, detectable):
    ways = ways_to_tell(Limits((-1.0, 1.0), None, 1, detectable), items, 1, TYPOS)
    assert ways.needed <= 64 * items
    assert ways.is_few != ways.is_far
    assert ("too few to say more" in ways.says()) == ways.is_few == (detectable == 1.006)
    assert (ways.short() == "too few to say more") == ways.is_few


def test_items_that_are_near_or_in_reach_are_said_however_few():
    near = Limits((-0.1, 0.1), None, 1, 1.006, items_needed=2)
    assert ways_to_tell(near, 2, 1, TYPOS).is_near
    more = ways_to_tell(replace(near, items_needed=10), 2, 1, TYPOS)
    assert (more.is_few, more.says()) == (False, "about 8 more items would decide")
