"""Distinct outputs of a run: duplicates are removed by numbering them.

Several diagnostics ask a model about the same item as it is; a run keeps its answer once. A large
run has millions of outputs, so what was seen is kept as sorted whole numbers, not as texts.
"""

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from scrutiny.store.coded import coded

#: Of what there are few combinations; with the item they tell an output.
_FEW: Final = ("subject", "replicate", "dataset", "condition", "variant")
_ITEM_BITS: Final = 32

Numbers = NDArray[np.int64]
_Key = TypeVar("_Key")


def distinct_outputs(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Outputs without those that another diagnostic already requested."""
    named, seen = _Names(), _Seen()
    for table in tables:
        is_new = seen.take_in(named.numbers(table))
        yield table if is_new.all() else table.filter(pa.array(is_new))


class _Names:
    """Ids of outputs: the same for the same names, in any table."""

    def __init__(self) -> None:
        self._items: dict[object, int] = {}
        self._others: dict[tuple[object, ...], int] = {}

    def numbers(self, table: pa.Table) -> Numbers:
        """Id of each row."""
        names, codes = coded(table["item"])
        items = _numbered(names.to_pylist(), self._items)[codes]
        pairs = [coded(table[name]) for name in _FEW]
        values = [own.to_pylist() for own, _ in pairs]
        shape = [max(len(own), 1) for own in values]
        every = np.ravel_multi_index([codes for _, codes in pairs], shape)
        found, place = np.unique(every, return_inverse=True)
        few = zip(*np.unravel_index(found, shape), strict=True)
        keys = [tuple(own[i] for own, i in zip(values, at, strict=True)) for at in few]
        return (_numbered(keys, self._others)[place] << _ITEM_BITS) | items


def _numbered(names: Iterable[_Key], known: dict[_Key, int]) -> Numbers:
    """Id of each name; new names get the next ids."""
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


class _Seen:
    """Set of ids, in sorted runs that are merged as they grow: eight bytes each."""

    def __init__(self) -> None:
        self._runs: list[Numbers] = []

    def take_in(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Whether each id is new; all are recorded."""
        own, first = np.unique(numbers, return_index=True)
        is_new = np.ones(own.size, dtype=np.bool_)
        for run in self._runs:
            place = np.minimum(np.searchsorted(run, own), run.size - 1)
            is_new &= run[place] != own
        self._keep(own[is_new])
        found = np.zeros(numbers.size, dtype=np.bool_)
        found[first[is_new]] = True
        return found

    def _keep(self, run: Numbers) -> None:
        """Add a sorted run, merging so that no run is longer than the one before it."""
        while self._runs and self._runs[-1].size <= run.size:
            run = np.sort(np.concatenate([self._runs.pop(), run]), kind="stable")
        if run.size:
            self._runs.append(run)
