"""Six studies by the whole command: limits are those of the rule by itself on the same scores.

A run draws items where the rule here has their variance in closed form, so that half-widths agree
to within a few percent and no better.
"""

import csv
import json

import numpy as np
import pytest
from moody_models import rows
from scipy.special import logit, ndtri
from simulated_families import Seen, limits

import scrutiny
from family_rows import family_rows
from scrutiny.stats.intervals.families import recipe_limits, tail_of
from scrutiny.stats.intervals.share_limits import effect_of_few, exact_limits

CHANGES = ("typos", "keyboard", "punctuation", "ocr")
SEEDS = 3
CLOSE = 0.03  # of a half-width: 2,000 draws have a standard deviation that is 1.6 % off
MODEL = "from moody_models import {what}\nclass Model({what}):\n    seed = {seed}\n"


def asked(tmp_path, diagnostic, *, what="Classifier", data=None, items=400, units=None, **params):
    """Finished run of three seeds of a model."""
    for seed in range(1, SEEDS + 1):
        (tmp_path / f"model_{seed}.py").write_text(MODEL.format(what=what, seed=seed))
    with (tmp_path / "data.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label", "story"), *rows(items, units)])
    unit = ",unit=story" if units else ""
    return scrutiny.run(
        diagnostic,
        model=f"python:{tmp_path}/model_{{seed}}.py:Model",
        data=data or f"csv:{tmp_path}/data.csv#text=text,label=label{unit}",
        out=tmp_path / "run",
        **params,
    )


def scores(run, columns=1):
    """What was measured ``(replicate, item, column)``, by role, draw and change.

    An item that a change does not change keeps its original's.
    """
    found, table = {}, run.records().to_arrow().to_pylist()
    seeds, items = (
        {name: place for place, name in enumerate(names)}
        for names in (sorted({row["replicate"] for row in table}), run.items["item"].to_pylist())
    )
    for row in table:
        name = (row["role"], *dict(sorted(json.loads(row["condition"]).items())).values())
        sides = found.setdefault(name, np.full((len(seeds), len(items), columns), np.nan))
        if row["status"] == "ok":
            place = seeds[row["replicate"]], items[row["item"]]
            sides[place] = row["values"][:columns]
    before = next(side for name, side in found.items() if len(name) == 1)
    return {name: np.where(np.isnan(side), before, side) for name, side in found.items()}


def changes(found, draw):
    """Scores after every change, by its name."""
    after = {name[2]: side for name, side in found.items() if name[:2] == ("measured", draw)}
    return [after[name] for name in sorted(after)]


def of_risks(run):
    """Limits of the run's risks, in the order of their names."""
    risks = sorted((f for f in run.findings if f.claim.risk), key=lambda f: f.claim.id)
    return [f.limits[0] for f in risks]


def agree(told, wanted):
    """Whether limits for the recipe lie where the rule has them."""
    assert [one.n_rows for one in told] == [len(told)] * len(told)
    low, high = np.array([one.recipe for one in told]).T
    half = (wanted.high - wanted.low) / 2
    assert np.all(np.abs(low - wanted.low) <= CLOSE * half)
    assert np.all(np.abs(high - wanted.high) <= CLOSE * half)


def of_drops(before, after, sizes):
    """The rule on differences ``(row, replicate, item)`` of right and wrong."""
    drops = before[None] - np.stack(after)
    values, n = drops.mean(axis=2), drops.shape[2]
    flips = [np.maximum(sign * drops, 0).sum(axis=2).mean(axis=1) for sign in (1, -1)]
    step, none = np.full(len(drops), 1 / n), np.zeros(len(drops))
    noise = (drops - values[..., None]) / n
    return limits(Seen(values, noise, np.stack(flips, axis=1), step, sizes, none, none))


@pytest.mark.slow
def test_accuracy(tmp_path):
    run = asked(tmp_path, "performance")
    ((_, scored),) = scores(run).items()
    hits = scored[..., 0]
    n, share, each = hits.shape[1], hits.mean(), logit(hits.mean(axis=1))
    spread = share * (1 - share)
    noise, ones = (hits - hits.mean(axis=1, keepdims=True)) / n, np.ones(n)
    seen = Seen(each[None], noise[None], None, np.array([1 / n]), ones, None, None)
    (items,), (interaction,) = seen.parts
    effect = effect_of_few(items * n / spread, n * min(share, 1 - share), 1.0)
    values = each - each.mean() + logit(share)
    rule = recipe_limits(
        family_rows(values, effect / (n * spread), interaction / spread**2, n * spread)
    )
    spare = (rule.high[0] - rule.low[0]) / 2 / -ndtri(tail_of(1))
    wanted = np.array(exact_limits(share, 1 / (spare**2 * spread), tail=tail_of(1)))
    (level,) = (f for f in run.findings if f.claim.is_headline)
    told = level.limits[0].recipe
    assert told == pytest.approx(wanted, abs=CLOSE * (wanted[1] - wanted[0]) / 2)
    assert told == pytest.approx((level.estimate.low, level.estimate.high))


@pytest.mark.slow
def test_paired_drops(tmp_path):
    run = asked(tmp_path, "robustness", transformations=CHANGES)
    found = {name: side[..., 0] for name, side in scores(run).items()}
    wanted = of_drops(found["baseline",], changes(found, 0), np.ones(400))
    agree(of_risks(run), wanted)


@pytest.mark.slow
def test_clustered_items(tmp_path):
    run = asked(tmp_path, "robustness", transformations=CHANGES, units=80)
    found = {name: side[..., 0] for name, side in scores(run).items()}
    wanted = of_drops(found["baseline",], changes(found, 0), np.full(80, 5.0))
    agree(of_risks(run), wanted)


@pytest.mark.slow
def test_several_draws(tmp_path):
    run = asked(tmp_path, "robustness", transformations=CHANGES[:2], draws=3)
    found = {name: side[..., 0] for name, side in scores(run).items()}
    each = [changes(found, draw) for draw in range(3)]
    means = [np.mean(draws, axis=0) for draws in zip(*each, strict=True)]
    agree(of_risks(run), of_drops(found["baseline",], means, np.ones(400)))


@pytest.mark.slow
def test_entity_f1(tmp_path):
    run = asked(
        tmp_path, "robustness", what="Tagger", data="builtin:entities", transformations=CHANGES
    )
    found = scores(run, columns=3)
    after = np.stack(changes(found, 0))
    (one, own, counted), (two, other, then) = map(of_f1, (found["baseline",][None], after))
    step = 4 / (counted + then).mean(axis=1)
    seen = Seen(one - two, own - other, None, step, np.ones(own.shape[2]), None, None)
    agree(of_risks(run), limits(seen))


@pytest.mark.slow
def test_entity_f1_in_documents(tmp_path):
    sentences = [
        f"# story = {n // 5}\nthen O\nAnn{n} B-person\nsaw O\nBob{n} B-person\n" for n in range(300)
    ]
    (tmp_path / "x.conll").write_text("\n".join(sentences))
    data = f"conll:{tmp_path}/x.conll#unit=story"
    run = asked(tmp_path, "robustness", what="Tagger", data=data, transformations=CHANGES)
    found = scores(run, columns=3)
    after = np.stack(changes(found, 0))
    (one, own, counted), (two, other, then) = map(of_f1, (found["baseline",][None], after))
    step = 4 / (counted + then).mean(axis=1)
    seen = Seen(one - two, own - other, None, step, np.full(60, 5.0), None, None)
    agree(of_risks(run), limits(seen))


def of_f1(counts):
    """F1 ``(row, replicate)``, its derivative by items, and predicted and true ones together."""
    hits, alarms, missed = np.moveaxis(counts, -1, 0)
    each = 2 * hits + alarms + missed
    whole = each.sum(axis=2, keepdims=True)
    value = 2 * hits.sum(axis=2, keepdims=True) / whole
    return value[..., 0], (2 * hits - value * each) / whole, whole[..., 0]
