"""Agreement beyond chance of two sides, and distances of their probabilities."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from small_runs import family, plan, rows, run
from tool_logs import imported, line, unpacked, write_lines
from two_sides import sides

from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan
from scrutiny.diagnostics.similarity.side_by_side.sides import UNKNOWN, Answers, Noise
from scrutiny.diagnostics.similarity.side_by_side.sides_agreement import agreement_of
from scrutiny.diagnostics.similarity.side_by_side.sides_answers import marked
from scrutiny.models.answers.compared_answers import LabelPair
from scrutiny.run.comparing.comparison_results import CompareOptions
from scrutiny.run.comparing.whole_comparison import compare_side_by_side

DIVERGENCES = ("jsd@1", "tv@1", "kl_ab@1", "kl_ba@1")


def found_of(first, second, gold, *, scores=(None, None), noise=UNKNOWN, choices=(), **more):
    """Rows by measure of labels (replicate, item)."""
    gold = np.array(gold, dtype=object)
    labels = [np.array(side, dtype=object).reshape(-1, gold.size) for side in (first, second)]
    hits = [(side == gold).astype(float) for side in labels]
    both = tuple(
        Answers(side, None if p is None else np.array(p, dtype=float))
        for side, p in zip(labels, scores, strict=True)
    )
    if not isinstance(choices, str):
        seen = tuple(sorted({*gold.tolist(), *labels[0].ravel(), *labels[1].ravel()}))
        choices = tuple(LabelPair(own, own) for own in choices or (seen,) * gold.size)
    two = replace(sides(*hits, **more), answers=both, labels=choices)
    golds = zip(two.examples, gold.tolist(), strict=True)
    two = replace(two, examples=tuple(replace(one, gold=right) for one, right in golds))
    found = agreement_of(two, marked(two), noise)
    return {one.measure: one for one in found.rows}, found


def table(yes_yes, yes_no, no_yes, no_no):
    """Answers of both sides with these counts of each pair."""
    pairs = ["yy"] * yes_yes + ["yn"] * yes_no + ["ny"] * no_yes + ["nn"] * no_no
    return [[pair[side] for pair in pairs] for side in (0, 1)]


def test_a_table_of_two_by_two_by_hand():
    first, second = table(40, 10, 20, 30)
    rows, _ = found_of(first, second, ["y"] * 100)
    values = {name: one.estimate.value for name, one in rows.items() if one.estimate}
    assert values["agreement@1"] == pytest.approx(0.7)
    # .5 * .6 + .5 * .4 = .5 by chance, and (.7 - .5) / (1 - .5) beyond
    assert values["kappa@1"] == pytest.approx(0.4)
    assert values["error_consistency@1"] == pytest.approx(0.4)  # y is right throughout
    assert values["capa_of_labels@1"] == pytest.approx(0.4)
    kappa = rows["kappa@1"].estimate
    assert kappa.low < 0.4 < kappa.high
    assert kappa.low == pytest.approx(0.22, abs=0.05)  # its standard error is about .09
    assert kappa.counts.n == 100
    assert [rows[name].reason for name in DIVERGENCES] == ["no_probabilities"] * 4
    assert rows["jsd@1"].estimate is None


def test_one_side_twice_agrees_wholly():
    rng = np.random.default_rng(0)
    labels, gold = rng.choice(list("abc"), (2, 120))
    p = rng.dirichlet([4, 1, 1], 120)
    p = np.array([np.roll(row, "abc".index(x)) for row, x in zip(p, labels, strict=True)])
    labels = np.array(list("abc"))[p.argmax(axis=1)]
    rows, found = found_of(labels, labels, gold, scores=([p], [p]), noise=Noise("exact", 0.0, 120))
    for name in ("agreement@1", "kappa@1", "error_consistency@1"):
        assert rows[name].estimate.value == pytest.approx(1.0)
        assert rows[name].floor == pytest.approx(1.0)
    for name in DIVERGENCES:
        assert rows[name].estimate.value == pytest.approx(0.0, abs=1e-9)
        assert rows[name].floor == pytest.approx(0.0, abs=1e-9)
    capa = rows["capa@1"]  # an unsure model is not alike itself
    assert capa.estimate.value == pytest.approx(capa.floor)
    assert capa.floor < 0.9
    assert found.floor_of == "exact"
    assert "capa_of_labels@1" not in rows


def test_independent_answers_agree_by_chance_alone():
    inside, values = 0, []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        first, second = rng.choice(list("ab"), (2, 300), p=[0.8, 0.2])
        rows, _ = found_of(first, second, ["a"] * 300, seed=seed)
        kappa = rows["kappa@1"].estimate
        values.append(kappa.value)
        inside += kappa.low <= 0 <= kappa.high
        assert rows["agreement@1"].estimate.value > 0.55  # which alone would look alike
    assert abs(np.mean(values)) < 0.04
    assert inside >= 16


def test_divergences_by_hand():
    p, q = [[[0.5, 0.5], [1.0, 0.0]]], [[[0.25, 0.75], [0.0, 1.0]]]
    rows, _ = found_of(["a", "a"], ["b", "b"], ["a", "b"], scores=(p, q))
    value = {name: rows[name].estimate.value for name in DIVERGENCES}
    assert value["tv@1"] == pytest.approx((0.25 + 1.0) / 2)
    assert value["jsd@1"] == pytest.approx((0.0487949 + 1.0) / 2, abs=1e-6)
    assert value["kl_ab@1"] == pytest.approx((0.1438410 + np.log(1e9)) / 2, rel=1e-6)


def test_capa_by_hand_beside_the_same_answers_twice():
    unsure = [[[0.8, 0.2], [0.8, 0.2], [0.2, 0.8]]]
    gold = ["a", "b", "b"]
    rows, found = found_of(list("aab"), list("aab"), gold, scores=(unsure, unsure))
    # agreement .68, skill .6 each: .6 * .6 + .4 * .4 = .52 by chance
    assert rows["capa@1"].estimate.value == pytest.approx((0.68 - 0.52) / 0.48)
    assert rows["capa@1"].floor == pytest.approx(1 / 3)
    assert found.floor_of == "unknown"
    assert rows["kappa@1"].floor is None  # nothing is known of other runs


def test_replicates_have_an_interval_and_a_floor_of_their_own():
    rng = np.random.default_rng(1)
    gold = rng.choice(list("ab"), 200)

    def like(share, count=3):
        other = np.where(gold == "a", "b", "a")
        return np.where(rng.random((count, 200)) < share, gold, other)

    first, second = like(0.9), like(0.7)
    rows, found = found_of(first, second, gold)
    kappa = rows["kappa@1"]
    assert kappa.estimate.n_replicates == 3
    pairs = [cohen_kappa_score(a, b) for a, b in zip(first, second, strict=True)]
    assert kappa.estimate.value == pytest.approx(np.mean(pairs))
    within = [cohen_kappa_score(first[i], first[k]) for i, k in combinations(range(3), 2)]
    assert kappa.floor == pytest.approx(np.mean(within))
    assert found.floor_of == "replicates"


def test_what_has_no_value_says_so():
    rows, _ = found_of(["a"] * 30, ["a"] * 30, ["a"] * 30)
    for name in ("kappa@1", "error_consistency@1"):
        assert (rows[name].estimate.value, rows[name].reason) == (None, "no_value")
    assert rows["kappa@1"].floor is None


def test_choices_of_different_number_have_no_kappa():
    choices = (("a", "b"), ("a", "b", "c")) * 20
    labels = ["a", "c"] * 20
    other = ["a", "b"] * 10 + labels[20:]
    rows, _ = found_of(labels, other, labels, choices=choices)
    assert rows["kappa@1"].reason == "several_sets"
    assert rows["capa_of_labels@1"].estimate is not None
    free, _ = found_of(labels, other, labels, choices="free_answers")
    assert set(free) == {"agreement@1", "error_consistency@1"}
    unlike, _ = found_of(labels, other, labels, choices="other_choices")
    assert unlike["kappa@1"].reason == unlike["capa_of_labels@1"].reason == "other_choices"


def test_scores_that_are_no_hits_have_no_error_consistency():
    both = Answers(np.array([["a", "b"]], dtype=object), None)
    two = replace(sides([[0.5, 1]], [[0.5, 1]], metric="mean@1"), answers=(both, both))
    two = replace(two, labels=(LabelPair(("a", "b"), ("a", "b")),) * 2)
    found = agreement_of(two, marked(two), UNKNOWN)
    names = [one.measure for one in found.rows]
    assert names == ["agreement@1", "kappa@1", *DIVERGENCES]


# --- runs, logs, live models ----------------------------------------------------------------------


def rows_of(level):
    return {one.measure: one for one in level.agreement.rows}


def test_runs_have_rows_with_the_floor_of_their_seeds(tmp_path):
    good = run(plan(family(tmp_path, name="good"), seeds=(1, 2, 3)), tmp_path / "a")
    poor = run(plan(family(tmp_path, every=3, name="poor"), seeds=(1, 2, 3)), tmp_path / "b")
    (level,) = compare_side_by_side(good, poor).levels
    found = rows_of(level)
    assert level.agreement.floor_of == "replicates"
    assert found["kappa@1"].estimate.value < found["kappa@1"].floor
    assert found["jsd@1"].reason == "no_probabilities"
    differ = level.flips.answers_differ
    assert found["agreement@1"].estimate.value == pytest.approx(1 - differ)
    (same,) = compare_side_by_side(good, good).levels
    assert rows_of(same)["kappa@1"].estimate.value == pytest.approx(1.0)


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    base = tmp_path_factory.mktemp("logs")
    found = unpacked("lm_eval", base / "lm") / "scripted"
    return [imported("lm-eval", [found / f"acme__{v}"], base / v) for v in ("v1", "v2")]


def test_logs_have_probabilities_and_free_answers_have_none(logs):
    choices, sums, lines = compare_side_by_side(*logs).levels
    found = rows_of(choices)
    assert all(one.estimate.value is not None for one in found.values())
    assert found["kappa@1"].estimate.value == pytest.approx(0.671, abs=0.001)
    assert found["capa@1"].floor > found["capa@1"].estimate.value
    assert set(rows_of(sums)) == {"agreement@1", "error_consistency@1"}
    assert rows_of(lines) == {}


def test_another_run_of_the_first_is_the_floor(logs):
    first, second = logs
    level = compare_side_by_side(first, first, CompareOptions(baseline_rerun=second)).levels[0]
    assert level.agreement.floor_of == "another run"
    found = rows_of(level)
    assert found["kappa@1"].estimate.value == pytest.approx(1.0)
    assert found["kappa@1"].floor == pytest.approx(0.671, abs=0.001)


def test_choices_of_different_number_keep_their_probabilities(tmp_path):
    def lines(more):
        for k in range(30):
            given = line(k, acc=float(k % 3 > 0))
            if k % 2:
                given["arguments"]["gen_args_2"] = {
                    **given["arguments"]["gen_args_0"],
                    "arg_1": " fair",
                }
                last = [str(-1.0 - more), "False"]
                given["resps"] = [*given["resps"], [last]]
                given["filtered_resps"] = [*given["filtered_resps"], last]
            yield given

    folders = []
    for name, more in (("a", 0.0), ("b", 0.5)):
        write_lines(tmp_path / name / "samples_t.jsonl", list(lines(more)))
        folders.append(imported("lm-eval", [tmp_path / name], tmp_path / f"run-{name}"))
    found = rows_of(compare_side_by_side(*folders).levels[0])
    assert found["jsd@1"].estimate.value > 0
    assert found["capa@1"].estimate.value is not None
    assert found["kappa@1"].reason == "several_sets"


def test_a_model_that_is_asked_again_has_a_floor(tmp_path):
    made = plan(family(tmp_path).replace("#seed={seed}", ""))
    first, again = run(made, tmp_path / "a"), run(made, tmp_path / "b", data={"x": rows()[:30]})
    (level,) = compare_side_by_side(first, first, CompareOptions(asked_again=again)).levels
    assert level.noise == Noise("asked again", 0.0, n_items=30, n_pairs=1)
    assert level.agreement.floor_of == "asked again"
    found = rows_of(level)
    assert found["kappa@1"].floor == pytest.approx(1.0)
    assert found["error_consistency@1"].floor == pytest.approx(1.0)


def test_a_run_that_kept_no_order_of_its_labels_says_so_in_one_line(tmp_path):
    folder = run(plan(family(tmp_path), seeds=(1,)), tmp_path / "a")
    folder.write_manifest({k: v for k, v in folder.manifest.items() if k != "label_order"})
    (level,) = compare_side_by_side(folder, folder).levels
    told = {one.measure: one.reason for one in level.agreement.rows}
    assert told == {"agreement@1": "", "kappa@1": "no_label_order", "error_consistency@1": ""}


def test_many_tasks_of_a_log_are_one_level_with_the_places_of_their_choices(tmp_path):
    folders = []
    for name, every in (("a", 7), ("b", 5)):
        for task in "uvwxy":
            made = [
                line(k, acc=float(k % every > 0), doc_hash=f"{task}{k:063x}") for k in range(12)
            ]
            write_lines(tmp_path / name / f"samples_{task}.jsonl", made)
        folders.append(imported("lm-eval", [tmp_path / name], tmp_path / f"run-{name}"))
    (level,) = compare_side_by_side(*folders, CompareOptions(baseline_rerun=folders[0])).levels
    assert level.dataset == "5 datasets"
    found = rows_of(level)
    assert found["agreement@1"].estimate.counts.n == 60
    assert found["kappa@1"].reason == "no_value"  # all say "good"
    assert found["jsd@1"].estimate.value == pytest.approx(0.0, abs=1e-9)
    # wrong at 0 and 7, and at 0, 5 and 10, of 12: (.75 - 2 / 3) / (1 - 2 / 3)
    assert found["error_consistency@1"].estimate.value == pytest.approx(0.25)
    assert found["error_consistency@1"].floor == pytest.approx(1.0)


def test_labels_of_many_datasets_of_a_run_are_not_one_set(tmp_path):
    names = tuple("uvwxy")
    models = (ModelPlan("m", family(tmp_path), seeds=(1, 2)),)
    made = plan(
        models=models,
        data=tuple(DataPlan(name, f"object:{name}") for name in names),
        measure=(MeasurePlan("d", "performance", ("m",), names),),
    )
    data = {name: rows(12 * number)[-12:] for number, name in enumerate(names, 1)}
    first = run(made, tmp_path / "out", data=data)
    (level,) = compare_side_by_side(first, first).levels
    found = rows_of(level)
    assert found["error_consistency@1"].estimate.value == pytest.approx(1.0)
    assert found["kappa@1"].reason == found["jsd@1"].reason == "several_datasets"


SURE = """
class Model:
    labels = {labels!r}
    is_batch_invariant = True
    def predict(self, texts):
        return [[self.sure("good" in t.split(), name) for name in self.labels] for t in texts]
    def sure(self, is_good, name):
        return 0.9 if is_good == (name == "positive") else 0.1
"""


def test_probabilities_are_brought_into_one_order_of_the_labels(tmp_path):
    folders = []
    for name, labels in (("a", ("negative", "positive")), ("b", ("positive", "negative"))):
        (tmp_path / f"{name}.py").write_text(SURE.format(labels=labels))
        made = plan(f"python:{tmp_path}/{name}.py:Model")
        folders.append(run(made, tmp_path / f"run-{name}"))
    assert folders[1].manifest["label_order"] == {"m on x": ["positive", "negative"]}
    (level,) = compare_side_by_side(*folders).levels
    found = rows_of(level)
    assert found["jsd@1"].estimate.value == pytest.approx(0.0, abs=1e-9)
    assert found["capa@1"].estimate.value == pytest.approx(found["capa@1"].floor)
    assert level.disagreements == ()
