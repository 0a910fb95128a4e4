"""Published scores of heads, computed on again: whole runs on an invented file."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kendalltau, mannwhitneyu, wilcoxon

from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.claim import Claim, Component
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan
from scrutiny.core.published import PublishedPlan
from scrutiny.report.formats import FORMATS, render
from scrutiny.report.load import load_view
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve

LAYERS, HEADS, RUNS = 2, 5, 4
GOLD = {"story": 607, "review": 1_301}
KINDS = ("precision", "recall", "f1")
CHECKS = ("items", "seeds", "datasets")


def scores_of(tp, predicted, gold):
    return np.stack([tp / predicted, tp / gold, 2 * tp / (predicted + gold)], axis=-1)


def invented(rng, corpus, *, runs=None, shift=0):
    shape = (LAYERS, HEADS) if runs is None else (runs, LAYERS, HEADS)
    tp = rng.integers(5, 150, shape) + shift
    return scores_of(tp, tp + rng.integers(1, 200, shape), GOLD[corpus])


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(3)
    return {
        f"{corpus}_{tuned}_m": invented(rng, corpus, runs=runs, shift=shift)
        for tuned, runs, shift in (("pretrained", None, 0), ("neg", RUNS, 60), ("control", RUNS, 9))
        for corpus in GOLD
    }


def plan_of(path, **more):
    def source(**options):
        return f"head-scores:{path}#" + ",".join(f"{k}={v}" for k, v in options.items())

    tuned = {"random": ("run",), "base": "m"}
    models = (
        ModelPlan("m", source(model="m", tuned="pretrained")),
        ModelPlan("neg", source(model="m", tuned="neg", run="{run}"), **tuned),
        ModelPlan(
            "task",
            source(model="m", tuned="control", run="{run}"),
            role="control",
            control_of="neg",
            **tuned,
        ),
    )
    data = tuple(DataPlan(corpus, source(corpus=corpus)) for corpus in GOLD)
    measure = MeasurePlan("heads", "attention.stored", ("m", "neg", "task"), tuple(GOLD))
    return Plan(models=models, data=data, measure=(measure,), **more)


@pytest.fixture(scope="module")
def made(tmp_path_factory, scores):
    folder = tmp_path_factory.mktemp("stored")
    np.savez(folder / "s.npz", **scores)
    return plan_of(folder / "s.npz"), folder


@pytest.fixture(scope="module")
def estimates(made):
    plan, folder = made
    return run_plan(resolve(plan), folder / "out").estimates()


def one(estimates, metric, *, reference=None, replicate=None, **where):
    """The estimate of a metric with this identity and no further condition."""
    wanted = {name: where.pop(name) for name in ("subject", "dataset") if name in where}
    found = [
        e
        for e in estimates
        if e.key.metric == f"{metric}@1"
        and (e.key.reference, e.key.replicate) == (reference, replicate)
        and all(getattr(e.key, name) == value for name, value in wanted.items())
        and dict(e.key.condition) == where
    ]
    assert len(found) == 1, [e.key for e in found]
    return found[0]


def of(scores, name):
    """Scores (run, head, 3)."""
    found = scores[name]
    return found.reshape(-1, LAYERS * HEADS, 3)


def by_run(values):
    return {canonical_json({"run": str(k)}): v for k, v in enumerate(values, 1)}


@pytest.mark.parametrize("corpus", GOLD)
@pytest.mark.parametrize("k", range(3))
def test_average_and_best_heads_by_run(estimates, scores, corpus, k):
    runs = of(scores, f"{corpus}_neg_m")
    where = {"subject": "neg", "dataset": corpus}
    average = one(estimates, f"mean_head({KINDS[k]})", **where)
    assert average.by_replicate == pytest.approx(by_run(runs.mean(axis=1)[:, k]))
    best = runs[np.arange(RUNS), runs[..., 2].argmax(axis=1), k]
    found = one(estimates, f"best_head({KINDS[k]})", **where)
    assert found.by_replicate == pytest.approx(by_run(best))
    followed = of(scores, f"{corpus}_pretrained_m")[0, :, 2].argmax()
    found = one(estimates, f"base_best_head({KINDS[k]})", **where)
    assert found.by_replicate == pytest.approx(by_run(runs[:, followed, k]))


def test_every_head_is_there_and_counted_from_1(estimates, scores):
    found = one(estimates, "head(recall)", subject="m", dataset="story", layer=2, head=5)
    assert found.value == pytest.approx(scores["story_pretrained_m"][1, 4, 1])
    heads = [e for e in estimates if "head" in e.key.condition and e.key.subject == "m"]
    assert len(heads) == len(GOLD) * len(KINDS) * LAYERS * HEADS


@pytest.mark.parametrize("k", range(3))
def test_tau_between_corpora_with_scipys_p_run_by_run(estimates, scores, k):
    sides = [of(scores, f"{corpus}_neg_m")[..., k] for corpus in GOLD]
    expected = [kendalltau(a, b) for a, b in zip(*sides, strict=True)]
    where = {"subject": "neg", "dataset": "story+review"}
    found = one(estimates, f"heads_tau({KINDS[k]})", **where)
    assert found.by_replicate == pytest.approx(by_run([t.statistic for t in expected]))
    for name, test in by_run(expected).items():
        row = one(estimates, f"heads_tau_kendall({KINDS[k]})", replicate=name, **where)
        assert (row.value, row.across["tau"]) == pytest.approx((test.pvalue, test.statistic))


@pytest.mark.parametrize("subject", ["neg", "task"])
def test_gains_of_the_family_and_of_the_control_task(estimates, scores, subject):
    base = of(scores, "story_pretrained_m")[0, :, 2]
    runs = of(scores, f"story_{'neg' if subject == 'neg' else 'control'}_m")[..., 2]
    expected = by_run([kendalltau(base, run - base) for run in runs])
    found = one(estimates, "gain_tau(f1)", subject=subject, dataset="story")
    assert found.by_replicate == pytest.approx({n: t.statistic for n, t in expected.items()})
    where = {"subject": subject, "dataset": "story"}
    for name, test in expected.items():
        row = one(estimates, "gain_tau_kendall(f1)", replicate=name, **where)
        assert row.value == pytest.approx(test.pvalue)


@pytest.mark.parametrize("layer", [None, 1, 2])
def test_differences_have_exact_rank_tests(estimates, scores, layer):
    rows = slice(None) if layer is None else slice(layer - 1, layer)
    neg, task = (
        scores[f"story_{tuned}_m"][:, rows, :, 2].reshape(RUNS, -1).mean(axis=1)
        for tuned in ("neg", "control")
    )
    before = scores["story_pretrained_m"][rows, :, 2].mean()
    where = {"subject": "neg", "dataset": "story"} | ({} if layer is None else {"layer": layer})
    found = one(estimates, "mean_head(f1)", reference="task", **where)
    assert found.value == pytest.approx(neg.mean() - task.mean())
    test = mannwhitneyu(neg, task, method="exact")
    assert found.across["rank_sum_p"] == pytest.approx(test.pvalue)
    found = one(estimates, "mean_head(f1)", reference="m", **where)
    assert found.value == pytest.approx(neg.mean() - before)
    assert found.across["signed_rank_p"] == pytest.approx(wilcoxon(neg - before).pvalue)


def test_intervals_are_over_replicates_and_a_single_model_has_none(estimates):
    single = one(estimates, "mean_head(f1)", subject="m", dataset="story")
    several = one(estimates, "mean_head(f1)", subject="neg", dataset="story")
    assert (single.method, single.low, single.reason) == ("no_interval@1", None, "one_unit")
    assert (several.method, several.counts.n) == ("t_over_replicates@1", 1)
    assert several.low < several.value < several.high


def test_a_corpus_without_scores_fails_and_counts_as_such(made, scores):
    _, folder = made
    np.savez(folder / "half.npz", **{n: s for n, s in scores.items() if n != "review_pretrained_m"})
    half = plan_of(folder / "half.npz")
    alone = replace(half.measure[0], models=("m",))
    found = run_plan(resolve(replace(half, measure=(alone,))), folder / "half")
    row = one(found.estimates(), "mean_head(f1)", subject="m", dataset="review")
    assert (row.status, row.counts.failed, row.value) == ("undefined", 1, None)


def test_a_claim_on_one_item_is_undecided_and_every_format_says_so(made, tmp_path):
    plan, _ = made
    names = "heads/neg/story/control/mean_head(f1)", "heads/m/story/best_head(f1)"
    claims = tuple(
        Claim(name, "it is large", "plan", (Component(name, 0.0, "reference"),), checks=CHECKS)
        for name in names
    )
    where = {"subject": "m", "dataset": "story"}
    figure = PublishedPlan("average", "99.9", "heads", "mean_head(f1)", where)
    whole = replace(plan, claim=claims, published=(figure,))
    folder = run_plan(resolve(whole), tmp_path / "out")
    assert {f.verdict for f in folder.findings()} == {"undecided"}
    view = load_view(folder.path)
    for name in set(FORMATS) - {"junit", "sarif", "eee", "eee-samples"}:  # risks or answers alone
        assert "undecided" in render(view, name), name
    assert "says nothing of others" in " ".join(render(view, "text").split())


def test_without_claims_single_heads_are_not_listed_on_a_terminal(made, estimates):
    _, folder = made
    text = render(load_view(folder / "out"), "text")
    assert "head 1" not in text
    assert "more; `--format csv` has them all" in text
    assert max(map(len, text.splitlines())) <= 80
