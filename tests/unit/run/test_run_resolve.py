"""A plan looked up: names, units, roles, claims, and what is refused before the first query."""

from dataclasses import replace

import pytest
from small_runs import family, plan, rows

from scrutiny.core.claim import Claim, Component
from scrutiny.core.errors import ModelError, PlanError, UnknownNameError
from scrutiny.core.plan import DataPlan, EstimatePlan, MeasurePlan, ModelPlan, TrainPlan
from scrutiny.reliability.assignment import from_json
from scrutiny.run.planning.measurements import make_params
from scrutiny.run.planning.resolve import resolve
from scrutiny.testing import KeywordClassifier

MODELS = {"m": KeywordClassifier()}


def resolved(made=None, *, data=None, models=None):
    known = {"x": rows(12)} if data is None else data
    return resolve(made or plan("object:m"), data=known, models=models or MODELS)


@pytest.fixture
def object_plan():
    return plan("python:object:KeywordClassifier")


def look(made, **more):
    return resolved(made, **more)


def claim(estimate, **more):
    return Claim("c", "says", "plan", (Component(estimate, 0.1),), **more)


def test_designs_get_names_that_are_unique_in_the_plan(object_plan):
    found = look(object_plan)
    assert [a.id for a in found.assignments] == ["d/m/x/level"]
    assert [c.id for c in found.claims] == ["d/m/x/skill"]
    assert found.claims[0].components[0].estimate == "d/m/x/level"


def test_a_training_node_has_to_be_trained_before(object_plan):
    node = TrainPlan("control", "m", "t", "x")
    with pytest.raises(PlanError, match="trains 'control', which has to be done before"):
        look(replace(object_plan, train=(node,)))
    trained = replace(object_plan.models[0], name="control")
    made = replace(object_plan, train=(node,), models=(*object_plan.models, trained))
    assert look(made, models={"m": MODELS["m"], "control": MODELS["m"]}).plan.train == (node,)


def test_a_plan_that_measures_nothing_is_refused(object_plan):
    with pytest.raises(PlanError, match="measures nothing"):
        look(replace(object_plan, measure=()))
    nobody = (MeasurePlan("d", "performance", (), ("x",)),)
    with pytest.raises(PlanError, match="measure 'd' has no models"):
        look(replace(object_plan, measure=nobody))


@pytest.mark.parametrize("what", ["measure", "models", "data", "claim", "estimate"])
def test_names_are_unique(object_plan, what):
    estimate = EstimatePlan("e", "d", "accuracy@1")
    made = replace(object_plan, claim=(claim("level"),), estimate=(estimate,))
    twice = replace(made, **{what: getattr(made, what) * 2})
    with pytest.raises(PlanError, match=f"{what} .* occurs twice"):
        look(twice)


def test_what_is_not_in_the_plan_is_named(object_plan):
    other = (MeasurePlan("d", "performance", ("gone",), ("x",)),)
    with pytest.raises(PlanError, match="no model in the plan named 'gone'"):
        look(replace(object_plan, measure=other))
    wrong = (MeasurePlan("d", "performanse", ("m",), ("x",)),)
    with pytest.raises(UnknownNameError, match="Did you mean 'performance@1'"):
        look(replace(object_plan, measure=wrong))


def test_parameters_have_near_names(object_plan):
    wrong = (MeasurePlan("d", "robustness", ("m",), ("x",), {"draw": 2}),)
    with pytest.raises(PlanError, match=r"measure 'd': There is no parameter .*'draws'"):
        look(replace(object_plan, measure=wrong))
    with pytest.raises(PlanError, match="draws must be at least 1"):
        look(
            replace(
                object_plan, measure=(MeasurePlan("d", "robustness", ("m",), ("x",), {"draws": 0}),)
            )
        )
    with pytest.raises(PlanError, match="must be a dataclass"):
        make_params(dict, {}, where="here")


def test_a_diagnostic_that_does_not_apply_is_refused(object_plan):
    wrong = (MeasurePlan("d", "leakage", ("m",), ("x",)),)
    with pytest.raises(PlanError, match="leakage@1 needs a model with training_hashes"):
        look(replace(object_plan, measure=wrong))


@pytest.mark.parametrize("name", ["level", "x/level", "m/x/level", "d/m/x/level"])
def test_a_claim_names_an_estimate_in_full_or_by_its_end(object_plan, name):
    found = look(replace(object_plan, claim=(claim(name),)))
    assert found.claims[-1].components[0].estimate == "d/m/x/level"


def test_a_claim_on_an_unknown_estimate_gives_near_names(object_plan):
    with pytest.raises(PlanError, match=r"claim 'c': There is no estimate named 'levle'.*'level'"):
        look(replace(object_plan, claim=(claim("levle"),)))


def test_a_claim_on_several_estimates_lists_them(object_plan):
    both = (*object_plan.measure, MeasurePlan("again", "performance", ("m",), ("y",)))
    made = replace(two_datasets(object_plan), measure=both, claim=(claim("level"),))
    with pytest.raises(PlanError, match="means several estimates: d/m/x/level, again/m/y/level"):
        look(made, data=BOTH)


def two_datasets(object_plan, **more):
    return replace(
        object_plan,
        data=(DataPlan("x", "object:x"), DataPlan("y", "object:y")),
        measure=(MeasurePlan("d", "performance", ("m",), ("x", "y")),),
        **more,
    )


BOTH = {"x": rows(12), "y": rows(8)}


def test_claims_of_several_datasets_are_made_beyond_each(object_plan):
    found = look(two_datasets(object_plan), data=BOTH)
    assert [c.id for c in found.claims] == ["d/m/x/skill", "d/m/y/skill", "d/m/skill"]
    across = found.claims[-1]
    assert [c.against for c in across.components] == [
        "dataset x: reference",
        "dataset y: reference",
    ]


def test_a_risk_is_claimed_and_presupposes_skill_on_each_dataset_by_itself(object_plan):
    made = two_datasets(object_plan)
    robust = MeasurePlan("r", "robustness", ("m",), ("x", "y"), {"transformations": ["typos"]})
    found = look(replace(made, measure=(robust,)), data=BOTH)
    risks = {c.id: [name for name, _ in c.competence] for c in found.claims if c.risk is not None}
    assert risks == {f"r/m/{name}/typos@1": [f"r/m/{name}/level"] for name in "xy"}


def test_an_estimate_of_the_plan_selects_and_a_claim_on_it_holds_on_each_dataset(object_plan):
    own = EstimatePlan("mine", "d", "accuracy")
    found = look(two_datasets(object_plan, estimate=(own,), claim=(claim("mine"),)), data=BOTH)
    assert [a.id for a in found.assignments[2:]] == ["mine/m/x", "mine/m/y"]
    assert [(c.estimate, c.against) for c in found.claims[-1].components] == [
        ("mine/m/x", "dataset x: reference"),
        ("mine/m/y", "dataset y: reference"),
    ]
    one = EstimatePlan("mine", "d", "accuracy", where={"dataset": "y"})
    found = look(two_datasets(object_plan, estimate=(one,), claim=(claim("mine"),)), data=BOTH)
    assert found.assignments[-1].id == "mine"
    assert found.assignments[-1].dataset == "y"


def test_a_contrast_of_two_datasets_is_one_minus_the_other(object_plan):
    sides = {"a": {"dataset": "y"}, "b": {"dataset": "x"}}
    own = EstimatePlan("gap", "d", "accuracy", contrast=sides)
    made = two_datasets(object_plan, estimate=(own,), claim=(claim("gap"),))
    found = look(made, data=BOTH)
    (pair,) = found.contrasts
    assert (pair.id, pair.a.dataset, pair.b.dataset, pair.is_paired) == ("gap", "y", "x", True)
    assert (pair.key.dataset, pair.key.role) == ("y - x", "contrast")
    one = replace(own, contrast={"a": {"dataset": "y"}, "b": {}})
    (pair,) = look(replace(made, estimate=(one,)), data=BOTH).contrasts
    assert pair.key.dataset == "y"  # both sides have it: paired, item by item


def test_an_estimate_may_read_measures_that_the_design_does_not(object_plan):
    found = look(replace(object_plan, estimate=(EstimatePlan("mine", "d", "mean(p_gold)"),)))
    assert found.assignments[-1].sides[""].role == "measured"


@pytest.mark.parametrize(
    ("estimate", "says"),
    [
        (
            EstimatePlan("e", "gone", "accuracy"),
            "estimate 'e', from: .*no measurement named 'gone'",
        ),
        (
            EstimatePlan("e", "d", "accuracy", where={"dataset": "z"}),
            "nothing fits {'dataset': 'z'}",
        ),
        (
            EstimatePlan("e", "d", "drop(accuracy)"),
            "needs before.hit, after.hit, which the records",
        ),
        (EstimatePlan("e", "d", "accuracy", contrast={"a": {}}), "has the sides a and b, not a"),
    ],
)
def test_estimates_that_do_not_read(object_plan, estimate, says):
    with pytest.raises(PlanError, match=says):
        look(replace(object_plan, estimate=(estimate,)))


def test_an_unknown_metric_gives_near_names(object_plan):
    with pytest.raises(UnknownNameError, match="'accuracy@1'"):
        look(replace(object_plan, estimate=(EstimatePlan("e", "d", "acuracy"),)))


def test_null_families_have_their_role_and_no_claims(tmp_path):
    made = plan(family(tmp_path), seeds=(1, 2, 3))
    models = (*made.models, replace(made.models[0], name="untrained", role="null"))
    both = (MeasurePlan("d", "performance", ("m", "untrained"), ("x",)),)
    found = look(replace(made, models=models, measure=both), models={})
    assert [a.role for a in found.assignments] == ["measured", "null"]
    assert found.assignments[1].key.role == "null"
    assert [c.id for c in found.claims] == ["d/m/x/skill"]


def test_captures_that_are_not_random_keep_estimates_apart(tmp_path):
    from small_runs import MODEL

    for seed in (1, 2):
        for step in (10, 20):
            place = tmp_path / f"seed-{seed}"
            place.mkdir(exist_ok=True)
            (place / f"step-{step}.py").write_text(MODEL.format(every=9, shift=step))
    source = f"python:{tmp_path}/seed-{{seed}}/step-{{step}}.py:Model"
    found = look(plan(models=(ModelPlan("m", source, random=("seed",)),)), models={})
    assert [a.id for a in found.assignments] == [
        "d/m[step=10]/x/level",
        "d/m[step=20]/x/level",
    ]
    assert [dict(a.whole_condition) for a in found.assignments] == [{"step": "10"}, {"step": "20"}]
    assert found.assignments[0].key.condition == {"step": "10"}


def test_units_come_from_the_plan_or_from_the_data_string(object_plan, tmp_path):
    path = tmp_path / "x.csv"
    lines = [f"{r['text']},{r['label']},s{n // 4},left" for n, r in enumerate(rows(12))]
    path.write_text("\n".join(["text,label,story,side", *lines]))
    source = f"csv:{path}#unit=story,group=side"

    def unit(*more):
        made = replace(object_plan, data=(DataPlan("x", source, **dict(more)),))
        return look(made, data={}).assignments[0].unit

    assert unit() == unit(("unit", "story")) == "u_story"
    assert unit(("unit", "a_side")) == "a_side"
    with pytest.raises(PlanError, match=r"unit 'word' is no column.*#unit=word"):
        unit(("unit", "word"))
    plain = look(object_plan)
    assert plain.datasets["x"].unit_column("item") == "item"
    assert plain.assignments[0].unit == "item"


def test_assignments_round_trip_through_the_manifest(object_plan):
    robust = MeasurePlan("r", "robustness", ("m",), ("x",), {"transformations": ["typos"]})
    for one in look(replace(object_plan, measure=(robust,))).assignments:
        again = from_json(one.to_json())
        assert again == replace(one, within=dict(one.within))
        assert again.key == one.key


def test_the_identity_is_of_what_decides_the_records(object_plan):
    base = look(object_plan).identity
    assert look(object_plan).identity == base
    assert look(replace(object_plan, claim=(claim("level"),))).identity == base
    assert (
        look(replace(object_plan, resampling=replace(object_plan.resampling, draws=500))).identity
        == base
    )
    assert look(replace(object_plan, seed=1)).identity != base
    assert look(object_plan, data={"x": rows(14)}).identity != base
    robust = MeasurePlan("d", "robustness", ("m",), ("x",), {"transformations": ["typos"]})
    assert look(replace(object_plan, measure=(robust,))).identity != base
    other = {"m": KeywordClassifier(good=("fine",))}
    assert look(object_plan, models=other).identity != base


def test_a_measurement_that_another_one_repeats_is_refused(object_plan):
    (one,) = object_plan.measure
    with pytest.raises(PlanError, match="measure 'again' repeats measure 'd': both are perform"):
        look(replace(object_plan, measure=(one, replace(one, id="again"))))


@pytest.mark.parametrize("seed", [True, 1.5, "3", None, -1, 2**63])
def test_a_seed_is_a_whole_number(object_plan, seed):
    with pytest.raises(PlanError, match="a seed is a whole number from 0 to"):
        look(replace(object_plan, seed=seed))


def test_a_model_whose_labels_cannot_be_told_apart_is_refused(object_plan):
    twice = KeywordClassifier()
    twice.labels = ("no", "no")
    numbered = [{**row, "label": n % 2} for n, row in enumerate(rows(12))]
    with pytest.raises(ModelError, match="its label 'no' occurs twice"):
        look(object_plan, data={"x": numbered}, models={"m": twice})


def test_a_label_map_for_labels_that_the_data_lack_is_refused(object_plan):
    wrong = replace(object_plan.models[0], labels={"positve": "positive"})
    made = replace(object_plan, models=(wrong,))
    with pytest.raises(PlanError, match=r"labels of model 'm': .*'positve'.*'positive'"):
        look(made)
    cut = replace(made, data=(replace(made.data[0], limit=4),))
    assert look(cut).pairings["m", "x"].labels.mapping["positive"] == "positive"
