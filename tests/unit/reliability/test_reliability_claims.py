"""Every gate and every verdict, on estimates made by hand."""

import re
from dataclasses import replace

import numpy as np
import pytest
from made_panels import claim, made, nothing
from scipy import stats

from scrutiny.core.claim import Component
from scrutiny.core.estimate import Limits
from scrutiny.core.record import Counts
from scrutiny.reliability.verdicts.claims import decide
from scrutiny.reliability.verdicts.limits import ClaimPart, RowFamily
from scrutiny.stats.intervals.interval import Scale

FIVE = [0.09, 0.10, 0.10, 0.11, 0.10]


def one(estimated, *components, **more):
    return decide([claim(*components, **more)], estimated)[0]


def checks(finding):
    return {c.name: c.outcome for c in finding.checks}


def test_beyond_the_limit_is_supported_for_the_recipe():
    found = one({"drop": made(FIVE)}, ("drop", 0.01))
    assert (found.verdict, found.scope) == ("supported", "this recipe")
    assert found.p_supported < 0.01
    assert found.p_not_supported > 0.9
    assert "the weakest comparison still holds: 0.100 [" in found.reason
    assert "limit > 0.01" in found.reason


def test_on_the_other_side_is_not_supported():
    found = one({"drop": made([0.0, 0.001, -0.001, 0.0, 0.0])}, ("drop", 0.05))
    assert found.verdict == "not supported"
    assert "against reference lies on the other side of its limit" in found.reason


def test_across_the_limit_is_undecided_and_says_what_could_have_been_shown():
    found = one({"drop": made([0.0, 0.02, 0.01, 0.03, 0.005])}, ("drop", 0.01))
    assert found.verdict == "undecided"
    assert found.minimum_detectable_effect > 0.01
    assert f"{found.minimum_detectable_effect:.3f} beyond it could have been shown" in found.reason


def share(value, *, items, sd):
    """A share on its logit, of one checkpoint."""
    found = made([value], sd=sd, n=items)
    draws = np.clip(found.resampled.draws, 0.01, 0.99)
    return replace(found, scale=Scale.of("logit"), resampled=replace(found.resampled, draws=draws))


def test_what_could_have_been_shown_is_a_value_that_there_can_be():
    found = one({"level": share(0.5, items=2, sd=0.4)}, ("level", 0.5))
    assert found.verdict == "undecided"
    assert found.reason.endswith("limit > 0.5; 2 items could have shown none beyond it")
    assert found.minimum_detectable_effect is None


def test_an_interval_over_all_that_a_share_can_be_shows_nothing():
    for operator, limit in ((">", 0.0), ("<", 1.0)):
        component = Component("level", limit, operator=operator)
        wide = ClaimPart(
            component, share(0.5, items=2, sd=0.4), Limits((0.008, 0.995), None, 1, 0.9)
        )
        near = wide._replace(limits=Limits((0.0004, 0.9996), None, 1, 0.9))
        assert wide.place("checkpoints") == near.widest == "undecided"
        clear = wide._replace(limits=Limits((0.01, 0.9), None, 1, 0.9))
        assert clear.place("checkpoints") == "beyond"
    amount = replace(share(0.5, items=2, sd=0.4), scale=Scale.of("amount"))
    tiny = ClaimPart(Component("level", 0.0), amount, Limits((0.0001, 0.0004), None, 1, 0.9))
    assert tiny.widest == "beyond"  # a number that is small as a whole


@pytest.mark.parametrize(
    ("operator", "limit", "verdict"),
    [
        ("<", 0.2, "supported"),
        ("<=", 0.2, "supported"),
        ("<", 0.05, "not supported"),
        (">=", 0.05, "supported"),
        (">", 0.2, "not supported"),
    ],
)
def test_both_directions(operator, limit, verdict):
    found = one({"drop": made(FIVE)}, Component("drop", limit, operator=operator))
    assert found.verdict == verdict
    assert checks(found) == {"items": "yes", "seeds": "yes"}


def test_all_components_must_hold():
    estimated = {"drop": made(FIVE), "excess": made([0.0, 0.02, 0.01, 0.03, 0.0], seed=1)}
    parts = ("drop", 0.01), ("excess", 0.01, "control: random change")
    found = one(estimated, *parts)
    assert found.verdict == "undecided"
    assert "against control: random change" in found.reason
    assert found.control.key == estimated["excess"].estimate.key
    assert (found.control.low, found.control.high) == found.limits[1].recipe
    assert set(found.evidence) == {"reference", "control: random change"}


def test_one_component_on_the_other_side_denies_it_with_bonferroni():
    estimated = {"drop": made(FIVE), "excess": made([-0.1, -0.11, -0.09, -0.1, -0.1], seed=1)}
    found = one(estimated, ("drop", 0.01), ("excess", 0.01, "control"))
    assert found.verdict == "not supported"
    assert "against control lies on the other side" in found.reason
    alone = one(estimated, ("excess", 0.01))
    assert found.p_not_supported == pytest.approx(2 * alone.p_not_supported)


def test_without_skill_a_claim_is_refused():
    estimated = {"drop": made(FIVE), "level": made([0.5, 0.52, 0.49, 0.51, 0.5])}
    found = one(estimated, ("drop", 0.01), competence=(("level", 0.5),))
    assert found.verdict == "refused"
    assert re.fullmatch(
        r"no skill: accuracy drop .* on 400 items is not shown to exceed the 0\.5 of a model "
        r"without any",
        found.reason,
    )
    assert set(checks(found).values()) == {"not run"}
    assert found.p_supported is None


def test_with_skill_it_is_decided():
    estimated = {"drop": made(FIVE), "level": made([0.8, 0.82, 0.79, 0.81, 0.8])}
    assert one(estimated, ("drop", 0.01), competence=(("level", 0.5),)).verdict == "supported"


def test_skill_is_asked_on_every_dataset():
    estimated = {"drop": made(FIVE), "a": made([0.9] * 5), "b": made([0.5] * 5)}
    competence = (("a", 0.5), ("b", 0.5))
    assert one(estimated, ("drop", 0.01), competence=competence).verdict == "refused"


def varied(value, metric="label_entropy@1"):
    found = made([value] * 5, sd=1e-9)
    return replace(
        found, estimate=replace(found.estimate, key=replace(found.estimate.key, metric=metric))
    )


@pytest.mark.parametrize(
    ("entropy", "least", "said"),
    [
        (0.0, 0.0, "model gives the same answer to every input: one label for all 400 items"),
        (0.1, 0.286, "model gives nearly the same answer to every input: the entropy of its"),
    ],
)
def test_a_model_whose_answers_are_alike_is_told_so_before_its_score(entropy, least, said):
    estimated = {"drop": made(FIVE), "level": made([0.5] * 5), "entropy": varied(entropy)}
    competence = (("level", 0.5), ("entropy", least))
    found = one(estimated, ("drop", 0.01), competence=competence)
    assert found.verdict == "refused"
    assert found.reason.startswith(said)
    assert found.reason.endswith("is not shown to exceed the 0.5 of a model without any")


def test_no_score_is_no_skill_and_a_score_never_computed_is_undecided():
    estimated = {"drop": made(FIVE), "level": nothing()}
    found = one(estimated, ("drop", 0.01), competence=(("level", 0.5),))
    assert (found.verdict, "no score to exceed" in found.reason) == ("refused", True)
    found = one(estimated, ("drop", 0.01), competence=(("gone", 0.5),))
    assert found.verdict == "undecided"


def test_two_replicates_speak_of_themselves_alone():
    found = one({"drop": made([0.1, 0.11])}, ("drop", 0.01))
    assert (found.verdict, found.scope) == ("supported", "these checkpoints")
    assert found.reason.endswith("two replicates, so undecided for the recipe; three can tell")
    assert found.limits[0].recipe is None
    assert checks(found)["seeds"] == "undecided"


def test_two_skilled_replicates_are_not_called_unskilled():
    estimated = {"drop": made([0.1, 0.11]), "level": made([0.7, 0.8])}
    assert estimated["level"].estimate.low < 0.5  # a t with one degree of freedom
    found = one(estimated, ("drop", 0.01), competence=(("level", 0.5),))
    assert found.verdict == "supported"
    estimated["level"] = made([0.5, 0.5])
    assert one(estimated, ("drop", 0.01), competence=(("level", 0.5),)).verdict == "refused"


def test_one_replicate_speaks_of_this_checkpoint_and_says_so():
    found = one({"drop": made([0.1])}, ("drop", 0.01))
    assert (found.verdict, found.scope) == ("supported", "this checkpoint")
    assert "replicate" not in found.reason
    assert checks(found) == {"items": "yes", "seeds": "not run"}


def test_fixed_replicates_speak_of_these_checkpoints():
    whole = made(FIVE)
    fixed = replace(whole, estimate=replace(whole.estimate, method="items@1"))
    found = one({"drop": fixed}, ("drop", 0.01))
    assert (found.verdict, found.scope) == ("supported", "these checkpoints")
    assert found.reason.endswith("held fixed, so undecided for the recipe")
    assert checks(found)["seeds"] == "not run"


@pytest.mark.parametrize(("count", "verdict"), [(5, "undecided"), (10, "supported")])
def test_the_multi_bootstrap_decides_alone_from_ten_replicates_on(count, verdict):
    whole = made(0.1 + 0.001 * np.arange(count))
    alone = replace(whole, estimate=replace(whole.estimate, method="multi-bootstrap@1"))
    assert one({"drop": alone}, ("drop", 0.01)).verdict == verdict


def missing(share, n=1000):
    return Counts(n - int(share * n), failed=int(share * n))


def test_up_to_five_percent_may_be_missing():
    found = one({"drop": made([0.02] * 5, sd=0.001, counts=missing(0.05))}, ("drop", 0.01))
    assert found.verdict == "supported"


def test_more_than_five_percent_missing_could_turn_a_verdict():
    found = one({"drop": made(FIVE, counts=missing(0.1))}, ("drop", 0.01))
    assert found.verdict == "undecided"
    assert "10.0 % of the rows are missing" in found.reason


def test_a_verdict_that_the_worst_case_leaves_alone_is_kept():
    # worst case: .94 * .5 - .06 = .41, still far beyond
    found = one({"drop": made([0.5] * 5, counts=missing(0.06))}, ("drop", 0.1))
    assert found.verdict == "supported"
    # .9 * .5 - .1 = .35, not beyond .4
    found = one({"drop": made([0.5] * 5, counts=missing(0.1))}, ("drop", 0.4))
    assert found.verdict == "undecided"


def test_the_worst_case_of_a_share_is_zero_and_not_minus_one():
    level = {"level": made([0.9] * 5, counts=missing(0.2), row_range=(0.0, 1.0))}
    assert one(level, ("level", 0.65)).verdict == "supported"  # .8 * .9 = .72
    assert one(level, ("level", 0.75)).verdict == "undecided"


def test_a_denial_survives_the_worst_case_too_or_does_not():
    low = {"drop": made([-0.5] * 5, counts=missing(0.1))}
    assert one(low, ("drop", 0.01)).verdict == "not supported"  # -.45 + .1 < .01
    near = {"drop": made([-0.05] * 5, counts=missing(0.1))}
    assert one(near, ("drop", 0.01)).verdict == "undecided"


def test_an_f1_with_much_missing_never_survives():
    f1 = {"drop": made([0.9] * 5, counts=missing(0.06), row_range=None)}
    assert one(f1, ("drop", 0.01)).verdict == "undecided"


def test_imputation_leaves_room_for_the_family_as_well():
    # the worst case lies 2.3 standard errors beyond the limit: enough alone, not among ten
    estimated = {"drop": made([0.2253] * 5, sd=0.05, counts=missing(0.1))}
    assert one(estimated, ("drop", -0.01)).verdict == "supported"
    ten = {"drop": RowFamily("f", 10)}
    assert decide([claim(("drop", -0.01))], estimated, ten)[0].verdict == "undecided"


def test_no_value_at_all():
    found = one({"drop": nothing()}, ("drop", 0.01))
    assert (found.verdict, found.reason) == ("undecided", "no value: no items")
    assert checks(found) == {"items": "not run", "seeds": "not run"}


def test_a_component_without_a_value_keeps_a_claim_from_being_supported():
    estimated = {"drop": made(FIVE), "excess": nothing()}
    found = one(estimated, ("drop", 0.01), ("excess", 0.01, "control"))
    assert found.verdict == "undecided"
    assert found.reason == "there is no value against control, so the claim cannot be supported"


def test_a_component_without_a_value_leaves_it_to_the_others_to_deny():
    estimated = {"drop": made([-0.2] * 5), "excess": nothing()}
    found = one(estimated, ("drop", 0.01), ("excess", 0.01, "control"))
    assert found.verdict == "not supported"


def test_an_estimate_that_was_not_computed_pairs_nothing_wrongly():
    found = one({"excess": made(FIVE)}, ("drop", 0.01), ("excess", 0.02, "control"))
    assert found.verdict == "undecided"
    assert found.evidence == {"control": made(FIVE).estimate.key}
    assert found.control is not None


def of_metric(estimated, metric):
    key = replace(estimated.estimate.key, metric=metric)
    return replace(estimated, estimate=replace(estimated.estimate, key=key))


def test_limits_leave_room_for_all_numbers_of_a_family():
    estimated = {f"e{i}": made([0.0345] * 5, sd=0.01, seed=i) for i in range(8)}
    alone = [one({name: found}, (name, 0.01)) for name, found in estimated.items()]
    assert {f.verdict for f in alone} == {"supported"}
    together = decide([claim((name, 0.01), name=name) for name in estimated], estimated)
    assert {f.verdict for f in together} == {"undecided"}
    assert "limits that hold for 8 numbers at once" in together[0].reason
    widths = [f.limits[0].recipe[1] - f.limits[0].recipe[0] for f in (alone[0], together[0])]
    assert widths[0] < widths[1]
    assert together[0].estimate.low == together[0].limits[0].recipe[0]


def test_limits_hold_at_the_level_of_sidak():
    found = one({"drop": made([0.1], sd=0.01)}, ("drop", 0.01))
    (limits,) = found.limits
    assert limits.checkpoints[1] - 0.1 == pytest.approx(1.96 * 0.01, rel=0.05)
    (wide,) = decide(
        [claim(("drop", 0.01))], {"drop": made([0.1], sd=0.01)}, {"drop": RowFamily("f", 15)}
    )[0].limits
    times = stats.norm.ppf((1 + 0.95 ** (1 / 15)) / 2) / stats.norm.ppf(0.975)
    ratio = (wide.checkpoints[1] - 0.1) / (limits.checkpoints[1] - 0.1)
    assert ratio == pytest.approx(times, rel=1e-6)


def test_one_number_in_several_claims_is_one_row():
    estimated = {"drop": made(FIVE)}
    found = decide([claim(("drop", 0.01), name=f"c{i}") for i in range(9)], estimated)
    assert {f.limits[0].n_rows for f in found} == {1}


def test_families_do_not_mix_and_findings_keep_their_order():
    estimated = {"bad": of_metric(made([0.0345] * 5, sd=0.01), "other@1")}
    estimated |= {f"g{i}": made(FIVE, seed=i) for i in range(9)}
    claims = [
        claim(("bad", 0.01), name="a"),
        *[claim((f"g{i}", 0.01), name=f"g{i}") for i in range(9)],
        claim(("bad", 0.01), name="z"),
    ]
    found = decide(claims, estimated)
    assert [f.claim.id for f in found] == [c.id for c in claims]
    assert {f.verdict for f in found} == {"supported"}
    assert [f.limits[0].n_rows for f in (found[0], found[1])] == [1, 9]


def test_refused_claims_stay_in_their_family():
    estimated = {f"r{i}": made([0.0345] * 5, sd=0.01, seed=i) for i in range(8)}
    estimated["level"] = of_metric(made([0.5] * 5), "accuracy@1")
    refused = [claim((f"r{i}", 0.01), name=f"r{i}", competence=(("level", 0.5),)) for i in range(7)]
    found = decide([claim(("r7", 0.01)), *refused], estimated)
    assert [f.verdict for f in found] == ["undecided"] + ["refused"] * 7


def test_rows_of_a_family_lend_each_other_the_variance_of_their_seeds():
    rng = np.random.default_rng(5)
    estimated = {
        f"e{i}": made(0.04 + 0.005 * rng.standard_normal(3), sd=0.004, seed=i) for i in range(15)
    }
    alone = decide([claim(("e0", 0.0))], {"e0": estimated["e0"]}, {"e0": RowFamily("f", 15)})
    together = decide([claim((name, 0.0), name=name) for name in estimated], estimated)

    def width(found):
        low, high = found.limits[0].recipe
        return high - low

    assert width(together[0]) < width(alone[0]) / 1.5


def test_what_seeds_leave_open_is_stated_of_these_checkpoints():
    found = one({"drop": made([0.08, 0.0, 0.07], sd=0.004)}, ("drop", 0.0))
    assert (found.verdict, found.scope) == ("supported", "these checkpoints")
    assert "undecided for the recipe: 0.050 [" in found.reason
    inner, outer = found.limits[0].checkpoints, found.limits[0].recipe
    assert outer[0] < 0 < inner[0] < inner[1] < outer[1]
    assert (found.estimate.low, found.estimate.high) == inner


def test_too_few_draws_say_so():
    whole = made(0.1 + 0.001 * np.arange(12))
    drawn = whole.interval.draws[:100]
    few = replace(whole.interval, method="multi-bootstrap", draws=drawn)
    estimated = {"drop": replace(whole, interval=few)}
    ten = {"drop": RowFamily("f", 10)}
    found = decide([claim(("drop", 0.01))], estimated, ten)[0]
    assert (found.verdict, found.limits) == ("undecided", (None,))
    assert "take more draws" in found.reason


def test_choices_survive_if_each_says_the_same():
    estimated = {"d0": made(FIVE), "d1": made(FIVE, seed=1), "bad": made([0.0, 0.03, 0.01, 0, 0])}
    more = {"checks": ("choices:draw",)}
    both = one(estimated, ("d0", 0.01), ("d1", 0.01, "choice: draw 2"), **more)
    assert [(c.outcome, c.detail) for c in both.checks] == [("yes", "2 of 2")]
    mixed = one(estimated, ("d0", 0.01), ("bad", 0.01, "choice: draw 2"), **more)
    assert (mixed.verdict, mixed.checks[0].outcome) == ("undecided", "undecided")
    lone = one(estimated, ("d0", 0.01), **more)
    assert (lone.checks[0].outcome, lone.checks[0].detail) == ("not run", "one choice")


def test_choices_that_contradict_each_other():
    estimated = {"d0": made(FIVE), "d1": made([-0.2] * 5)}
    parts = ("d0", 0.01), ("d1", 0.01, "choice: draw 2")
    found = one(estimated, *parts, checks=("choices:draw",))
    assert (found.verdict, found.checks[0].outcome) == ("not supported", "no")
    assert found.checks[0].detail == "1 of 2"


def on_datasets(count, point=FIVE):
    estimated = {f"d{i}": made(point, dataset=f"d{i}", seed=i) for i in range(count)}
    return estimated, [(name, 0.01, f"dataset {name}: reference") for name in estimated]


def test_three_datasets_reach_beyond_one_and_two_do_not():
    estimated, parts = on_datasets(3)
    found = one(estimated, *parts, checks=("datasets",))
    assert (found.verdict, found.scope) == ("supported", "beyond this dataset")
    assert (found.checks[0].outcome, found.checks[0].detail) == ("yes", "3 of 3")
    two = one(estimated, *parts[:2], checks=("datasets",))
    assert (two.verdict, two.scope) == ("supported", "this recipe")
    assert one(estimated, parts[0], checks=("datasets",)).checks[0].detail == "one dataset"


def test_each_dataset_is_a_family_of_its_own():
    estimated, parts = on_datasets(3)
    assert {limits.n_rows for limits in one(estimated, *parts).limits} == {1}


def test_one_single_model_among_datasets_narrows_the_scope():
    estimated, parts = on_datasets(3)
    estimated["d1"] = made([0.1], dataset="d1")
    assert one(estimated, *parts).scope == "these checkpoints"


def test_seeds_overturn_what_items_alone_would_say():
    found = one({"drop": made([-0.1, 0.0, 0.1, 0.2, 0.1], sd=0.002)}, ("drop", 0.01))
    assert (found.verdict, found.scope) == ("supported", "these checkpoints")
    seeds = next(c for c in found.checks if c.name == "seeds")
    assert (seeds.outcome, seeds.detail) == ("no", "3 of 5")


def test_a_value_exactly_at_the_limit_is_beyond_in_neither_direction():
    estimated = {"drop": made([0.1, 0.1, 0.1, 0.2, 0.2], sd=0.1)}
    for operator, count in ((">", "2 of 5"), ("<", "0 of 5")):
        found = one(estimated, Component("drop", 0.1, operator=operator))
        assert next(c.detail for c in found.checks if c.name == "seeds") == count


def test_the_detectable_effect_grows_with_the_family_and_shrinks_with_replicates():
    few, many = made([0.0, 0.02, 0.01]), made([0.0, 0.02, 0.01] * 4)
    small = one({"many": many}, ("many", 0.01)).minimum_detectable_effect
    large = one({"few": few}, ("few", 0.01)).minimum_detectable_effect
    assert small < large
    nine = decide([claim(("few", 0.01))], {"few": few}, {"few": RowFamily("f", 9)})[0]
    assert nine.minimum_detectable_effect > large


def test_the_detectable_effect_is_found_in_four_of_five_studies():
    rng = np.random.default_rng(0)
    sd = 0.01
    reach = one({"drop": made([0.0], sd=sd)}, ("drop", 0.0)).minimum_detectable_effect
    found = [
        one({"drop": made([value], sd=sd, seed=7)}, ("drop", 0.0)).verdict == "supported"
        for value in reach + sd * rng.standard_normal(400)
    ]
    assert np.mean(found) == pytest.approx(0.8, abs=0.06)


def test_no_claims_no_findings():
    assert decide([], {}) == []
