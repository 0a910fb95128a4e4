"""The part of the report on attacks: success never without its validity, texts with changes."""

import json

import pytest

from scrutiny.blocks.run_view import RunFacts, RunView
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.diagnostics.attack.attack_tables import NO_RATER, NOT_RATED, changes_in, part
from scrutiny.diagnostics.attack.kept_texts import FoundText
from scrutiny.report.load import load_view
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.testing import LinearClassifier

ROWS = [
    {"id": f"i{i}", "text": f"a good and fine film of {w}", "label": "positive"}
    for i, w in enumerate(("Rome", "love", "war", "snow", "dust", "kings"))
]


def view_of(folder, **params):
    given = {"recipes": ["deepwordbug", "pwws"], "budget": 40, **params}
    plan = Plan(
        data=(DataPlan("x", "object:x"),),
        models=(ModelPlan("m", "python:object:Toy"),),
        measure=(MeasurePlan("attack", "attack", ("m",), ("x",), given),),
        resampling=Resampling(draws=200),
    )
    models = {"m": LinearClassifier({"good": 2, "fine": 1, "film": 1})}
    made = resolve(plan, data={"x": ROWS}, models=models)
    return load_view(run_plan(made, folder, models=models).path)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return part(view_of(tmp_path_factory.mktemp("attacks") / "run"))


def test_every_success_has_its_validity_and_its_control_beside_it(found):
    table = found.charts[0].table
    assert table.header[:4] == ("attack", "success", "keeps meaning", "random change")
    assert [row[0] for row in table.rows] == ["deepwordbug", "pwws"]
    assert all(row[2] == NOT_RATED for row in table.rows)
    assert all("[" in row[1] and "[" in row[3] for row in table.rows)
    assert all("mean" in row[5] for row in table.rows)
    assert found.charts[0].more.header == ("attack", "accuracy under attack", "valid success")


def test_ratings_take_the_place_of_not_rated(tmp_path):
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("before,after,valid\ngood,full,0\ngood,full,1\nfilm,movie,1\n")
    shown = part(view_of(tmp_path / "run", recipes=["pwws"], ratings=str(ratings)))
    ((row,), texts) = shown.charts[0].table.rows, shown.charts[1].table.rows
    rated = [cells[4] for cells in texts if cells[4] != NOT_RATED]
    assert (row[2] != NOT_RATED) == bool(rated)


def test_the_curve_has_the_points_that_the_budget_allows(found):
    values = found.charts[0].spec["data"]["values"]
    assert {v["texts"] for v in values} == {10, 30}
    assert all(0 <= v["value"] <= 1 for v in values)
    json.dumps(found.charts[0].spec)


def test_texts_show_what_was_changed(found):
    table = found.charts[1].table
    assert table.header == ("attack", "item", "answer", "text", "valid")
    assert {row[2] for row in table.rows} == {"positive → negative"}
    assert all("[" in row[3] and " → " in row[3] for row in table.rows)
    assert len(table.rows) <= 6


def test_a_run_without_attacks_has_no_such_part():
    assert part(RunView(RunFacts("nowhere"))) is None


def one(text, *edits, **more):
    return FoundText(
        kind="attack@1#0",
        subject="m",
        replicate=None,
        dataset="x",
        item="1",
        recipe="pwws@1",
        draw=0,
        role="measured",
        edits=edits,
        fields=("text",),
        originals=(text,),
        texts=("",),
        is_success=True,
        before="a",
        after="b",
        asked=3,
        words_changed=1,
        **more,
    )


def test_changes_are_marked_in_their_place_and_long_stretches_cut():
    text = "x" * 100 + " good " + "y" * 200 + " film " + "z" * 100
    shown = changes_in(one(text, ("text", 307, 311, "movie"), ("text", 101, 105, "")))
    assert shown.startswith("…" + "x" * 59 + " [good → ]")
    assert shown.count("…") == 3
    assert shown.endswith("[film → movie] " + "z" * 59 + "…")
    assert changes_in(one("go", ("text", 1, 1, "\u200b"))) == "g[ → ⟨U+200B⟩]o"


RATER = """
labels = ("contradiction", "entailment")
is_batch_invariant = True

class Rater:
    labels = labels
    def predict_proba(self, pairs):
        return [[1 - p, p] for p in (float(a == b) if KNOWS else 1.0 for a, b in pairs)]
"""


@pytest.mark.parametrize(("knows", "separation"), [(True, "1.00"), (False, "0.00")])
def test_a_rater_stands_beside_what_it_says_of_known_texts(tmp_path, knows, separation):
    folder = tmp_path / "rater.py"
    folder.write_text(RATER.replace("KNOWS", str(knows)))
    shown = part(view_of(tmp_path / "run", recipes=["pwws"], rater=f"python:{folder}:Rater"))
    main, rater, _texts = shown.charts
    assert [row[0] for row in rater.table.rows][:2] == ["the unchanged item", "another item's text"]
    assert rater.table.rows[2][2].startswith(separation)
    assert (main.table.rows[0][2] == NO_RATER) == (not knows)
