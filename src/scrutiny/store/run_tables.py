"""Tables of a run: schemas; variants, records, outputs and estimates as rows; findings.

Rows are in plan order, in row groups of one size however the work was cut. What an older version
did not write of an estimate is left to its default.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, TypeVar, cast

import numpy as np
import pyarrow as pa

from scrutiny.core.answers.answer import answer_json, answer_of, answer_text
from scrutiny.core.boundary.json_text import canonical_json, plain
from scrutiny.core.boundary.printable import writable
from scrutiny.core.claim import Check, Claim, Component, Finding, Risk, Touched
from scrutiny.core.diagnostic import Cell
from scrutiny.core.edit import Variant, variant_of
from scrutiny.core.errors import ConformanceError
from scrutiny.core.estimate import Estimate, EstimateKey, Limits
from scrutiny.core.published import PublishedPlan, Reproduction
from scrutiny.core.record import ROLES, STATUSES, Counts, Row
from scrutiny.core.task import Prediction
from scrutiny.store.stored_forms import edits_json, edits_of

ROW_GROUP: Final = 65_536
_TYPES: Final = {
    "text": pa.string(),
    "whole": pa.int64(),
    "short": pa.int32(),
    "number": pa.float64(),
    "texts": pa.list_(pa.string()),
    "numbers": pa.list_(pa.float64()),
    "scores": pa.list_(pa.float32()),
    "pairs": pa.list_(pa.list_(pa.string())),
}


def _schema(written: str) -> pa.Schema:
    """Schema of columns ``name: type``; with ``?`` behind its type, a column may lack values.

    Examples
    --------
    >>> _schema("item: text, draw: short?")
    item: string not null
    draw: int32
    """
    columns = [column.split(": ") for column in " ".join(written.split()).split(", ")]
    return pa.schema(
        pa.field(name, _TYPES[kind.removesuffix("?")], nullable=kind.endswith("?"))
        for name, kind in columns
    )


RECORDS: Final = _schema(
    """kind: text, subject: text, reference: text?, replicate: text?, dataset: text,
    condition: text, role: text, item: text, variant: text?, status: text, reason: text?,
    values: numbers?"""
)
VARIANTS: Final = _schema(
    """kind: text, dataset: text, item: text, variant: text, role: text, control_of: text?,
    recipe: text, draw: short, edits: text, gold: text, status: text, reason: text?"""
)
OUTPUTS: Final = _schema(
    """subject: text, replicate: text?, dataset: text, condition: text, item: text, variant: text?,
    answer: text?, scores: scores?, said: text?"""
)
#: A pair of ``redirects`` is an address and what answered.
TIMINGS: Final = _schema(
    """task: text, seconds: number, model_seconds: number, asked: whole, cached: whole,
    failures: texts?, requests: whole, requests_again: whole, tokens_in: whole, tokens_out: whole,
    cost: number?, redirects: pairs?"""
)
ESTIMATES: Final = _schema(
    """diagnostic: text, metric: text, subject: text, reference: text?, dataset: text,
    replicate: text?, role: text, condition: text, group: text, value: number?, low: number?,
    high: number?, level: number, method: text, n: whole, n_units: whole, planned: whole,
    undefined: whole, failed: whole, skipped: whole, refused: whole, status: text, reason: text?,
    n_replicates: whole, variance: text, by_replicate: text, across: text, resample_id: text,
    denominator: number?"""
)


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


#: Prefix of names of arrays among the tables of a block.
ARRAYS: Final = "arrays/"
#: Columns of variants that hold a member as it is.
_OF_VARIANTS: Final = ("item", "role", "control_of", "recipe", "status", "reason", "draw")


def variants_table(kind: str, dataset: str, variants: Sequence[Variant]) -> pa.Table:
    """Table of variants, in their order."""
    columns = {
        "kind": [kind] * len(variants),
        "dataset": [dataset] * len(variants),
        "variant": [v.name for v in variants],
        "edits": [edits_json(v.edits) for v in variants],
        "gold": [answer_json(v.gold) for v in variants],
        **{name: [getattr(v, name) for v in variants] for name in _OF_VARIANTS},
    }
    return pa.table(columns, schema=VARIANTS)


def variants_of(table: pa.Table) -> dict[str, tuple[Variant, ...]]:
    """Variants as a run's blocks of rows have them, by item and in their order."""
    edits = edits_of(table.column("edits").to_pylist())
    golds = table.column("gold").to_pylist()
    answers = {text: answer_of(text) for text in dict.fromkeys(golds)}
    grouped: dict[str, list[Variant]] = {}
    columns = [table.column(name).to_pylist() for name in ("variant", *_OF_VARIANTS)]
    rows = zip(*columns, edits, golds, strict=True)
    for name, item, role, control_of, recipe, status, reason, draw, made, gold in rows:
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
        "answer": [
            None if p.answer is None else writable(answer_text(p.answer)) for p in outputs.values()
        ],
        "scores": [p.scores for p in outputs.values()],
        "said": [writable(p.said) for p in outputs.values()],
    }
    return pa.table(columns, schema=OUTPUTS)


def array_table(value: np.ndarray[Any, Any]) -> pa.Table:
    """Table of one row that holds an array of numbers."""
    data = {"dtype": value.dtype.str, "shape": list(value.shape), "data": value.tobytes()}
    return pa.Table.from_pylist([data])


def array_of(table: pa.Table) -> np.ndarray[Any, Any]:
    """Array from `array_table`."""
    row = table.to_pylist()[0]
    return np.frombuffer(row["data"], dtype=row["dtype"]).reshape(row["shape"])


#: Columns that hold an object, as canonical JSON.
_OBJECTS: Final = ("condition", "variance", "by_replicate", "across")
T = TypeVar("T")


def estimate_to_row(estimate: Estimate) -> dict[str, Any]:
    """Row of one estimate: members of it, of its key and of its counts."""
    parts = (estimate.key, estimate.counts, estimate)
    members = {f.name: getattr(part, f.name) for part in parts for f in fields(part)}
    members |= {name: canonical_json(dict(members[name])) for name in _OBJECTS}
    members["planned"] = estimate.counts.planned
    return {name: members[name] for name in ESTIMATES.names}


def estimate_from_row(row: Mapping[str, Any]) -> Estimate:
    """Estimate from one row of the table."""
    members = {**row, **{name: json.loads(row[name]) for name in _OBJECTS}}
    parts = {"key": _made(EstimateKey, members), "counts": _made(Counts, members)}
    return _made(Estimate, {**members, **parts})


def _made(kind: type[T], members: Mapping[str, Any]) -> T:
    """Dataclass of those members that it has; what no older version wrote is left out."""
    names = (f.name for f in fields(cast("Any", kind)))
    return kind(**{name: members[name] for name in names if name in members})


def estimates_to_table(estimates: Iterable[Estimate]) -> pa.Table:
    """Table of all estimates, in their order."""
    return pa.Table.from_pylist([estimate_to_row(e) for e in estimates], schema=ESTIMATES)


def finding_to_json(finding: Finding) -> dict[str, Any]:
    """Finding as plain JSON."""
    numbers = {"estimate": finding.estimate, "control": finding.control}
    rows = {name: of and estimate_to_row(of) for name, of in numbers.items()}
    others = {
        f.name: plain(getattr(finding, f.name)) for f in fields(finding) if f.name not in rows
    }
    return {"claim": others["claim"], **rows, **others}


def finding_from_json(data: Mapping[str, Any]) -> Finding:
    """Finding from `finding_to_json`."""
    own = {
        "claim": claim_from_json(data["claim"]),
        "checks": tuple(Check(**check) for check in data["checks"]),
        "evidence": {name: EstimateKey(**key) for name, key in data["evidence"].items()},
        "limits": tuple(map(_limits, data["limits"])),
        "touched": Touched(*data["touched"]) if data.get("touched") else None,
    }
    rows = {name: data[name] and estimate_from_row(data[name]) for name in ("estimate", "control")}
    return Finding(**{**data, **own, **rows})


def _limits(data: Mapping[str, Any] | None) -> Limits | None:
    """Limits from plain JSON."""
    if data is None:
        return None
    pairs = {name: data[name] and tuple(data[name]) for name in ("checkpoints", "recipe")}
    return Limits(**{**data, **pairs})


def claim_from_json(data: Mapping[str, Any]) -> Claim:
    """Claim read back from a run's stored findings."""
    tuples = {name: tuple(data.get(name, ())) for name in ("checks", "gates", "coverage")}
    own = {
        "components": tuple(Component(**c) for c in data["components"]),
        "competence": tuple((name, chance) for name, chance in data["competence"]),
        "risk": Risk(**data["risk"]) if data.get("risk") else None,
    }
    return Claim(**{**data, **tuples, **own})


def reproduction_from_json(data: Mapping[str, Any]) -> Reproduction:
    """Reproduction of a published figure, read back from a run's stored JSON."""
    return Reproduction(**{**data, "figure": PublishedPlan(**data["figure"])})
