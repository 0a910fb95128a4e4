"""Result tables of a task: variants, records, outputs and timings."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from scrutiny.core.answers.stored import answer_json, answer_of, answer_text
from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.boundary.storable import writable
from scrutiny.core.diagnostic import Cell
from scrutiny.core.edit import Variant, variant_of
from scrutiny.core.errors import ConformanceError
from scrutiny.core.record import ROLES, STATUSES, Row
from scrutiny.core.task import Prediction
from scrutiny.store.edits import edits_json, edits_of
from scrutiny.store.schemas import OUTPUTS, RECORDS, VARIANTS

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
