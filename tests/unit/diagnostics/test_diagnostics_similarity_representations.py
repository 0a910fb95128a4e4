"""Two models' vectors end to end: copies, turned copies, unrelated ones, jackknife, baselines."""

import json
from dataclasses import replace

import numpy as np
import pytest
from design_inputs import inputs_of
from toy_encoders import ToyEncoder, rows, run, values

from scrutiny.core.errors import PlanError, RunIncompleteError, UserError
from scrutiny.core.example import Example
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.registry import registry
from scrutiny.diagnostics.similarity.likeness_measures import (
    CLAIMED,
    MEASURES,
    RepresentationsParams,
    comparisons,
    layer_pairs,
    poolings_of,
)
from scrutiny.diagnostics.similarity.representations import SimilarityRepresentations
from scrutiny.diagnostics.similarity.vector_likeness import (
    LeavingOut,
    compared_items,
    left_out_groups,
    likeness,
    passage_of,
    similarities_of,
    similarity_units,
)
from scrutiny.run.comparing.comparison_results import Wanted
from scrutiny.run.comparing.shared_invariances import read_shared, shared_plan
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.representations.cka import debiased_cka
from scrutiny.stats.representations.two_representations import grouped_jackknife
from scrutiny.stats.resampling.weights import Units
from scrutiny.store.run_folder import RunFolder
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_diagnostic

TASK = registry().load("task", "passages")()
ALIKE = tuple(name for name in MEASURES if name != "procrustes_distance")
BOTH = frozenset({"representations"})
CAUSAL = BOTH | {"token_logprobs"}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    models = {
        "a": ToyEncoder(),
        "copy": ToyEncoder(),
        "turned": ToyEncoder(turn=3, scale=5.0),
        "blurred": ToyEncoder(noise=0.3, seed=1),
        "unrelated": ToyEncoder(meaning=1),
        "untrained": ToyEncoder(meaning=2, noise=0.2),
    }
    out = tmp_path_factory.mktemp("vectors") / "out"
    return run(out, models, roles=[("untrained", "null")], draws=1000)


def test_it_keeps_the_promises_of_a_diagnostic():
    texts = tuple(Example(f"i{n}", {"text": f"text {n}"}) for n in range(30))
    check_diagnostic(
        SimilarityRepresentations(), examples=texts, task=TASK, model=ToyEncoder(noise=0.1)
    )


@pytest.mark.parametrize("subject", ["a", "copy"])
def test_identical_models_are_alike_by_every_measure(found, subject):
    own = values(found, subject)
    for name in ALIKE:
        assert own[name].value == pytest.approx(1.0), name
        assert own[name].low > 0.97  # the floor of 80 items
    assert own["procrustes_distance"].value == pytest.approx(0.0, abs=1e-6)


def test_a_turned_and_scaled_copy_is_alike_where_it_should_be(found):
    turned = values(found, "turned")
    for name in ("debiased_cka", "linear_cka", "minibatch_cka", "mean_cca", "svcca"):
        assert turned[name].value == pytest.approx(1.0, abs=1e-5), name
    assert turned["procrustes_distance"].value == pytest.approx(0.0, abs=1e-3)
    assert turned["rsa"].value < 0.99  # correlation distances change when features are turned


def test_unrelated_vectors_are_what_exchanged_items_give(found):
    far, near = values(found, "unrelated"), values(found, "blurred")
    for name in ("debiased_cka", "minibatch_cka", "rsa"):
        assert far[name].low < 0 < far[name].high, name
    for name in ("linear_cka", "mean_cca", "neighbor_jaccard"):
        assert far[name].value > 0.03  # biased upward, which the excess takes off
        excess = far[f"beyond({name})"]
        assert abs(excess.value) < 0.1
        assert near[f"beyond({name})"].low > 0.1, name
    assert near["debiased_cka"].value > 0.7


def test_the_claim_is_beyond_untrained_networks_by_three_kinds_of_measure(found):
    by_subject = {f.claim.id.split("/")[1]: f for f in found.findings()}
    assert set(by_subject) == {"copy", "turned", "blurred", "unrelated"}
    claim = by_subject["blurred"].claim
    assert [c.estimate.rpartition("/x/")[2] for c in claim.components] == [
        f"untrained/{name}/mean/last" for name in CLAIMED
    ]
    assert [c.against for c in claim.components] == [
        "control: untrained networks",
        "choice: measure rsa",
        "choice: measure neighbor_jaccard",
    ]
    assert by_subject["blurred"].verdict == "supported"
    assert by_subject["unrelated"].verdict == "not supported"
    assert by_subject["blurred"].control is not None


def test_untrained_networks_are_measured_by_what_claims_need(found):
    records = [r for r in found.records().to_pylist() if r["subject"] == "untrained"]
    conditions = {json.loads(r["condition"])["measure"] for r in records}
    assert conditions == set(CLAIMED)
    estimates = [e for e in found.estimates() if e.key.subject == "untrained"]
    assert {e.key.metric for e in estimates} == {f"likeness({name})@1" for name in CLAIMED}


def test_layers_stand_beside_layers_of_the_same_depth(tmp_path):
    models = {"a": ToyEncoder(n_layers=4, noise=0.2), "b": ToyEncoder(noise=0.2, seed=1)}
    folder = run(tmp_path / "out", models, measures=["debiased_cka"])
    places = [
        (e.key.condition["layer"], e.key.condition.get("reference_layer"))
        for e in folder.estimates()
        if e.key.subject == "b" and e.key.metric == "likeness(debiased_cka)@1"
    ]
    assert places == [("last", None), (0, 0), (1, 2)]
    by_layer = [values(folder, "b", layer=layer)["debiased_cka"].value for layer in (0, 1, "last")]
    assert by_layer == sorted(by_layer)  # lower layers are blurred more


def test_all_layers_make_a_grid_of_one_measure(tmp_path):
    models = {"a": ToyEncoder(noise=0.1), "b": ToyEncoder(noise=0.1, seed=1)}
    folder = run(tmp_path / "out", models, layers="all", measures=["debiased_cka", "rsa"])
    grid = [
        (e.key.condition["reference_layer"], e.key.condition["layer"])
        for e in folder.estimates()
        if e.key.subject == "b"
        and e.key.metric == "likeness(debiased_cka)@1"
        and e.key.condition["layer"] != "last"
    ]
    assert sorted(grid) == [(i, j) for i in range(3) for j in range(3)]


def test_records_hold_the_likeness_and_influences_with_mean_0(tmp_path):
    a, b = ToyEncoder(noise=0.2), ToyEncoder(noise=0.2, seed=1)
    folder = run(tmp_path / "out", {"a": a, "b": b}, layers="last", measures=["debiased_cka"])
    mine = [r for r in folder.records().to_pylist() if r["subject"] == "b"]
    table = np.array([r["values"] for r in mine])
    texts = [row["text"] for row in rows()]
    X, Y = (np.array([m.vector(t, 2, "mean") for t in texts], np.float32) for m in (a, b))
    assert table[:, 0] == pytest.approx(debiased_cka(X, Y), abs=1e-6)
    assert table[:, 1].mean() == pytest.approx(0.0, abs=1e-12)
    assert np.ptp(table[:, 2]) == 0.0
    estimate = values(folder, "b")["debiased_cka"]
    assert estimate.value == pytest.approx(table[0, 0])
    groups = np.unique(table[:, 1].round(9))
    assert groups.size == 20
    assert json.loads(mine[0]["condition"]) == {
        "layer": "last",
        "measure": "debiased_cka",
        "pooling": "mean",
    }


def test_items_without_vectors_are_left_out_and_counted(tmp_path):
    without = ("text number 3", "text number 9")
    models = {"a": ToyEncoder(), "b": ToyEncoder(noise=0.1, without=without)}
    folder = run(tmp_path / "out", models, layers="last", measures=["rsa"])
    counts = values(folder, "b")["rsa"].counts
    assert (counts.n, counts.undefined, counts.planned) == (78, 2, 80)


def test_a_model_that_gives_up_fails_everywhere(tmp_path):
    models = {"a": ToyEncoder(), "b": ToyEncoder(breaks=True)}
    with pytest.raises(RunIncompleteError, match=r"all 80 rows failed \(80 out_of_memory\)"):
        run(tmp_path / "out", models, layers="last", measures=["rsa"])
    kept = RunFolder(tmp_path / "out").records().to_pylist()
    mine = [r for r in kept if r["subject"] == "b"]
    assert {(r["status"], r["reason"]) for r in mine} == {("failed", "out_of_memory")}


def test_more_items_than_asked_for_are_not_drawn(tmp_path):
    models = {"a": ToyEncoder(), "b": ToyEncoder(noise=0.1)}
    folder = run(tmp_path / "out", models, layers="last", measures=["rsa"], most_items=30)
    counts = values(folder, "b")["rsa"].counts
    assert (counts.n, counts.skipped) == (30, 50)
    assert models["b"].asked == [(30, ("mean",), (2,))]
    both = [
        {
            r["item"]
            for r in folder.records().to_pylist()
            if (r["subject"], r["status"]) == (n, "ok")
        }
        for n in "ab"
    ]
    assert both[0] == both[1]


def test_too_few_items_for_a_measure_are_no_value(tmp_path):
    models = {"a": ToyEncoder(), "b": ToyEncoder(noise=0.1)}
    folder = run(tmp_path / "out", models, rows(11), layers="last", neighbors=10)
    own = values(folder, "b")
    assert own["neighbor_jaccard"].status == "undefined"
    assert own["debiased_cka"].status == "ok"
    few = run(tmp_path / "few", models, rows(8), layers="last")
    reasons = {r["reason"] for r in few.records().to_pylist()}
    assert reasons == {"no_likeness"}


# -- the jackknife ---------------------------------------------------------------------------------


def two(count=120, noise=0.5, seed=0):
    g = np.random.default_rng(seed)
    X = g.standard_normal((count, 5))
    return X, X @ g.standard_normal((5, 5)) + noise * g.standard_normal((count, 5)), g


def test_resampled_influences_have_the_interval_of_the_grouped_jackknife():
    X, Y, g = two()
    units = np.arange(len(X))
    group = left_out_groups(units, 20, np.random.default_rng(7))
    found = likeness(X, Y, debiased_cka, LeavingOut(group, units, ()))
    theirs = grouped_jackknife(X, Y, debiased_cka, rng=np.random.default_rng(7))
    draws = found.value + found.influence[g.integers(0, 120, (20_000, 120))].mean(axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    assert found.value == theirs.point
    assert (high - low) / (theirs.high - theirs.low) == pytest.approx(1.0, abs=0.05)


def test_clusters_are_left_out_whole_and_widen_the_interval():
    X, Y, g = two(60)
    X, Y = np.repeat(X, 4, axis=0), np.repeat(Y, 4, axis=0)  # four copies are one unit
    unit = np.repeat(np.arange(60), 4)
    group = left_out_groups(unit, 20, np.random.default_rng(7))
    assert all(np.unique(group[unit == u]).size == 1 for u in range(60))
    found = likeness(X, Y, debiased_cka, LeavingOut(group, unit, ()))
    by_unit = found.influence.reshape(60, 4).mean(axis=1)
    draws = found.value + by_unit[g.integers(0, 60, (20_000, 60))].mean(axis=1)
    theirs = grouped_jackknife(
        X, Y, debiased_cka, rng=np.random.default_rng(7), units=Units.of(240, unit)
    )
    width = np.ptp(np.quantile(draws, [0.025, 0.975]))
    assert width / (theirs.high - theirs.low) == pytest.approx(1.0, abs=0.05)


def test_one_group_cannot_be_left_out():
    X, Y, _ = two(12)
    nothing = np.zeros(12, dtype=np.int64)
    with pytest.raises(StatisticsError, match="one group"):
        likeness(X, Y, debiased_cka, LeavingOut(nothing, nothing, ()))


def test_exchanged_items_are_the_mean_over_the_orders():
    X, Y, g = two()
    orders = tuple(g.permutation(120) for _ in range(3))
    units = np.arange(120)
    found = likeness(X, Y, debiased_cka, LeavingOut(units % 20, units, orders))
    assert found.exchanged == pytest.approx(np.mean([debiased_cka(X, Y[o]) for o in orders]))


# -- parameters and design -------------------------------------------------------------------------


def test_poolings_follow_the_direction_of_reading():
    params = RepresentationsParams()
    assert poolings_of(params, BOTH, BOTH) == ("mean", "cls")
    assert poolings_of(params, CAUSAL, CAUSAL) == ("mean", "last")
    assert poolings_of(params, BOTH, CAUSAL) == ("mean",)
    assert poolings_of(replace(params, poolings=("last",)), BOTH, BOTH) == ("last",)


def test_layers_of_unknown_depth_are_the_last_ones():
    assert [p.condition for p in layer_pairs("all", 0, 4)] == [{"layer": "last"}]


def test_lower_layers_have_the_measures_of_the_claim_only():
    made = comparisons(RepresentationsParams(), ("mean",), reference=2, target=2)
    assert [c.measure for c in made if c.layers.is_last] == list(MEASURES)
    assert [c.measure for c in made if not c.layers.is_last] == list(CLAIMED) * 2
    assert len({c.name for c in made}) == len(made)


def test_units_are_the_first_column_of_several_values_or_the_one_named():
    attributes = [{"u_one": "x", "u_document": f"d{n // 2}", "a_b": n} for n in range(6)]
    items = [Example(f"i{n}", {"text": "x"}, attributes=a) for n, a in enumerate(attributes)]
    assert similarity_units(items, "").tolist() == [0, 0, 1, 1, 2, 2]
    assert similarity_units(items, "a_b").tolist() == list(range(6))
    with pytest.raises(PlanError, match="'u_story' is no column"):
        similarity_units(items, "u_story")
    kept = compared_items(np.repeat(np.arange(10), 3), 10, np.random.default_rng(0))
    assert kept.reshape(10, 3).all(axis=1).sum() == 3


def test_minibatches_of_one_batch_are_the_whole():
    X, Y, _ = two(50)
    found = similarities_of(RepresentationsParams(batch=64))
    assert found["minibatch_cka"](X, Y) == pytest.approx(found["debiased_cka"](X, Y))
    small = similarities_of(RepresentationsParams(batch=10))["minibatch_cka"](X, Y)
    assert small != found["debiased_cka"](X, Y)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"poolings": ("men",)}, "mean"),
        ({"poolings": ("word",)}, "no target word"),
        ({"layers": "first"}, "choice of layers"),
        ({"measures": ("debiased",)}, "debiased_cka"),
        ({"measures": ()}, "at least one"),
        ({"groups": 2}, "groups must be at least 5"),
        ({"margin": 1.0}, "between 0 and 1"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(wrong, said):
    with pytest.raises(UserError, match=said):
        RepresentationsParams(**wrong)


def design_of(**more):
    known = {"subject": "b", "reference": "a", "capabilities": BOTH, "reference_capabilities": BOTH}
    inputs = inputs_of(TASK, **{**known, **more})
    return SimilarityRepresentations().design(RepresentationsParams(), inputs)


def test_without_untrained_networks_the_claim_is_beyond_exchanged_items():
    (claim,) = design_of().claims
    assert "more similar than permuted items" in claim.says
    assert {c.estimate.partition("/")[0] for c in claim.components} == {"excess"}
    assert [c.against for c in claim.components][-1] == "choice: measure neighbor_jaccard, cls"
    assert len({c.against for c in claim.components}) == len(claim.components)
    (claim,) = design_of(controls=frozenset({"null"})).claims
    assert {c.estimate.partition("/")[0] for c in claim.components} == {"untrained"}
    assert design_of(subject="a").claims == ()
    assert design_of(subject="a").contrasts == ()


def test_the_notes_say_never_alone():
    notes = " ".join(design_of().notes)
    assert "Do not read one measure alone" in notes
    assert "Davari" in notes


# -- real networks ---------------------------------------------------------------------------------


def test_seeds_of_checkpoints_stand_beside_each_other_and_beside_untrained_ones(tmp_path):
    pytest.importorskip("torch")
    from tiny_checkpoint import make_checkpoint

    for seed in (1, 2, 3):
        make_checkpoint(tmp_path / f"seed-{seed}", head=None, seed=seed)
    words = "a film was good bad dull fine story and not very it".split()
    g = np.random.default_rng(0)
    data = [{"id": f"i{n}", "text": " ".join(g.choice(words, size=6).tolist())} for n in range(40)]
    plan = Plan(
        resampling=Resampling(draws=200),
        data=(DataPlan("x", "object:x", "passages"),),
        models=(ModelPlan("a", f"hf:{tmp_path}/seed-{{seed}}"),),
        measure=(
            MeasurePlan(
                "s",
                "similarity.representations",
                ("a",),
                ("x",),
                {"layers": "last", "measures": ["debiased_cka"], "poolings": ["mean", "cls"]},
                reference="a",
                nulls=2,
            ),
        ),
    )
    folder = run_plan(resolve(plan, data={"x": data}), tmp_path / "out")
    own = [e for e in folder.estimates() if e.key.subject == "a"]
    assert {e.key.condition["pooling"] for e in own} == {"mean", "cls"}
    assert all(e.n_replicates == 3 and e.value < 0.999 for e in own)
    null = [e for e in folder.estimates() if e.key.role == "null"]
    assert [e.n_replicates for e in null] == [2, 2]


WORDS = "a film was good bad dull fine story and not very it".split()


def labeled(count=40, *, fields=("text",)):
    g = np.random.default_rng(0)
    return [
        {
            "id": f"i{n}",
            **{name: " ".join(g.choice(WORDS, size=6).tolist()) for name in fields},
            "label": ("neg", "pos")[n % 2],
        }
        for n in range(count)
    ]


@pytest.fixture(scope="module")
def classifiers(tmp_path_factory):
    pytest.importorskip("torch")
    from tiny_checkpoint import make_checkpoint

    folder = tmp_path_factory.mktemp("classifiers")
    for seed in (1, 2, 3):
        make_checkpoint(folder / f"seed-{seed}", labels=("neg", "pos"), seed=seed)
    return folder


@pytest.mark.parametrize("fields", [("text",), ("text", "text_pair")])
def test_classifiers_are_compared_on_the_data_that_they_classify(classifiers, tmp_path, fields):
    task = "text-classification" if len(fields) == 1 else "text-pair-classification"
    plan = Plan(
        resampling=Resampling(draws=200),
        data=(DataPlan("x", "object:x", task),),
        models=(ModelPlan("a", f"hf:{classifiers}/seed-{{seed}}"),),
        measure=(
            MeasurePlan(
                "s",
                "similarity.representations",
                ("a",),
                ("x",),
                {"layers": "same", "measures": ["debiased_cka"], "poolings": ["mean"]},
                reference="a",
                nulls=1,
            ),
        ),
    )
    resolved = resolve(plan, data={"x": labeled(fields=fields)})
    folder = run_plan(resolved, tmp_path / "out")
    own = [e for e in folder.estimates() if e.key.subject == "a"]
    layers = {e.key.condition["layer"] for e in own}
    assert layers == {"last", 0, 1}
    assert all(e.counts.n == 40 and e.value < 0.999 for e in own)


def test_a_pair_is_read_as_a_pair_and_not_as_one_text(classifiers):

    from scrutiny.core.queries.language import Passage
    from scrutiny.models.answers.language_answers import answered_vectors
    from scrutiny.models.strings.model_loading import load_model

    task = load_task("text-pair-classification")
    model = load_model(f"hf:{classifiers}/seed-1", task)
    items = [Example("0", {"text": "a good film", "text_pair": "it was fine"})]
    passages = [passage_of(item) for item in items]
    found = answered_vectors(model, passages, layers=[2], poolings=("mean",)).of(2, "mean")
    (joined,) = model.representations(
        [Passage("a good film it was fine")], poolings=["mean"], layers=[2]
    )
    assert np.abs(found[0] - joined[0, 0]).max() > 0.01


def test_compare_reads_both_models_and_untrained_networks(classifiers, tmp_path):
    models = tuple(ModelPlan(n, f"hf:{classifiers}/seed-{s}") for n, s in (("a", 1), ("b", 2)))
    data, wanted = (DataPlan("x", "object:x"),), Wanted(representations=True)
    plan = Plan(resampling=Resampling(draws=200), data=data, models=models)
    resolved = resolve(shared_plan(plan, wanted), data={"x": labeled()})
    found = read_shared(run_plan(resolved, tmp_path / "out"))
    assert (found.kept, found.outcome) == ((), None)
    assert {row.measure for row in found.likened} == set(CLAIMED)
    for row in found.likened:
        assert (row.value.key.subject, row.own.key.subject) == ("b", "a")
        assert row.own.value == pytest.approx(1.0)
        assert row.untrained.key.role == "null"
    assert found.findings
