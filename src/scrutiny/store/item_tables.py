"""Tables of items: of every dataset of a run, made a row group at a time; items read back."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from scrutiny.core.answers.answer import answer_json, answer_of
from scrutiny.core.boundary.json_text import texts_json
from scrutiny.core.columns.coded import Coded
from scrutiny.core.columns.item_columns import ItemColumns
from scrutiny.core.example import Example
from scrutiny.store.run_tables import ROW_GROUP


def examples_of(items: pa.Table, dataset: str) -> dict[str, Example]:
    """Examples read back from a run's stored table of items, by their identity."""
    rows = items.filter(pc.equal(items["dataset"], dataset)).to_pylist()
    return {row["item"]: _example_of(row) for row in rows}


#: Beginnings of the names of columns with attributes: groups, units, and what a training set says.
_KEPT: Final = ("a_", "u_", "t_")


def _example_of(row: Mapping[str, Any]) -> Example:
    """Example from a row of the table of items."""
    return Example(
        id=row["item"],
        fields=json.loads(row["fields"]),
        gold=answer_of(row["gold"]),
        source=row["source"],
        attributes={n: v for n, v in row.items() if n[:2] in _KEPT and v is not None},
        language=row["language"],
    )


def items_table(examples: Iterable[Example], dataset: str) -> pa.Table:
    """Table of the items of a dataset, in plan order."""
    if isinstance(examples, ItemColumns):
        return pa.concat_tables(_of_columns(examples, dataset))
    rows = list(examples)
    columns = {
        "dataset": [dataset] * len(rows),
        "item": [e.id for e in rows],
        "position": pa.array(range(len(rows)), pa.int64()),
        "gold": [answer_json(e.gold) for e in rows],
        "source": [e.source for e in rows],
        "fields": [texts_json(e.fields) for e in rows],
        "language": [e.language for e in rows],
        **{
            name: [
                None if e.attributes.get(name) is None else str(e.attributes[name]) for e in rows
            ]
            for name in sorted({name for e in rows for name in e.attributes})
        },
    }
    return pa.table(columns)


def _of_columns(examples: ItemColumns, dataset: str) -> Iterator[pa.Table]:
    """The same table of items that are columns already, in parts of a row group."""
    for start in range(0, len(examples), ROW_GROUP):
        part = examples.part(start, min(start + ROW_GROUP, len(examples)))
        n, texts = len(part), part.fields
        fields = [texts_json(dict(zip(texts, row, strict=True))) for row in part.texts()]
        yield pa.table(
            {
                "dataset": pa.repeat(dataset, n),
                "item": part.ids.cast(pa.string()),
                "position": pa.array(range(start, start + n), pa.int64()),
                "gold": _words(part.golds, answer_json),
                "source": part.sources.cast(pa.string()),
                "fields": pa.array(fields, pa.string()),
                "language": _words(part.languages, str),
                **{
                    name: _words(part.attributes[name], lambda v: None if v is None else str(v))
                    for name in sorted(part.attributes)
                },
            }
        )


def _words(column: Coded, word: Callable[[Any], str | None]) -> pa.Array:
    """Coded column as words."""
    words = pa.array([word(value) for value in column.values], pa.string())
    return words.take(pa.array(column.codes))


def items_of(
    datasets: Mapping[str, Sequence[Example]],
    more: Mapping[str, Mapping[str, Sequence[object]]] | None = None,
) -> tuple[pa.Schema, Iterator[pa.Table]]:
    """Schema of the items of all datasets, by name, with more columns of some; their tables."""
    parts = [
        _with_more(
            _of_columns(examples, name)
            if isinstance(examples, ItemColumns)
            else iter([items_table(examples, name)]),
            {column: pa.array(values) for column, values in (more or {}).get(name, {}).items()},
        )
        for name, examples in datasets.items()
    ]
    firsts = [next(tables) for tables in parts]
    schema = pa.unify_schemas([one.schema for one in firsts], promote_options="default")
    every = chain.from_iterable(
        chain([first], tables) for first, tables in zip(firsts, parts, strict=True)
    )
    empty = schema.empty_table()
    return schema, (pa.concat_tables([empty, one], promote_options="default") for one in every)


def _with_more(tables: Iterator[pa.Table], more: Mapping[str, pa.Array]) -> Iterator[pa.Table]:
    """Tables one after the other with the rows of more columns that are theirs."""
    start = 0
    for table in tables:
        whole = table
        for column, values in more.items():
            whole = whole.append_column(column, values.slice(start, len(table)))
        yield whole
        start += len(table)
