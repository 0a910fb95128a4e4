"""Simultaneous intervals of a family on studies simulated item by item: error rates and power.

A rate of .033 is the most that is claimed for a side (.025 is aimed at); the bound of each test
adds 2.33 simulation errors.
"""

import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simulated_families import Design, limits, old_verdicts, rates, study

from scrutiny.stats.intervals.families import _of_checkpoints, checkpoint_limits
from scrutiny.stats.resampling.weights import Units

WORST = 0.033
STUDIES = 160  # 96 % of rules that are wrong in .11 of studies are told
TOOL = Path(__file__).parents[2] / "tools" / "family_errors.py"
TENFOLD = tuple(np.geomspace(0.002, 0.02, 15).tolist())

RECIPE = {
    "alike": Design(),
    "alike, lost": Design(loss=0.02),
    "two rows": Design(rows=2, seed_sd=(0.002, 0.02)),
    "tenfold": Design(loss=0.02, seed_sd=TENFOLD),
    "together": Design(items=2000, seed_sd=0.01, shared=0.9),
    "ten seeds": Design(replicates=10, items=300, loss=0.02),
    "fat tails": Design(seed_sd=0.015, tails=2.0),
    "five draws": Design(draws=5, items=300, loss=0.02),
    "clusters": Design(units=218, loss=0.02),
    "F1": Design(positives=0.3, loss=0.02),
}
CHECKPOINTS = {
    "few flips": Design(items=300, loss=0.01, churn=0.01),
    "three draws": Design(draws=3, loss=0.02),
    "ten clusters of any size": Design(units=10, loss=0.02, likeness=0.1),
    "forty clusters, few flips": Design(units=40, uneven=0.0, loss=0.01, churn=0.01),
    "clusters that flip whole": Design(units=100, uneven=0.0, loss=0.02, likeness=0.9),
    "F1 of half": Design(positives=0.5, loss=0.05),
    "F1 of a tenth": Design(items=200, positives=0.1, loss=0.02, churn=0.01),
}

SKEWED = {
    "alike, 2 % flip": Design(units=80, churn=0.02, loss=0.02, is_skewed=True),
    "alike, 5 % flip": Design(units=80, loss=0.02, is_skewed=True),
    "alike, 10 % flip": Design(units=80, churn=0.1, loss=0.02, is_skewed=True),
    "weakly alike": Design(units=80, likeness=0.3, loss=0.02, is_skewed=True),
    "two rows": Design(units=80, rows=2, loss=0.02, is_skewed=True),
    "rows that flip 1 to 10 %": Design(
        units=80, loss=0.01, churn=tuple(np.geomspace(0.01, 0.1, 15)), is_skewed=True
    ),
}


RATIOS = {
    "of half, 5 % flip": Design(units=80, positives=0.5, loss=0.02),
    "of half, weakly alike": Design(units=80, likeness=0.3, positives=0.5, loss=0.02),
    "of half, 218 documents": Design(units=218, positives=0.5, loss=0.02),
    "of a tenth": Design(items=2000, units=80, positives=0.1, churn=0.1, loss=0.02),
}


def bound(studies):
    return WORST + 2.33 * (WORST * (1 - WORST) / studies) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("design", RECIPE.values(), ids=RECIPE)
def test_a_family_of_a_recipe_is_seldom_wrong_on_either_side(design):
    found = rates(design, studies=STUDIES)
    assert max(found.false_hurts, found.false_holds) <= bound(STUDIES)


@pytest.mark.slow
@pytest.mark.parametrize("replicates", [1, 2])
@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_family_of_checkpoints_is_seldom_wrong_on_either_side(name, replicates):
    design = Design(**{**vars(CHECKPOINTS[name]), "replicates": replicates})
    found = rates(design, studies=STUDIES)
    assert max(found.false_hurts, found.false_holds) <= bound(STUDIES)


@pytest.mark.slow
def test_few_clusters_and_few_seeds_together():
    found = rates(Design(units=30, likeness=0.1, loss=0.02, rows=6), studies=200)
    assert max(found.false_hurts, found.false_holds) <= bound(200)


@pytest.mark.slow
def test_losses_are_found_and_more_items_find_more():
    loss = (0.05, 0.03, 0.02, *(0.0,) * 12)
    found = {n: rates(Design(loss=loss, items=n), studies=100) for n in (300, 872, 2000)}
    hurts, holds = (
        np.array([getattr(found[n], name) for n in found]) for name in ("hurts", "holds")
    )
    assert hurts[1, 0] >= 0.95
    assert hurts[1, 1] >= 0.75
    assert np.all(np.diff(hurts[:, :3], axis=0) >= 0)
    assert holds[2, 3:].mean() >= 0.6


@pytest.mark.slow
def test_more_items_find_nothing_more_by_the_rule_that_was_before():
    rng = np.random.default_rng(0)
    for items in (872, 2000):
        drop, control = Design(loss=0.05, items=items), Design(loss=0.01, items=items)
        told = [
            old_verdicts(rng, study(rng, drop), study(rng, control), margin=0.01) for _ in range(60)
        ]
        assert np.mean(np.array(told) == "supported") <= 0.2
        assert rates(drop, studies=60).hurts.mean() >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize(("chance", "unseen"), [(0.2, 0.8**3), (0.4, 0.6**3)])
def test_three_seeds_do_not_know_of_failures_that_they_have_not_seen(chance, unseen):
    found = rates(Design(fails=(chance, 0.2)), studies=200)
    assert found.false_holds == pytest.approx(unseen, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("replicates", [1, 3])
@pytest.mark.parametrize("name", SKEWED)
def test_difficult_documents_that_a_sample_lacks_make_few_limits_wrong(name, replicates):
    design = Design(**{**vars(SKEWED[name]), "replicates": replicates})
    found = rates(design, studies=STUDIES // 2)
    assert max(found.false_hurts, found.false_holds) <= bound(STUDIES // 2)


@pytest.mark.slow
@pytest.mark.parametrize("is_skewed", [False, True])
@pytest.mark.parametrize("replicates", [1, 3])
@pytest.mark.parametrize("name", RATIOS)
def test_a_lost_f1_in_documents_has_few_wrong_limits(name, replicates, is_skewed):
    design = replace(RATIOS[name], replicates=replicates, is_skewed=is_skewed)
    found = rates(design, studies=STUDIES // 2)
    assert max(found.false_hurts, found.false_holds) <= bound(STUDIES // 2)


@pytest.mark.slow
def test_a_lost_f1_whose_rows_had_an_effect_each_was_wrong_where_documents_are_difficult():
    design = Design(units=80, positives=0.5, loss=0.02, replicates=1, is_skewed=True)
    apart, one = (rates(design, studies=80, by=by) for by in (of_ratios_by_themselves, limits))
    assert one.false_holds < 0.05 < apart.false_holds
    assert apart.half < one.half < 1.25 * apart.half


def of_ratios_by_themselves(seen):
    return checkpoint_limits(replace(seen.rows(), apart=None))


@pytest.mark.slow
def test_a_familys_design_effect_costs_little_width_where_documents_are_alike():
    """Against limits of rows that each have the design effect that they show themselves."""
    design = Design(units=218, loss=0.02, replicates=1)
    one, apart = (rates(design, studies=40, by=by) for by in (limits, of_each_by_itself))
    assert apart.half < one.half < 1.15 * apart.half


def of_each_by_itself(seen):
    return _of_checkpoints(seen.rows(), level=0.95, n_rows=None)


def test_a_sample_without_difficult_documents_has_a_low_loss_and_a_low_variance():
    """Both populations lose two points; a few documents hold most of it in one of them."""
    usual = Design(rows=600, units=80, churn=0.1, loss=0.02, replicates=1)
    alike, hard = (
        study(np.random.default_rng(5), replace(usual, is_skewed=skewed))
        for skewed in (False, True)
    )
    together = [np.corrcoef(one.values[:, 0], one.parts[0])[0, 1] for one in (alike, hard)]
    assert [alike.values.mean(), hard.values.mean()] == pytest.approx([0.02, 0.02], abs=0.002)
    assert abs(together[0]) < 0.2
    assert together[1] > 0.4


def test_the_simulation_makes_the_variances_that_it_says():
    """Units that flip together, against the variance of their means over many studies."""
    design = Design(rows=400, replicates=1, items=600, units=100, uneven=0.5, loss=0.02, churn=0.1)
    seen = study(np.random.default_rng(3), design)
    items, interaction = seen.parts
    assert items.mean() == pytest.approx(seen.values[:, 0].var(), rel=0.2)
    assert not interaction.any()
    assert seen.values.mean() == pytest.approx(0.02, abs=0.003)
    assert 600 / 100 < Units.crowding_of(seen.sizes) < 600 / 40


@pytest.mark.parametrize("is_skewed", [False, True])
def test_the_simulated_f1_loses_what_it_says(is_skewed):
    design = Design(
        rows=300, replicates=1, items=2000, positives=0.2, loss=0.05, is_skewed=is_skewed
    )
    seen = study(np.random.default_rng(4), design)
    items, _ = seen.parts
    assert seen.values.mean() == pytest.approx(0.05, abs=0.003)
    assert items.mean() == pytest.approx(seen.values[:, 0].var(), rel=0.25)


def test_the_computed_table_of_the_documentation_is_what_is_computed():
    shares = runpy.run_path(str(TOOL))["shares"]
    page = (TOOL.parents[1] / "docs" / "verdicts-simulated.md").read_text()
    lines = list(shares(0))
    assert len(lines) == 8
    assert all(f"\n{line}\n" in page for line in lines)


def test_the_tables_of_the_documentation_are_made(capsys):
    tables = "seeds", "power", "skewed", "ratios", "shared"
    runpy.run_path(str(TOOL))["main"](["--studies", "1", "--only", *tables])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    page = (TOOL.parents[1] / "docs" / "verdicts-simulated.md").read_text()
    for line in lines:
        first = line.split("|")[1]
        assert f"\n|{first}|" in page
