"""Distinct outputs: several diagnostics ask a model about one item; a run keeps its answer once.

A large run has millions of outputs, so what was seen is kept as stretches of whole numbers, not as
texts.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from scrutiny.store.arrow import coded, combined
from scrutiny.store.name_column import NameColumn

#: Of what there are few combinations; with the item they tell an output.
_FEW: Final = ("subject", "replicate", "dataset", "condition", "variant")
_ITEM_BITS: Final = 32
_NEW: Final = 2**31  # number of the first item that no dataset has
Numbers = NDArray[np.int64]
_Key = TypeVar("_Key")


def distinct_outputs(
    tables: Iterable[pa.Table], items: Mapping[str, NameColumn]
) -> Iterator[pa.Table]:
    """Outputs without those that another diagnostic already requested.

    Parameters
    ----------
    tables
        Outputs of one shard after the other.
    items
        Items of each dataset.
    """
    named, seen = _Names(items), _Seen()
    for table in tables:
        is_new = seen.take_in(named.numbers(table))
        yield table if is_new.all() else table.filter(pa.array(is_new))


class _Names:
    """Ids of outputs: the same for the same names, in any table; those of items in a row follow."""

    def __init__(self, items: Mapping[str, NameColumn]) -> None:
        self._items = items
        self._new: dict[object, int] = {}
        self._others: dict[tuple[object, ...], int] = {}

    def numbers(self, table: pa.Table) -> Numbers:
        """Id of each row."""
        keys, place = combined(table, _FEW)
        others = _numbered(keys, self._others)[place] << _ITEM_BITS
        names, codes = coded(table["dataset"])
        for number, name in enumerate(names.to_pylist()):
            rows = np.flatnonzero(codes == number)
            others[rows] |= self._places(name, table["item"].take(pa.array(rows)))
        return others

    def _places(self, dataset: str, column: pa.ChunkedArray) -> Numbers:
        """Number of the item of each row of a dataset."""
        names, codes = coded(column)
        known = self._items.get(dataset)
        places = np.full(len(names), -1) if known is None else known.places(names)
        new = np.flatnonzero(places < 0)
        if new.size:
            given = names.take(pa.array(new)).to_pylist()
            places[new] = _NEW + _numbered(given, self._new)
        return places[codes]


def _numbered(names: Iterable[_Key], known: dict[_Key, int]) -> Numbers:
    """Id of each name; new names get the next ids."""
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


class _Seen:
    """Set of ids, as sorted stretches ``(stretch, 2)``: the first id, and the one behind the last.

    Runs of them are merged as they grow: sixteen bytes a stretch.
    """

    def __init__(self) -> None:
        self._runs: list[Numbers] = []

    def take_in(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Whether each id is new; all are recorded."""
        own, first = np.unique(numbers, return_index=True)
        is_new = np.ones(own.size, dtype=np.bool_)
        for run in self._runs:
            place = np.searchsorted(run[:, 0], own, side="right") - 1
            is_new &= (place < 0) | (own >= run[place, 1])
        new = own[is_new]
        self._keep(np.stack([new, new + 1], axis=1))
        found = np.zeros(numbers.size, dtype=np.bool_)
        found[first[is_new]] = True
        return found

    def _keep(self, run: Numbers) -> None:
        """Add sorted stretches, merging so that each run is twice as long as the next."""
        run = _grown_together(run)
        while self._runs and len(self._runs[-1]) < 2 * len(run):
            both = np.concatenate([self._runs.pop(), run])
            run = _grown_together(both[np.argsort(both[:, 0], kind="stable")])
        if len(run):
            self._runs.append(run)


def _grown_together(run: Numbers) -> Numbers:
    """Sorted stretches, those as one of which each begins where the one before ends."""
    begins = np.append(True, run[1:, 0] != run[:-1, 1])[: len(run)]
    return np.stack([run[begins, 0], run[np.roll(begins, -1), 1]], axis=1)
