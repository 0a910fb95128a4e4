"""Two models of one run side by side: the numbers of the run itself, on the page of any run."""

from dataclasses import replace

import pytest
from small_runs import family, plan, rows, run

from scrutiny.blocks.section import parts
from scrutiny.core.plan import MeasurePlan, ModelPlan
from scrutiny.diagnostics.similarity.side_by_side.side_by_side_charts import MEASURES, PART
from scrutiny.diagnostics.similarity.side_by_side.sides import UNKNOWN, flips_of
from scrutiny.diagnostics.similarity.side_by_side.sides_agreement import agreement_of
from scrutiny.diagnostics.similarity.side_by_side.sides_answers import (
    marked,
    sides_of_models,
    told_by,
)
from scrutiny.report.load import load_view

SURE = """
class Model:
    labels = ("negative", "positive")
    is_batch_invariant = True

    def __init__(self, seed="1"):
        self.seed = int(seed) + {shift}

    def fingerprint(self):
        return "sure-" + str(self.seed)

    def predict(self, texts):
        return [self.probabilities(text) for text in texts]

    def probabilities(self, text):
        odd = (sum(map(ord, text)) * 13 + self.seed * 29) % 97 / 97
        good = 0.2 + 0.6 * ("good" in text.split()) + 0.4 * (odd - 0.5)
        return [1 - good, good]
"""


def sure(folder, shift=0):
    """Model string of a family with probabilities and a capture for its seed."""
    path = folder / f"sure_{shift}.py"
    path.write_text(SURE.format(shift=shift))
    return f"python:{path}:Model#seed={{seed}}"


def two_models(folder, *, diagnostic="performance", seeds=(1, 2, 3)):
    """Run of two families on the same items; the first is the reference of what wants one."""
    models = (
        ModelPlan("a", sure(folder), seeds=seeds),
        ModelPlan("b", sure(folder, 7), seeds=seeds),
    )
    measure = MeasurePlan("d", diagnostic, ("a", "b"), ("x",))
    if diagnostic != "performance":
        measure = replace(measure, models=("b",), reference="a")
    return run(plan(models=models, measure=(measure,)), folder / "out")


@pytest.fixture(scope="module")
def similar(tmp_path_factory):
    """Run of `similarity.outputs` over two families of three."""
    return two_models(tmp_path_factory.mktemp("similar"), diagnostic="similarity.outputs")


def charts_of(folder):
    """Charts of the part, by the first words of their titles."""
    part = PART.make(load_view(folder.path))
    return {} if part is None else {c.title.partition(":")[0]: c for c in part.charts}


def test_numbers_are_those_that_the_run_estimates(similar):
    own = {e.key.metric: e for e in similar.estimates() if e.key.subject == "b"}
    sides = sides_of_models(((similar, "a"), (similar, "b")), ["x"])
    found = agreement_of(sides, marked(sides), UNKNOWN)
    assert [one.measure for one in found.rows] == [m for m in MEASURES if m != "capa_of_labels@1"]
    for one in found.rows:
        mine, theirs = one.estimate, own[one.measure]
        assert mine.value == pytest.approx(theirs.value, abs=1e-6)  # answers are kept as float32
        assert mine.low == pytest.approx(theirs.low, abs=1e-5)
        assert mine.high == pytest.approx(theirs.high, abs=1e-5)
    flips = flips_of(sides)
    assert flips.broken.value == pytest.approx(own["nfr@1"].value)
    assert flips.mended.value == pytest.approx(own["pfr@1"].value)
    assert flips.share == pytest.approx(own["correctness_flips@1"].value)


def test_a_run_of_two_models_has_flips_agreement_and_inputs(tmp_path):
    charts = charts_of(two_models(tmp_path))
    names = [title.partition(",")[0] for title in charts]
    assert names == [
        "How many items flip",
        "How far both agree",
        "Inputs that differ most beyond noise",
    ]
    flips, agreement, inputs = charts.values()
    assert flips.title == "How many items flip: b and a on x"
    assert [row[0] for row in flips.table.rows][:2] == ["noise floor", "flips, either way"]
    assert "the replicates of the first model" in agreement.caption
    assert len(inputs.table.rows) == 10


def test_no_input_is_shown_where_no_text_may_be(similar):
    view = load_view(similar.path)
    assert len(PART.make(view).charts) == 3
    bare = PART.make(view.without_texts())
    assert [chart.title[:11] for chart in bare.charts] == ["How many it", "How far bot"]


def test_the_reference_of_the_plan_is_the_first(similar):
    assert all("b and a on x" in chart.title for chart in charts_of(similar).values())
    assert [one.anchor for one in parts(load_view(similar.path))].count("side-by-side") == 1


def test_single_models_that_promise_exact_answers_have_a_floor_of_0(tmp_path):
    charts = charts_of(two_models(tmp_path, seeds=(1,)))
    assert charts["How many items flip"].table.rows[0][:2] == ("noise floor", "0.00")


def test_three_pairs_are_too_many_and_it_is_said(tmp_path):
    models = tuple(ModelPlan(n, sure(tmp_path), seeds=(k,)) for k, n in enumerate("abcd"))
    measure = (MeasurePlan("d", "performance", tuple("abcd"), ("x",)),)
    folder = run(plan(models=models, measure=measure), tmp_path / "out")
    part = PART.make(load_view(folder.path))
    assert len(part.charts) == 6
    assert "The first 2 of 3 pairs of models" in part.note


def test_a_single_model_and_a_run_without_answers_have_no_such_part(tmp_path):
    alone = run(plan(family(tmp_path), seeds=(1, 2)), tmp_path / "alone")
    assert charts_of(alone) == {}
    both = two_models(tmp_path)
    view = load_view(both.path)
    assert PART.make(view) is not None
    (both.path / "outputs.parquet").unlink()
    assert PART.make(view) is None


def test_items_without_a_gold_answer_or_an_answer_of_each_replicate_are_left_out(tmp_path):
    known = [row | {"label": None if row["id"] == "i3" else row["label"]} for row in rows(12)]
    folder = run(plan(family(tmp_path), seeds=(1, 2)), tmp_path / "out", data={"x": known})
    sides = sides_of_models(((folder, "m"), (folder, "m")), ["x"])
    assert [one.id for one in sides.examples] == [f"i{k}" for k in range(12) if k != 3]
    table = folder.outputs()
    kept = table.to_pylist()
    gone = [row for row in kept if (row["item"], row["replicate"]) != ("i5", '{"seed":"2"}')]
    table = folder.outputs()
    folder.write_table(
        "outputs", [table.from_pylist(gone, schema=table.schema)], schema=table.schema
    )
    assert told_by((folder, "m")).num_rows == len(kept) - 1
    sides = sides_of_models(((folder, "m"), (folder, "m")), ["x"])
    assert [one.id for one in sides.examples] == [f"i{k}" for k in range(12) if k not in (3, 5)]
    assert sides_of_models(((folder, "m"), (folder, "nobody")), ["x"]) is None


def test_units_of_the_run_are_drawn_together(tmp_path):
    data = tmp_path / "dev.csv"
    lines = [f"{row['text']},{row['label']},w{k // 4}" for k, row in enumerate(rows(40))]
    data.write_text("\n".join(["text,label,writer", *lines]))
    made = plan(sure(tmp_path), seeds=(1,))
    source = replace(made.data[0], source=f"csv:{data}#text=text,label=label,unit=writer")
    folder = run(replace(made, data=(source,)), tmp_path / "out", data={})
    sides = sides_of_models(((folder, "m"), (folder, "m")), ["x"])
    assert sides.units.n_units == 10
    assert sides.units.code.tolist() == [k // 4 for k in range(40)]
