"""Stored answers in a table: one row of each gold and answer is measured, as if all had been."""

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from scrutiny.core.columns import item_columns, item_packing
from scrutiny.core.errors import ModelError
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.data.dataset import load_dataset
from scrutiny.models.strings.model_loading import load_model
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.executing import task_runner
from scrutiny.run.executing.equal_rows import EqualRows
from scrutiny.run.planning.resolve import resolve
from scrutiny.store.run_folder import RunFolder
from scrutiny.tasks.tasks import load_task

TABLES = ("records", "outputs", "items", "estimates")


def items(n: int = 200, *, is_odd: bool = False) -> list[dict[str, Any]]:
    """Items of three classes; if odd, some have no label."""
    rng = random.Random(1)
    labels = ["a", "b", "c", *([None] if is_odd else [])]
    return [{"id": i, "text": f"text {i}", "label": rng.choice(labels)} for i in range(n)]


def answers(n: int = 200) -> list[dict[str, Any]]:
    """Answers to the items, of which most are right."""
    rng = random.Random(2)
    return [
        {"id": one["id"], "label": one["label"] if rng.random() < 0.7 else "b"} for one in items(n)
    ]


def shuffled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same rows in another order, among others."""
    more = [*rows, *({"id": f"x{i}", "label": "a"} for i in range(7))]
    random.Random(3).shuffle(more)
    return [{**row, "id": str(row["id"])} for row in more]


GIVEN: dict[str, list[dict[str, Any]]] = {
    "in order": answers(),
    "in another order, by words": shuffled(answers()),
    "with texts": [{**row, "text": f"text {row['id']}"} for row in answers()],
}
#: Of these every shard, or one of them, is measured item by item.
ITEM_BY_ITEM: dict[str, list[dict[str, Any]]] = {
    "of other texts": [{**row, "text": f"text {row['id'] % 199}"} for row in answers()],
    "with variants": [{**row, "variant": ""} for row in answers()],
    "with probabilities": [{**row, "p_a": 0.5, "p_b": 0.25, "p_c": 0.25} for row in answers()],
    "of fewer items": answers()[:-3],
    "without a label": [{**row, "label": "b" * (row["id"] % 9 > 0)} for row in answers()],
}


@pytest.fixture
def in_columns(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Data of a few items stay columns."""
    for module in (item_columns, item_packing):
        monkeypatch.setattr(module, "BLOCK", 16)
    return monkeypatch


def measured(
    folder: Path, rows: list[dict[str, Any]], name: str, *, is_odd: bool = False
) -> dict[str, Any]:
    """Tables of a run of the performance of stored answers, and how many answers were stored."""
    for kind, table in (("data", items(is_odd=is_odd)), ("answers", rows)):
        parquet.write_table(pa.Table.from_pylist(table), folder / f"{kind}.parquet")
    source = f"parquet:{folder / 'data.parquet'}#text=text,label=label,id=id,language=en"
    plan = Plan(
        models=(ModelPlan("m", f"predictions:{folder / 'answers.parquet'}#labels=a|b|c"),),
        data=(DataPlan("x", source),),
        measure=(MeasurePlan("d", "performance", ("m",), ("x",), {}),),
        resampling=Resampling(draws=50),
    )
    run = run_plan(resolve(plan), folder / name, options=RunOptions())
    found = {table: run.table(table) for table in TABLES}
    return found | {"told": told(run)}


def told(run: RunFolder) -> list[dict[str, Any]]:
    """What durations say beside seconds."""
    rows = run.table("timings").to_pylist()
    return [{k: v for k, v in row.items() if "seconds" not in k} for row in rows]


@pytest.mark.parametrize(
    ("kind", "is_odd"), [("in order", True), *((kind, False) for kind in GIVEN | ITEM_BY_ITEM)]
)
def test_rows_are_those_of_items_measured_one_by_one(
    tmp_path: Path, in_columns: pytest.MonkeyPatch, kind: str, is_odd: bool
) -> None:
    rows = (GIVEN | ITEM_BY_ITEM)[kind]
    stood: list[EqualRows] = []
    of_all = EqualRows.of_all

    def seen(own: EqualRows, table: pa.Table) -> pa.Table | None:
        found = of_all(own, table)
        stood.extend([own] if found is not None else [])
        return found

    in_columns.setattr(EqualRows, "of_all", seen)
    found = measured(tmp_path, rows, "equal", is_odd=is_odd)
    in_columns.setattr(task_runner, "equal_rows", lambda *_: None)
    assert found == measured(tmp_path, rows, "each", is_odd=is_odd)
    assert bool(stood) == (kind in GIVEN)
    assert all(len(one.batch.examples) <= 16 < len(one.places) for one in stood)


def test_an_item_is_not_asked_with_two_texts(
    tmp_path: Path, in_columns: pytest.MonkeyPatch
) -> None:
    """Answers that do not say of which text they are stand for the first one."""
    measured(tmp_path, answers(), "once")
    source = f"parquet:{tmp_path / 'data.parquet'}#text=text,label=label,id=id,language=en"
    data = load_dataset(source)
    model: Any = load_model(f"predictions:{tmp_path / 'answers.parquet'}", load_task(data.task))
    assert model.answer_codes(data.examples, 0, 100) is not None
    changed = [{**one, "text": "another"} for one in items()]
    parquet.write_table(pa.Table.from_pylist(changed), tmp_path / "data.parquet")
    others = load_dataset(source).examples
    assert model.answer_codes(others, 0, 100) is None
    assert model.answer_codes(others, 100, 200) is not None
    with pytest.raises(ModelError, match="two texts"):
        model.predict([data.examples[150]])
