"""Tables of a run: their schemas, and items, variants, records and outputs as rows.

Rows are in plan order, in row groups of one size however the work was cut.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from scrutiny.core.answers.answer import answer_json, answer_of, answer_text
from scrutiny.core.boundary.json_text import canonical_json
from scrutiny.core.boundary.printable import writable
from scrutiny.core.diagnostic import Cell
from scrutiny.core.edit import Variant, variant_of
from scrutiny.core.errors import ConformanceError
from scrutiny.core.example import Example
from scrutiny.core.record import ROLES, STATUSES, Row
from scrutiny.core.task import Prediction
from scrutiny.store.stored_forms import edits_json, edits_of

ROW_GROUP: Final = 65_536
RECORDS: Final = pa.schema(
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("subject", pa.string(), nullable=False),
        pa.field("reference", pa.string()),
        pa.field("replicate", pa.string()),
        pa.field("dataset", pa.string(), nullable=False),
        pa.field("condition", pa.string(), nullable=False),
        pa.field("role", pa.string(), nullable=False),
        pa.field("item", pa.string(), nullable=False),
        pa.field("variant", pa.string()),
        pa.field("status", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
        pa.field("values", pa.list_(pa.float64())),
    ]
)
VARIANTS: Final = pa.schema(
    [
        pa.field("kind", pa.string(), nullable=False),
        pa.field("dataset", pa.string(), nullable=False),
        pa.field("item", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("role", pa.string(), nullable=False),
        pa.field("control_of", pa.string()),
        pa.field("recipe", pa.string(), nullable=False),
        pa.field("draw", pa.int32(), nullable=False),
        pa.field("edits", pa.string(), nullable=False),
        pa.field("gold", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
    ]
)
OUTPUTS: Final = pa.schema(
    [
        pa.field("subject", pa.string(), nullable=False),
        pa.field("replicate", pa.string()),
        pa.field("dataset", pa.string(), nullable=False),
        pa.field("condition", pa.string(), nullable=False),
        pa.field("item", pa.string(), nullable=False),
        pa.field("variant", pa.string()),
        pa.field("answer", pa.string()),
        pa.field("scores", pa.list_(pa.float32())),
        pa.field("said", pa.string()),
    ]
)
TIMINGS: Final = pa.schema(
    [
        pa.field("task", pa.string(), nullable=False),
        pa.field("seconds", pa.float64(), nullable=False),
        pa.field("model_seconds", pa.float64(), nullable=False),
        pa.field("asked", pa.int64(), nullable=False),
        pa.field("cached", pa.int64(), nullable=False),
        pa.field("failures", pa.list_(pa.string())),
        pa.field("requests", pa.int64(), nullable=False),
        pa.field("requests_again", pa.int64(), nullable=False),
        pa.field("tokens_in", pa.int64(), nullable=False),
        pa.field("tokens_out", pa.int64(), nullable=False),
        pa.field("cost", pa.float64()),
        pa.field("redirects", pa.list_(pa.list_(pa.string()))),  # address, and what answered
    ]
)
ESTIMATES: Final = pa.schema(
    [
        pa.field("diagnostic", pa.string(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),
        pa.field("subject", pa.string(), nullable=False),
        pa.field("reference", pa.string()),
        pa.field("dataset", pa.string(), nullable=False),
        pa.field("replicate", pa.string()),
        pa.field("role", pa.string(), nullable=False),
        pa.field("condition", pa.string(), nullable=False),
        pa.field("group", pa.string(), nullable=False),
        pa.field("value", pa.float64()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
        pa.field("level", pa.float64(), nullable=False),
        pa.field("method", pa.string(), nullable=False),
        pa.field("n", pa.int64(), nullable=False),
        pa.field("n_units", pa.int64(), nullable=False),
        pa.field("planned", pa.int64(), nullable=False),
        pa.field("undefined", pa.int64(), nullable=False),
        pa.field("failed", pa.int64(), nullable=False),
        pa.field("skipped", pa.int64(), nullable=False),
        pa.field("refused", pa.int64(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
        pa.field("n_replicates", pa.int64(), nullable=False),
        pa.field("variance", pa.string(), nullable=False),
        pa.field("by_replicate", pa.string(), nullable=False),
        pa.field("across", pa.string(), nullable=False),
        pa.field("resample_id", pa.string(), nullable=False),
        pa.field("denominator", pa.float64()),
    ]
)


def in_this_order(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Columns of a table in this order.

    Raises
    ------
    ArrowInvalid
        If one is not there.
    """
    lacking = next((name for name in columns if name not in table.column_names), None)
    if lacking is not None:
        raise pa.ArrowInvalid(f"it has no column {lacking!r}")
    return table.select(columns)


def in_row_groups(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterable[pa.Table]:
    """Tables of exactly one row group each, however the input was split."""
    pending: list[pa.Table] = []
    size = 0
    for table in tables:
        pending.append(table.cast(schema))
        size += table.num_rows
        if size >= ROW_GROUP:
            whole = pa.concat_tables(pending).combine_chunks()
            full = size - size % ROW_GROUP
            for start in range(0, full, ROW_GROUP):
                yield whole.slice(start, ROW_GROUP)
            pending, size = [whole.slice(full)], size - full
    if size:
        yield pa.concat_tables(pending).combine_chunks()


def examples_of(items: pa.Table, dataset: str) -> dict[str, Example]:
    """Examples read back from a run's stored table of items, by their identity."""
    rows = items.filter(pc.equal(items["dataset"], dataset)).to_pylist()
    return {row["item"]: _example_of(row) for row in rows}


def _example_of(row: Mapping[str, Any]) -> Example:
    """Example from a row of the table of items."""
    return Example(
        id=row["item"],
        fields=json.loads(row["fields"]),
        gold=answer_of(row["gold"]),
        source=row["source"],
        attributes={n: v for n, v in row.items() if n.startswith(("a_", "u_")) and v is not None},
        language=row["language"],
    )


def items_table(examples: Iterable[Example], dataset: str) -> pa.Table:
    """Table of the items of a dataset, in plan order."""
    rows = list(examples)
    columns = {
        "dataset": [dataset] * len(rows),
        "item": [e.id for e in rows],
        "position": pa.array(range(len(rows)), pa.int64()),
        "gold": [answer_json(e.gold) for e in rows],
        "source": [e.source for e in rows],
        "fields": [canonical_json(dict(e.fields)) for e in rows],
        "language": [e.language for e in rows],
        **{
            name: [
                None if e.attributes.get(name) is None else str(e.attributes[name]) for e in rows
            ]
            for name in sorted({name for e in rows for name in e.attributes})
        },
    }
    return pa.table(columns)


def items_of(datasets: Mapping[str, Iterable[Example]]) -> pa.Table:
    """Table of the items of all datasets, by name."""
    tables = [items_table(examples, name) for name, examples in datasets.items()]
    return pa.concat_tables(tables, promote_options="default")


#: Prefix of names of arrays among the tables of a block.
ARRAYS: Final = "arrays/"
_OF_VARIANTS: Final = (
    "item",
    "variant",
    "role",
    "control_of",
    "recipe",
    "status",
    "reason",
    "draw",
)


def variants_table(kind: str, dataset: str, variants: Sequence[Variant]) -> pa.Table:
    """Table of variants, in their order."""
    columns = {
        "kind": [kind] * len(variants),
        "dataset": [dataset] * len(variants),
        "item": [v.item for v in variants],
        "variant": [v.name for v in variants],
        "role": [v.role for v in variants],
        "control_of": [v.control_of for v in variants],
        "recipe": [v.recipe for v in variants],
        "draw": [v.draw for v in variants],
        "edits": [edits_json(v.edits) for v in variants],
        "gold": [answer_json(v.gold) for v in variants],
        "status": [v.status for v in variants],
        "reason": [v.reason for v in variants],
    }
    return pa.table(columns, schema=VARIANTS)


def variants_of(table: pa.Table) -> dict[str, tuple[Variant, ...]]:
    """Variants as a run's blocks of rows have them, by item and in their order."""
    edits = edits_of(table.column("edits").to_pylist())
    golds = table.column("gold").to_pylist()
    answers = {text: answer_of(text) for text in dict.fromkeys(golds)}
    grouped: dict[str, list[Variant]] = {}
    columns = [table.column(name).to_pylist() for name in _OF_VARIANTS]
    rows = zip(*columns, edits, golds, strict=True)
    for item, name, role, control_of, recipe, status, reason, draw, made, gold in rows:
        variant = variant_of(
            (item, name, role, control_of, recipe, made, answers[gold], status, reason, draw)
        )
        grouped.setdefault(item, []).append(variant)
    return {item: tuple(found) for item, found in grouped.items()}


def records_table(kind: str, cell: Cell, rows: Iterable[Row], *, width: int) -> pa.Table:
    """Table of records, in their order.

    Raises
    ------
    ConformanceError
        If a row breaks the contract: values without ok, ok without values, a wrong number of
        values, an unknown status or role. NaN and infinity come from the model, not from the
        contract: such a row is kept as failed.
    """
    checked = [_check(row, kind, width) for row in rows]
    n = len(checked)
    columns = {
        "kind": [kind] * n,
        "subject": [cell.subject] * n,
        "reference": [cell.reference] * n,
        "replicate": [cell.replicate] * n,
        "dataset": [cell.dataset] * n,
        "condition": [_within(r.condition, cell) for r in checked],
        "role": [r.role for r in checked],
        "item": [r.item for r in checked],
        "variant": [r.variant for r in checked],
        "status": [r.status for r in checked],
        "reason": [writable(r.reason) for r in checked],
        "values": [r.values for r in checked],
    }
    return pa.table(columns, schema=RECORDS)


def _within(condition: str, cell: Cell) -> str:
    """Condition of a row combined with the non-random captures of its cell."""
    if not cell.condition:
        return condition
    return canonical_json({**json.loads(condition), **cell.condition})


def _check(row: Row, kind: str, width: int) -> Row:
    if row.status not in STATUSES or row.role not in ROLES:
        raise ConformanceError(f"{kind} gave status {row.status!r} and role {row.role!r}.")
    if (row.values is None) != (row.status != "ok"):
        raise ConformanceError(
            f"{kind}: a row has values exactly if its status is ok; got {row!r}."
        )
    if row.values is not None:
        if len(row.values) != width:
            raise ConformanceError(f"{kind} gave {len(row.values)} values, it declares {width}.")
        if not all(map(math.isfinite, row.values)):
            return row._replace(status="failed", reason="non_finite", values=None)
    return row


def outputs_table(cell: Cell, outputs: Mapping[tuple[str, str | None], Prediction]) -> pa.Table:
    """Table of the model's answers, in query order."""
    n = len(outputs)
    columns = {
        "subject": [cell.subject] * n,
        "replicate": [cell.replicate] * n,
        "dataset": [cell.dataset] * n,
        "condition": [canonical_json(cell.condition)] * n,
        "item": [item for item, _ in outputs],
        "variant": [variant for _, variant in outputs],
        "answer": [writable(_stored(p.answer)) for p in outputs.values()],
        "scores": [p.scores for p in outputs.values()],
        "said": [writable(p.said) for p in outputs.values()],
    }
    return pa.table(columns, schema=OUTPUTS)


def _stored(answer: Any) -> str | None:
    """A model's answer for the table of answers; None if it gave probabilities alone."""
    return None if answer is None else answer_text(answer)


def array_table(value: np.ndarray[Any, Any]) -> pa.Table:
    """Table of one row that holds an array of numbers."""
    data = {"dtype": value.dtype.str, "shape": list(value.shape), "data": value.tobytes()}
    return pa.Table.from_pylist([data])


def array_of(table: pa.Table) -> np.ndarray[Any, Any]:
    """Array from `array_table`."""
    row = table.to_pylist()[0]
    return np.frombuffer(row["data"], dtype=row["dtype"]).reshape(row["shape"])
