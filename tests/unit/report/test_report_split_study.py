"""Ranks over splits: reorderings, McNemar's test with its corrections, the plan and its page."""

import tomllib

import numpy as np
import pytest

from scrutiny.cli import main
from scrutiny.data.splits.study import study_plan, system_of
from scrutiny.report.load import load_view
from scrutiny.report.sections.split_study import (
    PART,
    OnSplit,
    _pairs,
    _ranks,
    pair_over_splits,
    results_by_split,
)
from scrutiny.stats.intervals.interval import wilson
from scrutiny.stats.significance.exact_tests import mcnemar, mcnemar_mid_p


def of_hits(hits):
    return OnSplit(float(np.mean(hits)), np.asarray(hits, dtype=float))


def pair(gained, lost, n=100):
    """Two systems of which the first alone is right on some items, the second on others."""
    one = np.r_[np.ones(gained), np.zeros(lost), np.ones(n - gained - lost)]
    other = np.r_[np.zeros(gained), np.ones(lost), np.ones(n - gained - lost)]
    return of_hits(one), of_hits(other)


def test_mid_p_and_wilsons_interval_are_those_of_the_worked_examples():
    assert mcnemar_mid_p([1, 5], [8, 10]).round(7).tolist() == [0.0390625, 1.0]
    assert mcnemar(1, 7, method="exact").p_value == pytest.approx(0.0703125)
    for right, of, limits in ((90, 100, (0.8256344, 0.9447709)), (125764, 129654, None)):
        found = wilson(right, of)
        assert (found.low, found.high) == pytest.approx(limits or (0.9690574, 0.9709147), abs=4e-6)


def test_reorderings_and_significant_splits_are_counted_with_their_corrections():
    # p of 12 to 0 is .0002 (below .05 / 4), of 9 to 1 is .012 (below it, too), of 8 to 1 is .022
    results = [pair(12, 0), pair(9, 1), pair(8, 1), pair(1, 3)]
    p = mcnemar_mid_p([12, 9, 8, 1], [12, 10, 9, 4])
    assert (p[1] < 0.05 / 4, p[2] < 0.05 / 4) == (True, False)
    found = pair_over_splits("a", "b", results)
    assert (found.n_splits, found.reordered) == (4, 1)
    assert found.significant == 2
    assert found.by_holm == 3  # the third is held against .05 / 2
    # a system that is behind by as much shows another order, not this one
    turned = pair_over_splits("b", "a", [(other, one) for one, other in results])
    assert (turned.significant, turned.by_holm, turned.reordered) == (0, 0, 3)


def test_items_that_are_no_right_or_wrong_are_tested_by_flips_alone():
    rng = np.random.default_rng(0)
    scores = rng.random(40) * 0.5
    found = pair_over_splits("a", "b", [(OnSplit(0.5, scores + 0.3), OnSplit(0.3, scores))])
    assert (found.significant, found.by_holm, found.by_items) == (None, None, 1)
    one, other = pair(12, 0)
    one.items[:2] = np.nan  # not answered: in no test
    missing = pair_over_splits("a", "b", [(one, other)])
    assert (missing.significant, missing.by_items) == (1, 1)
    same = pair_over_splits("a", "b", [pair(0, 0)])
    assert (same.significant, same.by_items, same.reordered) == (0, 0, 0)


def test_systems_without_a_shared_answer_are_in_no_test():
    one, other = pair(3, 0, n=4)
    one.items[:2] = other.items[2:] = np.nan
    none = pair_over_splits("a", "b", [(one, other)])
    assert (none.n_splits, none.significant, none.by_items, none.reordered) == (0, None, 0, 0)
    assert pair_over_splits("a", "b", [(one, other), pair(12, 0)]).significant == 1
    splits = {"split-1": {"a": one, "b": other}}
    assert _pairs(splits, ["a", "b"], ["split-1"]).table.rows == (("a > b", *"–––––", "0"),)
    standard = {"split-0": splits["split-1"], "split-1": dict(zip("ab", pair(12, 0), strict=True))}
    assert _pairs(standard, ["a", "b"], ["split-1"]).table.rows[0][1:3] == ("–", "1")


def test_a_study_without_a_standard_split_speaks_of_none():
    splits = {f"split-{n}": dict(zip("ab", pair(12, 0), strict=True)) for n in (1, 2)}
    charts = [make(splits, ["a", "b"], [*splits]) for make in (_ranks, _pairs)]
    assert charts[0].caption.startswith("2 splits; the ranks")
    assert charts[1].caption.startswith("Splits that show the order of the means, by")
    assert [chart.table.rows[0][1] for chart in charts] == ["–", "–"]


def test_equal_systems_are_told_apart_in_few_studies():
    rng = np.random.default_rng(0)
    false = 0
    for _ in range(60):
        results = [
            (of_hits(rng.random(150) < 0.8), of_hits(rng.random(150) < 0.8)) for _ in range(5)
        ]
        p = mcnemar_mid_p(
            [int((a.items > b.items).sum()) for a, b in results],
            [int((a.items != b.items).sum()) for a, b in results],
        )
        false += bool((p < 0.05 / 5).any())
    assert false / 60 <= 0.1  # .05 with its chance


def test_the_plan_trains_every_system_on_every_split():
    splits = [{"train": f"tsv:{i}/a.tsv", "test": f'tsv:{i}/"b".tsv'} for i in range(2)]
    plan = tomllib.loads(study_plan(splits, ["linear", "recurrent"], seed=3))
    assert [one["name"] for one in plan["train"]][:2] == [
        "linear-on-split-0",
        "recurrent-on-split-0",
    ]
    assert plan["data"]["split-1"]["source"] == 'tsv:1/"b".tsv'
    assert plan["measure"][1]["models"] == ["linear-on-split-1", "recurrent-on-split-1"]
    assert system_of("my-on-x-on-split-1", "split-1") == "my-on-x"
    assert system_of("linear", "split-1") == system_of("linear-on-split-2", "split-1") == ""


def test_a_study_runs_from_a_file_to_its_page(tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [
        f"{('good', 'bad')[i % 2]} {' '.join(rng.choice(list('abcde'), 3))}" for i in range(120)
    ]
    lines = [f"{text}\t{('pos', 'neg')[i % 2]}" for i, text in enumerate(rows)]
    (tmp_path / "x.tsv").write_text("\n".join(["text\tlabel", *lines]) + "\n")
    out = tmp_path / "study"
    command = ["split", f"tsv:{tmp_path}/x.tsv", "--study", "linear", "--times", "2"]
    with pytest.raises(SystemExit) as left:
        main([*command, "--test", "0.3", "--out", str(out)])
    assert left.value.code == 0
    assert f"scrutiny run {out}/study.toml" in capsys.readouterr().out
    plan = (out / "study.toml").read_text()
    for i in range(3):  # a second system, which learns next to nothing
        node = plan[plan.index(f'[[train]]\nname = "linear-on-split-{i}"') :].split("\n\n")[0]
        other = node.replace('"linear-on', '"weak-on') + "\nparams = { strength = 0.0001 }"
        plan = plan.replace(node, f"{node}\n\n{other}")
        plan = plan.replace(
            f'["linear-on-split-{i}"]', f'["linear-on-split-{i}", "weak-on-split-{i}"]'
        )
    (out / "study.toml").write_text(plan + "\n[resampling]\ndraws = 100\n")
    with pytest.raises(SystemExit) as left:
        main(["run", str(out / "study.toml"), "--out", str(out / "run")])
    assert left.value.code == 0
    view = load_view(out / "run")
    results = results_by_split(view)
    assert set(results) == {"split-0", "split-1", "split-2"}
    for e in view.estimates:
        if e.key.metric == "accuracy@1" and e.key.replicate is None:
            name = e.key.subject.partition("-on-")[0]
            assert results[e.key.dataset][name].score == pytest.approx(e.value)
    ranks, pairs = PART.make(view).charts
    assert {row[0] for row in ranks.table.rows} == {"linear", "weak"}
    assert pairs.table.rows[0][-1] == "2"
    assert "Ranks over splits" in capsys.readouterr().out
