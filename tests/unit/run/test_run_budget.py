"""What fits into a budget: chosen before anything is asked, kept, and said."""

import json
import re
from dataclasses import replace

import pytest

from scrutiny.core.errors import PlanError
from scrutiny.core.plan import DataPlan, EstimatePlan, ModelPlan
from scrutiny.run.budgeting import budget, timing
from scrutiny.run.budgeting.budget import chosen_before, within
from scrutiny.run.budgeting.cost import cost_of, risk_names
from scrutiny.run.budgeting.durations import in_words, rounded_up, seconds_of
from scrutiny.run.budgeting.timing import Speed
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.audit import audit_plan
from scrutiny.run.planning.audit_profiles import profile_of
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.run.planning.measurements import measurement_of
from scrutiny.run.planning.resolve import designed, resolve
from scrutiny.stats.intervals.rows import items_planned

EACH = 0.01
#: Measurements that ask the texts that performance has asked.
SAME = ("classes", "calibration", "labels")


@pytest.fixture(autouse=True)
def _steady(monkeypatch):
    """Every text takes a hundredth of a second, and choosing takes no time."""
    monkeypatch.setattr(timing.Timer, "speed", lambda *_, **__: Speed(seconds=EACH))
    monkeypatch.setattr(budget, "perf_counter", lambda: 0.0)


@pytest.fixture(scope="module")
def audited():
    """An audit of one model on 200 items: some 9,000 texts of robustness, 40,000 of attacks."""
    models = (ModelPlan("m", "builtin:sentiment/seed-1"),)
    asked = sorted(profile_of("ship").diagnostics)
    data = (DataPlan("x", "builtin:reviews", limit=200),)
    return resolve(audit_plan(models, data, profile="study", only=asked))


def made(resolved, seconds, **given):
    """What was chosen, by its identifier, and how long it takes where equal texts are cached."""
    plan = within(resolved, seconds, **given)
    parts = cost_of(designed(resolved, plan)).parts
    seconds = sum(part.seconds for part in parts if part.measure not in SAME)
    # the items as they are have been asked about by performance
    dear = [part for part in parts if part.measure in ("attack", "robustness")]
    seconds -= sum(part.items * EACH for part in dear)
    return {one.id: one for one in plan.measure}, seconds, plan.budget


def test_what_fits_is_left_as_it_is(audited):
    measures, seconds, kept = made(audited, 10_000)
    assert tuple(measures.values()) == audited.plan.measure
    assert seconds == pytest.approx(cost_of(audited).seconds - (len(SAME) + 2) * 200 * EACH)
    assert (kept.seconds, kept.left_out) == (10_000, ())


@pytest.mark.parametrize("seconds", [20, 40, 100, 200, 400])
def test_what_is_chosen_fits_and_leaves_little_unused(audited, seconds):
    _, expected, _ = made(audited, seconds)
    assert 0.5 * seconds * budget._ASKING <= expected <= seconds * budget._ASKING


def risks(resolved, plan):
    """Risks that a measurement of a plan has, and those that it was asked for."""
    asked, made_ = resolved.measurements[plan.id], measurement_of(plan, resolved)
    return list(risk_names(made_).values()), list(risk_names(asked).values())


def test_few_changes_get_enough_items_and_the_others_are_named(audited):
    measures, _, kept = made(audited, 20)
    assert measures["performance"] == audited.plan.measure[0]
    assert measures["calibration"].items is None
    robustness = measures["robustness"]
    assert (robustness.params["draws"], robustness.params["control"]) == (1, False)
    own, everything = risks(audited, robustness)
    assert own[:3] == ["typos", "upper and lower case", "synonyms (WordNet)"]
    assert robustness.items is None  # of 200, fewer than a loss of five points takes
    assert "attack" not in measures
    gone = ", ".join(one for one in everything if one not in own)
    assert kept.left_out == (
        "For a budget of 20 s, robustness has 1 of 2 draws, no random changes to compare with, "
        f"{len(own)} of {len(everything)} risks ({', '.join(own)}). Not asked, because each needs "
        f"enough items: {gone}.",
        "For a budget of 20 s, attack was left out: DeepWordBug attack on 100 items would take "
        "about 28 s.",
    )


@pytest.mark.parametrize("seconds", [150, 400])
def test_what_is_kept_has_enough_items_for_its_family(seconds):
    models, data = (ModelPlan("m", "builtin:spam"),), (DataPlan("x", "builtin:messages"),)
    resolved = resolve(audit_plan(models, data, only=("performance", "robustness", "attack")))
    measures, *_ = made(resolved, seconds)
    own, everything = risks(resolved, measures["robustness"])
    assert 0 < len(own) < len(everything)
    assert measures["robustness"].items >= items_planned(0.05, churn=0.1, n_rows=len(own))
    if "attack" in measures:
        assert measures["attack"].items is None  # a hundred are attacked, as always


def test_controls_and_attacks_go_and_never_the_items_of_one(audited):
    measures, _, kept = made(audited, 200)
    assert measures["attack"].params == {
        **audited.measurements["attack"].plan.params,
        "recipes": ("deepwordbug",),
        "control": False,
    }
    assert measures["attack"].items is None
    said = "attack has no random changes to compare with, 1 of 2 risks (DeepWordBug attack)."
    assert any(said in sentence for sentence in kept.left_out)


def test_more_time_never_means_fewer_changed_items(audited):
    sizes = []
    for seconds in (30, 60, 120, 240):
        measures, *_ = made(audited, seconds)
        own, _ = risks(audited, measures["robustness"])
        sizes.append(len(own) * (measures["robustness"].items or 200))
    assert sizes == sorted(sizes)


def test_what_could_say_nothing_is_left_out_and_said(audited):
    measures, _, kept = made(audited, 6, spent=0)
    assert "attack" not in measures
    assert kept.left_out[-1] == (
        "For a budget of 6 s, attack was left out: DeepWordBug attack on 100 items would take "
        "about 28 s."
    )
    assert "performance" in measures


def test_what_the_plan_names_stays(audited):
    named = replace(audited.plan, estimate=(EstimatePlan("own", "attack", "attack_success"),))
    measures, *_ = made(designed(audited, named), 6)
    assert measures["attack"].items == budget._LEAST


def test_little_time_cuts_the_items_themselves(audited):
    measures, *_ = made(audited, 6, spent=100)  # five seconds are asked for, whatever is spent
    assert measures["performance"].items is measures["calibration"].items is None  # 200 in 2 s
    few, *_ = made(audited, 6, spent=100, is_cached=False)  # 5 s for 800 texts
    assert few["performance"].items == few["calibration"].items == 125
    less, *_ = made(audited, 3, spent=100, is_cached=False)  # no more than was given to asking
    assert less["performance"].items == 63


@pytest.mark.parametrize("each", [0.15, 0.5, 2.0])
def test_too_little_time_is_refused_with_what_would_do(audited, monkeypatch, each):
    monkeypatch.setattr(timing.Timer, "speed", lambda *_, **__: Speed(seconds=each))
    said = r"A budget of 6 s is too little: performance would have [0-9]+ items, from which"
    with pytest.raises(PlanError, match=said) as refused:
        within(audited, 6)
    assert "Nothing was asked but what was timed" in str(refused.value)
    (enough,) = re.findall("About (.*?) would do", str(refused.value))
    measures, *_ = made(audited, sum(map(seconds_of, re.findall("[0-9]+ [smh]", enough))))
    assert {"performance", "robustness"} <= set(measures)
    assert measures["performance"].items is None or measures["performance"].items >= 50
    whole = rounded_up(cost_of(audited).seconds / budget._ASKING)
    assert f"Everything takes about {in_words(whole)}." in str(refused.value)


def test_fifty_items_are_enough_to_be_asked(audited, monkeypatch):
    monkeypatch.setattr(timing.Timer, "speed", lambda *_, **__: Speed(seconds=0.1))
    measures, *_ = made(audited, 6)
    assert measures["performance"].items == 50
    monkeypatch.setattr(timing.Timer, "speed", lambda *_, **__: Speed(seconds=0.104))
    with pytest.raises(PlanError, match=r"performance would have 4[0-9] items"):
        within(audited, 6)


def test_time_that_is_gone_is_not_given_again(audited):
    _, early, _ = made(audited, 100)
    _, late, _ = made(audited, 100, spent=50)
    assert late <= 100 * budget._ASKING - 50 < early


def test_a_search_that_ends_early_uses_up_a_smaller_budget(audited, monkeypatch):
    tried = dict.fromkeys(audited.measurements, ())
    chooser = budget._Chooser(
        audited, timing.Timer(audited, LoadedModels()), is_cached=True, variations=tried
    )
    (attack,) = (m for m in audited.plan.measure if m.id == "attack")
    fewer = replace(attack, params={**attack.params, "budget": 25})
    assert chooser.seconds(fewer) < 0.3 * chooser.seconds(attack)  # all texts are asked
    monkeypatch.setattr(timing.Timer, "speed", lambda *_, **__: Speed(0.2, 0.2 * EACH))
    assert chooser.seconds(fewer) == pytest.approx(chooser.seconds(attack), rel=0.1)


def test_loading_the_models_counts(audited, monkeypatch):
    _, quick, _ = made(audited, 100)
    monkeypatch.setattr(timing.Timer, "loading", 30.0)
    _, slow, _ = made(audited, 100)
    assert slow <= 100 * budget._ASKING - 30 < quick


def test_every_replicate_is_as_slow_to_load_as_the_first():
    models = (ModelPlan("m", "builtin:sentiment/seed-{seed}"),)
    resolved = resolve(audit_plan(models, (DataPlan("x", "builtin:reviews", limit=20),)))
    models = LoadedModels()
    timer = timing.Timer(resolved, models)
    assert timer.loading == 0  # nothing is loaded yet
    models.slowest = 2.0
    assert timer.loading == 10.0
    assert timing.Timer(resolved, LoadedModels(given={"m": object()})).loading == 0


def test_what_was_chosen_is_found_again_by_what_was_asked(audited, tmp_path):
    only = [m for m in audited.plan.measure if m.id in ("performance", "robustness")]
    asked = designed(audited, replace(audited.plan, measure=tuple(only)))
    chosen = designed(asked, within(asked, 10))
    folder = run_plan(chosen, tmp_path / "run")
    known = chosen_before(folder, asked, 10)
    assert known is not None
    measures, kept = known
    assert kept == chosen.plan.budget
    again = designed(asked, replace(asked.plan, measure=measures, budget=kept))
    assert again.identity == chosen.identity
    assert chosen_before(folder, asked, 11) is None
    assert chosen_before(folder, audited, 10) is None


def test_the_cases_of_a_suite_stay_together(tmp_path):
    """A case without its item, or a group without a member, would say something else."""
    rows = [
        row
        for n in range(300)
        for row in (
            {"id": f"b{n}", "text": f"Film {n} was fine.", "label": "positive"},
            {"id": f"c{n}", "text": f"Film {n} was fine!", "of": f"b{n}", "expect": "same"},
        )
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    data = (DataPlan("x", "builtin:reviews", limit=200), DataPlan("s", f"suite:{path}"))
    planned = audit_plan((ModelPlan("m", "builtin:sentiment/seed-1"),), data)
    measures, _, kept = made(resolve(planned), 1)
    assert measures["suites"].items is None
    assert any(one.items for one in measures.values()) or kept.left_out
