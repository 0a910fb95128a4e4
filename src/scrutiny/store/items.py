"""Items of a run: rows of its table from examples, and examples from rows."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from scrutiny.core.answers.stored import answer_json, answer_of
from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.example import Example


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
