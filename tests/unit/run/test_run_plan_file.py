"""Plans as people write them: every key, every typo."""

import json

import pytest

from scrutiny.core.claim import Component
from scrutiny.core.errors import PlanError
from scrutiny.run.planning.plan_file import plan_of, read_plan

WHOLE = """
seed = 7
on_bad_row = "fail"
[resampling]
draws = 500
method = "multi-bootstrap"
level = 0.9
replicates = "each"
[data.cd]
source = "csv:dev.csv"
task = "text-classification"
unit = "story"
limit = "10:20"
[models.a]
source = "hf:./runs/seed-{seed}"
random = ["seed"]
seeds = [1, 2]
role = "null"
labels = { "0" = "negative" }
[[train]]
name = "control"
from = "zoo:x"
task = "control-labels"
data = "cd"
runs = 3
role = "control"
params = { steps = 10 }
[[measure]]
id = "heads"
diagnostic = "performance@1"
models = ["a"]
data = ["cd"]
params = { share = 0.5 }
[[estimate]]
id = "gain"
from = "heads"
metric = "accuracy@1"
where = { draw = 0 }
contrast = { a = { subject = "a" }, b = { subject = "b" } }
paired = true
[[claim]]
id = "better"
says = "it is better"
estimate = "gain"
rule = "> 5%"
checks = ["items", "choices:preset"]
level = 0.99
family = "f"
"""


def write(tmp_path, text, name="plan.toml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_is_read(tmp_path):
    plan = read_plan(write(tmp_path, WHOLE))
    assert (plan.seed, plan.on_bad_row) == (7, "fail")
    resampling = plan.resampling
    assert (resampling.draws, resampling.method) == (500, "multi-bootstrap")
    assert (resampling.level, resampling.replicates) == (0.9, "each")
    data = plan.data[0]
    assert (data.name, data.source, data.task) == ("cd", "csv:dev.csv", "text-classification")
    assert (data.unit, data.limit) == ("story", "10:20")
    model = plan.models[0]
    assert (model.name, model.random, model.seeds) == ("a", ("seed",), (1, 2))
    assert (model.role, dict(model.labels)) == ("null", {"0": "negative"})
    train = plan.train[0]
    assert (train.name, train.source, train.runs, train.role) == ("control", "zoo:x", 3, "control")
    assert dict(train.params) == {"steps": 10}
    measure = plan.measure[0]
    assert (measure.id, measure.models, measure.data) == ("heads", ("a",), ("cd",))
    assert dict(measure.params) == {"share": 0.5}
    estimate = plan.estimate[0]
    assert (estimate.id, estimate.source, estimate.paired) == ("gain", "heads", True)
    assert dict(estimate.where) == {"draw": 0}
    assert estimate.contrast == {"a": {"subject": "a"}, "b": {"subject": "b"}}
    claim = plan.claim[0]
    assert claim.components == (Component("gain", 0.05, "reference", ">"),)
    assert (claim.id, claim.level, claim.family) == ("better", 0.99, "f")
    assert claim.checks == ("items", "choices:preset")


def test_json_reads_like_toml(tmp_path):
    import tomllib

    path = write(tmp_path, json.dumps(tomllib.loads(WHOLE)), "plan.json")
    assert read_plan(path) == read_plan(write(tmp_path, WHOLE))


def test_a_measurement_takes_all_models_and_data_unless_told():
    plan = plan_of(
        {
            "data": {"x": {"source": "a"}, "y": {"source": "b"}},
            "models": {"m": {"source": "c"}},
            "measure": [{"id": "p", "diagnostic": "performance"}],
        }
    )
    assert (plan.measure[0].models, plan.measure[0].data) == (("m",), ("x", "y"))
    assert plan.seed == 0
    assert plan.resampling.draws == 10_000


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("sede = 1", "'seed'"),
        ("[data.x]\nsorce = 'a'", "'source'"),
        ("[models.x]\nsource = 'a'\nrandon = ['seed']", "'random'"),
        ("[[measure]]\nid = 'a'\ndiagnostics = 'b'", "'diagnostic'"),
        ("[[estimate]]\nid='a'\nfrom='b'\nmetrics='c'", "'metric'"),
        ("[[claim]]\nsays='a'\nestimat='b'\nrule='> 0'", "'estimate'"),
        ("[[train]]\nname='a'\nform='b'", "'from'"),
        ("[resampling]\ndraw = 100", "'draws'"),
    ],
)
def test_a_typo_in_a_key_names_the_near_one(tmp_path, key, near):
    with pytest.raises(PlanError, match=f"Did you mean.*{near}") as caught:
        read_plan(write(tmp_path, key))
    assert "scrutiny list keys" not in str(caught.value)
    assert "plan.toml cannot be read" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("seed = 'x'", "seed"),
        ("on_bad_row = 'maybe'", "on_bad_row"),
        ("[resampling]\nmethod = 'bayes'", "resampling.method"),
        ("[resampling]\ndraws = 5", "resampling.draws"),
        ("[resampling]\nlevel = 1.5", "resampling.level"),
        ("[models.m]\nsource = 'a'\nrole = 'hero'", "models.m.role"),
        ("[models.m]\nrole = 'null'", "models.m.source"),
        ("[[claim]]\nsays='a'\nestimate='b'\nrule='> 0'\nlevel = 0.2", "claim.0.level"),
    ],
)
def test_a_wrong_value_is_placed(tmp_path, text, place):
    with pytest.raises(PlanError, match=place):
        read_plan(write(tmp_path, text))


def test_an_error_of_toml_has_its_line(tmp_path):
    with pytest.raises(PlanError, match=r"plan.toml.*line 2"):
        read_plan(write(tmp_path, "seed = 1\nseed = = 2"))


@pytest.mark.parametrize(
    ("text", "name"),
    [("{", "p.json"), ("[1]", "p.json"), ("seed = 1", "p.yaml"), ("\x00", "p.toml")],
)
def test_what_is_no_plan_is_refused(tmp_path, text, name):
    with pytest.raises(PlanError):
        read_plan(write(tmp_path, text, name))
    with pytest.raises(PlanError, match="cannot be read"):
        read_plan(tmp_path / "gone.toml")


@pytest.mark.parametrize(
    "rule", ["0.5", "accuracy > 0", "> 0 where draw=1", "> 0 where negated", "> x", ""]
)
def test_the_rule_of_a_claim_is_operator_and_limit(rule):
    with pytest.raises(PlanError, match="rule"):
        plan_of({"claim": [{"says": "a", "estimate": "e", "rule": rule}]})


def test_an_unknown_check_is_refused():
    claim = {"says": "a", "estimate": "e", "rule": "> 0", "checks": ["seed"]}
    with pytest.raises(PlanError, match=r"claim 'claim-1'.*Did you mean 'seeds'"):
        plan_of({"claim": [claim]})


def test_claims_are_numbered_unless_named():
    claims = [{"says": "a", "estimate": f"e{n}", "rule": "> 0"} for n in range(2)]
    assert [c.id for c in plan_of({"claim": claims}).claim] == ["claim-1", "claim-2"]


def test_a_mark_of_byte_order_is_no_mistake(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text("\ufeff" + WHOLE, encoding="utf-8")
    assert read_plan(path).seed == 7


def test_what_a_measurement_names_twice_is_measured_once():
    measure = {"id": "p", "diagnostic": "performance", "models": ["m", "m"], "data": ["d", "d"]}
    (found,) = plan_of({"measure": [measure]}).measure
    assert (found.models, found.data) == (("m",), ("d",))


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ({"seed": True}, "seed: it is true or false, not a number"),
        ({"seed": "3"}, "seed: input should be a valid integer, without a point and quotation"),
        ({"seed": 1.0}, "seed: input should be a valid integer"),
        ({"models": {"m": {"source": "x", "seeds": ["1"]}}}, "models.m.seeds.0: input should be"),
        ({"resampling": {"level": "0.9"}}, "resampling.level: it should be a number"),
        (
            {"data": {"d": {"source": "x", "limit": True}}},
            "limit.*it is true or false, not a number",
        ),
        ({"measure": {"id": "p"}}, r"measure: it is a list of tables: write \[\[measure\]\]"),
        ({"models": ["m"]}, "models: input should be a table"),
    ],
)
def test_values_of_another_kind_are_said_in_the_words_of_plans(plan, words):
    with pytest.raises(PlanError, match=words):
        plan_of(plan)
