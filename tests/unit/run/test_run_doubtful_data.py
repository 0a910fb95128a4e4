"""The same items under two names: refused as two data sets, and where half are shared no claim."""

from dataclasses import replace

import pytest
from small_runs import plan, rows

from scrutiny.core.errors import PlanError
from scrutiny.core.model import Model
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.data.dataset import load_dataset, shared_items
from scrutiny.report.load import load_view
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.doubtful_data import (
    data_warnings,
    repeat_warnings,
    truncation_warnings,
)
from scrutiny.run.planning.resolve import resolve
from scrutiny.testing import KeywordClassifier


def looked_up(x, y):
    names = (DataPlan("x", "object:x"), DataPlan("y", "object:y"))
    measure = MeasurePlan("d", "performance", ("m",), ("x", "y"))
    made = replace(plan("python:object:KeywordClassifier"), data=names, measure=(measure,))
    return resolve(made, data={"x": x, "y": y}, models={"m": KeywordClassifier()})


def renamed(items, name="other"):
    return [{**row, "id": f"{name}-{row['id']}"} for row in items]


def swapped(items):
    other = {"positive": "negative", "negative": "positive"}
    return [{**row, "label": other[row["label"]]} for row in items]


@pytest.mark.parametrize("again", [rows(12), renamed(rows(12)), rows(12)[::-1]])
def test_the_same_items_are_no_second_dataset(again):
    with pytest.raises(PlanError, match=r"data 'x' and 'y' hold the same 12 items.*Leave one of"):
        looked_up(rows(12), again)


@pytest.mark.parametrize(("x", "y"), [(12, 6), (12, 23)])
def test_a_claim_beyond_data_that_share_half_their_items_is_refused(x, y):
    found = looked_up(rows(x), rows(y))
    each, other, across = found.claims
    assert (each.refused, other.refused) == ("", "")
    assert f"x and y share {min(x, y)} of the {min(x, y)} items" in across.refused


def test_other_gold_for_the_same_texts_is_no_second_dataset():
    *own, across = looked_up(rows(12), swapped(rows(12))).claims
    assert "x and y share 12 of the 12 items" in across.refused
    assert not any(claim.refused for claim in own)


def test_data_that_share_less_than_half_are_two():
    found = looked_up(rows(20)[:11], rows(20)[6:])
    assert not any(claim.refused for claim in found.claims)


def test_data_of_other_tasks_share_nothing():
    texts = load_dataset(rows(6), name="x")
    pairs = [{"text": r["text"], "text_pair": "b", "label": r["label"]} for r in rows(6)]
    assert shared_items([texts, load_dataset(pairs, name="y")]) == []
    assert shared_items([texts]) == []


def test_items_without_labels_are_told_apart_by_their_columns():
    tests = load_dataset("builtin:agreement", limit=20, name="x")
    other = [replace(e, attributes={**e.attributes, "a_test": "z"}) for e in tests.examples]
    again = replace(tests, name="y", examples=tuple(other))
    assert shared_items([tests, again]) == []
    assert shared_items([tests, replace(tests, name="z")])[0].is_same


def test_labels_that_look_alike_are_told_with_the_name_of_the_data():
    said = data_warnings({"x": load_dataset([*rows(4), {**rows(5)[-1], "label": "Negative"}])})
    assert len(said) == 1
    assert said[0].startswith("x: The labels 'Negative' (1 items) and 'negative' (2)")


def test_items_that_a_model_truncates_are_counted(monkeypatch, tmp_path):
    def truncated(model, examples):
        return sum(len(example.fields["text"]) > 100 for example in examples)

    plan = Plan(
        data=(DataPlan("x", "builtin:reviews", limit=60),),
        models=(ModelPlan("m", "builtin:sentiment/seed-1"),),
        measure=(MeasurePlan("performance", "performance", ("m",), ("x",)),),
        resampling=Resampling(draws=50),
    )
    resolved = resolve(plan)
    assert list(truncation_warnings(resolved)) == []
    monkeypatch.setattr(Model, "truncated", truncated)
    resolved = resolve(plan)
    count = truncated(None, resolved.datasets["x"].examples)
    assert 0 < count < 60
    (said,) = truncation_warnings(resolved)
    assert said.startswith(f"x: {count} of 60 items are longer than m reads")
    folder = run_plan(resolved, tmp_path / "run")
    assert said in folder.manifest["warnings"]
    assert said in load_view(folder.path).facts.warnings


def again(items, times):
    return [{**row, "id": f"{row['id']}-{k}"} for k in range(times) for row in items]


def repeats_of(items, string="object:x"):
    made = replace(plan("python:object:KeywordClassifier"), data=(DataPlan("x", string),))
    found = resolve(made, data={"x": items}, models={"m": KeywordClassifier()})
    return list(repeat_warnings(found))


def test_repeats_that_a_file_counts_as_items_are_said():
    (said,) = repeats_of(again(rows(12), 3))
    assert said.startswith("x: 24 of 36 items repeat the texts of an earlier one and count as")


def test_few_repeats_and_none_are_not_said():
    assert repeats_of(rows(40)) == []
    assert repeats_of([*rows(40), *again(rows(2), 1)]) == []


def test_repeats_that_a_unit_joins_are_not_said():
    joined = [{**row, "case": row["id"][:-2]} for row in again(rows(12), 3)]
    assert repeats_of(joined, "object:x#unit=case") == []
