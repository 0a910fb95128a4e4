"""Measurements of two models: pairing, records, estimates, cost, resuming, executors."""

import json
from dataclasses import replace
from importlib import import_module

import pytest
import toy_beside
from toy_beside import Agreeing, asked, model, plan, rows

from scrutiny.cli.plans import audit_from_flags, plan_from_flags
from scrutiny.cli.verbs.names import facts
from scrutiny.core.design import DataShape, Design, EstimateSpec, Inputs, SubjectShape
from scrutiny.core.errors import ModelError, PlanError
from scrutiny.core.long_runs import Progress
from scrutiny.core.model import Family, Replicate, capabilities_of
from scrutiny.core.plan import EstimatePlan, MeasurePlan
from scrutiny.core.record import Measure, Row
from scrutiny.reliability.assignment import assignments_in, differences_in, from_json
from scrutiny.run.budgeting.cost import cost_of
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.estimating.gate import gate_run
from scrutiny.run.planning.loading import LoadedModels, Opened
from scrutiny.run.planning.measurements import pairs_of
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.run.planning.resolve import resolve
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import KeywordClassifier, check_diagnostic

TABLES = ("items", "variants", "records", "outputs", "estimates")
SEEDED = ("{seed}", (1, 2, 3))


#: Modules that look names up.
NAMING = (
    "manifest",
    *(f"planning.{n}" for n in ("beside_seeds", "measurements", "presuppositions")),
    *("planning.audit", "planning.audit_profiles"),
)


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    made = toy_beside.registry()
    for name in NAMING:
        monkeypatch.setattr(import_module(f"scrutiny.run.{name}"), "registry", lambda: made)
    monkeypatch.setattr(import_module("scrutiny.cli.plans"), "registry", lambda: made)


@pytest.fixture
def two(tmp_path):
    """Sources of two models: a knows "good", b knows "good" and "fine"."""
    source = model(tmp_path)
    return f"{source}#words=good", f"{source}#words=good+fine"


def run(made, out, **options):
    resolved = resolve(made, data={"x": rows()})
    return run_plan(resolved, out, options=RunOptions(**options))


def files(folder):
    return {name: (folder / f"{name}.parquet").read_bytes() for name in TABLES}


def cells(folder):
    """(subject, reference, replicate) of the records, each once, in order."""
    records = folder.records()
    columns = [records[name].to_pylist() for name in ("subject", "reference", "replicate")]
    return list(dict.fromkeys(zip(*columns, strict=True)))


# -- pairs -----------------------------------------------------------------------------------------


def family(name, *factors, **conditions):
    return Family(
        name,
        "s",
        tuple(
            Replicate(f"{name}{i}", {"seed": str(f)} if f else {}, conditions.get(f"c{i}", {}))
            for i, f in enumerate(factors)
        ),
    )


def told(found):
    return [(p.position, p.reference, p.replicate) for p in found]


def test_without_a_reference_every_replicate_stands_alone():
    assert told(pairs_of(family("m", 1, 2), None)) == [
        (0, None, '{"seed":"1"}'),
        (1, None, '{"seed":"2"}'),
    ]


def test_equal_factors_are_paired_whatever_their_order():
    found = pairs_of(family("m", 1, 2, 3), family("r", 3, 1, 2))
    assert [(p.position, p.reference) for p in found] == [(0, 1), (1, 2), (2, 0)]


def test_a_single_model_stands_against_every_replicate():
    one, many = family("m", 0), family("r", 4, 5)
    assert told(pairs_of(one, many)) == [(0, 0, '{"seed":"4"}'), (0, 1, '{"seed":"5"}')]
    assert told(pairs_of(many, one)) == [(0, 0, '{"seed":"4"}'), (1, 0, '{"seed":"5"}')]


def test_steps_of_the_target_share_the_reference_of_their_seed():
    steps = family("m", 1, 1, 2, 2, c0={"step": "1"}, c1={"step": "2"}, c2={"step": "1"})
    found = pairs_of(steps, family("r", 1, 2))
    assert [p.reference for p in found] == [0, 0, 1, 1]


@pytest.mark.parametrize("others", [(1, 3), (1, 2, 3), (1, 1)])
def test_other_replicates_are_refused_with_both_lists(others):
    with pytest.raises(PlanError, match="do not pair") as error:
        pairs_of(family("m", 1, 2), family("r", *others))
    assert '{"seed":"1"}, {"seed":"2"}; ' in str(error.value)
    assert f'{{"seed":"{others[1]}"}}' in str(error.value).partition("; ")[2]


def test_a_reference_whose_steps_the_target_lacks_is_refused():
    steps = family("r", 1, 1, c0={"step": "1"}, c1={"step": "2"})
    with pytest.raises(PlanError, match="do not pair"):
        pairs_of(family("m", 1), steps)


# -- records, variants, estimates ------------------------------------------------------------------


def test_records_name_the_reference_and_the_reference_measured_beside_itself(tmp_path, two):
    folder = run(plan(("a", two[0], ()), ("b", two[1], ())), tmp_path / "out")
    assert cells(folder) == [("a", "a", None), ("b", "a", None)]
    assert folder.variants().num_rows == 40
    by_key = {(e.key.subject, e.key.reference): e for e in folder.estimates()}
    assert by_key["a", "a"].value == 1.0
    # the texts all have "good" in front now, so b agrees: but those with a word that a knows
    assert by_key["b", "a"].value == pytest.approx(1.0)
    (spec,) = [s for s in folder.manifest["specs"] if s["subject"] == "b"]
    assert from_json(spec).key == by_key["b", "a"].key
    assert folder.manifest["measure"]["d"]["notes"] == [
        "a beside a, 1 times",
        "b beside a, 1 times",
    ]


def test_prepare_asks_each_replicate_of_the_reference_and_keeps_its_variants_apart(tmp_path, two):
    made = plan(("a", f"{two[0]},seed={{seed}}", (1, 2)), ("b", two[1], ()))
    folder = run(made, tmp_path / "out", cache=tmp_path / "cache")
    assert cells(folder) == [
        ("a", "a", '{"seed":"1"}'),
        ("a", "a", '{"seed":"2"}'),
        ("b", "a", '{"seed":"1"}'),
        ("b", "a", '{"seed":"2"}'),
    ]
    variants = folder.variants().to_pylist()
    keys = [(v["item"], v["variant"]) for v in variants]
    assert len(set(keys)) == len(keys) == 80
    changed = {(v["item"], v["variant"]) for v in variants if v["edits"] != "[]"}
    for n in range(40):  # seed 1 says positive by itself where w1 stands
        assert ((f"i{n}", 'a {"seed":"1"}') in changed) == (n % 5 != 1)
        assert ((f"i{n}", 'a {"seed":"2"}') in changed) == (n % 5 != 2)
    records = folder.records().to_pylist()
    assert all(
        json.loads(r["variant"].partition(" ")[2]) == json.loads(r["replicate"]) for r in records
    )


def test_seeds_of_two_families_are_paired(tmp_path, two):
    names = [(n, f"{s},seed={{seed}}", (1, 2, 3)) for n, s in zip("ab", two, strict=True)]
    folder = run(plan(*names, measured=("b",)), tmp_path / "out")
    assert [replicate for *_, replicate in cells(folder)] == [
        f'{{"seed":"{s}"}}' for s in (1, 2, 3)
    ]
    assert [e.n_replicates for e in folder.estimates()] == [3]


def test_what_the_reference_answers_is_kept_once(tmp_path, two):
    made = plan(("a", two[0], ()), ("b", f"{two[1]},seed={{seed}}", (1, 2, 3)), measured=("b",))
    folder = run(made, tmp_path / "out", cache=tmp_path / "cache")
    outputs = folder.outputs().to_pylist()
    assert [o["subject"] for o in outputs].count("a") == 40
    assert [o["subject"] for o in outputs].count("b") == 120
    keys = [(o["subject"], o["replicate"], o["item"], o["variant"]) for o in outputs]
    assert len(set(keys)) == len(keys)


def test_every_text_is_asked_once_and_counted(tmp_path, two):
    made = plan(("a", two[0], ()), ("b", two[1], ()))
    folder = run(made, tmp_path / "out", cache=tmp_path / "cache")
    lines = asked(tmp_path)
    assert len(lines) == sum(folder.table("timings")["asked"].to_pylist())
    # a and b are of one first word, and b is asked the changed texts only, as a is
    both = [line for line in lines if line.startswith("good good")]
    assert len(both) == 2 * len(set(both))


def test_two_directions_in_one_plan_do_not_mix(tmp_path, two):
    made = plan(("a", two[0], ()), ("b", two[1], ()))
    (there,) = made.measure
    back = replace(there, id="back", reference="b")
    folder = run(replace(made, measure=(there, back)), tmp_path / "out")
    assert cells(folder) == [("a", "a", None), ("b", "a", None), ("a", "b", None), ("b", "b", None)]
    estimates = folder.estimates()
    assert [(e.key.subject, e.key.reference) for e in estimates] == [c[:2] for c in cells(folder)]
    assert all(e.counts.planned == 40 for e in estimates)
    variants = folder.variants().to_pylist()
    assert len({(v["item"], v["variant"]) for v in variants}) == len(variants) == 80


def test_differences_between_targets_say_what_both_stood_beside(tmp_path, two):
    sides = {name: {"subject": name, "reference": "a"} for name in "ab"}
    gain = EstimatePlan("gain", "d", "accuracy", contrast={"a": sides["b"], "b": sides["a"]})
    made = plan(("a", two[0], ()), ("b", two[1], ()), estimate=(gain,))
    folder = run(made, tmp_path / "out")
    (found,) = [e for e in folder.estimates() if e.key.role == "contrast"]
    assert (found.key.subject, found.key.reference) == ("b", "a")
    assert found.key.condition == {"reference": "a"}
    assert next(differences_in(folder.manifest)).key == found.key
    (finding,) = gate_run(folder, ["accuracy >= 0.9 where subject=b, reference=a"])
    assert finding.claim.components[0].against == "of b beside a, x"


# -- plans -----------------------------------------------------------------------------------------


def test_a_plan_file_names_a_reference(two):
    read = plan_of(
        {
            "data": {"x": {"source": "object:x"}},
            "models": {"a": {"source": two[0]}, "b": {"source": two[1]}},
            "measure": [{"id": "d", "diagnostic": "agreeing", "reference": "a"}],
        }
    )
    assert read.measure == (MeasurePlan("d", "agreeing", ("a", "b"), ("x",), {}, reference="a"),)


@pytest.mark.parametrize(
    ("reference", "diagnostic", "says"),
    [
        ("c", "agreeing", "c"),
        ("", "agreeing", "compares each model with a second one"),
        ("a", "performance", "leave `reference` out"),
    ],
)
def test_a_reference_has_to_be_there_and_wanted(two, reference, diagnostic, says):
    made = plan(("a", two[0], ()), ("b", two[1], ()), reference=reference)
    made = replace(made, measure=(replace(made.measure[0], diagnostic=diagnostic),))
    with pytest.raises(PlanError, match=says):
        resolve(made, data={"x": rows()})


def test_a_reference_has_to_offer_what_the_diagnostic_needs(two, monkeypatch):
    monkeypatch.setattr(Agreeing, "needs", frozenset({"predict", "token_logprobs"}))
    with pytest.raises(PlanError, match="token_logprobs"):
        resolve(plan(("a", two[0], ()), ("b", two[1], ())), data={"x": rows()})


def test_the_identity_of_a_run_holds_the_reference(two):
    names = ("a", two[0], ()), ("b", two[1], ())
    identities = {
        resolve(made, data={"x": rows()}).identity
        for made in (
            plan(*names, measured=("b",)),
            plan(*names, measured=("b",), reference="b"),
            plan(("a", f"{two[0]},seed=4", ()), names[1], measured=("b",)),
        )
    }
    assert len(identities) == 3


def test_the_reference_of_the_command_line_is_measured_too(two):
    flags = {
        "what": "agreeing",
        "models": (two[1],),
        "reference": two[0],
        "data": ("builtin:reviews",),
        "params": (),
        "transformations": "",
        "task": "",
        "limit": 20,
        "seed": None,
        "on_bad_row": "skip",
        "draws": None,
    }
    made = plan_from_flags(flags)
    (measure,) = made.measure
    assert [m.source for m in made.models] == [two[0], two[1]]
    assert measure.models == tuple(m.name for m in made.models)
    assert measure.reference == measure.models[0]
    alone = plan_from_flags({**flags, "reference": two[1]})
    assert alone.measure[0].models == (alone.measure[0].reference,)
    assert plan_from_flags({**flags, "reference": ""}).measure[0].reference == ""


def test_an_audit_takes_diagnostics_of_two_models_where_there_are_two(two):
    flags = {
        "plan": None,
        "models": (two[1],),
        "data": ("builtin:reviews",),
        "only": ("agreeing", "performance"),
        "task": "",
        "limit": 20,
        "seed": None,
        "on_bad_row": "skip",
    }
    alone = audit_from_flags(flags, Opened(LoadedModels()))
    assert [m.id for m in alone.measure] == ["performance"]
    both = audit_from_flags({**flags, "reference": two[0]}, Opened(LoadedModels()))
    by_id = {m.id: m for m in both.measure}
    assert by_id["agreeing"].reference in by_id["agreeing"].models
    assert len(by_id["agreeing"].models) == 2
    assert len(by_id["performance"].models) == 1


def test_checking_a_plan_shows_what_the_search_costs(two):
    made = plan(("a", f"{two[0]},seed={{seed}}", (1, 2)), ("b", two[1], ()))
    cost = cost_of(resolve(made, data={"x": rows()}))
    assert [part[1:6] for part in cost.parts] == [
        ("searching with a", "x", 40, 2, 160),
        ("a", "x", 40, 2, 80),
        ("b", "x", 40, 2, 80),
    ]
    assert cost.queries == 320
    assert cost.seconds > 0


# -- promises --------------------------------------------------------------------------------------


class Killed(Progress):
    """Progress that interrupts the run when a stage begins."""

    def start(self, stage, *, total, done, texts=0):
        if stage == "measure":
            raise KeyboardInterrupt


def test_an_interrupted_search_is_not_paid_twice(tmp_path, two):
    made = plan(("a", two[0], ()), ("b", two[1], ()))
    whole = run(made, tmp_path / "whole", cache=tmp_path / "one")
    paid = len(asked(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        run(made, tmp_path / "out", cache=tmp_path / "two", progress=Killed())
    assert len(asked(tmp_path)) == paid + 40
    again = run(made, tmp_path / "out", cache=tmp_path / "two")
    assert len(asked(tmp_path)) == 2 * paid
    assert files(again.path) == files(whole.path)


def test_a_reference_that_changed_since_is_refused(tmp_path, two):
    made = plan(("a", two[0], ()), ("b", two[1], ()), measured=("b",))
    with pytest.raises(KeyboardInterrupt):
        run(made, tmp_path / "out", progress=Killed())
    (tmp_path / "weights.txt").write_text("others")
    with pytest.raises((ModelError, PlanError), match=r"another|changed"):
        run(made, tmp_path / "out")


def test_workers_give_the_same_file(tmp_path, two):
    made = plan(("a", f"{two[0]},seed={{seed}}", (1, 2)), ("b", two[1], ()))
    one = run(made, tmp_path / "one")
    many = run(made, tmp_path / "many", workers=2, executor="processes")
    assert files(one.path) == files(many.path)


def test_models_may_be_objects(tmp_path):
    made = plan(("a", "python:object:A", ()), ("b", "python:object:B", ()))
    objects = {"a": KeywordClassifier(), "b": KeywordClassifier()}
    resolved = resolve(made, data={"x": rows()}, models=objects)
    folder = run_plan(resolved, tmp_path / "out", models=objects)
    assert [e.value for e in folder.estimates()] == [1.0, 1.0]


def test_conformance_gives_a_second_model(monkeypatch):
    documented = type(
        "Documented",
        (Agreeing,),
        {
            "__doc__": "Agreement.\n\n**Measures**: x\n\n**Misleads when**: x\n\n**References**: x",
            "measures": (Measure("hit"),),
        },
    )
    check_diagnostic(documented())


def test_tasks_without_a_reference_have_the_names_that_they_had(two):
    made = plan(("a", two[0], ()), reference="")
    made = replace(made, measure=(replace(made.measure[0], diagnostic="performance"),))
    resolved = resolve(made, data={"x": rows()})
    assert [t.id for t in resolved.shards("measure")] == ["measure/d/x/0/a/0"]
    assert resolved.assignments[0].to_json()["reference"] is None


# -- what a diagnostic of two models needs besides -------------------------------------------------


def test_a_plan_goes_both_ways():
    data = {
        "data": {"x": {"source": "object:x"}},
        "models": {n: {"source": f"python:{n}:M"} for n in "abc"},
        "measure": [{"id": "d", "diagnostic": "agreeing", "reference": "a", "both_ways": True}],
    }
    read = plan_of(data)
    assert [(m.id, m.models, m.reference) for m in read.measure] == [
        ("d", ("a", "b", "c"), "a"),
        ("d-from-b", ("a", "b"), "b"),
        ("d-from-c", ("a", "c"), "c"),
    ]
    del data["measure"][0]["reference"]
    with pytest.raises(PlanError, match="goes both ways and names no reference"):
        plan_of(data)


class Gated(Agreeing):
    """Estimates that presuppose others, and measures whose length the parameters set."""

    measures = (Measure("hit", (("trial", 0),)),)

    def lengths(self, params):
        return {"trial": len(params.word)}

    def design(self, params, inputs):
        level = EstimateSpec("level", "accuracy@1", at={"trial": 1})
        granted = replace(level, id="granted", presupposes=((level, 0.5),), group="a")
        asked = replace(level, id="refused", presupposes=((level, 1.5),), group="b")
        return Design((), (level, granted, asked))

    def measure(self, params, cell, batch, ctx):
        for example in batch.examples:
            yield Row(example.id, None, "measured", "{}", "ok", None, (1.0,) * len(params.word))


def test_an_estimate_is_refused_where_what_it_presupposes_is_not_so(tmp_path, two, monkeypatch):
    monkeypatch.setattr(toy_beside, "Agreeing", Gated)
    folder = run(plan(("a", two[0], ())), tmp_path / "out")
    found = {e.key.group: e for e in folder.estimates()}
    assert [found[g].value for g in ("all", "a", "b")] == [1.0, 1.0, None]
    assert (found["b"].status, found["b"].reason) == ("refused", "below_presupposed")
    assert found["b"].counts.n == 40
    again = {a.group: a for a in assignments_in(folder.manifest)}
    assert again["b"].presupposes[0][0].key == found["all"].key
    assert {len(v) for v in folder.records()["values"].to_pylist()} == {4}


class Sampling:
    """Probabilities that are frequencies."""

    labels = ("negative", "positive")
    n_samples = 20

    def predict_proba(self, texts):
        return [[0.5, 0.5]] * len(texts)


def test_a_model_says_that_it_is_known_by_samples(two):
    task = load_task("text-classification")
    assert "samples" in capabilities_of(
        LoadedModels(given={"m": Sampling()}).get("m", "", task)[0], task
    )
    assert "samples" not in capabilities_of(
        LoadedModels(given={"m": KeywordClassifier()}).get("m", "", task)[0], task
    )


def test_show_says_that_a_second_model_is_wanted():
    assert dict(facts(Agreeing))["Second model"].startswith("--reference MODEL")
    assert "Second model" not in dict(facts(KeywordClassifier))


def test_slices_of_a_plan_and_of_flags_are_asked_together(tmp_path):
    path = tmp_path / "plan.toml"
    source = 'where = ["negated"]\n[data.d]\nsource = "builtin:reviews"\nlimit = 40\n'
    path.write_text(f'{source}[models.m]\nsource = "builtin:sentiment"\n')
    flags = {"plan": path, "only": ("performance",), "limit": None, "seed": None}
    made = audit_from_flags(
        {**flags, "on_bad_row": "skip", "where": ("length > 10",)}, Opened(LoadedModels())
    )
    assert made.where == ("negated", "length > 10")


def test_a_design_of_one_model_has_no_second():
    inputs = Inputs(None, DataShape("x", 1), SubjectShape("a"))
    assert not inputs.is_self
    with pytest.raises(ValueError, match="wants_reference"):
        _ = inputs.second
