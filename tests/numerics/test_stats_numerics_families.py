"""Simultaneous intervals of a family on studies simulated item by item: error rates and power.

A rate of .033 is the most that is claimed for a side (.025 is aimed at); the bound of each test
adds 2.33 simulation errors.
"""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats
from simulated_families import Design, old_verdicts, rates, study

from scrutiny.stats.intervals.families import (
    FamilyRows,
    checkpoint_limits,
    floored,
)
from scrutiny.stats.resampling.weights import Units

WORST = 0.033
STUDIES = 250  # 97 % of rules that are wrong in .09 of studies are told
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
    found = {n: rates(Design(loss=loss, items=n), studies=200) for n in (300, 872, 2000)}
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


@pytest.mark.parametrize("rows", [1, 15])
@pytest.mark.parametrize("units", [100, 872])
def test_a_share_near_one_is_between_its_limits(rows, units):
    """Every count there can be is a row: how often a limit is wrong is then a binomial sum.

    Three wrong answers are expected at least; without the three flips .041 would be .09.
    """
    right = np.arange(units + 1)
    share = right[1:-1] / units
    flip = 1 / (units * share * (1 - share))
    whole = floored(flip, flip, is_counted=False)  # on the logit: the variance is the flip itself
    lower, upper = (  # as they are for shares above a half
        checkpoint_limits(
            FamilyRows.of(special.logit(share)[:, None], items, 0.0, 1 / flip), n_rows=rows
        )
        for items in (flip, whole)
    )
    still = FamilyRows.of([[1.0]], floored(0.0, 1 / units), 0.0, units, np.zeros((1, 2)))
    all_right = checkpoint_limits(still, n_rows=rows)
    low = np.array([0.0, *special.expit(lower.low), *all_right.low])
    high = np.array([1.0, *special.expit(upper.high), 1.0])
    for truth in np.linspace(0.6, 1 - 3 / units, 60):
        mass = stats.binom.pmf(right, units, truth)
        assert 1 - (1 - mass[low > truth].sum()) ** rows <= WORST
        assert 1 - (1 - mass[high < truth].sum()) ** rows <= 0.041


def test_the_simulation_makes_the_variances_that_it_says():
    """Units that flip together, against the variance of their means over many studies."""
    design = Design(rows=400, replicates=1, items=600, units=100, uneven=0.5, loss=0.02, churn=0.1)
    seen = study(np.random.default_rng(3), design)
    items, interaction = seen.parts
    assert items.mean() == pytest.approx(seen.values[:, 0].var(), rel=0.2)
    assert not interaction.any()
    assert seen.values.mean() == pytest.approx(0.02, abs=0.003)
    assert 600 / 100 < Units.crowding_of(seen.sizes) < 600 / 40


def test_the_simulated_f1_loses_what_it_says():
    design = Design(rows=300, replicates=1, items=2000, positives=0.2, loss=0.05)
    seen = study(np.random.default_rng(4), design)
    items, _ = seen.parts
    assert seen.values.mean() == pytest.approx(0.05, abs=0.003)
    assert items.mean() == pytest.approx(seen.values[:, 0].var(), rel=0.25)


def test_the_tables_of_the_documentation_are_made(capsys):
    runpy.run_path(str(TOOL))["main"](["--studies", "2", "--only", "seeds", "old"])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    page = (TOOL.parents[1] / "docs" / "verdicts-simulated.md").read_text()
    for line in lines:
        first = line.split("|")[1]
        assert f"\n|{first}|" in page
