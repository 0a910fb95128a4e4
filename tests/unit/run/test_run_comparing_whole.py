"""Two runs side by side: real runs, real logs, a live model against itself."""

import json

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from small_runs import family, plan, run
from tool_logs import imported, line, unpacked, write_lines

from scrutiny.core.errors import PlanError
from scrutiny.core.plan import Resampling
from scrutiny.diagnostics.similarity.side_by_side.sides import Noise
from scrutiny.diagnostics.similarity.side_by_side.sides_answers import in_order, told_by
from scrutiny.reliability.assignment import assignments_in
from scrutiny.run.comparing.comparison_results import CompareOptions
from scrutiny.run.comparing.whole_comparison import compare_side_by_side
from scrutiny.run.importing.import_logs import ImportOptions


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Two models of a real log: 220 items, of which one loses 26 and gains 10."""
    base = tmp_path_factory.mktemp("logs")
    found = unpacked("lm_eval", base / "lm") / "scripted"
    many = ImportOptions(resampling=Resampling(draws=3000))  # Holm over 7 asks for small p-values
    return [
        imported("lm-eval", [found / f"acme__{v}"], base / v, options=many) for v in ("v1", "v2")
    ]


@pytest.fixture(scope="module")
def whole(logs):
    return compare_side_by_side(*logs, CompareOptions(margin=0.02))


def level_of(found, dataset="opinions"):
    return next(level for level in found.levels if level.dataset == dataset)


def test_pairing_shows_what_an_unpaired_z_misses(logs, whole):
    level = level_of(whole)
    values = {}
    for folder in logs:
        path = next(iter(folder.manifest["models"]))
        hits = [
            row["values"][0]
            for row in folder.records().to_pylist()
            if row["dataset"] == "opinions" and row["condition"] == '{"metric":"acc"}'
        ]
        values[path] = np.array(hits)
    one, other = values.values()
    # lm-eval's comparison: (acc1 - acc2) / sqrt(stderr1^2 + stderr2^2)
    errors = [v.std(ddof=1) / len(v) ** 0.5 for v in (one, other)]
    z = (one.mean() - other.mean()) / np.hypot(*errors)
    unpaired = 2 * stats.norm.sf(z)
    assert len(one) == 220
    assert unpaired == pytest.approx(0.08, abs=0.005)
    (mcnemar,) = level.flips.tests
    assert mcnemar.p_value == pytest.approx(0.008, abs=0.0005)
    assert level.difference.low > 0  # first minus second, paired
    acc = next(f for f in whole.comparison.findings if "acc)" in f.claim.says)
    assert acc.verdict == "supported"


def test_the_slice_that_changed_leads_and_says_how(whole):
    level = level_of(whole)
    lead = level.shown[0]
    assert (lead.change.name, lead.goes_back_to) == ("negation", "")
    assert (lead.change.n, lead.change.before, lead.change.after) == (40, 1.0, 0.4)
    assert lead.turn[2:] == (12, 24)
    assert {one.item for one in level.disagreements[:20]} <= {
        one.item for one in level.disagreements if one.slices == ("negation",)
    }
    assert len(level.disagreements) == 36


def test_the_outcome_goes_by_the_margin(logs, whole):
    assert level_of(whole).outcome == "regression"
    assert whole.outcome == "regression"
    assert compare_side_by_side(*logs).outcome is None
    back = compare_side_by_side(*logs[::-1], CompareOptions(margin=0.02))
    assert level_of(back).outcome == "no regression"
    assert back.outcome == "undecided"  # 24 sums show nothing
    wide = compare_side_by_side(*logs[::-1], CompareOptions(margin=0.9))
    assert wide.outcome == "no regression"


def test_noise_is_unknown_unless_the_first_was_run_again(logs, whole):
    assert level_of(whole).noise.how == "unknown"
    same = compare_side_by_side(*logs, CompareOptions(baseline_rerun=logs[0]))
    assert level_of(same).noise == Noise("another run", 0.0, n_items=220, n_pairs=1)
    given = Noise("exact", 0.0, 220)
    told = compare_side_by_side(*logs, CompareOptions(noise={"opinions": given}))
    assert level_of(told).noise == given
    others = [one.noise.how for one in told.levels if one.dataset != "opinions"]
    assert set(others) == {"unknown"}  # what is known of one dataset says nothing of another


def test_every_level_has_its_own_part(whole):
    assert [(one.dataset, one.metric) for one in whole.levels] == [
        ("opinions", "accuracy@1"),
        ("sums", "accuracy@1"),
        ("lines", "mean@1"),
    ]
    lines = level_of(whole, "lines")
    assert lines.flips is None
    assert lines.condition == "loglik_per_word"
    assert level_of(whole).detectable == pytest.approx(0.07, abs=0.02)


def test_epochs_are_the_noise_of_an_inspect_log(tmp_path):
    found = unpacked("inspect", tmp_path / "logs")
    one, other = (imported("inspect", [found / f"{v}-eval"], tmp_path / v) for v in ("v1", "v2"))
    level = compare_side_by_side(one, other).levels[0]
    assert level.condition == "match"
    assert (level.noise.how, level.noise.n_pairs) == ("replicates", 1)
    assert level.flips.n_pairs == 2


def test_less_is_better_where_the_log_says_so(tmp_path):
    results = {"model_name": "m", "higher_is_better": {"t": {"loss": False}}, "results": {}}
    folders = []
    for name, more in (("a", 0.0), ("b", 1.0)):
        folder = tmp_path / name
        date = "2026-01-01T00-00-00"
        made = [line(k, metrics=["loss"], loss=k % 7 + more) for k in range(60)]
        write_lines(folder / f"samples_t_{date}.jsonl", made)
        (folder / f"results_{date}.json").write_text(json.dumps(results))
        folders.append(imported("lm-eval", [folder], tmp_path / f"run-{name}"))
    worse = compare_side_by_side(*folders, CompareOptions(margin=0.5))
    assert (worse.levels[0].lower_is_better, worse.outcome) == (True, "regression")
    better = compare_side_by_side(*folders[::-1], CompareOptions(margin=0.5))
    assert better.outcome == "no regression"


def test_scores_that_are_hits_in_one_log_alone_are_means_in_both(tmp_path):
    folders = []
    for name, part in (("a", 1.0), ("b", 0.5)):
        made = [line(k, acc=part if k % 5 == 0 else 1.0) for k in range(40)]
        write_lines(tmp_path / name / "samples_t.jsonl", made)
        folders.append(imported("lm-eval", [tmp_path / name], tmp_path / f"run-{name}"))
    level = compare_side_by_side(*folders).levels[0]
    assert level.metric == "mean@1"
    assert level.overall.value == pytest.approx(-0.1)


def test_other_prompts_of_the_same_items_are_said(tmp_path):
    folders = []
    for name in ("a", "b"):
        made = [line(k, prompt_hash=name * 64) for k in range(5)]
        write_lines(tmp_path / name / "samples_t.jsonl", made)
        folders.append(imported("lm-eval", [tmp_path / name], tmp_path / f"run-{name}"))
    found = compare_side_by_side(*folders).comparison
    assert "prompts: of 5 of the 5 shared items" in found.differences


def test_many_datasets_are_looked_at_together(tmp_path):
    folders = []
    for name in ("a", "b"):
        for task in range(6):
            wrong = 25 if (name, task) == ("b", 4) else 2
            made = [
                line(k, acc=float(k >= wrong), doc_hash=f"{1000 * task + k:064x}")
                for k in range(30 + task)
            ]
            write_lines(tmp_path / name / f"samples_t{task}.jsonl", made)
        folders.append(imported("lm-eval", [tmp_path / name], tmp_path / f"run-{name}"))
    (level,) = compare_side_by_side(*folders, CompareOptions(baseline_rerun=folders[0])).levels
    assert (level.dataset, level.overall.n, level.difference.counts.n) == ("6 datasets", 195, 195)
    assert level.shown[0].change.name == "dataset t4"
    assert level.shown[0].change.n == 34
    assert level.disagreements[0].item.startswith("t4/")
    assert level.noise == Noise("another run", 0.0, n_items=195, n_pairs=1)
    assert level.flips.answers_differ == 0.0
    assert level.difference.value == pytest.approx(23 / 195)


# --- runs of our own ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def families(tmp_path_factory):
    base = tmp_path_factory.mktemp("runs")
    good = plan(family(base, name="good"), seeds=(1, 2, 3, 4))
    poor = plan(family(base, every=2, name="poor"), seeds=(1, 2, 3))
    return [run(one, base / f"run-{k}") for k, one in enumerate((good, poor))]


def test_replicates_of_the_first_are_its_noise(families):
    (level,) = compare_side_by_side(*families, CompareOptions(fewest=5)).levels
    assert (level.noise.how, level.noise.n_pairs, level.noise.n_items) == ("replicates", 6, 40)
    assert level.flips.n_pairs == 3
    assert len(level.flips.tests) == 3
    assert level.overall.before > level.overall.after


def test_a_run_against_itself_is_no_regression_within_a_margin(families):
    found = compare_side_by_side(families[0], families[0], CompareOptions(margin=0.1, fewest=5))
    (level,) = found.levels
    assert (level.flips.share, level.shown, level.overall.p_holm) == (0.0, (), 1.0)
    assert level.disagreements == ()
    assert found.outcome == "no regression"


def test_answers_stand_in_the_order_of_replicates_and_items(families):
    (one,) = assignments_in(families[0].manifest)
    names = ['{"seed":"3"}', '{"seed":"1"}']
    told, items = told_by((families[0], one.subject)), [("x", "i7"), ("x", "i2")]
    found = in_order(told, {("x", "{}")}, items=items, replicates=names)
    said = {
        (row["replicate"], row["item"]): row["answer"] for row in families[0].outputs().to_pylist()
    }
    expected = [[said[name, item] for item in ("i7", "i2")] for name in names]
    assert found.given.tolist() == expected


def test_probabilities_have_zeros_behind_fewer_choices_and_none_where_some_are_missing():
    rows = [
        ("a", "x", "{}", "i1", "yes", [0.25, 0.75]),
        ("a", "x", "{}", "i2", "no", [0.5, 0.25, 0.25]),
        ("a", "x", '{"k":1}', "i2", "other", [1.0]),  # of another condition
        ("a", "y", "{}", "i1", "other", [1.0]),  # of another dataset
        ("b", "x", "{}", "i1", None, None),
        ("b", "x", "{}", "i2", "no", [1.0, 0.0]),
    ]
    names = ["replicate", "dataset", "condition", "item", "answer", "scores"]
    kinds = [*[pa.string()] * 5, pa.list_(pa.float32())]
    schema = pa.schema(list(zip(names, kinds, strict=True)))
    table = pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows], schema)
    items, wanted = [("x", "i2"), ("x", "i1")], {("x", "{}")}
    found = in_order(table, wanted, items=items, replicates=["a"])
    assert found.given.tolist() == [["no", "yes"]]
    assert found.scores.tolist() == [[[0.5, 0.25, 0.25], [0.25, 0.75, 0.0]]]
    both = in_order(table, wanted, items=items, replicates=["a", "b"])
    assert both.given.tolist() == [["no", "yes"], ["no", None]]
    assert both.scores is None
    assert in_order(table[:0], wanted, items=items, replicates=["a"]).given.tolist() == [[None] * 2]


def test_a_margin_needs_a_level_of_single_items(families):
    for folder in families:
        manifest = folder.manifest
        specs = [{**s, "group": "changed"} for s in manifest["specs"]]
        folder.write_manifest({**manifest, "specs": specs})
        try:
            with pytest.raises(PlanError, match="--margin judges the accuracy"):
                compare_side_by_side(folder, folder, CompareOptions(margin=0.1))
        finally:
            folder.write_manifest(manifest)
