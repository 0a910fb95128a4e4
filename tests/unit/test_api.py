"""The public Python API: what is exported, what it gives back, what it says to mistakes."""

import inspect
import json
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pytest

import scrutiny
from scrutiny.core.errors import DataError, ModelError, PlanError, ScrutinyError, UnknownNameError
from scrutiny.core.long_runs import Progress
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan
from scrutiny.core.registry import registry
from scrutiny.testing import KeywordClassifier

ROWS = [
    {"id": f"i{n}", "text": f"a {'good' if n % 2 else 'bad'} film about case {n}", "label": label}
    for n in range(24)
    for label in (["negative", "positive"][n % 2],)
]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("api") / "run"
    return scrutiny.run(
        "robustness",
        model=KeywordClassifier(),
        data=ROWS,
        out=out,
        transformations=["typos", "ocr"],
        draws=2,
    )


def test_no_parameter_of_a_diagnostic_has_the_name_of_one_of_run():
    own = {*inspect.signature(scrutiny.run).parameters}
    for name in registry().names("diagnostic"):
        assert not own & {one.name for one in fields(registry().load("diagnostic", name).Params)}


def test_exported_members():
    assert scrutiny.__all__ == [
        *("Plan", "Run", "assert_holds", "assert_no_loss", "assert_suite", "audit", "compare"),
        *("errors", "list", "load", "run", "show"),
    ]
    assert dir(scrutiny) == scrutiny.__all__
    for name in scrutiny.__all__:
        assert getattr(scrutiny, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = scrutiny.nothing


def test_everything_public_says_what_it_is():
    for name in scrutiny.__all__:
        assert inspect.getdoc(getattr(scrutiny, name)), name


def test_importing_is_light():
    code = (
        "import scrutiny, sys; print([m for m in ('numpy','pyarrow','torch') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_run_stays_the_function_whatever_was_imported():
    import scrutiny.run.driver  # binds the subpackage to its parent

    assert inspect.isfunction(scrutiny.run)


def test_an_object_and_rows_make_a_run(finished):
    assert finished.manifest["status"] == "done"
    assert finished.manifest["plan"]["models"][0]["source"].startswith("python:object:")
    level = finished.estimate("accuracy")
    assert (level.value, level.counts.planned) == (1.0, 24)
    assert "can't tell" in repr(finished)


def test_records_are_selected_by_any_column(finished):
    records = finished.records("robustness")
    assert len(records) == len(finished.records()) == 24 * (1 + 2 * 2 * 2)
    with pytest.raises(UnknownNameError, match="Did you mean 'robustness@1"):
        finished.records("robust")
    assert len(records.where(role="baseline")) == 24
    condition = {"transformation": "typos@1", "draw": 1}
    typos = records.where(role="control", condition=condition)
    assert len(typos) == 24
    assert len(records.where(replicate=None)) == len(records)
    assert len(records.where(variant=None)) == 24
    assert typos.to_arrow().num_rows == len(typos.to_pandas()) == 24
    with pytest.raises(PlanError, match="no column 'roll': kind, subject"):
        records.where(roll="control")


def test_tables_of_a_run(finished):
    assert finished.items.num_rows == 24
    assert finished.variants.num_rows == 24 * 8
    assert finished.outputs.num_rows > 24
    assert {f.claim.diagnostic for f in finished.findings} == {"robustness"}


def test_the_one_estimate_of_a_condition(finished):
    found = finished.estimate("drop(accuracy)", transformation="typos", draw=1)
    assert found.key.condition == {"transformation": "typos@1", "draw": 1}
    assert found.key.replicate is None
    changed = finished.estimate("drop(accuracy)", group="changed", transformation="typos@1", draw=0)
    assert changed.key.group == "changed"
    whole = finished.estimate("drop(accuracy)", transformation="typos")
    each = [
        finished.estimate("drop(accuracy)", transformation="typos", draw=d).value for d in (0, 1)
    ]
    assert whole.key.condition == {"transformation": "typos@1"}
    assert whole.value == pytest.approx(sum(each) / 2)
    with pytest.raises(PlanError, match=r"2 estimates fit 'drop\(accuracy\)'; choose one"):
        finished.estimate("drop(accuracy)")
    with pytest.raises(UnknownNameError, match="no metric in this run named 'entity_f1'"):
        finished.estimate("entity_f1")
    with pytest.raises(UnknownNameError, match="metric = 'entity_f1'"):
        finished.estimate("entity_f1")
    with pytest.raises(UnknownNameError, match=r"Did you mean 'accuracy'.*\?$"):
        finished.estimate("acuracy")
    assert finished.estimate("accuracy", dataset="data", subject="model").value == 1.0


def test_rules_are_judged(finished):
    found = finished.gate("accuracy >= 0.5", "drop(accuracy) < 1 where transformation=ocr")
    assert [f.verdict for f in found] == ["supported", "supported"]
    assert len(found[1].claim.components) == 1  # all draws as one number
    (first,) = finished.gate("drop(accuracy) < 1 where transformation=ocr, draw=0")
    assert first.estimate.key.condition["draw"] == 0


def test_a_run_is_loaded_from_its_folder(finished):
    again = scrutiny.load(finished.path)
    assert again.estimates == finished.estimates
    assert again.findings == finished.findings
    with pytest.raises(DataError, match="no run folder"):
        scrutiny.load(finished.path / "gone")


def test_reports_in_every_format(finished, tmp_path):
    assert "OCR noise" in finished.report()
    for suffix in ("html", "md", "csv", "tex"):
        path = tmp_path / f"report.{suffix}"
        assert finished.report(path) == path.read_text(encoding="utf-8")
    assert "<" in finished._repr_html_()


def test_each_replicate_does_not_hide_the_whole(tmp_path):
    plan = {
        "data": {"x": {"source": "builtin:reviews", "limit": 30}},
        "models": {"m": {"source": "builtin:sentiment"}},
        "measure": [{"id": "p", "diagnostic": "performance"}],
        "resampling": {"draws": 200, "replicates": "each"},
    }
    found = scrutiny.run(plan, out=tmp_path / "run")
    rows = [e for e in found.estimates if e.key.metric == "accuracy@1"]
    assert len(rows) == 1 + len(rows[0].by_replicate)
    assert found.estimate("accuracy") == rows[0]


def test_a_plan_may_be_a_file_a_mapping_or_a_value(tmp_path):
    plan = {
        "data": {"x": {"source": "builtin:reviews", "limit": 20}},
        "models": {"m": {"source": "builtin:sentiment"}},
        "measure": [{"id": "p", "diagnostic": "performance"}],
        "resampling": {"draws": 200},
    }
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan))
    runs = [
        scrutiny.run(path, out=tmp_path / "a"),
        scrutiny.run(str(path), out=tmp_path / "b"),
        scrutiny.run(plan, out=tmp_path / "c"),
    ]
    assert len({tuple(str(e) for e in r.estimates) for r in runs}) == 1
    assert runs[0].manifest["command"] == "scrutiny.run(...)"


def test_without_a_folder_there_is_a_temporary_one():
    found = scrutiny.run("performance", model=KeywordClassifier(), data=ROWS[:4], seed=3)
    assert found.path.is_dir()
    assert found.manifest["plan"]["seed"] == 3
    assert found.estimate("accuracy").counts.n == 4


def test_mistakes_are_said(tmp_path):
    with pytest.raises(UnknownNameError, match="Did you mean 'performance@1'"):
        scrutiny.run("performanse", model=KeywordClassifier(), data=ROWS)
    with pytest.raises(PlanError, match="Give both model= and data="):
        scrutiny.run("performance", model=KeywordClassifier())
    with pytest.raises(PlanError, match="no parameter named 'draw'"):
        scrutiny.run("robustness", model=KeywordClassifier(), data=ROWS, draw=2)
    two = {"model": "builtin:sentiment", "data": "builtin:reviews"}
    with pytest.raises(TypeError, match="unexpected keyword argument 'wher'"):
        scrutiny.audit(**two, wher="negated")
    with pytest.raises(UnknownNameError, match="Did you mean 'study@1'"):
        scrutiny.audit(**two, profile="studdy")
    with pytest.raises(PlanError, match="cannot travel to a worker"):
        scrutiny.run(
            "performance",
            model=KeywordClassifier(),
            data=ROWS,
            out=tmp_path / "run",
            workers=2,
        )


def test_names_are_listed_and_shown():
    assert "typos@1" in scrutiny.list("transformation")
    assert scrutiny.list("transformations") == scrutiny.list("transformation")
    assert "statistic accuracy@1" in scrutiny.list()
    with pytest.raises(UnknownNameError, match="Did you mean 'transformation"):
        scrutiny.list("transformatoin")
    assert "Misleads when" in scrutiny.show("robustness")
    assert "Measures" in scrutiny.show("typos", kind="transformation") or scrutiny.show(
        "typos", kind="transformation"
    )
    with pytest.raises(UnknownNameError):
        scrutiny.show("nothing")


def test_numbers_and_arrays_of_numpy_are_those_of_python(tmp_path):
    found = scrutiny.run(
        "robustness",
        model=KeywordClassifier(),
        data=ROWS,
        out=tmp_path / "run",
        seed=np.int64(3),
        transformations=np.array(["typos"]),
        draws=np.int64(1),
    )
    again = scrutiny.run(
        "robustness",
        model=KeywordClassifier(),
        data=ROWS,
        out=tmp_path / "plain",
        seed=3,
        transformations=["typos"],
        draws=1,
    )
    assert found.estimate("drop(accuracy)").value == again.estimate("drop(accuracy)").value


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ({"model": 3}, "model is of type int, which cannot be asked"),
        ({"reference": [1]}, "reference is of type list, which cannot be asked"),
        ({"task": 3}, "task must be a text, not an object of type int"),
        ({"seed": "a"}, "seed is 'a', and it must be a whole number"),
        ({"seed": 1.0}, "seed is 1.0"),
        ({"out": 3}, "out must be a path, not an object of type int"),
        ({"workers": 0}, "workers is 0: it is a number of processes, 1 or more"),
        ({"progress": "yes"}, "progress is of type str: it is True, False, or None"),
        ({"cache": 3}, "cache must be a path, not an object of type int"),
        ({"columns": ["text"]}, "columns is of type list: it is a dict"),
        ({"columns": {"text": None}}, "columns holds None: names and labels are texts"),
        ({"columns": {"txt": "text"}}, "In 'columns=', there is no option 'txt'"),
        ({"columns": {"text": "said"}}, "no column 'said' .asked for by text="),
        ({"labels": "negative"}, "labels is of type str: it is a dict"),
        ({"labels": {"negative": ["0"]}}, r"labels holds \['0'\]: names and labels are texts"),
        ({"data": 3}, "Examples cannot be read from an object of type int"),
        ({"what": 42}, "run is given something of type int"),
        ({"what": None}, "run is given something of type NoneType"),
        ({"what": Plan(), "model": 3}, "so model= would be passed over"),
        ({"what": {}, "draws": 3, "model": None, "data": None}, "so draws= would be passed over"),
    ],
)
def test_odd_arguments_are_said_in_a_paragraph(odd, said):
    given = {"what": "performance", "model": KeywordClassifier(), "data": ROWS, **odd}
    with pytest.raises(ScrutinyError, match=said):
        scrutiny.run(**given)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda run: scrutiny.load(3), "load must be a path, not an object of type int"),
        (lambda run: scrutiny.list(3), "kind must be a text, not an object of type int"),
        (lambda run: scrutiny.show(3), "name must be a text, not an object of type int"),
        (lambda run: run.gate(3), "a rule must be a text, not an object of type int"),
        (lambda run: run.report(3), "report must be a path, not an object of type int"),
        (lambda run: run.records(3), "kind must be a text, not an object of type int"),
        (lambda run: run.records("robustnes"), "no kind of records in this run named"),
    ],
)
def test_odd_arguments_of_other_calls_are_said(finished, call, said):
    with pytest.raises(ScrutinyError, match=said):
        call(finished)


def test_an_object_without_labels_is_told_how_to_state_them():
    with pytest.raises(
        ModelError, match=r"pass the pipeline or classifier itself.*classes_ = \['negative'"
    ):
        scrutiny.run("performance", model=lambda texts: ["positive"] * len(texts), data=ROWS)


FRAME = [
    {"review": row["text"], "stars": int(row["label"] == "positive"), "genre": "ab"[n % 2]}
    for n, row in enumerate(ROWS)
]


@pytest.mark.parametrize(
    "call", [scrutiny.audit, lambda *a, **k: scrutiny.run("performance", *a, **k)]
)
def test_columns_and_labels_of_a_frame_are_named_in_the_call(call):
    more = {"only": "performance"} if call is scrutiny.audit else {}
    columns = {"text": "review", "label": "stars", "group": ["genre"]}
    labels = {0: "negative", 1: "positive"}
    found = call(KeywordClassifier(), FRAME, columns=columns, labels=labels, **more)
    assert found.estimate("accuracy").value == 1.0
    (data,) = found.manifest["plan"]["data"]
    assert data["source"].partition("#")[0] == "object:list"
    assert "text=review" in data["source"]
    assert repr(found).startswith("<Run of KeywordClassifier on list: ")
    assert found.estimate("accuracy", a_genre="b").counts.planned == 12


def test_columns_in_a_call_are_those_of_a_data_string(tmp_path):
    path = tmp_path / "dev.csv"
    lines = [f'"{row["review"]}",{row["stars"]}' for row in FRAME]
    path.write_text("\n".join(["a,b%", *lines]), encoding="utf-8")
    call = {"columns": {"text": "a", "label": "b%"}, "labels": {"0": "negative", "1": "positive"}}
    found = scrutiny.run("performance", KeywordClassifier(), path, **call)
    assert found.estimate("accuracy").counts.planned == len(FRAME)
    written = f"{path}#text=a,label=b%25,labels=0:negative|1:positive"
    again = scrutiny.run("performance", KeywordClassifier(), written)
    assert again.estimates == found.estimates


def test_labels_of_a_frame_that_do_not_match_are_asked_for_in_words_of_a_frame():
    rows = [{**row, "label": {"positive": "up"}.get(row["label"], "down")} for row in ROWS]
    with pytest.raises(DataError, match=r"pass labels=\{'down': 'negative', 'up': 'positive'\}"):
        scrutiny.run("performance", KeywordClassifier(), rows)
    columns = [{"one": row["text"], "two": row["label"]} for row in ROWS]
    with pytest.raises(DataError, match=r"name it, as in columns=\{'text': 'NAME'\}"):
        scrutiny.run("performance", KeywordClassifier(), columns, task="text-classification")


def test_a_number_with_baselines_is_the_reported_one():
    found = scrutiny.audit(KeywordClassifier(), ROWS * 3, only=["performance", "attack"])
    rows = [e for e in found.estimates if e.key.metric == "accuracy@1"]
    assert {e.key.role for e in rows} == {"measured", "baseline"}
    assert found.estimate("accuracy").key.diagnostic_name == "performance"
    assert found.estimate("accuracy", diagnostic="attack").key.role == "baseline"
    assert found.estimate("accuracy", role="baseline").key.diagnostic_name == "attack"
    with pytest.raises(PlanError, match=r"='attack', role='baseline', subject='model' \("):
        found.estimate("accuracy", subject="other")


def test_progress_is_shown_where_it_is_asked_for(capsys):
    def run(**how):
        scrutiny.run("performance", KeywordClassifier(), ROWS, **how)
        return capsys.readouterr().err

    assert run() == run(progress=False) == ""
    assert "Asking models: 1 of 1 shards; 24 of at most 24 texts asked" in run(progress=True)
    told = []

    class Own(Progress):
        def start(self, phase, *, total, done, texts=0):
            told.append(phase)

    run(progress=Own())
    assert told == ["measure", "estimate"]


def test_answers_are_kept_in_a_file_of_their_own(tmp_path):
    calls = []

    class Counting(KeywordClassifier):
        def predict_proba(self, texts):
            calls.append(len(texts))
            return super().predict_proba(texts)

    for _ in range(2):
        cache = tmp_path / "answers.sqlite"
        scrutiny.run("performance", Counting(), ROWS, cache=cache)
    assert cache.exists()
    assert sum(calls) < 2 * len(ROWS)


def test_a_seed_beside_a_plan_is_the_plans():
    measure = MeasurePlan("d", "performance", ("m",), ("x",))
    data, model = DataPlan("x", "builtin:reviews", limit=4), ModelPlan("m", "builtin:sentiment")
    plan = Plan(seed=5, data=(data,), models=(model,), measure=(measure,))
    assert scrutiny.run(plan, seed=2).manifest["plan"]["seed"] == 2
    assert scrutiny.run(plan).manifest["plan"]["seed"] == 5


def test_objects_are_audited_as_strings_are(tmp_path):
    found = scrutiny.audit(model=KeywordClassifier(), data=ROWS, limit=12, seed=4)
    measured = {m["diagnostic"] for m in found.manifest["plan"]["measure"]}
    assert {"performance@1", "robustness@1", "attack@1"} <= measured
    assert "leakage@1" not in measured  # nothing is known of what trained the object
    assert found.estimate("accuracy").counts.planned == 12
    assert found.manifest["plan"]["seed"] == 4
    assert [r["state"] for r in found.risks.where(metric="attack_success")] != []


def test_an_audit_takes_names_of_diagnostics_and_a_budget_of_time(tmp_path):
    asked = {"model": KeywordClassifier(), "data": ROWS, "only": ["performance", "robustness"]}
    found = scrutiny.audit(**asked, budget="10m", out=tmp_path / "run")
    plan = found.manifest["plan"]
    assert [m["diagnostic"] for m in plan["measure"]] == ["performance@1", "robustness@1"]
    assert plan["budget"]["seconds"] == 600
    assert plan["budget"]["left_out"] == []
    assert plan["profile"] == "ship@2"
    again = scrutiny.audit(**asked, budget=600, out=tmp_path / "run")
    assert again.manifest["plan"] == plan
    with pytest.raises(PlanError, match="'soon' cannot be read"):
        scrutiny.audit(**asked, budget="soon")
    with pytest.raises(UnknownNameError, match="Did you mean 'labels@1'"):
        scrutiny.audit(model=KeywordClassifier(), data=ROWS, only="labls")


def test_an_audit_without_data_asks_on_its_own_sentences():
    found = scrutiny.audit(model="zoo:bert-2x128/seed-1", only="association.seat")
    plan = found.manifest["plan"]
    assert plan["profile"] == "language@1"
    assert [m["diagnostic"] for m in plan["measure"]] == ["association.seat@1"]
    assert [d["source"] for d in plan["data"]] == ["builtin:associations"]
    assert all(e.counts.n == e.counts.planned for e in found.estimates)


def test_an_audit_without_data_refuses_what_has_no_words_to_associate():
    with pytest.raises(PlanError, match=r"nothing of that applies to this model\. Say which"):
        scrutiny.audit(model=KeywordClassifier())
    with pytest.raises(PlanError, match="limit= is about data, and none are given"):
        scrutiny.audit(model="builtin:sentiment", limit=3)


def test_an_audit_of_an_object_is_that_of_its_string(tmp_path):
    """The same classifier by its name and as an object: the same records of performance."""
    (tmp_path / "own.py").write_text(
        "from scrutiny.testing import KeywordClassifier\nmodel = KeywordClassifier()\n"
    )
    named = f"python:{tmp_path / 'own.py'}:model"
    runs = [
        scrutiny.run("performance", model=one, data=ROWS) for one in (KeywordClassifier(), named)
    ]
    assert runs[0].estimate("accuracy") == runs[1].estimate("accuracy")
