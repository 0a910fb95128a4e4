"""Frozen suites: the numbers of the run that they are of, transfer, and what is refused."""

import csv
import io
import json
from dataclasses import replace

import pytest
from small_runs import family, rows

from scrutiny.core.errors import DataError, PlanError, UnknownNameError
from scrutiny.core.example import Span
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.data.dataset import load_dataset
from scrutiny.data.readers.suites import suite_lines
from scrutiny.report.cases.evidence import searched_texts
from scrutiny.run.driver import run_plan
from scrutiny.run.labeled_sets import labeled_set, sheet_text
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.reusing import frozen

CHANGES = {"transformations": ("typos", "contraction"), "draws": 1}
SEARCH = {"recipes": ("deepwordbug",), "budget": 60, "items": 40}


def measured(diagnostic, out, *, model, data, params=None, reference=""):
    """Finished run of one diagnostic."""
    models = [ModelPlan("m", model), *([ModelPlan("r", reference)] if reference else [])]
    plan = Plan(
        data=tuple(DataPlan(f"x{n}" if n else "x", one) for n, one in enumerate(data)),
        models=tuple(models),
        measure=(
            MeasurePlan(
                "d", diagnostic, ("m",), ("x",), params or {}, reference="r" if reference else ""
            ),
        ),
        resampling=Resampling(draws=400),
    )
    return run_plan(resolve(plan), out)


def write_suite(folder, path, **chosen):
    found = searched_texts(folder.path, folder.estimates())
    task, examples = frozen(folder, found, **chosen)
    path.write_text("\n".join(suite_lines(task, examples)), encoding="utf-8")
    return f"suite:{path}"


def values(folder, metric):
    return {
        str(e.key.condition.get("transformation", e.key.condition.get("test"))): e
        for e in folder.estimates()
        if e.key.metric == f"{metric}@1" and e.key.group == "all" and e.key.role == "measured"
    }


@pytest.fixture(scope="module")
def robust(tmp_path_factory):
    out = tmp_path_factory.mktemp("robust")
    return measured("robustness", out / "run", model="builtin:sentiment/seed-1",
                    data=["builtin:reviews"], params=CHANGES)  # fmt: skip


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    out = tmp_path_factory.mktemp("attacked")
    return measured("attack", out / "run", model="builtin:sentiment/seed-1",
                    data=["builtin:reviews"], params=SEARCH)  # fmt: skip


@pytest.fixture(scope="module")
def again(robust, tmp_path_factory):
    """The changes of that run, frozen and measured of the same model."""
    out = tmp_path_factory.mktemp("again")
    suite = write_suite(robust, out / "s.jsonl")
    return measured("suites", out / "run", model="builtin:sentiment/seed-1", data=[suite])


@pytest.mark.parametrize("metric", ["drop(accuracy)", "excess(accuracy)"])
def test_a_frozen_change_costs_what_it_cost_when_it_was_made(robust, again, metric):
    before, after = values(robust, metric), values(again, metric)
    assert {"typos@1": "typos", "contraction@1": "contractions"}.items() >= {
        name: title for name, title in zip(before, after, strict=True)
    }.items()
    for one, other in zip(before.values(), after.values(), strict=True):
        assert other.value == pytest.approx(one.value, abs=1e-12)
        assert other.counts.planned == one.counts.planned


def test_a_frozen_suite_measured_twice_gives_the_same_rows(robust, again, tmp_path):
    suite = write_suite(robust, tmp_path / "s.jsonl")
    other = measured("suites", tmp_path / "run", model="builtin:sentiment/seed-1", data=[suite])
    assert other.records().equals(again.records())
    assert (tmp_path / "s.jsonl").read_bytes() == (again.path.parent / "s.jsonl").read_bytes()


def test_texts_found_for_one_model_are_measured_on_another(attacked, tmp_path):
    """As much carries over as the diagnostic says that searches for and measures them at once."""
    suite = write_suite(attacked, tmp_path / "s.jsonl")
    other = measured("suites", tmp_path / "run", model="builtin:sentiment/seed-2", data=[suite])
    (found,) = values(other, "share(failed)").values()
    whole = measured("attack.transfer", tmp_path / "whole", model="builtin:sentiment/seed-2",
                     data=["builtin:reviews"], params=SEARCH,
                     reference="builtin:sentiment/seed-1")  # fmt: skip
    (rate,) = (
        e
        for e in whole.estimates()
        if e.key.metric == "transfer_rate@1" and e.key.role == "measured"
    )
    assert found.value == pytest.approx(rate.value, abs=1e-12)
    assert found.denominator == pytest.approx(rate.denominator)


def test_every_search_is_a_case_and_those_that_found_nothing_are_not_asked(attacked):
    found = list(searched_texts(attacked.path, attacked.estimates()))
    _, examples = frozen(attacked, found)
    cases = [e for e in examples if e.case is not None]
    own = [e.case for e in cases if e.case.role == "measured"]
    assert len(own) == sum(one.role == "measured" for one in found)
    assert {case.status for case in own} == {"ok", "skipped"}
    assert {case.reason for case in own} == {"", "search_found_nothing"}
    assert all(case.facts["asked"] > 0 for case in own)
    assert {case.made_for for case in own} == {"m"}
    names = {e.id for e in cases}
    twins = [e.case.twin_of for e in cases if e.case.role == "control"]
    assert twins
    assert set(twins) <= names


def test_only_named_changes_are_frozen(robust):
    _, examples = frozen(robust, (), changes=("typos",))
    assert {e.case.test for e in examples if e.case is not None} == {"typos"}
    with pytest.raises(UnknownNameError, match="no change in this run named 'ocr'"):
        frozen(robust, (), changes=("ocr",))
    with pytest.raises(UnknownNameError, match="no dataset in this run named 'y'"):
        frozen(robust, (), data="y")


def test_a_run_that_changed_nothing_has_nothing_to_freeze(tmp_path):
    run = measured("performance", tmp_path / "run", model="builtin:sentiment/seed-1",
                   data=["builtin:reviews"])  # fmt: skip
    with pytest.raises(PlanError, match="no changed texts of 'x' that could be frozen"):
        frozen(run, ())


def test_several_datasets_need_a_name_and_changed_data_are_refused(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join(map(json.dumps, rows(60))))
    model = family(tmp_path).replace("{seed}", "1")
    folder = measured("robustness", tmp_path / "run", model=model,
                      data=[f"jsonl:{path}", "builtin:reviews"], params=CHANGES)  # fmt: skip
    with pytest.raises(PlanError, match="measured 2 datasets"):
        frozen(folder, ())
    task, examples = frozen(folder, (), data="x")
    assert task == "text-classification"
    assert examples
    path.write_text("\n".join(map(json.dumps, rows(61))))
    with pytest.raises(DataError, match="has changed since"):
        frozen(folder, (), data="x")


@pytest.fixture(scope="module")
def to_label(robust):
    found = searched_texts(robust.path, robust.estimates())
    examples = frozen(robust, found, changes=["typos"])[1]
    return examples, [*csv.DictReader(io.StringIO(sheet_text(examples)))]


def write_sheet(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_sheet_of_labels_makes_a_contrast_set(to_label, tmp_path):
    examples, rows = to_label
    asked = [e for e in examples if e.case and e.case.role == "measured" and e.case.status == "ok"]
    assert [row["id"] for row in rows] == [e.id for e in asked]
    assert {row["label"] for row in rows} == {""}
    assert rows[0]["original"] != rows[0]["text"]
    other = {"positive": "negative", "negative": "positive"}
    said = [
        *({**row, "annotator": "a", "label": other[row["original_label"]]} for row in rows[:10]),
        *({**row, "annotator": "b", "label": other[row["original_label"]]} for row in rows[:8]),
        *({**row, "annotator": "b", "label": row["original_label"]} for row in rows[8:10]),
        {**rows[11], "annotator": "a", "label": rows[11]["original_label"]},
    ]
    found = labeled_set(examples, write_sheet(tmp_path / "sheet.csv", said))
    cases = [e for e in found.examples if e.case]
    assert (len(cases), found.n_changed, found.n_tied) == (9, 8, 2)
    assert found.n_unlabeled == len(rows) - 11
    assert found.agreement == pytest.approx(1 - (4 / 20) / (2 * 10 * 10 / (20 * 19)), abs=0.35)
    path = tmp_path / "sets.jsonl"
    path.write_text("\n".join(suite_lines("text-classification", found.examples)))
    data = load_dataset(f"suite:{path}")
    again = [e for e in data.examples if e.case]
    assert [(e.id, e.gold, e.case.test, e.case.expect) for e in again] == [
        (e.id, e.gold, "contrast set", "gold") for e in cases
    ]
    assert {e.attributes["a_perturbation"] for e in again} == {"typos"}


@pytest.mark.parametrize(
    ("change", "phrase"),
    [
        ({"label": "good"}, "the label 'good' is none of the data, which has negative, positive"),
        ({"id": "x", "label": "positive"}, "no changed text 'x'"),
        ({"text": "Another.", "label": "positive"}, "is of another run, or the text was edited"),
        ({}, "labels no text"),
    ],
)
def test_a_sheet_that_does_not_fit_is_refused(to_label, tmp_path, change, phrase):
    examples, rows = to_label
    sheet = write_sheet(tmp_path / "s.csv", [{**rows[0], **change}])
    with pytest.raises(DataError, match=phrase):
        labeled_set(examples, sheet)
    with pytest.raises(DataError, match="no column 'label'"):
        labeled_set(examples, write_sheet(tmp_path / "t.csv", [{"id": "x"}]))


def test_answers_that_are_no_labels_have_no_sheet(to_label, tmp_path):
    with pytest.raises(PlanError, match="are no labels"):
        labeled_set([replace(e, gold=(Span("text", 0, 1, "x"),)) for e in to_label[0]], tmp_path)
