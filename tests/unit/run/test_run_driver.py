"""Whole runs on toy families: estimates, contrasts, claims, statuses, folders."""

import json
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from small_runs import MODEL, family, plan, rows, run

from scrutiny.core.claim import Claim, Component
from scrutiny.core.errors import ConformanceError, PlanError
from scrutiny.core.plan import DataPlan, EstimatePlan, MeasurePlan, ModelPlan, Resampling
from scrutiny.core.registry import registry
from scrutiny.diagnostics.performance.performance import Performance
from scrutiny.run.asking.answer_store import forgetful_store
from scrutiny.run.executing.context import RunContext
from scrutiny.run.package_versions import environment
from scrutiny.testing import FlakyClassifier, KeywordClassifier

EVERY = 11


def answer(text, seed, *, every=EVERY, shift=0):
    """What the toy model says, worked out apart from it."""
    is_odd = (sum(map(ord, text)) * 7 + seed + shift) % every == 0
    return ("good" in text.split()) != is_odd


def accuracy(seed, **more):
    return np.mean([answer(r["text"], seed, **more) == (r["label"] == "positive") for r in rows()])


def estimates(folder, metric="accuracy@1", **key):
    return [
        e
        for e in folder.estimates()
        if e.key.metric == metric and all(getattr(e.key, k) == v for k, v in key.items())
    ]


def test_a_run_computes_what_the_toy_family_gets_right(tmp_path):
    folder = run(plan(family(tmp_path), seeds=(1, 2, 3)), tmp_path / "out")
    found = estimates(folder)[0]
    assert found.by_replicate == {f'{{"seed":"{s}"}}': accuracy(s) for s in (1, 2, 3)}
    assert found.value == pytest.approx(np.mean([accuracy(s) for s in (1, 2, 3)]))
    assert found.counts.n == found.counts.planned == 40
    finding = folder.findings()[0]
    assert (finding.verdict, finding.scope) == ("supported", "this recipe")
    manifest = folder.manifest
    assert manifest["status"] == "done"
    assert manifest["models"]["m"]["replicates"][0]["random"] == {"seed": "1"}
    assert manifest["environment"]["numpy"] == np.__version__


def test_items_variants_records_and_outputs_stand_in_plan_order(tmp_path):
    folder = run(plan(family(tmp_path), seeds=(2, 1)), tmp_path / "out")
    assert folder.items()["item"].to_pylist() == [f"i{n}" for n in range(40)]
    records = folder.records()
    replicates = list(dict.fromkeys(records["replicate"].to_pylist()))
    assert records["item"].to_pylist() == [f"i{n}" for n in range(40)] * 2
    outputs = folder.outputs().to_pylist()
    assert len(outputs) == 80
    assert outputs[0]["replicate"] == replicates[0]
    assert {o["condition"] for o in outputs} == {"{}"}


@pytest.mark.parametrize(("diagnostic", "shards"), [("performance", 0), ("robustness", 1)])
def test_variants_are_prepared_where_a_diagnostic_changes_texts(tmp_path, diagnostic, shards):
    made = plan(family(tmp_path), seeds=(1, 2), diagnostic=diagnostic)
    folder = run(made, tmp_path / "out", data={"x": rows(4)})
    tasks = folder.table("timings")["task"].to_pylist()
    assert [task.partition("/")[0] for task in tasks] == ["prepare"] * shards + ["measure"] * 2
    assert bool(folder.variants().num_rows) == bool(shards)


def test_each_replicate_gets_a_row(tmp_path):
    made = plan(family(tmp_path), seeds=(1, 2, 3))
    made = replace(made, resampling=Resampling(draws=400, replicates="each"))
    found = estimates(run(made, tmp_path / "out"))
    assert [e.key.replicate for e in found] == [None, *(f'{{"seed":"{s}"}}' for s in (1, 2, 3))]
    assert [e.value for e in found[1:]] == [accuracy(s) for s in (1, 2, 3)]


@pytest.mark.parametrize("method", ["multi-bootstrap", "items"])
def test_other_methods_reach_the_table(tmp_path, method):
    made = plan(family(tmp_path), seeds=(1, 2, 3))
    folder = run(replace(made, resampling=Resampling(draws=400, method=method)), tmp_path / "out")
    assert estimates(folder)[0].method == f"{method}@1"
    assert folder.findings()[0].scope == (
        "these checkpoints" if method == "items" else "this recipe"
    )


def contrasted(tmp_path, **estimate):
    """Two families, the second worse; their contrast, and a claim on it."""
    good = ModelPlan("good", family(tmp_path, name="good"), seeds=(1, 2, 3, 4))
    poor = ModelPlan("poor", family(tmp_path, every=3, name="poor"), seeds=(1, 2, 3), role="null")
    sides = {"a": {"subject": "good"}, "b": {"subject": "poor"}}
    own = EstimatePlan("gain", "d", "accuracy", contrast=sides, **estimate)
    claim = Claim("better", "good is better", "plan", (Component("gain", 0.05),))
    return plan(
        models=(good, poor),
        measure=(MeasurePlan("d", "performance", ("good", "poor"), ("x",)),),
        estimate=(own,),
        claim=(claim,),
    )


def test_a_contrast_of_two_families_with_a_claim_on_it(tmp_path):
    folder = run(contrasted(tmp_path), tmp_path / "out")
    found = estimates(folder, role="contrast")[0]
    good = np.mean([accuracy(s) for s in (1, 2, 3, 4)])
    poor = np.mean([accuracy(s, every=3) for s in (1, 2, 3)])
    assert found.value == pytest.approx(good - poor)
    assert (found.key.subject, found.key.reference) == ("good", "poor")
    assert (found.method, found.n_replicates) == ("crossed_unpaired@1", 3)
    finding = next(f for f in folder.findings() if f.claim.id == "better")
    assert finding.estimate == found
    assert finding.verdict == ("supported" if found.low > 0.05 else "undecided")
    assert [c.outcome for c in finding.checks if c.name == "seeds"] != ["not run"]


def test_declared_pairs_must_be_as_many(tmp_path):
    with pytest.raises(PlanError, match="good has 4 replicates and poor has 3"):
        run(contrasted(tmp_path, paired=True), tmp_path / "out")


def steps(tmp_path, seeds=(1, 2, 3)):
    """A family in two conditions; the later step is better."""
    for seed in seeds:
        for step, every in ((10, 3), (20, 11)):
            if (seed, step) == (9, 20):
                continue
            place = tmp_path / f"seed-{seed}"
            place.mkdir(exist_ok=True)
            text = MODEL.format(every=every, shift=seed)
            (place / f"step-{step}.py").write_text(text)
    source = f"python:{tmp_path}/seed-{{seed}}/step-{{step}}.py:Model"
    return ModelPlan("m", source, random=("seed",))


def test_two_conditions_of_one_family_are_paired(tmp_path):
    sides = {"a": {"step": 20}, "b": {"step": 10}}
    own = EstimatePlan("later", "d", "accuracy@1", contrast=sides)
    folder = run(plan(models=(steps(tmp_path),), estimate=(own,)), tmp_path / "out")
    found = estimates(folder, role="contrast")[0]
    assert found.key.condition == {"step": "20 - 10"}
    wanted = [accuracy(0, shift=s) - accuracy(0, every=3, shift=s) for s in (1, 2, 3)]
    assert list(found.by_replicate.values()) == pytest.approx(wanted)
    assert found.method == "crossed@1"
    levels = estimates(folder, role="measured")
    assert [dict(e.key.condition) for e in levels] == [{"step": "10"}, {"step": "20"}]
    outputs = folder.outputs().to_pylist()
    assert len(outputs) == 2 * 3 * 40  # no answer of one step hides another's


def test_a_seed_that_lacks_a_condition_leaves_the_others_alone(tmp_path):
    folder = run(plan(models=(steps(tmp_path, seeds=(1, 2, 3, 9)),)), tmp_path / "out")
    found = {e.key.condition["step"]: e for e in estimates(folder)}
    assert (found["10"].n_replicates, found["20"].n_replicates) == (4, 3)
    assert found["20"].counts.n == 40


def test_sides_that_are_not_single_are_refused_before_the_first_query(tmp_path):
    own = EstimatePlan("later", "d", "accuracy", contrast={"a": {"step": 20}, "b": {}})
    with pytest.raises(PlanError, match="side b fits more than one estimate of 'x'"):
        run(plan(models=(steps(tmp_path),), estimate=(own,)), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_model_that_fails_on_an_item_gives_a_failed_row_and_the_run_goes_on(tmp_path):
    model = FlakyClassifier({"i3"})
    folder = run(plan("python:object:F"), tmp_path / "out", models={"m": model})
    failed = [r for r in folder.records().to_pylist() if r["status"] == "failed"]
    assert [(r["item"], r["reason"], r["values"]) for r in failed] == [("i3", "model_error", None)]
    assert estimates(folder)[0].counts.failed == 1
    assert folder.findings()[0].verdict == "supported"
    assert len(folder.outputs()) == 39


def test_more_than_five_percent_failed_leaves_a_claim_undecided(tmp_path):
    model = FlakyClassifier({f"i{n}" for n in range(12)})
    claims = tuple(
        Claim(name, name, "plan", (Component("level", limit),))
        for name, limit in (("high", 0.75), ("close", 0.6), ("fair", 0.5))
    )
    made = plan("python:object:F", claim=claims)
    folder = run(made, tmp_path / "out", models={"m": model})
    found = {f.claim.id: f for f in folder.findings()}
    assert found["high"].estimate.value == 1.0
    assert found["high"].verdict == "undecided"
    assert "30.0 % of the rows are missing" in found["high"].reason
    assert found["close"].verdict == "undecided"  # 28 of 40 is .70, give or take .07
    assert found["fair"].verdict == "supported"  # even if all twelve had been wrong


def test_items_without_gold_are_skipped(tmp_path):
    class Golden(KeywordClassifier):
        pass

    data = [{k: v for k, v in r.items() if k != "label"} for r in rows(6)]
    folder = run(
        plan("python:object:G"), tmp_path / "out", data={"x": data}, models={"m": Golden()}
    )
    assert {r["reason"] for r in folder.records().to_pylist()} == {"no_gold"}
    found = estimates(folder)[0]
    assert (found.status, found.reason, found.counts.skipped) == ("undefined", "no_items", 6)
    assert folder.findings()[0].verdict == "undecided"


def test_two_objects_of_one_class_do_not_share_answers(tmp_path):
    models = {"m": FlakyClassifier(()), "w": FlakyClassifier((), inner=KeywordClassifier(("bad",)))}
    both = (ModelPlan("m", "python:object:F"), ModelPlan("w", "python:object:F"))
    made = plan(models=both, measure=(MeasurePlan("d", "performance", ("m", "w"), ("x",)),))
    folder = run(made, tmp_path / "out", models=models, cache=tmp_path / "cache.sqlite")
    found = {e.key.subject: e.value for e in estimates(folder)}
    assert found["m"] == 1.0
    assert found["w"] < 0.7


class KeepsArrays(Performance):
    """Performance that keeps an array beside its rows."""

    id = "keeps_arrays@1"

    def measure(self, params, cell, batch, ctx):
        ctx.array("lengths", np.array([len(e.text) for e in batch.examples]))
        yield from super().measure(params, cell, batch, ctx)


class GivesTooMuch(Performance):
    """Performance that breaks its contract."""

    id = "gives_too_much@1"

    def measure(self, params, cell, batch, ctx):
        for row in super().measure(params, cell, batch, ctx):
            yield row._replace(values=(*row.values, 1.0))


@pytest.fixture
def own_diagnostics(monkeypatch):
    from scrutiny.core.registry import Registration, build
    from scrutiny.registrations import REGISTRATIONS

    own = [
        Registration("diagnostic", kind.id, f"{__name__}:{kind.__name__}")
        for kind in (KeepsArrays, GivesTooMuch)
    ]
    made = build([("scrutiny", REGISTRATIONS), ("tests", own)])
    for name in (
        "planning.beside_seeds",
        "planning.measurements",
        "planning.presuppositions",
        "manifest",
    ):
        monkeypatch.setattr(import_module(f"scrutiny.run.{name}"), "registry", lambda: made)


@pytest.mark.usefixtures("own_diagnostics")
def test_arrays_are_kept_beside_the_records(tmp_path):
    made = plan("python:object:K", diagnostic="keeps_arrays")
    folder = run(made, tmp_path / "out", models={"m": KeywordClassifier()})
    found = folder.array("measure/d/x/0/m/0/lengths")
    assert found.tolist() == [len(r["text"]) for r in rows()]


@pytest.mark.usefixtures("own_diagnostics")
def test_arrays_stay_in_the_folder_whatever_data_and_measurements_are_called(tmp_path):
    name = "../../../../x.tsv"
    measure = (MeasurePlan("../../up", "keeps_arrays", ("m",), (name,)),)
    made = plan("python:object:K", measure=measure, data=(DataPlan(name, "object:x"),))
    place = tmp_path / "a" / "b" / "out"
    folder = run(made, place, data={name: rows(4)}, models={"m": KeywordClassifier()})
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["b"]
    assert [p.name for p in (tmp_path / "a" / "b").iterdir()] == ["out"]
    assert len(folder.array(f"measure/../../up/{name}/0/m/0/lengths")) == 4


@pytest.mark.usefixtures("own_diagnostics")
def test_a_broken_contract_stops_the_run(tmp_path):
    made = plan("python:object:K", diagnostic="gives_too_much")
    with pytest.raises(ConformanceError, match="gave 4 values, it declares 3"):
        run(made, tmp_path / "out", models={"m": KeywordClassifier()})


def test_arrays_have_plain_names_and_hold_numbers():
    context = RunContext(task=None, seed=0, store=forgetful_store())
    with pytest.raises(ConformanceError, match="plain name"):
        context.array("../out", np.zeros(1))
    with pytest.raises(ConformanceError, match="holds object"):
        context.array("x", np.array([object()]))


def test_another_plan_in_the_same_folder_is_refused_and_leaves_it_as_it_was(tmp_path):
    model = {"m": KeywordClassifier()}
    run(plan("python:object:K"), tmp_path / "out", models=model)
    before = (tmp_path / "out" / "manifest.json").read_bytes()
    with pytest.raises(PlanError, match="run of another plan"):
        run(plan("python:object:K", seed=1), tmp_path / "out", models=model)
    assert (tmp_path / "out" / "manifest.json").read_bytes() == before
    (tmp_path / "file").write_text("x")
    with pytest.raises(PlanError, match="is a file; give a folder"):
        run(plan("python:object:K"), tmp_path / "file", models=model)


def test_estimates_may_be_redone_without_asking_again(tmp_path):
    made, model = plan("python:object:F"), FlakyClassifier(())
    run(made, tmp_path / "out", models={"m": model})
    asked = len(model.calls)
    again = replace(made, resampling=Resampling(draws=300, level=0.8))
    folder = run(again, tmp_path / "out", models={"m": model})
    assert len(model.calls) == asked
    assert estimates(folder)[0].level == 0.8


def test_a_family_that_lost_a_claim_is_post_hoc(tmp_path):
    def claims(*names):
        return tuple(Claim(n, n, "plan", (Component("level", 0.5),), family="f") for n in names)

    made, model = plan("python:object:K"), {"m": KeywordClassifier()}
    run(replace(made, claim=claims("a", "b")), tmp_path / "out", models=model)
    folder = run(replace(made, claim=claims("a")), tmp_path / "out", models=model)
    marks = {f.claim.id: f.claim.post_hoc for f in folder.findings()}
    assert marks == {"d/m/x/skill": False, "a": True}
    folder = run(replace(made, claim=claims("a", "b")), tmp_path / "out", models=model)
    assert not any(f.claim.post_hoc for f in folder.findings())


def test_the_manifest_holds_the_plan_and_what_was_computed(tmp_path):
    folder = run(plan("python:object:K"), tmp_path / "out", models={"m": KeywordClassifier()})
    manifest = folder.manifest
    assert manifest["plan"]["measure"][0]["diagnostic"] == "performance"
    assert manifest["specs"][0]["id"] == "d/m/x/level"
    assert manifest["promise"] == "records are byte-identical"
    assert manifest["data"]["x"]["items"] == 40
    assert "by equal names" in manifest["labels"]["m on x"]
    json.dumps(manifest)


def test_the_environment_names_versions():
    found = environment()
    assert found["python"].count(".") == 2
    assert {"numpy", "scipy", "pyarrow", "platform"} <= set(found)
    assert registry().names("diagnostic")


class SaysOddThings(KeywordClassifier):
    """A model whose message holds what UTF-8 has no word for, and much of it."""

    def predict(self, examples):
        if any(e.id == "i3" for e in examples):
            raise ValueError("odd \udc80" + "x" * 100_000)
        return super().predict(examples)


def test_odd_messages_of_a_model_are_kept_as_text(tmp_path):
    folder = run(plan("python:object:S"), tmp_path / "out", models={"m": SaysOddThings()})
    ((said,),) = folder.table("timings")["failures"].to_pylist()
    assert said.startswith(r"ValueError: odd \udc80xxx")
    assert len(said) < 3_000
    assert estimates(folder)[0].counts.failed == 1


@pytest.mark.parametrize("seed", [-1, 2**63, 2**200], ids=["-1", "63", "200"])
def test_seeds_out_of_range_are_refused(tmp_path, seed):
    with pytest.raises(PlanError, match=r"seed .*is a whole number from 0 to"):
        run(plan("python:object:K", seed=seed), tmp_path / "out", models={"m": KeywordClassifier()})
    run(plan("python:object:K", seed=2**63 - 1), tmp_path / "a", models={"m": KeywordClassifier()})


@pytest.mark.parametrize("out", ["file/x", "file/deep/er"])
def test_a_folder_inside_of_a_file_is_refused(tmp_path, out):
    (tmp_path / "file").touch()
    with pytest.raises(PlanError, match="is a file, and a run needs a folder"):
        run(plan("python:object:K"), tmp_path / out, models={"m": KeywordClassifier()})


def test_what_a_kill_left_half_written_is_removed_at_the_next_start(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".records.parquet.1.tmp").touch()
    folder = run(plan("python:object:K"), tmp_path / "out", models={"m": KeywordClassifier()})
    assert not list(folder.path.rglob("*.tmp"))


def test_a_run_whose_journal_was_removed_is_not_replaced_by_another(tmp_path):
    out = tmp_path / "out"
    made = plan(family(tmp_path), seeds=(1,))
    before = run(made, out).findings()
    (out / "journal.sqlite").unlink()
    with pytest.raises(PlanError, match="holds a run of another plan"):
        run(replace(made, seed=made.seed + 1), out)
    assert run(made, out).findings() == before


def test_tables_of_others_are_not_overwritten(tmp_path):
    out = tmp_path / "mine"
    out.mkdir()
    (out / "items.parquet").write_bytes(b"mine")
    with pytest.raises(PlanError, match=r"holds no run, but a file 'items\.parquet'"):
        run(plan(family(tmp_path), seeds=(1,)), out)
    assert (out / "items.parquet").read_bytes() == b"mine"
