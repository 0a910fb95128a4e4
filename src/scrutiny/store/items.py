"""Items of a run: from rows of its table to examples."""

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from scrutiny.core.answers.stored import answer_of
from scrutiny.core.example import Example


def examples_of(items: pa.Table, dataset: str) -> dict[str, Example]:
    """Examples of a dataset by their identity, from the run's table of items."""
    rows = items.filter(pc.equal(items["dataset"], dataset)).to_pylist()
    return {row["item"]: _example_of(row) for row in rows}


def _example_of(row: Mapping[str, Any]) -> Example:
    """Example from a row of the table of items."""
    columns = {n: v for n, v in row.items() if n.startswith(("a_", "u_")) and v is not None}
    return Example(
        id=row["item"],
        fields=json.loads(row["fields"]),
        gold=answer_of(row["gold"]),
        source=row["source"],
        attributes=columns,
        language=row["language"],
    )
