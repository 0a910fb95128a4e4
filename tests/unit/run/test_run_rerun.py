"""A live model beside a run folder: it is asked what the run asked, or it is said why not."""

import pytest
from small_runs import family, plan, rows, run

from scrutiny.core.errors import PlanError
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan
from scrutiny.diagnostics.similarity.side_by_side.sides import Noise
from scrutiny.diagnostics.similarity.side_by_side.sides_answers import promised_noise
from scrutiny.run.comparing.whole_comparison import compare_side_by_side
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.reusing import plan_of_run
from scrutiny.store.sealed_manifests import located


@pytest.fixture
def data(tmp_path):
    lines = ["id,text,label", *(f"{r['id']},{r['text']},{r['label']}" for r in rows(60))]
    (tmp_path / "x.csv").write_text("\n".join(lines))
    return DataPlan("x", f"csv:{tmp_path}/x.csv#text=text,label=label,id=id", limit=40)


@pytest.fixture
def kept(tmp_path, data):
    made = plan(family(tmp_path, name="first"), seeds=(1,), data=(data,), seed=7)
    return run_plan(resolve(made), tmp_path / "kept")


def live(tmp_path, **more):
    source = family(tmp_path, name="second", **more).replace("{seed}", "2")
    return ModelPlan("second", source)


def test_the_model_is_asked_what_the_run_asked(tmp_path, kept):
    made = plan_of_run(kept, live(tmp_path))
    assert (made.seed, made.resampling.draws, made.data[0].limit) == (7, 400, 40)
    assert made.measure[0].models == ("second",)
    other = run_plan(resolve(made), tmp_path / "live")
    found = compare_side_by_side(kept, other)
    assert found.comparison.n_shared == {"x": 40}
    assert found.comparison.differences == ()
    assert (found.levels[0].subject, found.levels[0].reference) == ("m", "second")


def test_the_same_model_again_says_nothing(tmp_path, kept):
    source = located(kept.manifest["models"]["m"]["replicates"][0]["source"], kept.path)
    other = run_plan(resolve(plan_of_run(kept, ModelPlan("again", source))), tmp_path / "again")
    (level,) = compare_side_by_side(kept, other).levels
    assert (level.flips.share, level.disagreements) == (0.0, ())


def test_data_that_moved_is_named(tmp_path, kept):
    moved = DataPlan("y", "csv:elsewhere.csv#text=text,label=label,id=id")
    made = plan_of_run(kept, live(tmp_path), data=[moved])
    assert (made.data[0].name, made.data[0].source) == ("x", moved.source)
    with pytest.raises(PlanError, match="measured on 1 datasets"):
        plan_of_run(kept, live(tmp_path), data=[moved, moved])


def test_diagnostics_can_be_chosen(tmp_path, kept):
    assert plan_of_run(kept, live(tmp_path), only=["performance@1"]).measure[0].id == "d"
    with pytest.raises(PlanError, match="has nothing by robustness@1 that looks at one model"):
        plan_of_run(kept, live(tmp_path), only=["robustness@1"])


def test_what_was_handed_over_cannot_be_read_again(tmp_path):
    folder = run(plan(family(tmp_path), seeds=(1,)), tmp_path / "out")
    with pytest.raises(PlanError, match="as an object in Python, which cannot be read again"):
        plan_of_run(folder, live(tmp_path))


def test_runs_of_several_models_do_not_say_which(tmp_path, data):
    models = tuple(ModelPlan(n, live(tmp_path, shift=k).source) for k, n in enumerate("ab"))
    measure = MeasurePlan("d", "performance", ("a", "b"), ("x",))
    made = plan(models=models, measure=(measure,), data=(data,))
    folder = run_plan(resolve(made), tmp_path / "two")
    with pytest.raises(PlanError, match=r"measured 2 models \(a, b\)"):
        plan_of_run(folder, live(tmp_path))


def test_logs_cannot_be_asked_again(tmp_path, kept):
    kept.write_manifest({**kept.manifest, "imported": {"tool": "lm-eval"}})
    with pytest.raises(PlanError, match="is a log of another tool"):
        plan_of_run(kept, live(tmp_path))


def test_a_run_of_exact_answers_has_no_noise(kept):
    assert list(promised_noise(kept).values()) == [Noise("exact", 0.0, n_items=40)]
    kept.write_manifest({**kept.manifest, "promise": "floats agree to 1e-6"})
    assert promised_noise(kept) == {}
