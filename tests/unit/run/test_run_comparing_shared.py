"""Shared invariances of two live models: planted losses, ceilings by other runs, refusals."""

import json

import pytest
from small_runs import family, rows, run

from scrutiny.core.plan import DataPlan, ModelPlan, Plan, Resampling
from scrutiny.diagnostics.invariance.kept_answers import PART
from scrutiny.report.load import load_view
from scrutiny.run.comparing.comparison_results import SharedInvariances, Wanted, worst_of
from scrutiny.run.comparing.shared_invariances import DIRECTIONS, read_shared, shared_plan

#: Minds typing errors in "film", which the first model never looks at.
TOUCHY = """
class Model:
    is_batch_invariant = True
    labels = ("negative", "positive")
    def fingerprint(self):
        return "touchy"
    def predict(self, texts):
        return [self.labels[{{"good", "film"}} <= set(text.split())] for text in texts]
"""
CONSTANT = """
class Model:
    is_batch_invariant = True
    labels = ("negative", "positive")
    def fingerprint(self):
        return "constant"
    def predict(self, texts):
        return ["positive" for text in texts]
"""
TYPOS = Wanted(("typo",), margin=0.05)


def model(folder, name, text):
    path = folder / f"{name}.py"
    path.write_text(text.replace("{{", "{").replace("}}", "}"))
    return ModelPlan(name, f"python:{path}:Model")


def plain(folder, name="plain", **more):
    """A model that looks at one word, right or wrong by the letters of the text."""
    source = family(folder, name=name, every=10_000, **more).replace("#seed={seed}", "")
    return ModelPlan(name, source)


def base(*models):
    data = (DataPlan("x", "object:x"),)
    return Plan(models=models, data=data, resampling=Resampling(draws=400))


def shared(models, out, wanted=TYPOS, count=120):
    made = shared_plan(base(*models), wanted)
    return read_shared(run(made, out, data={"x": rows(count)}))


@pytest.fixture(scope="module")
def lost(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lost")
    return shared((plain(folder), model(folder, "touchy", TOUCHY)), folder / "out")


def test_a_planted_loss_is_found_and_the_ceiling_is_one(lost):
    forward, back = lost.kept
    assert (forward.capability, forward.hard.key.subject) == ("typo", "touchy")
    assert lost.judged == (forward,)
    assert (forward.ceiling.value, forward.how) == (1.0, "itself")
    assert forward.hard.value < 0.95
    assert forward.finding.verdict == "not supported"
    assert (SharedInvariances.outcome_of(forward), lost.outcome) == ("regression", "regression")
    # what the second does not mind, the first minds still less: told, and not judged
    assert (back.hard.key.subject, back.reference, back.hard.value) == ("plain", "touchy", 1.0)


def test_control_and_lift_stand_beside(lost):
    forward = lost.kept[0]
    assert forward.random.key.role == "control"
    assert forward.further["scope_lift@1"].value == pytest.approx(
        forward.hard.value - forward.random.value
    )
    assert forward.further["lift of itself"].key.subject == "plain"
    assert "soft_scope@1" not in forward.further or (
        forward.further["soft_scope@1"].value is None  # both give labels alone
    )


def test_a_model_against_itself_loses_nothing(tmp_path):
    one = plain(tmp_path)
    found = shared((one, ModelPlan("again", one.source)), tmp_path / "out")
    assert [k.hard.value for k in found.kept] == [1.0, 1.0]
    assert {k.finding.verdict for k in found.kept} == {"supported"}
    assert found.outcome == "no regression"


def test_a_model_that_always_says_the_same_is_refused(tmp_path):
    found = shared((plain(tmp_path), model(tmp_path, "constant", CONSTANT)), tmp_path / "out")
    forward = found.kept[0]
    assert forward.hard.value == 1.0  # it minds nothing, and shares nothing
    assert forward.finding.verdict == "refused"
    assert found.outcome == "undecided"


# --- families -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def families(tmp_path_factory):
    folder = tmp_path_factory.mktemp("families")
    source = family(folder, every=7)
    models = tuple(ModelPlan(name, source, seeds=(1, 2, 3)) for name in ("a", "b"))
    made = shared_plan(base(*models), TYPOS)
    out = run(made, folder / "out", data={"x": rows(84)})
    return out, read_shared(out)


def test_the_ceiling_of_a_family_are_its_other_runs(families):
    folder, found = families
    forward = found.kept[0]
    assert forward.how == "another run"
    kept = {}
    for row in folder.records().to_pylist():
        is_pair = row["role"] == "measured" and row["values"] is not None
        if (
            is_pair
            and row["reference"] == "a"
            and json.loads(row["condition"]).keys()
            == {
                "capability",
                "amount",
            }
        ):
            _, inv1, inv2 = row["values"][:3]
            assert inv1 == 1.0
            kept.setdefault((row["subject"], row["replicate"]), []).append(inv2)
    expected = {
        f'{{"seed":"{seed}"}}': sum(one) / len(one)
        for seed in (1, 2, 3)
        if (one := kept["a", f'{{"seed":"{seed}"}}'])
    }
    assert dict(forward.ceiling.by_replicate) == pytest.approx(expected)
    assert len(expected) == 3


def test_the_same_family_is_better_than_its_other_runs(families):
    # b is a: run by run it keeps everything, which another run of a does not have to
    forward = families[1].kept[0]
    assert forward.hard.value == 1.0
    assert forward.ceiling.value <= 1.0
    assert sorted(forward.finding.estimate.by_replicate) == [f'{{"seed":"{s}"}}' for s in (1, 2, 3)]
    assert forward.finding.verdict == "supported"
    assert forward.finding.scope == "this recipe"


def test_the_page_of_any_such_run_shows_what_is_kept(families):
    made = PART.make(load_view(families[0].path))
    assert [chart.title for chart in made.charts] == [
        f"Changes that keep the answer of {one}, asked of {other}" for one, other in ("ab", "ba")
    ]
    header = made.charts[0].table.header
    assert header[1:4] == ("keeps the answer", "another run of the reference", "random changes")


# --- the plan -----------------------------------------------------------------------------------


def test_both_ways_are_two_measurements_of_both_models(tmp_path):
    source = family(tmp_path)
    one, other = ModelPlan("one", source, seeds=(1, 2)), plain(tmp_path)
    made = shared_plan(base(one, other), Wanted(("typo", "synonym"), 0.03))
    assert [m.id for m in made.measure] == list(DIRECTIONS)
    assert [m.reference for m in made.measure] == ["one", "plain"]
    assert [m.models for m in made.measure] == [("one", "plain"), ("plain", "one")]
    assert made.measure[0].params["capabilities"] == ["typo", "synonym"]


def test_vectors_are_a_measurement_of_their_own(tmp_path):
    made = shared_plan(base(plain(tmp_path), plain(tmp_path, "b")), Wanted(representations=True))
    assert [m.diagnostic for m in made.measure] == ["similarity.representations@1"]
    assert made.measure[0].reference == "plain"
    assert not Wanted().is_any


def test_the_worst_outcome_counts():
    assert worst_of({"no regression", "undecided"}) == "undecided"
    assert worst_of({"regression", "undecided", None}) == "regression"
    assert worst_of(set()) is None
