"""Equal rows: of items with the same gold and the same stored answer one is measured for all.

A million items of four classes have sixteen such pairs. What one of them shows in any other way
than by a row of values has to be measured item by item.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from scrutiny.core.columns.item_columns import ItemColumns
from scrutiny.core.diagnostic import Batch, Diagnostic
from scrutiny.core.example import Example
from scrutiny.core.model import AnswersInColumns, Model

_FINE = {"ok", "skipped"}


@dataclass(frozen=True, slots=True)
class EqualRows:
    """Items of a shard of which each stands for others.

    Parameters
    ----------
    batch
        One item of each pair of a gold and an answer.
    ids
        Identity of each item of the shard.
    places
        ``(item,)`` which of the examples stands for it.
    """

    batch: Batch
    ids: pa.Array
    places: NDArray[np.int64]

    def of_all(self, table: pa.Table) -> pa.Table | None:
        """Table with a row of each item, from one of each example; None if it has other rows."""
        if table["item"].to_pylist() != [one.id for one in self.batch.examples]:
            return None
        if "status" in table.column_names and not _FINE.issuperset(table["status"].to_pylist()):
            return None
        at = table.schema.get_field_index("item")
        every = table.take(pa.array(self.places))
        return every.set_column(at, table.schema.field(at), self.ids)


def equal_rows(
    diagnostic: Diagnostic[Any], model: Model, items: Sequence[Example], start: int, stop: int
) -> EqualRows | None:
    """Items that stand for those of a shard; None if each has to be measured.

    Parameters
    ----------
    diagnostic, model
        What is measured of which model.
    items
        All items of the dataset.
    start, stop
        Those of the shard.
    """
    is_known = diagnostic.reads_answers_only and isinstance(items, ItemColumns)
    if not is_known or not isinstance(model, AnswersInColumns) or start == stop:
        return None
    assert isinstance(items, ItemColumns)
    answers = model.answer_codes(items, start, stop)
    if answers is None:
        return None
    pairs = answers * len(items.golds.values) + items.golds.codes[start:stop]
    _, first, places = np.unique(pairs, return_index=True, return_inverse=True)
    stands = np.argsort(first)  # the first of each pair, in the order of the items
    order = np.empty_like(stands)
    order[stands] = np.arange(len(stands))
    chosen = (first[stands] + start).tolist()
    return EqualRows(
        Batch(tuple(items[i : i + 1][0] for i in chosen)),
        items.ids.slice(start, stop - start).cast(pa.string()).combine_chunks(),
        order[places.reshape(-1)],
    )
