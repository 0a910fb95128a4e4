"""What a finished run gives in Python: tables, risks, cases, short words for each."""

import json
import sys

import polars
import pyarrow as pa
import pytest

import scrutiny
from scrutiny._table import ResultTable, numbers_table
from scrutiny.core.claim import Claim, Component, Finding
from scrutiny.core.errors import MissingExtraError, PlanError, UnknownNameError
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan
from scrutiny.core.record import Counts
from scrutiny.report.findings.risks import risks_of
from scrutiny.testing import KeywordClassifier
from scrutiny.text.edits import apply_to_text

ROWS = [
    {"id": f"i{n}", "text": f"a {word} film about case {n}", "label": label}
    for n in range(24)
    for word, label in [[("bad", "negative"), ("good", "positive")][n % 2]]
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return scrutiny.run(
        "robustness",
        model=KeywordClassifier(),
        data=ROWS,
        out=tmp_path_factory.mktemp("results") / "run",
        transformations=["typos(share=0.5)", "contraction", "contraction+word_case(case=upper)"],
    )


def test_short_words(run):
    assert repr(run).startswith("<Run of KeywordClassifier on list: ")
    assert repr(run.estimate("accuracy")) == (
        "<accuracy@1 of model on data: 1.000 [1.000, 1.000], 24 of 24>"
    ) or repr(run.estimate("accuracy")).endswith("24 of 24>")
    typos = run.estimate("drop(accuracy)", transformation="typos(share=0.5)")
    assert "transformation=typos@1(share=0.5)" in repr(typos)
    assert all(len(repr(finding)) < 160 for finding in run.findings)
    assert repr(run.findings[0]).startswith(f"<{run.findings[0].verdict} for ")
    assert repr(run.cases()).startswith("<Table: ")


def test_a_plan_says_what_is_measured_of_whom_on_what():
    measured = [MeasurePlan(f"m{k}", "performance", ("a",), ("d",)) for k in range(6)]
    data, models = (DataPlan("d", "builtin:reviews"),), (ModelPlan("a", "builtin:sentiment"),)
    plan = Plan(seed=3, data=data, models=models, measure=tuple(measured))
    assert repr(plan) == "<Plan: m0, m1, m2, m3, 2 more of a on d, seed 3>"
    assert repr(Plan()) == "<Plan: nothing of nothing on nothing, seed 0>"


def test_an_estimate_without_a_value_says_its_status():
    key = EstimateKey("d@1", "m@1", "model", "data")
    bare = Estimate(key, None, None, None, 0.95, "", Counts(0, 3), 0, status="undefined")
    assert repr(bare) == "<m@1 of model on data: undefined, 0 of 3>"


def test_numbers_have_a_column_for_each_thing_that_varies(run):
    table = run.to_arrow()
    assert table.num_rows == len(run.estimates) == len(run.numbers)
    assert {"metric", "model", "dataset", "transformation", "draw", "value"} <= set(
        table.column_names
    )
    own = run.numbers.where(metric="drop(accuracy)", role="measured", group="all")
    found = {row["transformation"]: row["value"] for row in own}
    assert (
        found["typos(share=0.5)"]
        == run.estimate("drop(accuracy)", transformation="typos(share=0.5)").value
    )
    frame = run.to_pandas()
    assert list(frame.columns) == table.column_names
    assert frame["value"].isna().sum() == table["value"].null_count


def test_numbers_of_mixed_conditions_are_written_as_json():
    keys = [EstimateKey("d@1", "m@1", "s", "x", condition={"at": value}) for value in (1, "two")]
    made = [Estimate(key, 0.5, None, None, 0.95, "", Counts(1), 1) for key in keys]

    assert numbers_table(made)["at"].to_pylist() == ["1", '"two"']
    assert numbers_table([]).num_rows == 0


def test_cases_are_the_changed_texts_with_both_answers_worst_first(run):
    cases = list(run.cases("typos(share=0.5)"))
    made = {
        row["item"]: json.loads(row["edits"])
        for row in run.variants.to_pylist()
        if row["role"] == "measured" and row["recipe"].startswith("typos") and row["status"] == "ok"
    }
    texts = {row["id"]: row for row in ROWS}
    model = KeywordClassifier()
    assert {case["item"] for case in cases} == set(made)
    for case in cases:
        row = texts[case["item"]]
        edits = [scrutiny_edit(edit) for edit in made[case["item"]]]
        assert case["before"] == row["text"]
        assert case["after"] == apply_to_text(row["text"], edits)
        assert case["label"] == row["label"]
        assert (case["said_before"], case["said_after"]) == (
            answer(model, case["before"]),
            answer(model, case["after"]),
        )
        was, now = case["said_before"] == row["label"], case["said_after"] == row["label"]
        assert (case["broken"], case["mended"]) == (int(was and not now), int(now and not was))
        assert all(word in case["before"] for word in case["edits"].split(" → ")[0].split())
    broken = [case["broken"] for case in cases]
    assert broken == sorted(broken, reverse=True)
    assert broken[0] == 1


def scrutiny_edit(values):
    from scrutiny.core.edit import Edit

    return Edit(*values[:4])


def answer(model, text):
    from scrutiny.core.example import Example

    return model.predict([Example("x", {"text": text})])[0].answer


def test_cases_are_filtered_and_named(run):
    cases = run.cases()
    assert {row["change"] for row in cases} >= {"typos(share=0.5)"}
    assert len(cases.where(broken=[0, 1])) == len(cases)
    assert all(row["label"] == "positive" for row in cases.where(label="positive", broken=1))
    said = r"no change or test in this run named 'typo'.*typos\(share"
    with pytest.raises(UnknownNameError, match=said):
        run.cases("typo")
    with pytest.raises(PlanError, match="must be a text, not an object of type int"):
        run.cases(3)


def test_several_replicates_are_counted():
    measure = {"diagnostic": "robustness", "params": {"transformations": ["typos(share=0.4)"]}}
    found = scrutiny.run(
        {
            "data": {"reviews": {"source": "builtin:reviews", "limit": 40}},
            "models": {"sentiment": {"source": "builtin:sentiment"}},
            "measure": [{"id": "robustness", **measure}],
        }
    )
    cases = list(found.cases("typos(share=0.4)"))
    assert {case["replicates"] for case in cases} == {5}
    assert all(case["broken"] + case["mended"] <= case["flipped"] <= 5 for case in cases)
    split = next(case for case in cases if 0 < case["flipped"] < 5)
    assert "(" in split["said_before"] or "(" in split["said_after"]


def test_texts_that_attacks_found_are_cases_of_one_replicate():
    found = scrutiny.run(
        "attack",
        model=KeywordClassifier(),
        data=ROWS,
        recipes=["deepwordbug"],
        items=8,
    )
    cases = found.cases("deepwordbug")
    assert len(cases) == 8
    fooled = found.estimate("attack_success", recipe="deepwordbug").value
    assert len(cases.where(broken=1)) == round(8 * fooled) > 0
    assert {case["replicates"] for case in cases} == {1}


class Letters:
    """Answers with the first letter."""

    labels = tuple("abcdefghij")

    def predict(self, texts):
        return [text[0] for text in texts]


def test_of_many_estimates_it_is_said_how_many_more_there_are():
    rows = [{"text": f"{one} thing {n}", "label": one} for n in range(2) for one in "abcdefghij"]
    found = scrutiny.run("classes", model=Letters(), data=rows)
    with pytest.raises(PlanError, match=r"10 estimates fit 'recall'.*label='h'.*; and 2 more\."):
        found.estimate("recall")


class Marks:
    """Answers by a mark that no search can take away."""

    labels = ("no", "yes")

    def predict_proba(self, texts):
        return [[0.1, 0.9] if "!" in text else [0.9, 0.1] for text in texts]


def test_a_search_that_ended_without_a_text_is_known_by_both_names_and_has_no_cases():
    rows = [{"text": "!" if i % 2 else "x", "label": "yes" if i % 2 else "no"} for i in range(20)]
    found = scrutiny.run("attack", model=Marks(), data=rows, recipes=["deepwordbug"], items=8)
    for name in ("deepwordbug", "DeepWordBug attack"):
        assert len(found.cases(name)) == 0
    with pytest.raises(UnknownNameError, match="DeepWordBug attack, deepwordbug"):
        found.cases("pwws")


def finding(verdict, metric="drop(accuracy)@1", value=0.1, operator=">", name="c"):
    claim = Claim(name, f"{name} matters", "robustness", (Component("e", 0.01, operator=operator),))
    key = EstimateKey("robustness@1", metric, "m", "d", condition={"transformation": "typos@1"})
    estimate = Estimate(key, value, value - 0.05, value + 0.05, 0.95, "", Counts(10), 10)
    return Finding(claim, None if value is None else estimate, verdict, "this recipe", "because")


@pytest.mark.parametrize(
    ("metric", "operator", "verdict", "state"),
    [
        ("drop(accuracy)@1", ">", "supported", "hurts"),
        ("drop(accuracy)@1", ">", "not supported", "holds"),
        ("drop(accuracy)@1", "<=", "supported", "holds"),
        ("drop(accuracy)@1", ">", "undecided", "can't tell"),
        ("drop(accuracy)@1", ">", "refused", "not asked"),
        ("accuracy@1", ">", "supported", "holds"),
        ("accuracy@1", ">", "not supported", "hurts"),
        ("accuracy@1", "<", "supported", "hurts"),
    ],
)
def test_the_state_of_a_risk_goes_by_the_direction_of_its_number(metric, operator, verdict, state):
    (risk,) = risks_of([finding(verdict, metric, operator=operator)])
    assert (risk.state, risk.of, risk.scope, risk.reason) == (
        state,
        "m on d",
        "this recipe",
        "because",
    )
    assert risk.look == 'run.cases("typos")'


def test_risks_stand_in_the_order_of_what_they_cost():
    several = [
        finding("undecided", value=0.5, name="a"),
        finding("supported", value=0.1, name="b"),
        finding("supported", value=0.3, name="c"),
        finding("supported", "coverage@1", name="no direction"),
        finding("supported", "gone@7", name="no metric"),
    ]
    assert [risk.what[0] for risk in risks_of(several)] == ["c", "b", "a"]


def test_a_refused_claim_without_a_number_is_a_risk_that_was_not_asked():
    claim = Claim("r", "r matters", "robustness", (Component("e", 0.01),))
    refused = Finding(claim, None, "refused", "this checkpoint", "no skill")
    assert risks_of([refused]) == []
    last = risks_of([refused, finding("supported")])[-1]
    assert (last.state, last.cost, last.look) == ("not asked", None, 'run.records("robustness")')


def test_risks_of_a_run(run):
    risks = run.risks
    assert len(risks) == len(run.findings)
    assert set(risks.where(state="hurts").columns) >= {"what", "cost", "low", "high", "look"}
    looked = [row["look"] for row in risks]
    assert 'run.cases("typos(share=0.5)")' in looked


def test_a_table_is_narrowed_and_taken_out():
    table = ResultTable(pa.table({"a": [1, 2, None], "b": ["x", "y", "y"]}))
    assert (len(table), table.columns) == (3, ["a", "b"])
    assert [*table.where(b="y", a=2)] == [{"a": 2, "b": "y"}]
    assert len(table.where(a=None)) == 1
    assert len(table.where(b=["x", "y"])) == 3
    assert len(table.where(b="z")) == 0
    assert table.where(b="x").to_pandas()["a"].tolist() == [1]
    assert "y" in table._repr_html_()
    with pytest.raises(PlanError, match="no column 'c': a, b"):
        table.where(c=1)
    with pytest.raises(PlanError, match="The column 'a' holds int64, and 'one' is none"):
        table.where(a="one")


def test_polars_is_asked_for_by_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match=r'pip install "scrutiny\[polars\]"'):
        ResultTable(pa.table({"a": [1]})).to_polars()


def test_polars_has_the_same_rows(run):
    frame = run.to_polars()
    assert isinstance(frame, polars.DataFrame)
    assert frame.columns == run.numbers.columns
    assert frame["metric"].to_list() == run.to_pandas()["metric"].tolist()
    assert frame.height == len(run.numbers)
    hurt = run.risks.to_polars().filter(polars.col("state") == "hurts")
    assert hurt.height == len(run.risks.where(state="hurts"))
